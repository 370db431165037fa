import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../../store.ts'

/** Checkouts, processor events, payments, board totals, the counts behind ranks, and board marks. */
export async function ledger(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // SQLite stores such rows in key order, which saves writing one tree at each commit.
  const byKey = <T extends string>(table: CreateTableBuilder<T>) =>
    engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table

  await db.schema
    .createTable('checkout')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('processor', 'text', column => column.notNull())
    .addColumn('sessionId', 'text')
    .addColumn('destinationKey', 'text', column => column.notNull())
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('hostname', 'text', column => column.notNull())
    .addColumn('category', 'text', column => column.notNull())
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('targetBid', 'bigint', column => column.notNull())
    .addColumn('amountCents', 'bigint', column => column.notNull())
    .addColumn('page', 'text')
    .addColumn('provedBy', 'text', column => column.notNull())
    .addColumn('rulesVersion', 'text', column => column.notNull())
    .addColumn('createdAt', 'bigint', column => column.notNull())
    .addColumn('supersededAt', 'bigint')
    .addColumn('keptAt', 'bigint')
    .addUniqueConstraint('checkout_session', ['processor', 'sessionId'])
    .execute()
  await db.schema
    .createIndex('checkout_open')
    .on('checkout')
    .column('destinationKey')
    .where('supersededAt' as never, 'is', null)
    .execute()
  await sql`create index checkout_in_question on checkout ("createdAt") where "keptAt" is null`.execute(db)

  await db.schema
    .createTable('processor_event')
    .addColumn('processor', 'text', column => column.notNull())
    .addColumn('eventId', 'text', column => column.notNull())
    .addColumn('type', 'text', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('occurredAt', 'bigint', column => column.notNull())
    .addColumn('receivedAt', 'bigint', column => column.notNull())
    .addColumn('paymentId', 'text', column => column.notNull())
    .addColumn('sessionId', 'text')
    .addColumn('checkoutId', 'text')
    .addColumn('amountCents', 'bigint')
    .addColumn('currency', 'text')
    .addColumn('refundId', 'text')
    .addColumn('disputeId', 'text')
    .addColumn('livemode', 'integer', column => column.notNull())
    .addPrimaryKeyConstraint('processor_event_pk', ['eventId', 'processor'])
    .$call(byKey)
    .execute()
  await db.schema
    .createIndex('processor_event_of_payment')
    .on('processor_event')
    .column('paymentId')
    .execute()
  await db.schema
    .createIndex('processor_event_of_session')
    .on('processor_event')
    .column('sessionId')
    .execute()

  await db.schema
    .createTable('payment')
    .addColumn('processor', 'text', column => column.notNull())
    .addColumn('paymentId', 'text', column => column.notNull())
    .addColumn('checkoutId', 'text')
    .addColumn('destinationKey', 'text')
    .addColumn('paidAt', 'bigint')
    .addColumn('day', 'text')
    .addColumn('paidCents', 'bigint', column => column.notNull())
    .addColumn('refundedCents', 'bigint', column => column.notNull())
    .addColumn('disputedCents', 'bigint', column => column.notNull())
    .addColumn('netCents', 'bigint', column => column.notNull())
    .addColumn('unplaced', 'text')
    .addPrimaryKeyConstraint('payment_pk', ['paymentId', 'processor'])
    .$call(byKey)
    .execute()
  await db.schema.createIndex('payment_of_destination').on('payment').column('destinationKey').execute()
  await db.schema
    .createIndex('payment_unplaced')
    .on('payment')
    .columns(['processor', 'paymentId'])
    .where('unplaced' as never, 'is not', null)
    .execute()
  // Empty on a board of real money, so it costs payments nothing. Read at every start.
  await db.schema
    .createIndex('payment_not_real')
    .on('payment')
    .columns(['processor', 'paymentId'])
    .where(sql`processor <> 'stripe' and "netCents" > 0` as never)
    .execute()

  await db.schema
    .createTable('board_total')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('destinationKey', 'text', column => column.notNull())
    .addColumn('totalCents', 'bigint', column => column.notNull())
    .addColumn('reachedAt', 'bigint', column => column.notNull())
    .addColumn('shown', 'integer', column => column.notNull().defaultTo(1))
    .addColumn('listingId', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('board_total_key', ['board', 'destinationKey'])
    .$call(byKey)
    .execute()
  await db.schema
    .createIndex('board_total_order')
    .on('board_total')
    // Includes the listing, so that a page of a board needs only the index.
    .columns(['board', 'totalCents desc', 'reachedAt', 'destinationKey', 'listingId'])
    // Only shown listings have a place.
    .where(sql.ref('shown') as never, '=', sql.lit(1))
    .execute()

  await db.schema
    .createTable('board_count')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('level', 'integer', column => column.notNull())
    .addColumn('amount', 'bigint', column => column.notNull())
    .addColumn('time', 'bigint', column => column.notNull())
    .addColumn('destinations', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('board_count_pk', ['board', 'level', 'amount', 'time'])
    .$call(byKey)
    .execute()

  await sql`create index board_count_empty on board_count (board) where destinations = 0`.execute(db)

  // The top places of a board at earlier times, to show movement.
  await db.schema
    .createTable('board_mark')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('destinationKey', 'text', column => column.notNull())
    .addColumn('rank', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('board_mark_key', ['board', 'at', 'destinationKey'])
    .execute()
}
