import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../server/dist/platform/db/open.js'
import type { Store } from '../../server/dist/platform/db/store.js'
import { freePort } from '../../server/test/support/free-port.ts'
import { type Sites, startSites } from '../../server/test/support/sites.ts'
import { WIDE_ENV } from '../requests.ts'
import { startWhole, type WholeService } from '../whole-service.ts'
import { STRIPE_ENV } from './money.ts'

/** Services on one database, with websites that all pass review. */
export interface Instances {
  /** Where each listens, also after it was started again. */
  urls: string[]
  all: WholeService[]
  /** The settings of the first. */
  env: Env
  sites: Sites
  /** Runs work on the store, as an operator beside the services. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>
  /** Kills one with SIGKILL and starts it again. */
  killAndStart(index: number): Promise<void>
  stop(): Promise<void>
}

export type Env = Record<string, string>

/**
 * Starts services as an operator does, each on its own port.
 *
 * @param folder of theirs, which need not exist
 * @param env settings beside limits that nobody reaches; `DATABASE_URL` for PostgreSQL
 * @param ownEnv what an instance has for itself
 */
export async function startInstances(
  folder: string,
  count: number,
  env: Env,
  ownEnv: (index: number) => Env = () => ({}),
): Promise<Instances> {
  const sites = await startSites()
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const settings = (index: number): Env => ({
    ...WIDE_ENV,
    ...STRIPE_ENV,
    LOOKS_PER_HOUR: '0',
    BASE_URL: 'http://127.0.0.1:1',
    DATA_DIR: join(folder, env.DATABASE_URL ? `instance-${index}` : 'data'),
    FETCH_CONNECT_TO: sites.connectTo,
    PORT: `${ports[index]}`,
    ...env,
    ...ownEnv(index),
  })
  mkdirSync(folder, { recursive: true })
  const all: WholeService[] = []
  for (let index = 0; index < count; index++) all.push(await startWhole(settings(index)))
  return {
    urls: ports.map(port => `http://127.0.0.1:${port}`),
    all,
    env: settings(0),
    sites,
    async withStore(work) {
      const { DATABASE_URL, DATA_DIR = '' } = settings(0)
      const store = await openStore({ databaseUrl: DATABASE_URL, dataDir: DATA_DIR, patient: true })
      try {
        return await work(store)
      } finally {
        await store.close()
      }
    },
    async killAndStart(index) {
      await all[index]?.kill()
      all[index] = await startWhole(settings(index))
    },
    async stop() {
      await Promise.all(all.map(each => each.stop()))
      await sites.close()
    },
  }
}
