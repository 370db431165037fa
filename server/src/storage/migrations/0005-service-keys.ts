import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'

/** Which service keys the database was used with, under which of them links were renewed, and a row to prove writes with. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob')
  await db.schema
    .createTable('service_key')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('check_value', 'text', column => column.notNull().unique())
    .addColumn('first_used_at', 'bigint', column => column.notNull())
    .addColumn('lost_at', 'bigint')
    .execute()

  await db.schema
    .createTable('renewed_link')
    .addColumn('claim_id', 'text', column => column.notNull().references('claim.id').onDelete('cascade'))
    .addColumn('link_version', 'bigint', column => column.notNull())
    .addColumn('key_check_value', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('renewed_link_key', ['claim_id', 'link_version'])
    .execute()

  await db.schema
    .createTable('write_probe')
    .addColumn('id', 'bigint', column => column.primaryKey())
    .addColumn('filler', bytes, column => column.notNull())
    .execute()
}
