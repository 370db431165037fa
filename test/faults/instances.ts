import { join } from 'node:path'
import { sql } from 'kysely'
import { type Env, type Program, startPlacard } from '../../bench/programs.ts'
import { appendEntries } from '../../server/dist/domain/log/append.js'
import { verifyLog } from '../../server/dist/domain/log/verify.js'
import { reconcile } from '../../server/dist/domain/payments/reconcile.js'
import { openStore } from '../../server/dist/platform/db/open.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import { freePort } from '../../server/test/support/free-port.ts'
import { startSites } from '../../server/test/support/sites.ts'
import type { History } from './history.ts'
import { type Money, STRIPE_ENV } from './money.ts'

/** What came of a fault. */
export interface Outcome {
  figures: string
  /** What must not be; empty if the promise was kept. */
  faults: string[]
}

export type Instances = Awaited<ReturnType<typeof startInstances>>

/**
 * Starts services on one database, each on a port that it keeps, with websites that all pass review. On SQLite, they share
 * the file as workers do.
 */
export async function startInstances(folder: string, count: number, env: Env = {}) {
  const sites = await startSites()
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const dataDirOf = (index: number) => join(folder, env.DATABASE_URL ? `instance-${index}` : 'data')
  const start = (index: number) =>
    startPlacard({
      ...STRIPE_ENV,
      LOOKS_PER_HOUR: '0',
      BASE_URL: 'http://127.0.0.1:1',
      PORT: `${ports[index]}`,
      DATA_DIR: dataDirOf(index),
      FETCH_CONNECT_TO: sites.connectTo,
      ...env,
    })
  const programs: Program[] = []
  for (let index = 0; index < count; index++) programs.push(await start(index))
  const end = () => Promise.all(programs.map(each => each.stop()))
  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore({ databaseUrl: env.DATABASE_URL, dataDir: dataDirOf(0), patient: true })
    return work(store).finally(() => store.close())
  }
  return {
    urls: ports.map(port => `http://127.0.0.1:${port}`),
    programs,
    withStore,
    async killAndStart(index: number): Promise<void> {
      await programs[index]?.kill()
      programs[index] = await start(index)
    },
    /** Stops the services, and judges the store and all that was answered about it. @returns what is wrong */
    async prove(history: History, money?: Money): Promise<string[]> {
      await end()
      return withStore(store => faultsOf(store, history, money))
    },
    async stop(): Promise<void> {
      await end()
      await sites.close()
    },
  }
}

async function faultsOf(store: Store, history: History, money?: Money): Promise<string[]> {
  const { rows } = await sql<Record<'claims' | 'whole', number>>`
    select (select count(*) from claim) as claims,
      (select count(*) from attempt join claim on claim."requestId" = attempt."requestId"
        join listing on listing.id = claim."listingId" where attempt.state = 'published') as whole`.execute(store.db)
  const published = history.published()
  const { differences } = await reconcile(store, Date.now())
  const begins = () => ({ origin: 'placard.test/log', vkey: 'test' })
  await appendEntries(store, { clock: Date.now, begins })
  const { fault } = await verifyLog(store, Date.now())
  return [
    ...history.faults(),
    ...Object.entries(rows[0] ?? {}).flatMap(([what, found]) =>
      Number(found) === published ? [] : [`${found} ${what} for ${published} receipts`],
    ),
    ...((await money?.faults(store)) ?? []),
    ...differences.map(({ what, detail }) => `reconcile: ${what} ${detail}`),
    ...(fault ? [`audit: ${fault}`] : []),
  ]
}
