import { type Kysely, sql } from 'kysely'

/** Each refund by itself, in the events and in the sandbox, and what is in dispute there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('processor_event').addColumn('refund_id', 'text').execute()
  await db.schema
    .alterTable('sandbox_session')
    .addColumn('refunds', 'text', column => column.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .alterTable('sandbox_session')
    .addColumn('disputed_cents', 'bigint', column => column.notNull().defaultTo(0))
    .execute()
  await sql`
    update sandbox_session set disputed_cents = amount_cents - refunded_cents where dispute_id is not null
  `.execute(db)
}
