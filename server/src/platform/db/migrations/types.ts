import { sql } from 'kysely'
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
