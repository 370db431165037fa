import { Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import { openPostgres } from './postgres.ts'
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
  return openPostgres(databaseUrl, { patient })
}

async function migrated(store: Store): Promise<Store> {
  try {
    await migrate(store)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function migrate({ db, engine }: Store): Promise<void> {
  // On SQLite, everything in one transaction, including the migrator's own tables, so that concurrent starts take turns.
  if (engine === 'sqlite') await db.transaction().execute(trx => migrateToLatest(trx, engine))
  else await migrateToLatest(db, engine)
}

async function migrateToLatest(db: Db, engine: Engine): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } })
  const { error } = await migrator.migrateToLatest()
  if (error) {
    throw new Error(`the database cannot be migrated: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
