import { CompiledQuery } from 'kysely'
import { COMMAND } from '../lib/package.ts'
import { isStoreFailure } from './failures.ts'
import { migrate, Outdated, planMigration } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { Migrations } from './migrations/types.ts'
import { openPostgres, TIMEOUTS } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'

export interface StoreSettings {
  databaseUrl: string | undefined
  dataDir: string
}

/**
 * Opens the database and migrates it.
 *
 * @param databaseUrl `postgres://…`, or undefined for SQLite in `dataDir` (created if missing)
 * @param patient for work on a copy, which may read everything, and for tests: no slow statement is ended
 * @param migrations the migrations of another version, in a test
 * @throws Outdated, or Error in one line if the database cannot be opened
 */
export async function openStore(
  options: StoreSettings & { patient?: boolean | undefined; migrations?: Migrations },
): Promise<Store> {
  const { databaseUrl, patient = false, migrations = MIGRATIONS } = options
  // A migration may rewrite a large table. SQLite limits only reads.
  const store = openUnmigrated(options, { patient: patient || databaseUrl !== undefined })
  if (databaseUrl !== undefined) await orClose(store, 'used', requireEncoding(store))
  await orClose(store, 'migrated', migrate(store, migrations))
  if (patient || databaseUrl === undefined) return store
  await store.close()
  return accepted(openPostgres(databaseUrl, { patient }))
}

/** Opens the database as it is, or empty. Unless `patient` is false, without time limits. */
export const openUnmigrated = ({ databaseUrl, dataDir }: StoreSettings, limits = { patient: true }): Store =>
  databaseUrl === undefined ? openSqlite(dataDir, limits) : openPostgres(databaseUrl, limits)

/**
 * Opens the database for an operator's command. It migrates nothing, because instances of an older version may be
 * running.
 *
 * @throws Outdated, or Error in one line if the database cannot be opened, or must be migrated first
 */
export async function openMigrated(settings: StoreSettings): Promise<Store> {
  const store = openUnmigrated(settings)
  const { schema, newest, due } = await orClose(store, 'used', planMigration(store))
  if (due.length === 0) return store
  await store.close()
  if (schema === undefined) throw new Error('the database is empty: start the service, or restore a backup')
  throw new Error(
    `the database has schema ${schema}, and this version needs schema ${newest}: use the version that runs, or upgrade with ${COMMAND} migrate (docs/backup-and-upgrade.md)`,
  )
}

/** A database that is in use keeps its encoding: `doctor` names it. @throws Error in one line if a new one has another */
async function requireEncoding(store: Store): Promise<void> {
  const { rows } = await store.executeQuery<{ encoding: string; isNew: boolean }>(CompiledQuery.raw(ENCODING))
  const fault = rows[0]?.isNew && encodingFault(rows[0].encoding)
  if (fault) throw new Error(fault)
}

const ENCODING = `select current_setting('server_encoding') as encoding, to_regclass('kysely_migration') is null as "isNew"`

/** Returns what to do if the database does not know letters, or not all: Debian creates such a cluster with LANG=C. */
export const encodingFault = (encoding: string): string | undefined =>
  encoding === 'UTF8'
    ? undefined
    : `the encoding of the database is ${encoding}: create it with "create database … encoding 'UTF8' template template0"`

/** @throws Error in one line if a connection pool refuses the connections, or PostgreSQL isolates transactions too much */
async function accepted(store: Store): Promise<Store> {
  try {
    const { rows } = await store.executeQuery<{ isolation: string }>(CompiledQuery.raw(ISOLATION))
    const fault = isolationFault(rows[0]?.isolation)
    if (fault) throw new Error(fault)
    return store
  } catch (error) {
    await store.close()
    throw refusedTimeouts(error) ?? error
  }
}

const ISOLATION = `select current_setting('default_transaction_isolation') as isolation`

/**
 * Returns what to do if transactions would not see what others commit while they wait for a lock: the ledger counts after
 * it has its lock.
 */
export const isolationFault = (isolation = ''): string | undefined =>
  /^read /.test(isolation)
    ? undefined
    : `default_transaction_isolation of PostgreSQL is "${isolation}": set it to "read committed" with ALTER DATABASE or ALTER ROLE`

/** Returns what to do if a connection pool refused the service's connections. */
export function refusedTimeouts(cause: unknown): Error | undefined {
  if (!/unsupported startup parameter/.test((cause as Error).message)) return undefined
  return new Error(
    `the connection pool at DATABASE_URL refuses timeouts; set ignore_startup_parameters = ${TIMEOUTS.join(',')} in pgbouncer.ini (docs/install.md, PgBouncer)`,
    { cause },
  )
}

/** Returns the result of the first work on a database, which is closed if that fails. @throws Error in one line */
export async function orClose<T>(store: Store, done: 'migrated' | 'used', work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await store.close()
    if (error instanceof Outdated) throw error
    const { message, code } = error as NodeJS.ErrnoException
    const whatToDo = store.engine === 'postgres' && isStoreFailure(error) ? '. Check PostgreSQL and DATABASE_URL' : ''
    throw new Error(`the database cannot be ${done}: ${message || code}${whatToDo}`, { cause: error })
  }
}
