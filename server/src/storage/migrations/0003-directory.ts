import { type Kysely, sql } from 'kysely'
import type { Engine } from '../store.ts'

/** What the public site needs: discovery and search, pictures, views and clicks, reports, and places remembered. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob')

  // A free listing ends a fixed time after it was published, so what is on show is either young or has no end.
  await db.schema
    .createIndex('listing_of_category')
    .on('listing')
    .columns(['category', 'published_at desc', 'id desc'])
    .where('hidden_at' as never, 'is', null)
    .execute()
  for (const [name, columns] of [
    ['listing_without_end', ['published_at desc', 'id desc']],
    ['listing_of_category_without_end', ['category', 'published_at desc', 'id desc']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('listing')
      .columns([...columns])
      .where('hidden_at' as never, 'is', null)
      .where('expires_at' as never, 'is', null)
      .execute()
  }
  if (engine === 'postgres') await searchOnPostgres(db)
  else await searchOnSqlite(db)

  await db.schema
    .createTable('picture')
    .addColumn('listing_id', 'bigint', column => column.primaryKey().references('listing.id'))
    // `wanted` until it was tried; `none` where there is no usable one.
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('source_url', 'text')
    .addColumn('attempts', 'integer', column => column.notNull())
    .addColumn('try_at', 'bigint')
    .addColumn('media_type', 'text')
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('version', 'text')
    .addColumn('bytes', bytes)
    .addColumn('stored_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('picture_wanted')
    .on('picture')
    .column('try_at')
    .where('try_at' as never, 'is not', null)
    .execute()

  // Listings from before: their pages were read, and what image they name is known.
  await sql`
    insert into picture (listing_id, state, source_url, attempts, try_at)
    select id, case when image_url is null then 'none' else 'wanted' end, image_url, 0,
      case when image_url is null then null else published_at end
    from listing`.execute(db)

  await db.schema
    .createTable('listing_day')
    .addColumn('listing_id', 'bigint', column => column.notNull().references('listing.id'))
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('views', 'bigint', column => column.notNull())
    .addColumn('clicks', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('listing_day_key', ['listing_id', 'day'])
    .$call(table => (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute()

  await db.schema
    .createTable('report')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('listing_id', 'bigint', column => column.notNull().references('listing.id'))
    .addColumn('reason', 'text', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .addColumn('contact', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('settlement', 'text')
    .execute()
  await db.schema
    .createIndex('report_open')
    .on('report')
    .column('id')
    .where('settled_at' as never, 'is', null)
    .execute()

  // The first places of a board as they were at some moments, to say who rose and who fell.
  await db.schema
    .createTable('board_mark')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('destination_key', 'text', column => column.notNull())
    .addColumn('rank', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('board_mark_key', ['board', 'at', 'destination_key'])
    .execute()
}

/**
 * Each listing that is not hidden is marked in the search index with the span of ten days in which it was published, or
 * as `always` where it has no end: so what has expired is left out within the index.
 */
const SPAN_MS = 864_000_000

async function searchOnPostgres(db: Kysely<unknown>): Promise<void> {
  // Accents do not count, and what joins words parts them: else `node.js` would be a host name to the parser.
  const folded = sql`regexp_replace(regexp_replace(normalize(title || ' ' || hostname || ' ' || description, NFKD),
    '[\u0300-\u036F]', '', 'g'), '[\x01-\x2F\x3A-\x40\x5B-\x60\x7B-\x7F]+', ' ', 'g')`
  // Begins with a blank, as no word does.
  const mark = sql`' ' || case when expires_at is null then 'always'
    else cast(published_at / ${sql.lit(SPAN_MS)} as text) end`
  // 'simple' knows no language: listings come in all of them, and nothing is stemmed wrongly.
  await sql`
    alter table listing add column search tsvector generated always as (
      case when hidden_at is null then to_tsvector('simple', ${folded}) || array_to_tsvector(array[${mark}]) end
    ) stored`.execute(db)
  await sql`create index listing_search on listing using gin (search)`.execute(db)
}

async function searchOnSqlite(db: Kysely<unknown>): Promise<void> {
  // The index alone, without a second copy of the texts. Short beginnings are indexed too: they have the most matches.
  await sql`
    create virtual table listing_search using fts5 (
      title, description, hostname, shown, content='', contentless_delete=1, prefix='1 2 3',
      tokenize='unicode61 remove_diacritics 2'
    )`.execute(db)
  const add = (row: 'new' | 'listing') => {
    const column = (name: string) => sql.ref(`${row}.${name}`)
    return sql`insert into listing_search (rowid, title, description, hostname, shown)
      select ${column('id')}, ${column('title')}, ${column('description')}, ${column('hostname')},
        case when ${column('expires_at')} is null then 'always' else ${column('published_at')} / ${sql.lit(SPAN_MS)} end
      ${sql.raw(row === 'listing' ? 'from listing' : '')} where ${column('hidden_at')} is null`
  }
  const remove = sql`delete from listing_search where rowid = old.id`
  // Triggers keep it in step, in the transaction that writes a listing.
  await sql`create trigger listing_search_added after insert on listing begin ${add('new')}; end`.execute(db)
  await sql`create trigger listing_search_removed after delete on listing begin ${remove}; end`.execute(db)
  await sql`create trigger listing_search_changed
    after update of title, description, hostname, published_at, expires_at, hidden_at on listing
    begin ${remove}; ${add('new')}; end`.execute(db)
  await add('listing').execute(db)
}
