import { sql } from 'kysely'
import { COMMAND } from '../lib/package.ts'
import type { Db } from './store.ts'
import type { Engine } from './tables/index.ts'

/** An unfinished import: the export it reads, and how many blocks are imported. */
interface UnfinishedImport {
  id: string
  blocks: number
}

/**
 * Returns the unfinished import of a database. Its table is in no migration: the import creates it with all other
 * tables, and drops it at its end.
 */
export async function findUnfinishedImport(db: Db, engine: Engine): Promise<UnfinishedImport | undefined> {
  if (!(await hasTable(db, engine, 'unfinished_import'))) return undefined
  const { rows } = await sql<UnfinishedImport>`select id, blocks from unfinished_import`.execute(db)
  return rows[0]
}

/** Returns whether a database has a table. */
export async function hasTable(db: Db, engine: Engine, name: string): Promise<boolean> {
  const { rows } = await (engine === 'sqlite'
    ? sql`select 1 from sqlite_schema where name = ${name}`
    : sql`select 1 where to_regclass(${name}) is not null`
  ).execute(db)
  return rows.length > 0
}

/** @throws Error in one line if the database contains only a part of a site. A restore to PostgreSQL imports, too */
export async function refuseUnfinishedImport(db: Db, engine: Engine): Promise<void> {
  if (await findUnfinishedImport(db, engine)) {
    throw new Error(
      `an import into this database was not finished: run the same ${COMMAND} import or restore-backup again to continue it`,
    )
  }
}

/**
 * Records the start of an import, and drops the indexes that no constraint needs: creating them at the end is several
 * times faster than updating them.
 */
export async function beginImport(db: Db, engine: Engine, id: string): Promise<void> {
  const { rows: indexes } = await (engine === 'sqlite' ? indexesOnSqlite : indexesOnPostgres).execute(db)
  for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(db)
  await sql`create table unfinished_import (
    id text primary key, blocks bigint not null, indexes text not null
  )`.execute(db)
  const definitions = JSON.stringify(indexes.map(({ definition }) => definition))
  await sql`insert into unfinished_import (id, blocks, indexes) values (${id}, 0, ${definitions})`.execute(db)
}

interface Index {
  name: string
  definition: string
}

const indexesOnSqlite = sql<Index>`
  select name, sql as definition from sqlite_schema where type = 'index' and sql is not null order by rowid`

const indexesOnPostgres = sql<Index>`
  select indexname as name, indexdef as definition from pg_indexes
  where schemaname = current_schema() and not exists (
    select 1 from pg_constraint where conindid = format('%I.%I', schemaname, indexname)::regclass
  ) order by indexname`

/** Records that a block was imported. @throws Error in one line if another process imported it */
export async function noteBlock(db: Db, id: string, block: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update unfinished_import set blocks = ${block} where id = ${id} and blocks = ${block - 1}`.execute(db)
  if (numAffectedRows !== 1n) throw new Error('another import into this database is in progress')
}

/** Creates the indexes, and deletes the record of the import. */
export async function endImport(db: Db): Promise<void> {
  const { rows } = await sql<{ indexes: string }>`select indexes from unfinished_import`.execute(db)
  const definitions = JSON.parse(rows[0]?.indexes ?? '[]') as string[]
  for (const definition of definitions) await sql.raw(definition).execute(db)
  await sql`drop table unfinished_import`.execute(db)
}
