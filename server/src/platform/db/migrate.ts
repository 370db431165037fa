import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { VERSION } from '../lib/package.ts'
import { MIGRATIONS, type Migrations, migrationsOf, type Oldest } from './migrations/index.ts'
import { TIMEOUTS } from './postgres.ts'
import { statement } from './statement.ts'
import type { Db, Runner, Store } from './store.ts'
import type { Engine } from './tables/index.ts'
import { refuseUnfinishedImport } from './unfinished-import.ts'

/** PostgreSQL's code for one of two that wait for each other, and how often to try again. */
const DEADLOCK = '40P01'
const TRIES_MAX = 10

/**
 * Brings the schema up to date, or leaves it alone where a newer version has been and this one may go on. Instances at
 * work lock tables in an order of their own, so on PostgreSQL either side may have to begin anew.
 *
 * @throws Outdated, or Error in one line if only a part of a board is in the store
 */
export async function migrate({ db, engine }: Pick<Store, 'db' | 'engine'>, migrations: Migrations): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTurn({ db, engine }, async trx => {
        await refuseUnfinishedImport(trx, engine)
        if (await isNewer(trx, engine, migrations)) await refuseOutdated(runnerOn(trx, engine), migrations)
        else await migrateTo(trx, engine, undefined, migrations)
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== DEADLOCK || tries === TRIES_MAX) throw error
    }
  }
}

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
export async function migrateTo(
  db: Db,
  engine: Engine,
  schema?: string,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  const migrator = migratorOn(db, engine, migrations)
  const { error } = await (schema === undefined ? migrator.migrateToLatest() : migrator.migrateTo(schema))
  if (error) throw error
}

/** Every migration that a store has, also those that only a newer version knows. */
async function migrationsIn(db: Db, engine: Engine): Promise<string[]> {
  const known = await migratorOn(db, engine, MIGRATIONS).getMigrations()
  // A new store has no such table.
  if (known.every(({ executedAt }) => executedAt === undefined)) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The last migration that a store has; undefined if it is new. */
export const schemaOf = async (db: Db, engine: Engine): Promise<string | undefined> =>
  (await migrationsIn(db, engine)).at(-1)

/** @throws Error if neither version is the newer one */
async function isNewer(db: Db, engine: Engine, migrations: Migrations): Promise<boolean> {
  const there = await migrationsIn(db, engine)
  const unknown = there.filter(name => !(name in migrations))
  const missing = Object.keys(migrations).filter(name => !there.includes(name))
  if (unknown.length > 0 && missing.length > 0) {
    throw new Error(
      `another line of versions has written it: it has ${unknown.join(', ')}, and lacks ${missing.join(', ')}`,
    )
  }
  return unknown.length > 0
}

const runnerOn = (db: Db, engine: Engine): Runner => ({
  engine,
  executeQuery: query => db.executeQuery(query),
})

/** What has to be done to a database before this version works on it. */
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
  /** Who may go on while and after it is done; undefined if everybody may. */
  oldest: Oldest | undefined
  /** Whether instances of the version that made the present schema may go on. */
  mayGoOn: boolean
}

/** @throws Outdated, or Error in one line if only a part of a board is in the store */
export async function planMigration({ db, engine }: Store, migrations: Migrations = MIGRATIONS): Promise<Plan> {
  await refuseUnfinishedImport(db, engine)
  const there = await migrationsIn(db, engine)
  if (await isNewer(db, engine, migrations)) await refuseOutdated(runnerOn(db, engine), migrations)
  const missing = Object.entries(migrations).filter(([name]) => !there.includes(name))
  const tables = missing.length > 0 ? await db.introspection.getTables() : []
  const due: Plan['due'] = []
  let oldest: Oldest | undefined
  for (const [name, { contracts, visits = [] }] of missing) {
    const rows: Record<string, number> = {}
    for (const table of visits) {
      // Another one that is due may make it.
      rows[table] = tables.some(each => each.name === table) ? await countRows(db, table) : 0
    }
    due.push({ name, kind: contracts ? 'contracts' : 'expands', rows })
    if (contracts && contracts.schema > (oldest?.schema ?? '')) oldest = contracts
  }
  const schema = there.at(-1)
  const mayGoOn = schema === undefined || oldest === undefined || oldest.schema <= schema
  return { schema, newest: newestSchema(migrations), due, oldest, mayGoOn }
}

async function countRows(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.n)
}

/** The last migration of this version. */
export const newestSchema = (migrations: Migrations = MIGRATIONS): string => Object.keys(migrations).sort().at(-1) ?? ''

const migratorOn = (db: Db, engine: Engine, migrations: Migrations) =>
  new Migrator({ db, provider: { getMigrations: async () => migrationsOf(migrations, engine) } })

/** This version may not work on the database any more. */
export class Outdated extends Error {}

/**
 * Asks the database whether this version may work on it. It has migration 0013, or a later one.
 *
 * @throws Outdated in one line that says what to do
 */
export async function refuseOutdated(runner: Runner, migrations: Migrations = MIGRATIONS): Promise<void> {
  const [oldest] = await readOldest(runner, {})
  if (oldest === undefined || oldest.schema in migrations) return
  throw new Outdated(
    `the database has been changed for Placard ${oldest.version} and later, and this is ${VERSION}: run a later version, or restore a backup from before (docs/backup-and-upgrade.md)`,
  )
}

const readOldest = statement({}, (_, db) =>
  db.selectFrom('oldest_service').select(['schema', 'version']).where('id', '=', 1),
)
