import { type Kysely, sql } from 'kysely'

/**
 * Each refund by itself, in the events and in the sandbox, and what is in dispute there. Money of Stripe's test mode apart
 * from real money: until now both stood under one name, but the ids of sessions say which it was.
 */
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

  const isTest = sql`substr(session_id, 1, 8) = 'cs_test_'`
  await sql`update checkout set processor = 'stripe_test' where processor = 'stripe' and ${isTest}`.execute(
    db,
  )
  const testPayments = sql`(select payment_id from processor_event where processor = 'stripe' and ${isTest})`
  for (const table of ['payment', 'processor_event']) {
    await sql`
      update ${sql.table(table)} set processor = 'stripe_test'
      where processor = 'stripe' and payment_id in ${testPayments}`.execute(db)
  }
  await db.schema
    .alterTable('processor_event')
    .addColumn('livemode', 'integer', column => column.notNull().defaultTo(1))
    .execute()
  await sql`update processor_event set livemode = 0 where processor <> 'stripe'`.execute(db)
  // Empty on a board of real money: looked into at every start, it costs a payment nothing.
  await db.schema
    .createIndex('payment_not_real')
    .on('payment')
    .columns(['processor', 'payment_id'])
    .where(sql`processor <> 'stripe' and net_cents > 0` as never)
    .execute()
}
