import { CompiledQuery, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import { openPostgres, TIMEOUTS } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Db, Engine, Store } from './store.ts'
import { refuseUnfinishedImport } from './unfinished-import.ts'

export interface StoreSettings {
  databaseUrl: string | undefined
  dataDir: string
}

/**
 * Opens the store and migrates it.
 *
 * @param databaseUrl `postgres://…`, or undefined for SQLite in `dataDir` (created if missing)
 * @param patient for an operator's command, which may read everything: PostgreSQL then ends no slow statement
 * @throws Error in one line if the database cannot be opened or was written by a newer version
 */
export async function openStore(options: StoreSettings & { patient?: boolean }): Promise<Store> {
  const { databaseUrl, patient = false } = options
  // A migration may rewrite a large table.
  const store = await migrated(openUnmigrated(options))
  if (patient || databaseUrl === undefined) return store
  await store.close()
  return accepted(openPostgres(databaseUrl, { patient }))
}

/** Opens the store as it is, or empty, and patiently. */
export const openUnmigrated = ({ databaseUrl, dataDir }: StoreSettings): Store =>
  databaseUrl === undefined ? openSqlite(dataDir) : openPostgres(databaseUrl, { patient: true })

/** @throws Error in one line if what stands before PostgreSQL refuses the connections of a service */
async function accepted(store: Store): Promise<Store> {
  try {
    await store.executeQuery(CompiledQuery.raw('select 1'))
    return store
  } catch (error) {
    await store.close()
    if (!/unsupported startup parameter/.test((error as Error).message)) throw error
    throw new Error(
      `the connection pool at DATABASE_URL refuses timeouts; set ignore_startup_parameters = ${TIMEOUTS.join(',')} in pgbouncer.ini (docs/operating.md, PgBouncer)`,
      { cause: error },
    )
  }
}

async function migrated(store: Store): Promise<Store> {
  try {
    await migrate(store)
    return store
  } catch (error) {
    await store.close()
    throw new Error(`the database cannot be migrated: ${(error as Error).message}`, { cause: error })
  }
}

const migrate = ({ db, engine }: Store): Promise<void> =>
  inTurn({ db, engine }, async trx => {
    await refuseUnfinishedImport(trx, engine)
    await migrateTo(trx, engine)
  })

/**
 * Does work on the schema in one transaction, including the migrator's own tables, so that concurrent starts take turns,
 * and what is killed leaves nothing behind.
 */
export async function inTurn<T>(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  work: (trx: Db) => Promise<T>,
): Promise<T> {
  // To rewrite or index a large table takes too much room for the memory.
  if (engine === 'sqlite') await sql`pragma temp_store = file`.execute(db)
  try {
    return await db.transaction().execute(async trx => {
      if (engine === 'postgres') await takeTurn(trx)
      return work(trx)
    })
  } finally {
    if (engine === 'sqlite') await sql`pragma temp_store = memory`.execute(db)
  }
}

/** The lock of Kysely's migrator, with which earlier versions of the service take turns. */
const MIGRATION_LOCK = sql.lit('3853314791062309107')

/**
 * Waits until no other instance migrates. The lock ends with the transaction, since a connection pool may give what follows
 * another connection. No timeout holds here: a migration may rewrite a large table.
 */
async function takeTurn(trx: Db): Promise<void> {
  for (const timeout of TIMEOUTS) await sql`set local ${sql.raw(timeout)} = 0`.execute(trx)
  await sql`select pg_advisory_xact_lock(cast(${MIGRATION_LOCK} as bigint))`.execute(trx)
}

/** @param schema the last migration to run; the last there is if left out */
export async function migrateTo(db: Db, engine: Engine, schema?: string): Promise<void> {
  const migrator = migratorOn(db, engine)
  const { error } = await (schema === undefined ? migrator.migrateToLatest() : migrator.migrateTo(schema))
  if (error) throw error
}

/** The last migration that a store has; undefined if it is new. */
export async function schemaOf(db: Db, engine: Engine): Promise<string | undefined> {
  const all = await migratorOn(db, engine).getMigrations()
  return all.findLast(({ executedAt }) => executedAt !== undefined)?.name
}

/** The last migration of this version. */
export const newestSchema = (): string => Object.keys(migrations('sqlite')).sort().at(-1) ?? ''

const migratorOn = (db: Db, engine: Engine) =>
  new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } })
