import { sql } from 'kysely'
import type { Db } from './store.ts'
import type { Engine } from './tables/index.ts'

/** An import that has not ended: which export it reads, and how many of its blocks are in. */
export interface UnfinishedImport {
  id: string
  blocks: number
}

/**
 * Finds the import that a store is being filled by. Its table is part of no migration: the import makes it in the
 * transaction that makes all others, and drops it at its end.
 */
export async function findUnfinishedImport(db: Db, engine: Engine): Promise<UnfinishedImport | undefined> {
  const { rows: found } = await (engine === 'sqlite'
    ? sql`select 1 from sqlite_schema where name = 'unfinished_import'`
    : sql`select 1 where to_regclass('unfinished_import') is not null`
  ).execute(db)
  if (found.length === 0) return undefined
  const { rows } = await sql<UnfinishedImport>`select id, blocks from unfinished_import`.execute(db)
  return rows[0]
}

/** @throws Error in one line if only a part of a board is in the store */
export async function refuseUnfinishedImport(db: Db, engine: Engine): Promise<void> {
  if (await findUnfinishedImport(db, engine)) {
    throw new Error(
      'an import into this database was not finished: run the same npm run placard -- import again, which goes on where it stopped',
    )
  }
}

/**
 * Notes that an import begins, and drops the indexes that no constraint stands on: to make them at the end is several
 * times as fast as to keep them in order.
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

/** Notes that a block is in. @throws Error in one line if another import has brought it */
export async function noteBlock(db: Db, id: string, block: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update unfinished_import set blocks = ${block} where id = ${id} and blocks = ${block - 1}`.execute(db)
  if (numAffectedRows !== 1n) throw new Error('another import into this database is under way')
}

/** Makes the indexes, and forgets the import. */
export async function endImport(db: Db): Promise<void> {
  const { rows } = await sql<{ indexes: string }>`select indexes from unfinished_import`.execute(db)
  const definitions = JSON.parse(rows[0]?.indexes ?? '[]') as string[]
  for (const definition of definitions) await sql.raw(definition).execute(db)
  await sql`drop table unfinished_import`.execute(db)
}
