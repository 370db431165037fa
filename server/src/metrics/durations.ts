import type { Metric, MetricValueWithName, Registry } from 'prom-client'

/** In seconds. A quote takes a millisecond or less, a publish as long as its website. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const BUCKETS_MS = BUCKETS.map(seconds => 1000 * seconds)

const NAME = 'http_server_request_duration_seconds'
const HELP =
  'How long requests took until their reply was ready, by method, pattern of the route, and status.'

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

  values = (): MetricValueWithName<string>[] =>
    [...this.#byStatus.values()].flatMap(series => series.values())
}

/**
 * Registers a histogram that counts for itself: one of prom-client would look the labels up for each request, which takes
 * longer than all the rest.
 */
export function registerDurations(registry: Registry, all: () => Durations[]): void {
  const metric = {
    name: NAME,
    get: async () => ({
      ...{ name: NAME, help: HELP, type: 'histogram', aggregator: 'sum' },
      values: all().flatMap(each => each.values()),
    }),
  }
  // All that a registry asks of a metric.
  registry.registerMetric(metric as unknown as Metric)
}
