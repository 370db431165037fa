import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../tables/index.ts'
import { typesOf } from '../types.ts'

/** The public site: discovery and search, pictures, views and clicks, and reports. */
export async function site(db: Kysely<unknown>, engine: Engine): Promise<void> {
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
