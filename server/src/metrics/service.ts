import type { FastifyBaseLogger } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import { type Due, dueNow } from '../jobs/reading.ts'
import { cacheUses } from '../remembered.ts'
import { VERSION } from '../version.ts'
import { entered, reviewed } from './measured.ts'
import { type Pools, usesOf } from './pools.ts'

export interface MetricsDependencies extends Pools {
  log: Pick<FastifyBaseLogger, 'info'>
  /** Where what waits can be asked; one process of a machine is enough. */
  due: Due | undefined
}

/** In seconds: page rules take microseconds, a slow website ten seconds. */
const REVIEW_BUCKETS = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]

/** The metrics of this process, other than of its requests. @returns a function that ends them */
export function measureService(registry: Registry, deps: MetricsDependencies): () => void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'placard_build_info',
    help: 'Always 1; its labels say which version runs, on which database.',
    labelNames: ['version', 'engine'],
    aggregator: 'max',
    registers,
  }).set({ version: VERSION, engine: deps.store.engine }, 1)
  const review = new Histogram({
    name: 'placard_review_seconds',
    help: 'How long each reviewer took for a page; "fetcher" is its fetching and reading.',
    labelNames: ['reviewer'],
    buckets: REVIEW_BUCKETS,
    registers,
  })
  const events = new Counter({
    name: 'placard_ledger_events_total',
    help: 'Events of the payment processor that entered the ledger.',
    labelNames: ['kind'],
    registers,
  })
  new Gauge({
    name: 'placard_jobs_due',
    help: 'Work that waits in the background; NaN if the database does not say. All instances see the same.',
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
    async collect() {
      const due = deps.due ? await dueNow(deps.due) : {}
      for (const [kind, count] of Object.entries(due)) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'placard_pool',
    help: 'Connections, turns or processes of a pool that are busy or idle, and who waits for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, use] of Object.entries(usesOf(deps))) {
        for (const [state, count] of Object.entries(use)) this.set({ pool, state }, count)
      }
    },
  })
  new Counter({
    name: 'placard_cache_total',
    help: 'Questions that a cache in memory answered (hit) or did not (miss).',
    labelNames: ['cache', 'result'],
    registers,
    collect() {
      this.reset()
      for (const [cache, { hits, misses }] of cacheUses()) {
        this.inc({ cache, result: 'hit' }, hits)
        this.inc({ cache, result: 'miss' }, misses)
      }
    },
  })
  const ends = [
    reviewed.listen(({ reviewer, ms }) => review.observe({ reviewer }, ms / 1000)),
    entered.listen(({ kind }) => events.inc({ kind })),
  ]
  return () => {
    for (const end of ends) end()
  }
}
