import { sql } from 'kysely'
import type { Engine } from '../tables/index.ts'

/** Where the engines differ. Both take `bigint`, but only `integer primary key` is SQLite's row id. */
export const typesOf = (engine: Engine) => ({
  rowId: sql.raw(engine === 'postgres' ? 'bigserial primary key' : 'integer primary key'),
  bytes: sql.raw(engine === 'postgres' ? 'bytea' : 'blob'),
  /** Where SQLite keeps rows in the order of their key there is one tree less to write at each commit. */
  byKey: sql.raw(engine === 'postgres' ? '' : 'without rowid'),
})
