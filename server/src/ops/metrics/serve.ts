import cluster, { type Worker } from 'node:cluster'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AggregatorRegistry, Registry } from 'prom-client'
import { hostAndPort } from '../../platform/config/old-names.ts'

export interface MetricsAddress {
  host: string
  port: number
}

export interface ServedMetrics {
  /** The actual port, even if the setting is port 0. */
  port: number
  close(): Promise<void>
}

/**
 * Serves `/metrics` on a port of its own, so that a proxy in front of the service never exposes it.
 *
 * @param render the metrics, as Prometheus reads them
 * @throws Error in one line if the port cannot be used
 */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  contentType: string,
  render: () => Promise<string>,
): Promise<ServedMetrics> {
  const server = createServer(async (request, response) => {
    const isAsked = request.method === 'GET' && request.url?.split('?')[0] === '/metrics'
    if (!isAsked) return void response.writeHead(404).end('There is only GET /metrics.\n')
    try {
      const metrics = await render()
      response.writeHead(200, { 'content-type': contentType }).end(metrics)
    } catch (error) {
      response.writeHead(500).end(`${(error as Error).message}\n`)
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', error =>
      reject(new Error(`METRICS_LISTEN ${hostAndPort({ host, port })} cannot be used: ${error.message}`)),
    )
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Measured = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** From a worker to its primary. */
interface Reported {
  measured?: Measured
  unmeasured?: string
}

const MEASURE = { measure: true }

/** In a worker: reports its metrics now, and whenever the primary asks from now on. */
export function reportToPrimary(registry: Registry): void {
  const report = async () => {
    const reported: Reported = await registry.getMetricsAsJSON().then(
      measured => ({ measured }),
      error => ({ unmeasured: (error as Error).message }),
    )
    // The primary may be gone.
    process.send?.(reported, undefined, undefined, () => {})
  }
  process.on('message', ({ measure }: Partial<typeof MEASURE>) => {
    if (measure) void report()
  })
  void report()
}

/** How long a scrape waits for a worker that does not answer. Later ones don't wait for it, until it has answered. */
const ANSWER_TIMEOUT_MS = 5000

/** A metric that is 0 in each process. The primary sets it for workers that do not answer. */
export const SILENT = 'placard_workers_silent'

/**
 * In the primary: serves the sum of the metrics of all workers. The counters of a worker that died or does not answer
 * stay in the sum: Prometheus takes a smaller one for a restart, and counts all that is left of it again.
 *
 * @throws Error in one line if the port cannot be used
 */
export function serveForWorkers(address: MetricsAddress): Promise<ServedMetrics> {
  /** Of each worker that can be asked, what it reported last. */
  const last = new Map<Worker, Measured>()
  const asked = new Set<Worker>()
  const silent = new Set<Worker>()
  const answers = new EventEmitter()
  let ended: Measured = []
  const answered = (worker: Worker, why?: string) => {
    silent.delete(worker)
    if (asked.delete(worker)) answers.emit('answer', why)
  }
  cluster.on('message', (worker: Worker, { measured, unmeasured }: Reported) => {
    if (measured) last.set(worker, measured)
    if (measured || unmeasured !== undefined) answered(worker, unmeasured)
  })
  cluster.on('exit', worker => {
    ended = sumOf([ended, last.get(worker) ?? []]).filter(({ type }) => COUNTED.includes(String(type)))
    last.delete(worker)
    answered(worker)
  })
  async function measure(): Promise<string> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    for (const worker of last.keys()) {
      if (!asked.has(worker)) worker.send(MEASURE)
      asked.add(worker)
    }
    while (asked.size > silent.size) {
      const [why] = await once(answers, 'answer', { signal }).catch(() => {
        for (const worker of asked) silent.add(worker)
        return []
      })
      if (why !== undefined) throw new Error(why)
    }
    const reports = [...last].map(([worker, measured]) => (silent.has(worker) ? silentOf(measured) : measured))
    return AggregatorRegistry.aggregate([ended, ...reports]).metrics()
  }
  return serveMetrics(address, Registry.PROMETHEUS_CONTENT_TYPE, measure)
}

/** The types that only grow in one process. */
const COUNTED = ['counter', 'histogram']

/** What counts of the last report of a worker that does not answer. */
const silentOf = (measured: Measured): Measured =>
  measured.flatMap(metric => {
    if (metric.name === SILENT) return [{ ...metric, values: [{ value: 1, labels: {} }] }]
    return COUNTED.includes(String(metric.type)) ? [metric] : []
  })

const sumOf = (reports: Measured[]) => AggregatorRegistry.aggregate(reports).getMetricsAsArray() as unknown as Measured
