import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import type { ResponseClass } from '../../platform/http/connections.ts'
import { countPublishes, RequestTimes } from './requests.ts'
import { type MetricsAddress, reportToPrimary, type ServedMetrics, serveMetrics } from './serve.ts'
import { type MetricsDependencies, measureService } from './service.ts'

/** The Prometheus metrics of this process. Loaded only with `METRICS_PORT`. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new RequestTimes(this.#registry)
  #end = () => {}
  #served: ServedMetrics | undefined

  /** The class of the app's responses. */
  get Response(): ResponseClass {
    return this.#requests.Response
  }

  /** Counts the requests of an app that has no route yet. */
  watch(app: FastifyInstance): void {
    this.#requests.watch(app)
    countPublishes(app, this.#registry)
  }

  /**
   * Starts measuring, and serves the result.
   *
   * @param address to serve at; undefined for a worker, whose primary serves it
   * @returns the port, if there is one
   * @throws Error in one line if the port cannot be used
   */
  async start(address: MetricsAddress | undefined, deps: MetricsDependencies): Promise<number | undefined> {
    this.#end = measureService(this.#registry, deps)
    if (!address) return void reportToPrimary(this.#registry)
    this.#served = await serveMetrics(address, this.#registry.contentType, () => this.#registry.metrics())
    const { port } = this.#served
    deps.log.info({ port }, `metrics at http://${address.host}:${port}/metrics`)
    return port
  }

  async close(): Promise<void> {
    this.#end()
    await this.#served?.close()
  }
}
