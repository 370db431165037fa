import { ServerResponse } from 'node:http'
import { PUBLISH_PATH } from '@placard/contract'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { ResponseClass } from '../http/connections.ts'
import { Durations, registerDurations } from './durations.ts'

/** The route of a request that none matches: never its address, of which there is no end. */
const NO_ROUTE = 'none'
/** The method of all others, of which there is no end either. */
const OTHER_METHOD = 'other'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Times each request by the pattern of its route, from its headers until its reply is ready. The responses do so
 * themselves: a hook after each reply would cost a quote a tenth of its time.
 */
export class RequestTimes {
  /** By route and method. */
  readonly #routes = new Map<string, Map<string, Durations>>()
  readonly #other = new Durations({ method: OTHER_METHOD, route: NO_ROUTE })
  /** What the server has to make its responses of. */
  readonly Response: ResponseClass

  constructor(registry: Registry) {
    const nowhere = this.#routeAt(NO_ROUTE, METHODS)
    const other = this.#other
    class TimedResponse extends TimedByRoute {
      // Three arguments by name: to collect and spread them would take longer than the rest.
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
    registerDurations(registry, () => [
      ...[...this.#routes.values()].flatMap(route => [...route.values()]),
      other,
    ])
  }

  /** Tells each response its route. Call it before any route exists. */
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
    for (const method of methods)
      if (!route.has(method)) route.set(method, new Durations({ method, route: url }))
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
      const outcome =
        statusCode === 201 ? 'published' : statusCode === 200 ? 'replayed' : codeOf(String(payload))
      publishes.inc({ outcome })
      done(null, payload)
    }
    route.onSend = [route.onSend ?? [], count].flat()
  })
}

const codeOf = (error: string): string => (JSON.parse(error) as { code: string }).code
