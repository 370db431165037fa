import { CompiledQuery, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import { openPostgres, TIMEOUTS } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Db, Engine, Store } from './store.ts'

/**
 * Opens the store and migrates it.
 *
 * @param databaseUrl `postgres://…`, or undefined for SQLite in `dataDir` (created if missing)
 * @param patient for an operator's command, which may read everything: PostgreSQL then ends no slow statement
 * @throws Error in one line if the database cannot be opened or was written by a newer version
 */
export async function openStore(options: {
  databaseUrl: string | undefined
  dataDir: string
  patient?: boolean
}): Promise<Store> {
  const { databaseUrl, dataDir, patient = false } = options
  if (databaseUrl === undefined) return migrated(openSqlite(dataDir))
  // A migration may rewrite a large table.
  const store = await migrated(openPostgres(databaseUrl, { patient: true }))
  if (patient) return store
  await store.close()
  return accepted(openPostgres(databaseUrl, { patient }))
}

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

async function migrate({ db, engine }: Store): Promise<void> {
  // Everything in one transaction, including the migrator's own tables, so that concurrent starts take turns.
  await db.transaction().execute(async trx => {
    if (engine === 'postgres') await takeTurn(trx)
    await migrateToLatest(trx, engine)
  })
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

async function migrateToLatest(db: Db, engine: Engine): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}
