import type { FastifyInstance } from 'fastify'
import { Allowances } from './allowances/allowances.ts'
import type { AllowanceLog } from './allowances/asking.ts'
import type { Book } from './allowances/book.ts'
import { DatabaseBook } from './allowances/database-book.ts'
import { ThroughPrimary } from './allowances/through-primary.ts'
import { type AppDependencies, buildApp } from './app.ts'
import { LastGood } from './boards/last-good.ts'
import type { Config } from './config.ts'
import { LOOK_FETCH_LIMITS } from './continuity/look.ts'
import { Changes } from './edge/changes.ts'
import { Purger } from './edge/purger.ts'
import { createPageFetcher } from './fetcher/fetch-page.ts'
import { createGuardedFetcher } from './fetcher/guarded-fetcher.ts'
import type { FetchLimits } from './fetcher/limits.ts'
import { Links } from './http/links.ts'
import { Jobs } from './jobs/jobs.ts'
import { jobsFor } from './jobs/kinds.ts'
import { stepsOf } from './jobs/steps.ts'
import { admitServiceKeys } from './keys/recorded-keys.ts'
import type { ServiceKeys } from './keys/service-keys.ts'
import { Traffic } from './listings/traffic.ts'
import { type Ready, tellReady } from './log/tell-ready.ts'
import { warnAbout } from './log/warn-about.ts'
import { FOLLOWED_FETCH_LIMITS } from './notices/check-pages.ts'
import { WEBHOOK_FETCH_LIMITS } from './notices/deliver.ts'
import { createSiteProofChecker } from './ownership/check-site-proof.ts'
import { REFRESH_FETCH_LIMITS } from './ownership/refresh.ts'
import { refuseOtherMoney } from './payments/refuse-other-money.ts'
import { createStripe } from './payments/stripe.ts'
import { PICTURE_FETCH_LIMITS } from './pictures/worker.ts'
import { ALONE, type Part } from './processes/worker.ts'
import { CHECK_FETCH_LIMITS } from './publishing/check.ts'
import { Repeated } from './repeated.ts'
import { chosenReviewers } from './review/online/chosen-reviewers.ts'
import { PageReaders } from './review/page-readers.ts'
import { readSite } from './site/site.ts'
import { startSandbox } from './start-sandbox.ts'
import { InstanceLock } from './storage/instance-lock.ts'
import { MIGRATIONS, type Migrations } from './storage/migrations/index.ts'
import { Outdated, refuseOutdated } from './storage/migrations/outdated.ts'
import { openStore } from './storage/open.ts'
import type { Store } from './storage/store.ts'
import { VERSION } from './version.ts'

/** How late a listing that was taken down in another process is still in the boards that are kept. */
const LOOK_EVERY_MS = 1000
/** How old the boards that are kept are at most when the database goes away. */
const KEEP_EVERY_MS = 60_000

export interface RunningService {
  app: FastifyInstance
  /** The actual port, even with `PORT=0`. */
  port: number
  ready: Ready
  /** Where its metrics are, if it serves them itself. */
  metricsPort: number | undefined
  /** Finishes requests under way, then closes the store. */
  stop(): Promise<void>
  /** Resolves once a newer version has changed the database so that this one may not work on it: then stop. */
  outdated: Promise<Outdated>
}

/**
 * Starts the service with its real parts.
 *
 * @param replaced parts that a benchmark or test replaces: the clock, the page fetcher, or the migrations
 * @param part of the work, where several processes share the port
 * @throws Error in one line if a setting, the store or the port cannot be used
 */
export async function startService(
  config: Config,
  replaced: Partial<Pick<AppDependencies, 'clock' | 'fetchPage'>> & { migrations?: Migrations } = {},
  part: Part = ALONE,
): Promise<RunningService> {
  const links = new Links({ ...config, site: readSite(config) })
  const { clock = Date.now, migrations = MIGRATIONS, ...parts } = replaced
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
  const readers = new PageReaders()
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
  const metrics = config.metrics && new (await import('./metrics/metrics.ts')).Metrics()
  const traces = config.tracesTo
    ? new (await import('./metrics/traces.ts')).Traces(config.tracesTo)
    : undefined
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
      if ((await changes.look(store)).acts.length > 0) await lastGood.drop(clock())
    },
    err => app.log.info({ err }, 'could not look at what changed; will retry'),
  )
  const { steps, close: closeSteps } = stepsOf({
    ...{ config, clock, links, serviceKeys, fetchers, reviewers, purger },
    log: app.log,
  })
  const jobs = new Jobs({ store, clock, log: app.log }, jobsFor(config, steps))
  app.addHook('onClose', async () => {
    await metrics?.close()
    await traces?.close()
    await jobs.close()
    await closeSteps()
    allowances.close()
    await dropping.close()
    await asking.close()
    await keeping.close()
    await purger?.close()
    await readers.close()
    await reviewers.close()
    await sandbox?.close()
    await traffic.close()
    await store.close()
    lock?.release()
  })
  if (part.isFirst) await warnAbout(config, { lock, store }, app.log)
  if (config.port !== 0) links.listeningOn(config.host, config.port)
  const metricsPort = await metrics
    ?.start(part.isWorker ? undefined : config.metrics, {
      store,
      due: part.isFirst ? { store, clock, config } : undefined,
      fetchers,
      readers,
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
  asking.start(LOOK_EVERY_MS)
  if (part.isFirst) sandbox?.start(app.log)
  jobs.start()
  // Each process asks for itself, and follows the blocklists.
  reviewers.start(app.log)
  const ready = { url: links.base, port, engine: store.engine, payments: stripe.name }
  // Of several processes, the primary says it once, for all.
  if (!part.isWorker) tellReady(app.log, config, ready)
  return { app, port, ready, metricsPort, stop: () => app.close(), outdated }
}

/** Where the processes count together; undefined if there is only this one. */
function bookFor(store: Store, serviceKeys: ServiceKeys, { isWorker }: Part): Book | undefined {
  if (store.engine === 'postgres') return new DatabaseBook(store, serviceKeys.newest.secret)
  return isWorker ? new ThroughPrimary() : undefined
}

/** Checks reviewers, keys and processor against the store. @throws Error in one line if they do not belong together */
async function admit(store: Store, config: Config, { links, clock }: { links: Links; clock: () => number }) {
  const reviewers = await chosenReviewers(config, store).open()
  const serviceKeys = await admitServiceKeys(store, config, clock())
  await refuseOtherMoney(store, config.stripe?.name ?? 'sandbox')
  if (config.stripe) return { reviewers, serviceKeys, stripe: createStripe(config.stripe) }
  const sandbox = await startSandbox(config, { links, serviceKey: serviceKeys.newest.secret, clock })
  return { reviewers, serviceKeys, stripe: createStripe(sandbox.account), sandbox }
}
