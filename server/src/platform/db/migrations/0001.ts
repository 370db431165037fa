import { type Kysely, sql } from 'kysely'
import type { Engine } from '../tables/index.ts'
import { type Migrations, typesOf } from './types.ts'

/** Attempts, listings, claims and their links, the audit log, and the service keys. */
async function publishing(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, bytes } = typesOf(engine)

  await sql`create table attempt (
    "requestId" text primary key, "idempotencyKey" text not null unique,
    "secretHash" text not null, fingerprint text not null, hostname text not null, "clientHash" text not null,
    day text not null, "nthOfDay" bigint not null, "nthOfClient" bigint not null, "nthOfHostname" bigint not null,
    state text not null, "leaseId" text, "leaseUntil" bigint, code text, reason text, detail text,
    "createdAt" bigint not null, "settledAt" bigint
  )`.execute(db)
  // Unique, so that the database itself enforces the quotas. The last place in each is found with one lookup.
  await sql`create unique index attempt_of_day on attempt (day, "nthOfDay")`.execute(db)
  await sql`create unique index attempt_of_client on attempt (day, "clientHash", "nthOfClient")`.execute(db)
  await sql`create unique index attempt_of_hostname on attempt (day, hostname, "nthOfHostname")`.execute(db)
  // These indexes find old rows, and contain only what is left to delete.
  await sql`create index attempt_unpublished on attempt ("createdAt") where state <> 'published'`.execute(db)
  await sql`create index attempt_client_known on attempt (day) where "clientHash" <> ''`.execute(db)

  await sql`create table listing (
    id ${rowId}, slug text not null unique, "destinationKey" text not null unique,
    url text not null, hostname text not null, category text not null,
    title text not null, description text not null, "siteName" text not null, language text not null,
    "imageUrl" text, "publishedAt" bigint not null, "expiresAt" bigint,
    "hiddenAt" bigint, "hiddenBy" text, "hiddenReason" text, "searchText" text default '' not null
  )`.execute(db)
  await sql`
    create index listing_newest on listing ("publishedAt" desc, id desc) where "hiddenAt" is null`.execute(db)
  // Places on past days of listings that were hidden later.
  await sql`
    create index listing_hidden_paid on listing ("hiddenAt", "destinationKey")
    where "hiddenAt" is not null and "expiresAt" is null`.execute(db)

  await sql`create table claim (
    id text primary key, "listingId" bigint not null unique references listing (id),
    "requestId" text not null unique references attempt ("requestId"),
    "approvalScope" text not null, "rulesVersion" text not null, "approvedAt" bigint not null,
    "destinationAsSent" text not null, "linkVersion" integer not null, "ownerTokenHash" text not null
  )`.execute(db)

  await sql`create table audit_event (
    id ${rowId}, "listingId" bigint not null references listing (id),
    action text not null, actor text not null, reason text not null, at bigint not null
  )`.execute(db)

  await sql`create table service_key (
    id ${rowId}, "checkValue" text not null unique, "firstUsedAt" bigint not null, "lostAt" bigint
  )`.execute(db)

  await sql`create table renewed_link (
    "claimId" text not null references claim (id) on delete cascade,
    "linkVersion" bigint not null, "keyCheckValue" text not null,
    constraint renewed_link_key primary key ("claimId", "linkVersion")
  )`.execute(db)

  await sql`create table write_probe (id bigint primary key, filler ${bytes} not null)`.execute(db)
}

/** Checkouts, processor events, payments, totals of boards, the counts behind ranks, and places marked or taken. */
async function ledger(db: Kysely<unknown>, engine: Engine): Promise<void> {
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

/** The public site: discovery and search, pictures, views and clicks, and reports. */
async function site(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { rowId, bytes, byKey } = typesOf(engine)

  // A free listing ends a fixed time after it was published, so published listings are either young or have no end.
  const newest = sql`"publishedAt" desc, id desc`
  await sql`
    create index listing_of_category on listing (category, ${newest}) where "hiddenAt" is null`.execute(db)
  await sql`
    create index listing_without_end on listing (${newest})
    where "hiddenAt" is null and "expiresAt" is null`.execute(db)
  await sql`
    create index listing_of_category_without_end on listing (category, ${newest})
    where "hiddenAt" is null and "expiresAt" is null`.execute(db)
  await sql`create table search_word (
    id ${rowId}, word text ${sql.raw(engine === 'postgres' ? 'collate "C"' : '')} not null unique, parts text not null
  )`.execute(db)
  if (engine === 'postgres') await searchOnPostgres(db)
  else await searchOnSqlite(db)

  await sql`create table picture (
    "listingId" bigint primary key references listing (id), state text not null, "sourceUrl" text,
    attempts integer not null, "tryAt" bigint, "mediaType" text, width integer, height integer,
    version text, bytes ${bytes}, "storedAt" bigint
  )`.execute(db)
  await sql`create index picture_wanted on picture ("tryAt") where "tryAt" is not null`.execute(db)

  await sql`create table listing_day (
    "listingId" bigint not null references listing (id), day text not null,
    views bigint not null, clicks bigint not null,
    constraint listing_day_key primary key ("listingId", day)
  ) ${byKey}`.execute(db)
  await sql`create index listing_day_of_day on listing_day (day) where length(day) = 10`.execute(db)

  await sql`create table report (
    id ${rowId}, "listingId" bigint not null references listing (id),
    reason text not null, details text not null, contact text not null,
    "createdAt" bigint not null, "settledAt" bigint, settlement text
  )`.execute(db)
  await sql`create index report_open on report (id) where "settledAt" is null`.execute(db)
  await sql`create index report_settled on report ("settledAt") where "settledAt" is not null`.execute(db)
}

/**
 * Each listing that is not hidden is marked with the span of thirty days in which it was published, or as one without
 * an end. So the index itself excludes expired listings. No word begins like a mark.
 */
const SPAN_MS = 2_592_000_000
const markOf = (row: string) => sql`'§' || case when ${sql.ref(`${row}.expiresAt`)} is null then 'always'
  else cast(${sql.ref(`${row}.publishedAt`)} / ${sql.lit(SPAN_MS)} as text) end`

/** The entries of a listing, without the sign that its description begins. */
const entriesOf = (row: string) => sql`replace(${sql.ref(`${row}.searchText`)}, '¦ ', '')`

async function searchOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table listing add column search tsvector generated always as (
      case when "hiddenAt" is null then
        array_to_tsvector(string_to_array(${entriesOf('listing')}, ' ') || array[${markOf('listing')}]) end
    ) stored`.execute(db)
  await sql`create index listing_search on listing using gin (search)`.execute(db)
  await sql`
    alter table search_word add column part tsvector
      generated always as (array_to_tsvector(string_to_array(parts, ' '))) stored`.execute(db)
  await sql`create index search_word_part on search_word using gin (part)`.execute(db)
}

async function searchOnSqlite(db: Kysely<unknown>): Promise<void> {
  // Contains only the index, without a copy of the words or their positions. Its tokenizer treats everything except
  // ASCII as letters, so words are separated by blanks. Short beginnings are indexed, too, because they have the most
  // matches. Without columns, it would be even smaller, but collect the matches of a beginning several times more
  // slowly.
  await sql`
    create virtual table listing_search using fts5 (
      words, content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize='ascii'
    )`.execute(db)
  const add = sql`
    insert into listing_search (rowid, words)
      select ${sql.ref('new.id')}, ${entriesOf('new')} || ' ' || ${markOf('new')} where ${sql.ref('new.hiddenAt')} is null`
  const remove = sql`delete from listing_search where rowid = old.id`
  // Triggers update it in the transaction that writes a listing.
  await sql`create trigger listing_search_added after insert on listing begin ${add}; end`.execute(db)
  await sql`create trigger listing_search_removed after delete on listing begin ${remove}; end`.execute(db)
  await sql`create trigger listing_search_changed
    after update of "searchText", "publishedAt", "expiresAt", "hiddenAt" on listing
    begin ${remove}; ${add}; end`.execute(db)
  // Words are added and never change.
  await sql`
    create virtual table search_word_part using fts5 (
      parts, content='', columnsize=0, detail=none, tokenize='ascii'
    )`.execute(db)
  await sql`create trigger search_word_added after insert on search_word
    begin insert into search_word_part (rowid, parts) values (new.id, new.parts); end`.execute(db)
}

export const FROM_0001: Migrations = {
  '0001': {
    async up(db, engine) {
      await publishing(db, engine)
      await ledger(db, engine)
      await site(db, engine)
    },
  },
}
