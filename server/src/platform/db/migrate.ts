import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { VERSION } from '../lib/package.ts'
import { MIGRATIONS, migrationsOf } from './migrations/index.ts'
import type { Migrations, Oldest } from './migrations/types.ts'
import { TIMEOUTS } from './postgres.ts'
import { statement } from './statement.ts'
import type { Db, Runner, Store } from './store.ts'
import type { Engine } from './tables/index.ts'
import { hasTable, refuseUnfinishedImport } from './unfinished-import.ts'

/** PostgreSQL's code for a deadlock, and the number of retries. */
const DEADLOCK = '40P01'
const TRIES_MAX = 10
const LOCKED_OUT =
  'running instances lock tables of the database each time. Nothing has changed: stop them, or start again when they have less to do'

/**
 * Migrates the schema to this version. If a newer version has migrated it, and this one may still use it, does nothing.
 * Running instances lock tables in their own order, so on PostgreSQL a deadlock can end either side, which retries.
 *
 * @throws Outdated, or Error in one line if the database contains only a part of a site
 */
export async function migrate({ db, engine }: Pick<Store, 'db' | 'engine'>, migrations: Migrations): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTurn({ db, engine }, async trx => {
        await refuseUnfinishedImport(trx, engine)
        const there = await migrationsIn(trx, engine)
        if (isNewer(there, migrations)) await refuseOutdated(runnerOn(trx, engine), migrations)
        // The migrator would read the definitions of all tables first.
        else if (there.length < Object.keys(migrations).length) await migrateTo(trx, engine, undefined, migrations)
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== DEADLOCK) throw error
      if (tries === TRIES_MAX) throw new Error(LOCKED_OUT, { cause: error })
    }
  }
}

/**
 * Changes the schema in one transaction, including the migrator's own tables. So concurrent starts take turns, and a
 * killed one changes nothing.
 */
export async function inTurn<T>(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  work: (trx: Db) => Promise<T>,
): Promise<T> {
  // Rewriting or indexing a large table takes too much memory.
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

/** The lock of Kysely's migrator, which earlier versions of the service use. */
const MIGRATION_LOCK = sql.lit('3853314791062309107')

/**
 * Waits until no other instance migrates. The lock ends with the transaction, because a connection pool may use another
 * connection for what follows. There is no timeout, because a migration may rewrite a large table.
 */
async function takeTurn(trx: Db): Promise<void> {
  for (const timeout of TIMEOUTS) await sql`set local ${sql.raw(timeout)} = 0`.execute(trx)
  await sql`select pg_advisory_xact_lock(cast(${MIGRATION_LOCK} as bigint))`.execute(trx)
}

/** Migrates to a schema. @param schema the last migration to run; by default, the newest */
export async function migrateTo(
  db: Db,
  engine: Engine,
  schema?: string,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  if (engine === 'postgres') await requireCreate(db)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsOf(migrations, engine) } })
  const { error } = await (schema === undefined ? migrator.migrateToLatest() : migrator.migrateTo(schema))
  if (error) throw error
}

/** Since PostgreSQL 15, only its owner may. The migrator would say that the transaction is aborted, and not why. */
async function requireCreate(db: Db): Promise<void> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may`.execute(db)
  if (rows[0]?.may) return
  throw new Error(
    'the user of DATABASE_URL may not create tables there: make it the owner, with "alter database NAME owner to USER"',
  )
}

/** Returns every migration of a database, including those that only a newer version knows. */
async function migrationsIn(db: Db, engine: Engine): Promise<string[]> {
  // A new database has no such table.
  if (!(await hasTable(db, engine, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Returns the last migration of a database; undefined if it is new. */
export const schemaOf = async (db: Db, engine: Engine): Promise<string | undefined> =>
  (await migrationsIn(db, engine)).at(-1)

/** Returns whether a newer version migrated a database. @throws Error if neither version is the newer one */
function isNewer(there: string[], migrations: Migrations): boolean {
  const unknown = there.filter(name => !(name in migrations))
  const missing = Object.keys(migrations).filter(name => !there.includes(name))
  if (unknown.length > 0 && missing.length > 0) {
    throw new Error(
      `another line of versions has migrated it: it has ${unknown.join(', ')}, but not ${missing.join(', ')}`,
    )
  }
  return unknown.length > 0
}

const runnerOn = (db: Db, engine: Engine): Runner => ({
  engine,
  executeQuery: query => db.executeQuery(query),
})

/** The pending migrations of a database. */
export interface Plan {
  /** The last migration that it has; undefined if it is new. */
  schema: string | undefined
  newest: string
  due: {
    name: string
    kind: 'expands' | 'contracts'
    /** How many rows it reads or writes one by one, by table. */
    rows: Record<string, number>
  }[]
  /** The oldest version that can continue during and after the migration; undefined if any can. */
  oldest: Oldest | undefined
  /** Whether instances of the version with the current schema can continue. */
  mayGoOn: boolean
}

/**
 * Returns the pending migrations. @throws Outdated, or Error in one line if the database contains only a part of a site
 */
export async function planMigration({ db, engine }: Store, migrations: Migrations = MIGRATIONS): Promise<Plan> {
  await refuseUnfinishedImport(db, engine)
  const there = await migrationsIn(db, engine)
  if (isNewer(there, migrations)) await refuseOutdated(runnerOn(db, engine), migrations)
  const missing = Object.entries(migrations).filter(([name]) => !there.includes(name))
  const tables = missing.length > 0 ? await db.introspection.getTables() : []
  const due: Plan['due'] = []
  let oldest: Oldest | undefined
  for (const [name, { contracts, visits = [] }] of missing) {
    const rows: Record<string, number> = {}
    for (const table of visits) {
      // Another pending migration may create it.
      rows[table] = tables.some(each => each.name === table) ? await countRows(db, table) : 0
    }
    due.push({ name, kind: contracts ? 'contracts' : 'expands', rows })
    if (contracts && contracts.schema > (oldest?.schema ?? '')) oldest = contracts
  }
  const schema = there.at(-1)
  const mayGoOn = schema === undefined || oldest === undefined || oldest.schema <= schema
  return { schema, newest: newestSchema(migrations), due, oldest, mayGoOn }
}

/** Returns how many rows a table has. */
export async function countRows(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.n)
}

/** The last migration of this version. */
export const newestSchema = (migrations: Migrations = MIGRATIONS): string => Object.keys(migrations).sort().at(-1) ?? ''

/** This version must not use the database any more. */
export class Outdated extends Error {}

/**
 * Checks in the database whether this version can use it. The database has migration 0013, or a later one.
 *
 * @throws Outdated in one line that says what to do
 */
export async function refuseOutdated(runner: Runner, migrations: Migrations = MIGRATIONS): Promise<void> {
  const [oldest] = await readOldest(runner, {})
  if (oldest === undefined || oldest.schema in migrations) return
  throw new Outdated(
    `the database has been changed for Placard ${oldest.version} and later, but this is ${VERSION}: run a later version, or restore a backup from before (docs/backup-and-upgrade.md)`,
  )
}

const readOldest = statement({}, (_, db) => db.selectFrom('oldest_service').select(['schema', 'version']))
