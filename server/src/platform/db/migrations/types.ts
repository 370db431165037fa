import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/**
 * Returns the types that differ between the engines. Both accept `bigint`, but only `integer primary key` is SQLite's
 * row id.
 */
export const typesOf = (engine: Engine) => ({
  rowId: sql.raw(engine === 'postgres' ? 'bigserial primary key' : 'integer primary key'),
  bytes: sql.raw(engine === 'postgres' ? 'bytea' : 'blob'),
  /** If SQLite orders rows by their key, each commit writes one tree less. */
  byKey: sql.raw(engine === 'postgres' ? '' : 'without rowid'),
})

/** The oldest version that can use a database: the last migration that it must know, and its name for people. */
export interface Oldest {
  schema: string
  version: string
}

/**
 * A migration. It expands, so that the previous version continues to work, unless it names the oldest version that
 * does.
 */
interface OneMigration {
  up(db: Kysely<unknown>, engine: Engine): Promise<void>
  /** Set if it removes what older versions use. This version and later ones do not use it. */
  contracts?: Oldest
  /** The tables that it reads or writes row by row, or indexes. They determine how long it takes. */
  visits?: readonly string[]
}
export type Migrations = Readonly<Record<string, OneMigration>>

/** No released version can continue. */
export const NOT_BY_0_1_0 = (schema: string): Oldest => ({ schema, version: '0.2.0' })
