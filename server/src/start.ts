import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { type AppDependencies, buildApp } from './app.ts'
import { StaleCache } from './domain/boards/first-page.ts'
import { Traffic } from './domain/listings/traffic.ts'
import { warn } from './domain/notifications/operator/warnings.ts'
import { PageReaders } from './domain/review/page-parser/page-readers.ts'
import type { Job } from './ops/jobs/job.ts'
import { Jobs } from './ops/jobs/runner.ts'
import { startJobs } from './ops/jobs/table.ts'
import { ALONE, type Part } from './ops/processes/cluster.ts'
import { ProcessTasks } from './ops/processes/process-tasks.ts'
import { type Ready, reportReady, warnAbout } from './ops/processes/startup-log.ts'
import { createFetchers, openParts, pageFetchersOf } from './parts.ts'
import { Purger } from './platform/cdn/purger.ts'
import type { Config } from './platform/config/config.ts'
import { readSite } from './platform/config/site.ts'
import { InstanceLock } from './platform/db/data-folder.ts'
import type { Outdated } from './platform/db/migrate.ts'
import { MIGRATIONS } from './platform/db/migrations/index.ts'
import type { Migrations } from './platform/db/migrations/types.ts'
import { openStore } from './platform/db/open.ts'
import { Links } from './platform/http/links.ts'
import { Allowances, leaseStoreFor } from './platform/http/rate-limits/counter.ts'

export interface RunningService {
  app: FastifyInstance
  /** The actual port, even with `PORT=0`. */
  port: number
  ready: Ready
  /** The port of its metrics, if it serves them itself. */
  metricsPort: number | undefined
  /** Finishes requests in progress, then closes the database. Before that, clients are notified for `delayMs`. */
  stop(delayMs?: number): Promise<void>
  /** Resolves when a newer version has changed the database so that this one must not use it. Then stop. */
  outdated: Promise<Outdated>
}

/** Our tests of programs request no share pictures, whose drawing would take more CPU than all else of a publish. */
const DRAWS_AHEAD = process.env.PLACARD_DRAWS_AHEAD !== 'no'

/**
 * Starts the service with its real parts.
 *
 * @param replaced parts that a benchmark or test replaces: the clock, the page fetcher, the migrations, the jobs and
 * their intervals, how long a read may take, or the page readers, which stay open when the service stops
 * @param part of the work, if several processes share the port
 * @throws Error in one line if a setting, the database or the port cannot be used
 */
export async function startService(
  config: Config,
  replaced: Partial<Pick<AppDependencies, 'clock' | 'fetchPage' | 'fetchPageToCheck' | 'drawsAhead'>> & {
    migrations?: Migrations
    /** Ends no slow read. */
    patient?: boolean
    readers?: PageReaders
    jobs?: (jobs: Job[]) => Job[]
  } = {},
  part: Part = ALONE,
): Promise<RunningService> {
  const links = new Links({ ...config, site: readSite(config) })
  const {
    clock = Date.now,
    migrations = MIGRATIONS,
    patient,
    readers = new PageReaders(),
    jobs: choose,
    ...parts
  } = replaced
  const store = await openStore({ ...config, migrations, patient })
  const { reviewers, serviceKeys, stripe, sandbox } = await openParts(store, config, { links, clock }).catch(
    async error => {
      await store.close()
      throw error
    },
  )
  const lock = store.engine === 'sqlite' && part.isFirst ? new InstanceLock(config.dataDir) : undefined
  const traffic = new Traffic({ store, clock })
  // The log belongs to the app, which is built below.
  const log: Pick<FastifyBaseLogger, 'warn' | 'info'> = {
    warn: (about: unknown, message?: string) => app.log.warn(about, message),
    info: (about: unknown, message?: string) => app.log.info(about, message),
  }
  const fetchers = createFetchers(config, links, log)
  const { checkSiteProofAgain, ...pageFetchers } = pageFetchersOf(fetchers, readers, config)
  const allowances = new Allowances({
    leases: leaseStoreFor(store, serviceKeys.newest.secret, part),
    processes: part.processes,
    log,
  })
  const purger = config.purge && new Purger(config.purge, log)
  const staleCache = new StaleCache()
  // Loaded only if METRICS_LISTEN is set.
  const metrics = config.metrics && new (await import('./ops/metrics/metrics.ts')).Metrics()
  const traces = config.tracesTo ? new (await import('./ops/metrics/traces.ts')).Traces(config.tracesTo) : undefined
  const app = await buildApp({
    // Connections are distributed evenly.
    config: { ...config, connectionsMax: Math.ceil(config.connectionsMax / part.processes) },
    links,
    allowances,
    store,
    serviceKeys,
    clock,
    ...pageFetchers,
    stripe,
    sandboxPages: sandbox?.pages,
    traffic,
    purger,
    staleCache,
    reviewers,
    metrics,
    traces,
    drawsAhead: DRAWS_AHEAD,
    ...parts,
  })
  const tasks = new ProcessTasks({ store, migrations, staleCache, damper: app.damper, clock, log: app.log })
  const started = startJobs({
    config,
    clock,
    log: app.log,
    links,
    serviceKeys,
    fetchers,
    reviewers,
    checkSiteProofAgain,
    purger,
  })
  const jobs = new Jobs({ store, clock, log: app.log }, choose ? choose(started) : started)
  app.addHook('onClose', async () => {
    await metrics?.close()
    await traces?.close()
    await jobs.close()
    allowances.close()
    await tasks.close()
    await purger?.close()
    if (!replaced.readers) await readers.close()
    await reviewers.close()
    await sandbox?.close()
    await traffic.close()
    await store.close()
    lock?.release()
  })
  if (part.isFirst) await warnAbout(config, { lock, store, keys: serviceKeys.all }, app.log)
  if (config.port !== 0) links.listeningOn(config.host, config.port)
  const metricsPort = await metrics
    ?.start(part.isWorker ? undefined : config.metrics, {
      store,
      due: part.isFirst ? { store, clock, config } : undefined,
      dataDir: config.dataDir,
      fetchers,
      readers,
      reviewers,
      log: app.log,
    })
    .catch(async error => {
      await app.close()
      throw error
    })
  try {
    await app.listen({
      host: config.host,
      port: config.port,
      listenTextResolver: address => `listening on ${address}`,
    })
  } catch (error) {
    await app.close()
    throw new Error(`HOST ${config.host} PORT ${config.port} cannot be used: ${(error as Error).message}`)
  }
  const port = (app.server.address() as { port: number }).port
  links.listeningOn(config.host, port)
  traffic.start(app.log)
  tasks.start()
  if (part.isFirst) sandbox?.start(app.log)
  jobs.start()
  // Each process has its own reviewers, and follows the blocklists.
  reviewers.start(app.log, () => void warn(store, 'blocklist_missing', clock()))
  const ready = {
    url: links.base,
    port,
    engine: store.engine,
    payments: config.payments === 'none' ? 'none' : (stripe?.name ?? 'none'),
  }
  // With several processes, the primary logs it once for all.
  if (!part.isWorker) reportReady(app.log, config, ready)
  async function stop(delayMs = 0): Promise<void> {
    if (delayMs > 0) await app.drain(delayMs)
    await app.close()
  }
  return { app, port, ready, metricsPort, stop, outdated: tasks.outdated }
}
