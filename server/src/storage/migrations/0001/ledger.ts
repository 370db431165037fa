import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../../store.ts'

/** Checkouts, processor events, payments, totals of boards, the counts that rank is read from, and places remembered or taken. */
export async function ledger(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Where SQLite keeps rows in the order of their key there is one tree less to write at each commit.
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
    .addColumn('closingCents', 'bigint', column => column.notNull())
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
  // Empty on a board of real money: looked into at every start, it costs a payment nothing.
  await db.schema
    .createIndex('payment_not_real')
    .on('payment')
    .columns(['processor', 'paymentId'])
    .where(sql`processor <> 'stripe' and "netCents" > 0` as never)
    .execute()
  // Only what was refunded or disputed after its day: a payment that stays as it was costs nothing for it.
  await db.schema
    .createIndex('payment_changed_later')
    .on('payment')
    .columns(['day', 'destinationKey'])
    .where(sql`"netCents" <> "closingCents"` as never)
    .execute()

  await db.schema
    .createTable('board_total')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('destinationKey', 'text', column => column.notNull())
    .addColumn('totalCents', 'bigint', column => column.notNull())
    .addColumn('reachedAt', 'bigint', column => column.notNull())
    .addColumn('shown', 'integer', column => column.notNull().defaultTo(1))
    .addColumn('listingId', 'bigint', column => column.notNull())
    .addColumn('category', 'text', column => column.notNull().defaultTo(''))
    .addPrimaryKeyConstraint('board_total_key', ['board', 'destinationKey'])
    .$call(byKey)
    .execute()
  await db.schema
    .createIndex('board_total_order')
    .on('board_total')
    // With the listing, so that a page of a board is read from the index alone.
    .columns(['board', 'totalCents desc', 'reachedAt', 'destinationKey', 'listingId'])
    // Only what is shown has a place.
    .where(sql.ref('shown') as never, '=', sql.lit(1))
    .execute()
  // The boards of the categories are in here, and nowhere else.
  await sql`
    create index board_total_of_category on board_total
      (category, "totalCents" desc, "reachedAt", "destinationKey", "listingId")
    where shown = 1 and board = 'all'`.execute(db)

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

  // The first places of a board as they were at some moments, to say who rose and who fell.
  await db.schema
    .createTable('board_mark')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('destinationKey', 'text', column => column.notNull())
    .addColumn('rank', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('board_mark_key', ['board', 'at', 'destinationKey'])
    .execute()

  await db.schema
    .createTable('place_taken')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('destinationKey', 'text', column => column.notNull())
    .addColumn('rank', 'integer', column => column.notNull())
    .addColumn('totalCents', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('place_taken_key', ['board', 'at', 'destinationKey'])
    .$call(byKey)
    .execute()
  await db.schema.createIndex('place_taken_at').on('place_taken').column('at').execute()
}
