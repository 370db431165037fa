import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../store.ts'

/** What the public site needs: discovery and search, pictures, views and clicks, and reports. */
export async function site(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob')

  // A free listing ends a fixed time after it was published, so what is on show is either young or has no end.
  await db.schema
    .createIndex('listing_of_category')
    .on('listing')
    .columns(['category', 'publishedAt desc', 'id desc'])
    .where('hiddenAt' as never, 'is', null)
    .execute()
  for (const [name, columns] of [
    ['listing_without_end', ['publishedAt desc', 'id desc']],
    ['listing_of_category_without_end', ['category', 'publishedAt desc', 'id desc']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('listing')
      .columns([...columns])
      .where('hiddenAt' as never, 'is', null)
      .where('expiresAt' as never, 'is', null)
      .execute()
  }
  await db.schema
    .createTable('search_word')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('word', engine === 'postgres' ? sql`text collate "C"` : 'text', column =>
      column.notNull().unique(),
    )
    .addColumn('parts', 'text', column => column.notNull())
    .execute()
  if (engine === 'postgres') await searchOnPostgres(db)
  else await searchOnSqlite(db)

  await db.schema
    .createTable('picture')
    .addColumn('listingId', 'bigint', column => column.primaryKey().references('listing.id'))
    // `wanted` until it was tried; `none` where there is no usable one.
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('sourceUrl', 'text')
    .addColumn('attempts', 'integer', column => column.notNull())
    .addColumn('tryAt', 'bigint')
    .addColumn('mediaType', 'text')
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('version', 'text')
    .addColumn('bytes', bytes)
    .addColumn('storedAt', 'bigint')
    .execute()
  await db.schema
    .createIndex('picture_wanted')
    .on('picture')
    .column('tryAt')
    .where('tryAt' as never, 'is not', null)
    .execute()

  await db.schema
    .createTable('listing_day')
    .addColumn('listingId', 'bigint', column => column.notNull().references('listing.id'))
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('views', 'bigint', column => column.notNull())
    .addColumn('clicks', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('listing_day_key', ['listingId', 'day'])
    .$call(table => (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute()
  await sql`create index listing_day_of_day on listing_day (day) where length(day) = 10`.execute(db)

  await db.schema
    .createTable('report')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('listingId', 'bigint', column => column.notNull().references('listing.id'))
    .addColumn('reason', 'text', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .addColumn('contact', 'text', column => column.notNull())
    .addColumn('createdAt', 'bigint', column => column.notNull())
    .addColumn('settledAt', 'bigint')
    .addColumn('settlement', 'text')
    .execute()
  await db.schema
    .createIndex('report_open')
    .on('report')
    .column('id')
    .where('settledAt' as never, 'is', null)
    .execute()
  await sql`create index report_settled on report ("settledAt") where "settledAt" is not null`.execute(db)
}

/**
 * Each listing that is not hidden is marked with the span of thirty days in which it was published, or as one without an
 * end: so what has expired is left out within the index. No word begins as a mark does.
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
  // The index alone: no second copy of the words, nor where in a text they stand. To its tokenizer all that is not
  // ASCII is a letter, so words part at blanks. Short beginnings are indexed too: they have the most matches. (Without
  // columns either it is smaller still, but gathers the matches of a beginning several times as slowly.)
  await sql`
    create virtual table listing_search using fts5 (
      words, content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize='ascii'
    )`.execute(db)
  const add = sql`
    insert into listing_search (rowid, words)
      select ${sql.ref('new.id')}, ${entriesOf('new')} || ' ' || ${markOf('new')} where ${sql.ref('new.hiddenAt')} is null`
  const remove = sql`delete from listing_search where rowid = old.id`
  // Triggers keep it in step, in the transaction that writes a listing.
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
