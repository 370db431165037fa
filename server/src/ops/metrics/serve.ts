import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AggregatorRegistry, type Registry } from 'prom-client'
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

/** In a worker: answers the primary's requests for its metrics from now on. */
export function reportToPrimary(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry])
  // This registry is empty, but its constructor starts listening.
  new AggregatorRegistry()
}

/**
 * In the primary: serves the sum of the metrics of all workers. @throws Error in one line if the port cannot be used
 */
export function serveForWorkers(address: MetricsAddress): Promise<ServedMetrics> {
  const registry = new AggregatorRegistry()
  return serveMetrics(address, registry.contentType, () => registry.clusterMetrics())
}
