import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../tables/index.ts'
import { typesOf } from '../types.ts'

/** Checkouts, processor events, payments, totals of boards, the counts behind ranks, and places marked or taken. */
export async function ledger(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { byKey } = typesOf(engine)

  await sql`create table checkout (
    id text primary key, processor text not null, "sessionId" text,
    "destinationKey" text not null, url text not null, hostname text not null, category text not null,
    board text not null, "targetBid" bigint not null, "amountCents" bigint not null, page text,
    "provedBy" text not null, "rulesVersion" text not null,
    "createdAt" bigint not null, "supersededAt" bigint, "keptAt" bigint,
    constraint checkout_session unique (processor, "sessionId")
  )`.execute(db)
  await sql`create index checkout_open on checkout ("destinationKey") where "supersededAt" is null`.execute(db)
  await sql`create index checkout_in_question on checkout ("createdAt") where "keptAt" is null`.execute(db)

  await sql`create table processor_event (
    processor text not null, "eventId" text not null, type text not null, kind text not null,
    "occurredAt" bigint not null, "receivedAt" bigint not null,
    "paymentId" text not null, "sessionId" text, "checkoutId" text, "amountCents" bigint, currency text,
    "refundId" text, "disputeId" text, livemode integer not null,
    constraint processor_event_pk primary key ("eventId", processor)
  ) ${byKey}`.execute(db)
  await sql`create index processor_event_of_payment on processor_event ("paymentId")`.execute(db)
  await sql`create index processor_event_of_session on processor_event ("sessionId")`.execute(db)

  await sql`create table payment (
    processor text not null, "paymentId" text not null, "checkoutId" text, "destinationKey" text,
    "paidAt" bigint, day text, "paidCents" bigint not null, "refundedCents" bigint not null,
    "disputedCents" bigint not null, "netCents" bigint not null, "closingCents" bigint not null, unplaced text,
    constraint payment_pk primary key ("paymentId", processor)
  ) ${byKey}`.execute(db)
  await sql`create index payment_of_destination on payment ("destinationKey")`.execute(db)
  await sql`
    create index payment_unplaced on payment (processor, "paymentId") where unplaced is not null`.execute(db)
  // Empty on a site with real money. It is read at every start, and costs a payment nothing.
  await sql`
    create index payment_not_real on payment (processor, "paymentId")
    where processor <> 'stripe' and "netCents" > 0`.execute(db)

  // Only what was refunded or disputed after its day, so an unchanged payment costs nothing.
  await sql`
    create index payment_changed_later on payment (day, "destinationKey")
    where "netCents" <> "closingCents"`.execute(db)

  await sql`create table board_total (
    board text not null, "destinationKey" text not null,
    "totalCents" bigint not null, "reachedAt" bigint not null,
    shown integer default 1 not null, "listingId" bigint not null,
    category text not null default '',
    constraint board_total_key primary key (board, "destinationKey")
  ) ${byKey}`.execute(db)
  // Only shown listings have a place. It includes the listing, so that a page of a board is read from the index alone.
  await sql`
    create index board_total_order on board_total
      (board, "totalCents" desc, "reachedAt", "destinationKey", "listingId") where shown = 1`.execute(db)
  // The only index for category boards.
  await sql`
    create index board_total_of_category on board_total
      (category, "totalCents" desc, "reachedAt", "destinationKey", "listingId")
    where shown = 1 and board = 'all'`.execute(db)

  await sql`create table board_count (
    board text not null, level integer not null, amount bigint not null, time bigint not null,
    destinations bigint not null,
    constraint board_count_pk primary key (board, level, amount, time)
  ) ${byKey}`.execute(db)
  await sql`create index board_count_empty on board_count (board) where destinations = 0`.execute(db)

  // The first places of a board at some moments, to show which rose and fell.
  await sql`create table board_mark (
    board text not null, at bigint not null, "destinationKey" text not null, rank bigint not null,
    constraint board_mark_key primary key (board, at, "destinationKey")
  )`.execute(db)

  await sql`create table place_taken (
    board text not null, at bigint not null, "destinationKey" text not null, rank integer not null,
    "totalCents" bigint not null,
    constraint place_taken_key primary key (board, at, "destinationKey")
  ) ${byKey}`.execute(db)
  await sql`create index place_taken_at on place_taken (at)`.execute(db)
}
