import type { FastifyInstance } from 'fastify'
import { CompiledQuery } from 'kysely'
import { type AppDependencies, buildApp } from './app.ts'
import { LastGood } from './domain/boards/first-page.ts'
import { Traffic } from './domain/listings/traffic.ts'
import { warn } from './domain/notifications/operator/warnings.ts'
import { WEBHOOK_FETCH_LIMITS } from './domain/notifications/owner/deliver.ts'
import { createSiteProofChecker } from './domain/ownership/check-site-proof.ts'
import { admitServiceKeys } from './domain/ownership/service-keys/recorded-keys.ts'
import type { ServiceKeys } from './domain/ownership/service-keys/service-keys.ts'
import { refuseOtherMoney } from './domain/payments/processors.ts'
import { createStripe } from './domain/payments/stripe.ts'
import { CHECK_FETCH_LIMITS } from './domain/publishing/check.ts'
import { LOOK_FETCH_LIMITS } from './domain/recheck/fetch-twice.ts'
import { REFRESH_FETCH_LIMITS } from './domain/recheck/refresh.ts'
import { createPageFetcher } from './domain/review/fetcher/fetch-page.ts'
import { createGuardedFetcher } from './domain/review/fetcher/guarded-fetcher.ts'
import type { FetchLimits } from './domain/review/fetcher/limits.ts'
import { PageReaders } from './domain/review/page-parser/parser-pool.ts'
import { chosenReviewers } from './domain/review/reviewers/chosen-reviewers.ts'
import { createPictureLoader } from './domain/review/reviewers/load-picture.ts'
import { FOLLOWED_FETCH_LIMITS } from './ops/jobs/check-followed-pages.ts'
import { PICTURE_FETCH_LIMITS } from './ops/jobs/fetch-pictures.ts'
import { recount } from './ops/jobs/reconcile-nightly.ts'
import { type Job, Jobs } from './ops/jobs/runner.ts'
import { jobsFor, stepsOf } from './ops/jobs/table.ts'
import { ALONE, type Part } from './ops/processes/cluster.ts'
import { type Ready, tellReady, warnAbout } from './ops/processes/startup-log.ts'
import { Changes } from './platform/cdn/changes.ts'
import { Purger } from './platform/cdn/purger.ts'
import type { Config } from './platform/config/config.ts'
import { readSite } from './platform/config/site.ts'
import { InstanceLock } from './platform/db/data-folder.ts'
import { Outdated, refuseOutdated } from './platform/db/migrate.ts'
import { MIGRATIONS, type Migrations } from './platform/db/migrations/index.ts'
import { openStore } from './platform/db/open.ts'
import type { Store } from './platform/db/store.ts'
import { Links } from './platform/http/links.ts'
import { ThroughPrimary } from './platform/http/rate-limits/cluster-lease-store.ts'
import { Allowances } from './platform/http/rate-limits/counter.ts'
import { DatabaseBook } from './platform/http/rate-limits/database-lease-store.ts'
import type { AllowanceLog } from './platform/http/rate-limits/lease-requests.ts'
import type { Book } from './platform/http/rate-limits/lease-store.ts'
import { VERSION } from './platform/lib/package.ts'
import { Repeated } from './platform/lib/repeat.ts'
import { startSandbox } from './sandbox.ts'

/** How late a listing that was taken down in another process is still in the boards that are kept. */
const LOOK_EVERY_MS = 1000
/** How old the boards that are kept are at most when the database goes away. */
const KEEP_EVERY_MS = 60_000
/** How long ranks stay wrong at most where counts in memory are, though nothing in the ledger says so. */
const COMPARE_EVERY_MS = 10 * 60_000

export interface RunningService {
  app: FastifyInstance
  /** The actual port, even with `PORT=0`. */
  port: number
  ready: Ready
  /** Where its metrics are, if it serves them itself. */
  metricsPort: number | undefined
  /** Finishes requests under way, then closes the store; first, for `delayMs`, clients are told. */
  stop(delayMs?: number): Promise<void>
  /** Resolves once a newer version has changed the database so that this one may not work on it: then stop. */
  outdated: Promise<Outdated>
}

/**
 * Starts the service with its real parts.
 *
 * @param replaced parts that a benchmark or test replaces: the clock, the page fetcher, the migrations, which jobs run and
 *   how often, or the readers of pages, which stay open when the service stops
 * @param part of the work, where several processes share the port
 * @throws Error in one line if a setting, the store or the port cannot be used
 */
export async function startService(
  config: Config,
  replaced: Partial<Pick<AppDependencies, 'clock' | 'fetchPage' | 'fetchPageToCheck' | 'drawsAhead'>> & {
    migrations?: Migrations
    readers?: PageReaders
    jobs?: (jobs: Job[]) => Job[]
  } = {},
  part: Part = ALONE,
): Promise<RunningService> {
  const links = new Links({ ...config, site: readSite(config) })
  const { clock = Date.now, migrations = MIGRATIONS, readers = new PageReaders(), jobs: choose, ...parts } = replaced
  const store = await openStore({ ...config, migrations })
  const { reviewers, serviceKeys, stripe, sandbox } = await admit(store, config, { links, clock }).catch(
    async error => {
      await store.close()
      throw error
    },
  )
  const lock = store.engine === 'sqlite' && part.isFirst ? new InstanceLock(config.dataDir) : undefined
  const { dnsServers, connectTo } = config
  const fetcherFor = (limits: Partial<FetchLimits>) =>
    createGuardedFetcher({ dnsServers, connectTo, links, version: VERSION, limits })
  // One for each purpose, so that none waits for another.
  const fetchers = {
    publish: fetcherFor({}),
    check: fetcherFor(CHECK_FETCH_LIMITS),
    refresh: fetcherFor(REFRESH_FETCH_LIMITS),
    pictures: fetcherFor(PICTURE_FETCH_LIMITS),
    followed: fetcherFor(FOLLOWED_FETCH_LIMITS),
    webhooks: fetcherFor(WEBHOOK_FETCH_LIMITS),
    looks: fetcherFor(LOOK_FETCH_LIMITS),
  }
  const traffic = new Traffic({ store, clock })
  // Once it is built, the service has a log.
  const log: AllowanceLog & ConstructorParameters<typeof Purger>[1] = {
    warn: (about: object, message?: string) => app.log.warn(about, message),
    info: (about: object, message?: string) => app.log.info(about, message),
  }
  const allowances = new Allowances({
    book: bookFor(store, serviceKeys, part),
    processes: part.processes,
    log,
  })
  const purger = config.purge && new Purger(config.purge, log)
  const lastGood = new LastGood()
  // Loaded only where somebody looks.
  const metrics = config.metrics && new (await import('./ops/metrics/metrics.ts')).Metrics()
  const traces = config.tracesTo ? new (await import('./ops/metrics/traces.ts')).Traces(config.tracesTo) : undefined
  const app = await buildApp({
    // Connections are dealt out evenly.
    config: { ...config, connectionsMax: Math.ceil(config.connectionsMax / part.processes) },
    links,
    allowances,
    store,
    serviceKeys,
    clock,
    fetchPage: createPageFetcher(fetchers.publish, readers),
    fetchPageAgain: createPageFetcher(fetchers.refresh, readers),
    fetchPageToCheck: createPageFetcher(fetchers.check, readers),
    checkSiteProof: createSiteProofChecker({ fetcher: fetchers.publish, readers, dnsServers }),
    stripe,
    sandboxPages: sandbox?.pages,
    traffic,
    purger,
    lastGood,
    reviewers,
    metrics,
    traces,
    ...parts,
  })
  const { promise: outdated, resolve: tellOutdated } = Promise.withResolvers<Outdated>()
  const asking = new Repeated(
    () => refuseOutdated(store, migrations),
    err =>
      err instanceof Outdated
        ? tellOutdated(err)
        : app.log.info({ err }, 'could not ask the database for its version; will retry'),
  )
  const keeping = new Repeated(
    () => lastGood.renew(clock()),
    err => app.log.info({ err }, 'could not read the boards to keep; will retry'),
  )
  const changes = new Changes()
  const dropping = new Repeated(
    async () => {
      const { acts, hasGoneBack } = await changes.look(store)
      if (hasGoneBack) app.log.warn('the database went back to an earlier state; what was kept of it is dropped')
      if (acts.length > 0 || hasGoneBack) await lastGood.drop(clock())
    },
    err => app.log.info({ err }, 'could not look at what changed; will retry'),
  )
  const waiting = new Repeated(
    async () => {
      if (!app.damper.isOutage) return
      await store.executeQuery(CompiledQuery.raw('select 1'))
      await store.proveWrite()
      app.damper.end(app.log)
    },
    () => {},
  )
  const comparing = new Repeated(
    () => recount({ store, clock, log: app.log }),
    err => app.log.info({ err }, 'could not compare the counts in memory; will retry'),
  )
  const { steps, close: closeSteps } = stepsOf({
    ...{ config, clock, links, serviceKeys, fetchers, reviewers, purger },
    log: app.log,
  })
  const jobs = new Jobs(
    { store, clock, log: app.log },
    choose ? choose(jobsFor(config, steps)) : jobsFor(config, steps),
  )
  app.addHook('onClose', async () => {
    await metrics?.close()
    await traces?.close()
    await jobs.close()
    await closeSteps()
    allowances.close()
    await dropping.close()
    await asking.close()
    await waiting.close()
    await keeping.close()
    await comparing.close()
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
  dropping.start(LOOK_EVERY_MS)
  void dropping.run()
  keeping.start(KEEP_EVERY_MS)
  comparing.start(COMPARE_EVERY_MS)
  asking.start(LOOK_EVERY_MS)
  waiting.start(LOOK_EVERY_MS)
  if (part.isFirst) sandbox?.start(app.log)
  jobs.start()
  // Each process asks for itself, and follows the blocklists.
  reviewers.start(app.log, () => void warn(store, 'blocklist_missing', clock()))
  const ready = {
    url: links.base,
    port,
    engine: store.engine,
    payments: config.payments === 'none' ? 'none' : (stripe?.name ?? 'none'),
  }
  // Of several processes, the primary says it once, for all.
  if (!part.isWorker) tellReady(app.log, config, ready)
  async function stop(delayMs = 0): Promise<void> {
    if (delayMs > 0) await app.drain(delayMs)
    await app.close()
  }
  return { app, port, ready, metricsPort, stop, outdated }
}

/** Where the processes count together; undefined if there is only this one. */
function bookFor(store: Store, serviceKeys: ServiceKeys, { isWorker }: Part): Book | undefined {
  if (store.engine === 'postgres') return new DatabaseBook(store, serviceKeys.newest.secret)
  return isWorker ? new ThroughPrimary() : undefined
}

/** Checks reviewers, keys and processor against the store. @throws Error in one line if they do not belong together */
async function admit(store: Store, config: Config, { links, clock }: { links: Links; clock: () => number }) {
  const reviewers = await chosenReviewers(config, store, createPictureLoader(config, links)).open()
  const serviceKeys = await admitServiceKeys(store, config, clock())
  await refuseOtherMoney(store, config)
  if (config.stripe) return { reviewers, serviceKeys, stripe: createStripe(config.stripe) }
  if (config.payments === 'none') return { reviewers, serviceKeys }
  const sandbox = await startSandbox(config, { links, serviceKey: serviceKeys.newest.secret, clock })
  return { reviewers, serviceKeys, stripe: createStripe(sandbox.account), sandbox }
}
