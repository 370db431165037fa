import { basename } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { readLogState } from '../../domain/log/break.ts'
import type { GuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import type { PageReaders } from '../../domain/review/page-parser/page-readers.ts'
import type { Reviewers } from '../../domain/review/reviewers/reviewers.ts'
import type { Store } from '../../platform/db/store.ts'
import { cacheUses } from '../../platform/lib/cache.ts'
import {
  countsDiffered,
  databaseMoved,
  entered,
  reconciled,
  refusedEvent,
  reviewed,
  type Use,
} from '../../platform/lib/diagnostics.ts'
import { COMMIT, VERSION } from '../../platform/lib/package.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { measureJobs, readJobs, type StatusDependencies } from '../jobs/status.ts'
import { countPublishes, timeRequests } from './requests.ts'
import { type MetricsAddress, reportToPrimary, type ServedMetrics, SILENT, serveMetrics } from './serve.ts'
import { measureState, shared } from './state.ts'

/** The Prometheus metrics of this process. Loaded only with `METRICS_LISTEN`. */
export class Metrics {
  readonly #registry = new Registry()
  #end = () => {}
  #served: ServedMetrics | undefined

  /** Counts the requests of an app that has no route yet. */
  watch(app: FastifyInstance): void {
    timeRequests(app, this.#registry)
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

interface MetricsDependencies extends Pools {
  log: Pick<FastifyBaseLogger, 'info'>
  /** Defined in only one process of a machine, because each would count the same. */
  due: StatusDependencies | undefined
  reviewers: Pick<Reviewers, 'lists'>
  dataDir: string
}

/** In seconds: page rules take microseconds, a slow website ten seconds. */
const REVIEW_BUCKETS = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]

/** By then, a process that got the job has reconciled, because it does that each night from 3 to 6 o'clock. */
const RECONCILED_MS = 27 * HOUR_MS

/** Measures this process, except for its requests. @returns a function that ends it */
function measureService(registry: Registry, deps: MetricsDependencies): () => void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  // These are gauges, although their names promise counters. Those by type have the same numbers.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  // By default, the average of all workers, in which one that is blocked disappears.
  Object.assign(registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds') ?? {}, { aggregator: 'max' })
  measureState(registry, deps)
  new Gauge({
    name: 'placard_build_info',
    help: 'Always 1; its labels say which version runs, from which commit, on which database.',
    labelNames: ['version', 'commit', 'engine'],
    aggregator: 'max',
    registers,
  }).set({ version: VERSION, commit: COMMIT ?? '', engine: deps.store.engine }, 1)
  new Gauge({
    name: SILENT,
    help: 'Workers that did not answer this scrape. Only their counters are in it, as they answered last.',
    registers,
  }).set(0)
  const review = new Histogram({
    name: 'placard_review_seconds',
    help: 'How long each reviewer took for a page; "fetcher" is fetching and parsing the page.',
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
  const refused = new Counter({
    name: 'placard_ledger_events_refused_total',
    help: 'Refused deliveries of the payment processor about orders of this site. Most are refused for their signature.',
    registers,
  })
  let reconciledAt = 0
  const differences = new Gauge({
    name: 'placard_reconcile_differences',
    help: 'Differences that the last nightly reconcile of this process found; 0 until it has run, and after 27 hours.',
    aggregator: 'max',
    registers,
    collect() {
      if (Date.now() - reconciledAt > RECONCILED_MS) this.set(0)
    },
  })
  const moves = new Counter({
    name: 'placard_database_moves_total',
    help: 'How often this process moved its connections to another host of DATABASE_URL.',
    registers,
  })
  const countsWrong = new Counter({
    name: 'placard_counts_differed_total',
    help: 'Comparisons in which the counts of a board in memory differed from the database.',
    registers,
  })
  const jobs = shared(async () => (deps.due ? await measureJobs(deps.due) : []))
  const ofJobs = { labelNames: ['kind'], aggregator: 'max' as const, registers }
  new Gauge({
    name: 'placard_jobs_due',
    help: 'Pending background work; NaN if the database cannot be read. All instances report the same.',
    ...ofJobs,
    async collect() {
      for (const { name, due } of await jobs()) this.set({ kind: name }, due)
    },
  })
  new Gauge({
    name: 'placard_job_failures',
    help: 'Failed runs in a row of each background job; NaN if the database cannot be read. All instances report the same.',
    ...ofJobs,
    async collect() {
      for (const { name, failures } of await jobs()) this.set({ kind: name }, failures)
    },
  })
  new Gauge({
    name: 'placard_log_broken',
    help: '1 while signing has stopped, because the log lacks entries that were signed before; NaN if it cannot be read.',
    aggregator: 'max',
    registers,
    async collect() {
      const isBroken = async ({ store }: StatusDependencies) =>
        Number((await readLogState(store.db)).broken !== undefined)
      this.set(deps.due ? await isBroken(deps.due).catch(() => Number.NaN) : 0)
    },
  })
  if (deps.due?.config.backup) measureBackups(deps.due, registers)
  new Gauge({
    name: 'placard_blocklist_age_seconds',
    help: 'How long ago each blocklist of 1,000 names or more last changed; NaN if any cannot be read.',
    labelNames: ['list'],
    aggregator: 'max',
    registers,
    collect() {
      this.reset()
      for (const { path, downloadedAt, isRead } of deps.reviewers.lists(Date.now())) {
        const age = isRead ? downloadedAt && (Date.now() - downloadedAt) / 1000 : Number.NaN
        if (age !== undefined) this.set({ list: basename(path) }, age)
      }
    },
  })
  new Gauge({
    name: 'placard_pool',
    help: 'Connections, visits or processes of a pool that are busy or idle, and requests that wait for one.',
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
    help: 'Lookups in an in-memory cache, by result: hit or miss.',
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
    refusedEvent.listen(() => refused.inc()),
    reconciled.listen(found => {
      reconciledAt = Date.now()
      differences.set(found.differences)
    }),
    countsDiffered.listen(() => countsWrong.inc()),
    databaseMoved.listen(() => moves.inc()),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** The age of the last backup is judged by how often there should be one. */
function measureBackups(due: StatusDependencies, registers: Registry[]): void {
  new Gauge({
    name: 'placard_backup_last_success_timestamp_seconds',
    help: 'When the last automatic backup was complete and verified; 0 if none was yet, NaN if it cannot be read.',
    aggregator: 'max',
    registers,
    async collect() {
      const read = await readJobs(due).catch(() => undefined)
      const last = read?.jobs.find(({ name }) => name === 'backup')?.succeededAt ?? 0
      this.set(read ? last / 1000 : Number.NaN)
    },
  })
  new Gauge({
    name: 'placard_backup_interval_seconds',
    help: 'BACKUP_EVERY.',
    aggregator: 'max',
    registers,
  }).set((due.config.backup?.everyMs ?? 0) / 1000)
}

interface Pools {
  store: Store
  /** By purpose. */
  fetchers: Record<string, GuardedFetcher>
  readers: PageReaders
}

/** The use of every limited resource, by name. */
const usesOf = ({ store, fetchers, readers }: Pools): Record<string, Use> => ({
  ...store.pools(),
  ...Object.fromEntries(Object.entries(fetchers).map(([purpose, fetcher]) => [`fetcher_${purpose}`, fetcher.use()])),
  page_readers: readers.use(),
})
