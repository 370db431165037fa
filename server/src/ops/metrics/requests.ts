import { ServerResponse } from 'node:http'
import { PUBLISH_PATH } from '@placard/contract'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Counter, type Metric, type MetricValueWithName, type Registry } from 'prom-client'
import type { ResponseClass } from '../../platform/http/connections.ts'

/** The route of requests that match none. Their addresses would make an unlimited number of labels. */
const NO_ROUTE = 'none'

/** The method of all others, which would be unlimited, too. */
const OTHER_METHOD = 'other'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Durations of one method and route, by status. */
export class Durations {
  readonly #labels: { method: string; route: string }
  readonly #byStatus = new Map<number, Series>()

  constructor(labels: { method: string; route: string }) {
    this.#labels = labels
  }

  observe(status: number, ms: number): void {
    let series = this.#byStatus.get(status)
    if (!series) {
      series = new Series({ ...this.#labels, status })
      this.#byStatus.set(status, series)
    }
    let bucket = 0
    while (ms > (BUCKETS_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sumMs += ms
  }

  values = (): MetricValueWithName<string>[] => [...this.#byStatus.values()].flatMap(series => series.values())
}

/**
 * Times each request by the pattern of its route, from its headers until its reply is ready. The responses do so
 * themselves: a hook after each reply would take a tenth of a quote's time.
 */
export class RequestTimes {
  /** By route and method. */
  readonly #routes = new Map<string, Map<string, Durations>>()
  readonly #other = new Durations({ method: OTHER_METHOD, route: NO_ROUTE })
  readonly Response: ResponseClass

  constructor(registry: Registry) {
    const nowhere = this.#routeAt(NO_ROUTE, METHODS)
    const other = this.#other
    class TimedResponse extends TimedByRoute {
      // Three named arguments: collecting and spreading them would take longer than the rest.
      override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
        const route = this.route ?? nowhere
        if (!this.writableEnded) {
          const durations = route.get(this.req.method ?? '') ?? other
          durations.observe(this.statusCode, performance.now() - this.startedAt)
        }
        return super.end(chunk, encoding as BufferEncoding, done as () => void)
      }
    }
    this.Response = TimedResponse
    registerDurations(registry, () => [...[...this.#routes.values()].flatMap(route => [...route.values()]), other])
  }

  /** Sets the route of each response. Call it before any route exists. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', route => {
      const times = this.#routeAt(route.url, [route.method].flat())
      const know: RouteOptions['onRequest'] = (_request, reply, done) => {
        if (reply.raw instanceof TimedByRoute) reply.raw.route = times
        done()
      }
      route.onRequest = [know, route.onRequest ?? []].flat()
    })
  }

  #routeAt(url: string, methods: readonly string[]): Map<string, Durations> {
    const route = this.#routes.get(url) ?? new Map<string, Durations>()
    this.#routes.set(url, route)
    for (const method of methods) if (!route.has(method)) route.set(method, new Durations({ method, route: url }))
    return route
  }
}

class TimedByRoute extends ServerResponse {
  readonly startedAt = performance.now()
  route: ReadonlyMap<string, Durations> | undefined = undefined
}

/** Counts how publishes end. Call it before any route exists. */
export function countPublishes(app: FastifyInstance, registry: Registry): void {
  const publishes = new Counter({
    name: 'placard_publish_total',
    help: 'Publishes by outcome: published, replayed, or the code of the error.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  app.addHook('onRoute', route => {
    if (route.url !== PUBLISH_PATH || route.method !== 'POST') return
    const count: RouteOptions['onSend'] = (_request, reply, payload, done) => {
      const { statusCode } = reply
      const outcome = statusCode === 201 ? 'published' : statusCode === 200 ? 'replayed' : codeOf(String(payload))
      publishes.inc({ outcome })
      done(null, payload)
    }
    route.onSend = [route.onSend ?? [], count].flat()
  })
}

const codeOf = (error: string): string => (JSON.parse(error) as { code: string }).code

/** In seconds. A quote takes a millisecond or less, a publish as long as its website. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const BUCKETS_MS = BUCKETS.map(seconds => 1000 * seconds)

const NAME = 'http_server_request_duration_seconds'
const HELP = 'How long requests took until their reply was ready, by method, pattern of the route, and status.'

/** The durations of one method, route and status. */
class Series {
  readonly labels: Record<string, string | number>
  /** By bucket, the last one without a bound. */
  readonly counts = new Float64Array(BUCKETS.length + 1)
  sumMs = 0

  constructor(labels: Record<string, string | number>) {
    this.labels = labels
  }

  values(): MetricValueWithName<string>[] {
    let count = 0
    const buckets = [...BUCKETS, '+Inf'].map((le, bucket) => {
      count += this.counts[bucket] ?? 0
      return { metricName: `${NAME}_bucket`, labels: { le, ...this.labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${NAME}_sum`, labels: this.labels, value: this.sumMs / 1000 },
      { metricName: `${NAME}_count`, labels: this.labels, value: count },
    ]
  }
}

/**
 * Registers a histogram that counts on its own. One of prom-client would look up the labels for each request, which
 * takes longer than all the rest.
 */
function registerDurations(registry: Registry, all: () => Durations[]): void {
  const metric = {
    name: NAME,
    get: async () => ({
      name: NAME,
      help: HELP,
      type: 'histogram',
      aggregator: 'sum',
      values: all().flatMap(each => each.values()),
    }),
  }
  // Everything that a registry needs of a metric.
  registry.registerMetric(metric as unknown as Metric)
}
