import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../store.ts'

/** For the public site: discovery and search, pictures, views and clicks, and reports. */
export async function site(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob')

  // A free listing ends a fixed time after it was published, so a published one is either young or has no end.
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
  if (engine === 'postgres') await searchOnPostgres(db)
  else await searchOnSqlite(db)

  await db.schema
    .createTable('picture')
    .addColumn('listingId', 'bigint', column => column.primaryKey().references('listing.id'))
    // `wanted` until it has been tried; `none` if there is no usable picture.
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
 * The index marks each listing that is not hidden with the ten-day span in which it was published, or as one without an
 * end, so it skips expired ones by itself. No word begins like a mark.
 */
const SPAN_MS = 864_000_000
const markOf = (row: string) => sql`'§' || case when ${sql.ref(`${row}.expiresAt`)} is null then 'always'
  else cast(${sql.ref(`${row}.publishedAt`)} / ${sql.lit(SPAN_MS)} as text) end`

async function searchOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table listing add column search tsvector generated always as (
      case when "hiddenAt" is null then
        array_to_tsvector(string_to_array("searchText", ' ') || array[${markOf('listing')}]) end
    ) stored`.execute(db)
  await sql`create index listing_search on listing using gin (search)`.execute(db)
}

async function searchOnSqlite(db: Kysely<unknown>): Promise<void> {
  // Only an index: no second copy of the words, and no positions. Its tokenizer treats everything outside ASCII as letters, so words end at spaces. Short prefixes are indexed too, since they have the most matches. (Without columns, the index would be even smaller, but several times slower at gathering a prefix's matches.)
  await sql`
    create virtual table listing_search using fts5 (
      words, content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize='ascii'
    )`.execute(db)
  const add = sql`
    insert into listing_search (rowid, words)
      select ${sql.ref('new.id')}, ${sql.ref('new.searchText')} || ' ' || ${markOf('new')} where ${sql.ref('new.hiddenAt')} is null`
  const remove = sql`delete from listing_search where rowid = old.id`
  // Triggers update it in the transaction that writes a listing.
  await sql`create trigger listing_search_added after insert on listing begin ${add}; end`.execute(db)
  await sql`create trigger listing_search_removed after delete on listing begin ${remove}; end`.execute(db)
  await sql`create trigger listing_search_changed
    after update of "searchText", "publishedAt", "expiresAt", "hiddenAt" on listing
    begin ${remove}; ${add}; end`.execute(db)
}
