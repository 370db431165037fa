import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../store.ts'

/** The sandbox's payment pages and events. */
export async function sandbox(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'

  await db.schema
    .createTable('sandbox_session')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('idempotencyKey', 'text', column => column.notNull().unique())
    .addColumn('checkoutId', 'text', column => column.notNull())
    .addColumn('paymentId', 'text', column => column.notNull().unique())
    .addColumn('description', 'text', column => column.notNull())
    .addColumn('amountCents', 'bigint', column => column.notNull())
    .addColumn('successUrl', 'text', column => column.notNull())
    .addColumn('cancelUrl', 'text', column => column.notNull())
    .addColumn('status', 'text', column => column.notNull())
    .addColumn('paymentStatus', 'text', column => column.notNull())
    .addColumn('refundedCents', 'bigint', column => column.notNull())
    .addColumn('refunds', 'text', column => column.notNull())
    .addColumn('disputeId', 'text')
    .addColumn('disputedCents', 'bigint', column => column.notNull())
    .addColumn('disputeStatus', 'text')
    .addColumn('createdAt', 'bigint', column => column.notNull())
    .addColumn('expiresAt', 'bigint', column => column.notNull())
    .execute()
  await db.schema
    .createTable('sandbox_event')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('sessionId', 'text', column => column.notNull().references('sandbox_session.id'))
    .addColumn('eventId', 'text', column => column.notNull())
    .addColumn('type', 'text', column => column.notNull())
    .addColumn('payload', 'text', column => column.notNull())
    .addColumn('createdAt', 'bigint', column => column.notNull())
    .addColumn('deliverAt', 'bigint')
    .addColumn('attempts', 'integer', column => column.notNull())
    .addColumn('deliveries', 'integer', column => column.notNull())
    .addColumn('deliveredAt', 'bigint')
    .addColumn('answer', 'text')
    .execute()
  await db.schema
    .createIndex('sandbox_event_waiting')
    .on('sandbox_event')
    .column('deliverAt')
    .where('deliverAt' as never, 'is not', null)
    .execute()
  await db.schema.createIndex('sandbox_event_of_session').on('sandbox_event').column('sessionId').execute()
  await sql`create index sandbox_event_of_time on sandbox_event ("createdAt")`.execute(db)
}
