import type { FastifyInstance } from 'fastify'
import { type AppDependencies, buildApp } from './app.ts'
import { LastGood } from './boards/last-good.ts'
import { type Config, isLoopback } from './config.ts'
import { Changes } from './edge/changes.ts'
import { Purger } from './edge/purger.ts'
import { createPageFetcher } from './fetcher/fetch-page.ts'
import { createFetchers } from './fetchers.ts'
import { Links } from './http/links.ts'
import { admitServiceKeys } from './keys/recorded-keys.ts'
import { Traffic } from './listings/traffic.ts'
import { Watching } from './notices/watching.ts'
import { createSiteProofChecker } from './ownership/check-site-proof.ts'
import { refuseOtherMoney } from './payments/refuse-other-money.ts'
import { createStripe } from './payments/stripe.ts'
import { PictureWorker } from './pictures/worker.ts'
import { Repeated } from './repeated.ts'
import { Deleting } from './retention/deleting.ts'
import { PageReaders } from './review/page-readers.ts'
import { pageRules } from './review/page-rules.ts'
import { readSite } from './site/site.ts'
import { startSandbox } from './start-sandbox.ts'
import { InstanceLock } from './storage/instance-lock.ts'
import { openStore } from './storage/open.ts'
import { endsStuckStatements } from './storage/postgres.ts'
import type { Store } from './storage/store.ts'
import { VERSION } from './version.ts'

/** How old the boards that are kept are at most when the database goes away. */
const KEEP_EVERY_MS = 60_000

export interface RunningService {
  app: FastifyInstance
  /** The actual port, even with `PORT=0`. */
  port: number
  /** Finishes requests under way, then closes the store. */
  stop(): Promise<void>
}

/**
 * Starts the service with its real parts.
 *
 * @param replaced parts that a benchmark or test replaces: the clock, or the page fetcher
 * @throws Error in one line if a setting, the store or the port cannot be used
 */
export async function startService(
  config: Config,
  replaced: Partial<Pick<AppDependencies, 'clock' | 'fetchPage'>> = {},
): Promise<RunningService> {
  const links = new Links({ ...config, site: readSite(config) })
  const { clock = Date.now } = replaced
  const store = await openStore(config)
  const { serviceKeys, stripe, sandbox } = await admit(store, config, { links, clock }).catch(async error => {
    await store.close()
    throw error
  })
  const lock = store.engine === 'sqlite' ? new InstanceLock(config.dataDir) : undefined
  const { dnsServers, connectTo } = config
  const fetchers = createFetchers({ dnsServers, connectTo, links, version: VERSION })
  const readers = new PageReaders()
  const traffic = new Traffic({ store, clock })
  const changes = new Changes(store)
  const lastGood = new LastGood()
  // Loaded only where somebody looks.
  const metrics = config.metrics && new (await import('./metrics/metrics.ts')).Metrics()
  const app = await buildApp({
    config,
    links,
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
    changes,
    lastGood,
    reviewers: [pageRules],
    watch: async app => metrics?.watch(app),
    ...replaced,
  })
  const pictures = new PictureWorker({
    store,
    links,
    clock,
    log: app.log,
    fetcher: fetchers.pictures,
  })
  const watching = new Watching({
    store,
    links,
    serviceKeys,
    clock,
    log: app.log,
    followedFetcher: fetchers.followed,
    webhookFetcher: fetchers.webhooks,
  })
  const purger = config.purge && new Purger(config.purge, app.log)
  const keeping = new Repeated(
    () => lastGood.renew(clock()),
    err => app.log.info({ err }, 'could not read the boards to keep; will retry'),
  )
  const deleting = new Deleting({ store, clock, log: app.log })
  app.addHook('onClose', async () => {
    await changes.close()
    await keeping.close()
    await purger?.close()
    await deleting.close()
    await watching.close()
    await pictures.close()
    await readers.close()
    await sandbox?.close()
    await traffic.close()
    await store.close()
    lock?.release()
  })
  if (connectTo.length > 0) {
    app.log.warn(
      { connectTo },
      'FETCH_CONNECT_TO is set: the page fetcher skips DNS and the address check for these hosts. Never set it in production.',
    )
  }
  if (lock && !lock.isAlone) {
    app.log.warn(
      { dataDir: config.dataDir },
      'Another instance uses this DATA_DIR too. They share the database, but each counts request limits by itself. If you did not mean this, stop one. To run several instances, use PostgreSQL.',
    )
  }
  if (store.engine === 'postgres' && !(await endsStuckStatements(store))) {
    app.log.warn(
      'The connection pool at DATABASE_URL drops our timeouts, so a stuck statement is never ended. Set them there: docs/operating.md, PgBouncer.',
    )
  }
  if (config.baseUrl && !links.isSupportGiven && !isLoopback(new URL(config.baseUrl).hostname)) {
    app.log.warn('SUPPORT_URL is not set: pages tell people that there is no contact address.')
  }
  if (config.isMoneyPlay) {
    app.log.warn('ALLOW_TEST_MONEY is set: anybody can take places for free, and every page says so.')
  }
  if (config.port !== 0) links.listeningOn(config.host, config.port)
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
  sandbox?.start(app.log)
  traffic.start(app.log)
  changes.start({
    log: app.log,
    changed: purger && (tags => purger.add(tags)),
    moderated: () => lastGood.drop(clock()),
  })
  keeping.start(KEEP_EVERY_MS)
  pictures.start()
  watching.start()
  deleting.start()
  app.log.info(
    { url: links.base, port, engine: store.engine, payments: stripe.name },
    `Placard ${VERSION} is ready at ${links.base}`,
  )
  return { app, port, stop: () => app.close() }
}

/** Checks keys and processor against the store. @throws Error in one line if they do not belong together */
async function admit(store: Store, config: Config, { links, clock }: { links: Links; clock: () => number }) {
  const serviceKeys = await admitServiceKeys(store, config, clock())
  await refuseOtherMoney(store, config.stripe?.name ?? 'sandbox')
  if (config.stripe) return { serviceKeys, stripe: createStripe(config.stripe) }
  const sandbox = await startSandbox(config, { links, serviceKey: serviceKeys.newest.secret, clock })
  return { serviceKeys, stripe: createStripe(sandbox.account), sandbox }
}
