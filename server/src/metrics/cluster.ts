import { AggregatorRegistry, type Registry } from 'prom-client'
import { type MetricsAddress, type ServedMetrics, serveMetrics } from './serve.ts'

/** In a worker: answers the primary's question for its metrics from now on. */
export function reportToPrimary(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry])
  // This one is empty, but it begins to listen.
  new AggregatorRegistry()
}

/** In the primary: serves the metrics of all workers, added up. @throws Error in one line if the port cannot be used */
export function serveForWorkers(address: MetricsAddress): Promise<ServedMetrics> {
  const registry = new AggregatorRegistry()
  return serveMetrics(address, registry.contentType, () => registry.clusterMetrics())
}
