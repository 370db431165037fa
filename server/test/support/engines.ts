import { randomBytes, randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { configFrom } from '../../src/platform/config/config.ts'
import type { Env } from '../../src/platform/config/settings.ts'
import { openStore } from '../../src/platform/db/open.ts'
import type { Store } from '../../src/platform/db/store.ts'
import type { Engine } from '../../src/platform/db/tables/index.ts'
import { leavesOut } from './tags.ts'

/**
 * For tests of what differs between the engines: SQL of its own, locks, transactions, lost connections, several
 * instances. They run on both engines, in the fast run on SQLite only.
 */
export const ENGINES: readonly Engine[] = leavesOut('postgres') ? ['sqlite'] : ['sqlite', 'postgres']

/** For tests of what hardly differs: `npm test` runs them on SQLite, and `npm run test:both` on PostgreSQL, too. */
export const SQLITE_FIRST: readonly Engine[] = process.env.TEST_ENGINES === 'both' ? ENGINES : ['sqlite']

/** For tests of what does not differ: they run the same SQL on both engines, and others run it on PostgreSQL. */
export const SAME_SQL: readonly Engine[] = ['sqlite']

export interface EmptyDatabase {
  /** The settings that lead to it. */
  env: Env
  dataDir: string
  /** Opens the store on it, which closes when the database is removed. */
  openStore(): Promise<Store>
  remove(): Promise<void>
}

/** Creates a database without tables, for tests of what creates them or needs an empty one. */
export const emptyDatabase = (engine: Engine): Promise<EmptyDatabase> => createDatabase(engine)

/** Creates a database that has the tables, but no rows. Copying one takes a tenth of the CPU of migrating it. */
export async function migratedDatabase(engine: Engine): Promise<EmptyDatabase> {
  if (engine === 'sqlite') {
    sqliteTemplate ??= migratedFile()
    const database = await createDatabase(engine)
    copyFileSync(await sqliteTemplate, join(database.dataDir, FILE))
    return database
  }
  postgresTemplate ??= migratedOnServer()
  return createDatabase(engine, await postgresTemplate)
}

/** The file that SQLite uses in its folder. */
const FILE = 'placard.db'
/** What this worker copies: a file, and the name of a database on PostgreSQL. */
let sqliteTemplate: Promise<string> | undefined
let postgresTemplate: Promise<string> | undefined

async function migratedFile(): Promise<string> {
  const { dataDir } = await createDatabase('sqlite')
  await (await openStore(configFrom({ DATA_DIR: dataDir }))).close()
  return join(dataDir, FILE)
}

async function migratedOnServer(): Promise<string> {
  const { env, dataDir } = await createDatabase('postgres')
  await (await openStore(configFrom({ DATA_DIR: dataDir, ...env }))).close()
  rmSync(dataDir, { recursive: true, force: true })
  const name = new URL(env.DATABASE_URL ?? '').pathname.slice(1)
  // PostgreSQL copies no database that has connections.
  const server = inject('postgresUrl')
  await query(server, `alter database ${name} allow_connections false`)
  await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  return name
}

async function createDatabase(engine: Engine, copied?: string): Promise<EmptyDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-test-'))
  const { env, drop } = engine === 'sqlite' ? { env: {}, drop: undefined } : await createOnPostgres(copied)
  const settings = { DATA_DIR: dataDir, ...env }
  const stores: Store[] = []
  return {
    env: settings,
    dataDir,
    async openStore() {
      // On a busy machine, the first long read on SQLite waits long for its thread.
      const store = await openStore({ ...configFrom(settings), patient: engine === 'sqlite' })
      stores.push(store)
      return store
    },
    async remove() {
      for (const store of stores) await store.close()
      rmSync(dataDir, { recursive: true, force: true })
      await drop?.()
    },
  }
}

async function createOnPostgres(copied = 'template1'): Promise<{ env: Env; drop: () => Promise<void> }> {
  if (leavesOut('postgres')) throw new Error('tag this test with "postgres", or let it run once per engine')
  const server = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await query(server, `create database ${name} template ${copied} strategy file_copy`)
  return {
    env: { DATABASE_URL: `${server}/${name}`, SERVICE_KEY: randomBytes(32).toString('hex') },
    drop: () => query(server, `drop database if exists ${name} with (force)`),
  }
}

/** Creates and drops the databases of this worker: a connection costs the server more than either. */
let administrator: pg.Pool | undefined

async function query(server: string, sql: string): Promise<void> {
  if (!administrator) {
    administrator = new pg.Pool({ connectionString: `${server}/postgres`, max: 1, idleTimeoutMillis: 0 })
    // The server may end before this worker.
    administrator.on('error', () => {})
  }
  await administrator.query(sql)
}
