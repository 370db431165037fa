import { type Kysely, sql } from 'kysely'
import { searchText } from '../../listings/search-text.ts'
import type { Engine } from '../store.ts'

/** The index of search made anew, from words that the application folds, the same for both engines. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await sql`alter table listing drop column search`.execute(db)
  } else {
    for (const event of ['added', 'removed', 'changed']) {
      await sql`drop trigger ${sql.ref(`listing_search_${event}`)}`.execute(db)
    }
    await sql`drop table listing_search`.execute(db)
  }
  await db.schema
    .alterTable('listing')
    .addColumn('search_text', 'text', column => column.notNull().defaultTo(''))
    .execute()
  await fillSearchText(db as Kysely<{ listing: ListingOf0004 }>)
  if (engine === 'postgres') await searchOnPostgres(db)
  else await searchOnSqlite(db)
}

interface ListingOf0004 {
  id: number
  title: string
  description: string
  hostname: string
  search_text: string
}

const ROWS_AT_ONCE = 500

async function fillSearchText(db: Kysely<{ listing: ListingOf0004 }>): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('listing')
      .select(['id', 'title', 'description', 'hostname'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute()
    const end = rows.at(-1)
    if (!end) return
    const texts = rows.map(row => sql`(cast(${row.id} as bigint), ${searchText(row)})`)
    // Both engines name the columns of such values so.
    await sql`update listing set search_text = made.column2 from (values ${sql.join(texts)}) as made
      where listing.id = made.column1`.execute(db)
    last = end.id
  }
}

/**
 * Each listing that is not hidden is marked with the span of ten days in which it was published, or as one without an
 * end: so what has expired is left out within the index. No word begins as a mark does.
 */
const SPAN_MS = 864_000_000
const markOf = (row: string) => sql`'§' || case when ${sql.ref(`${row}.expires_at`)} is null then 'always'
  else cast(${sql.ref(`${row}.published_at`)} / ${sql.lit(SPAN_MS)} as text) end`

async function searchOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table listing add column search tsvector generated always as (
      case when hidden_at is null then
        array_to_tsvector(string_to_array(search_text, ' ') || array[${markOf('listing')}]) end
    ) stored`.execute(db)
  await sql`create index listing_search on listing using gin (search)`.execute(db)
}

async function searchOnSqlite(db: Kysely<unknown>): Promise<void> {
  // The index alone: no second copy of the words, nor where in a text they stand. To its tokenizer all that is not
  // ASCII is a letter, so words part at blanks. Short beginnings are indexed too: they have the most matches. (Without
  // columns either it is smaller still, but gathers the matches of a beginning several times as slowly.)
  await sql`
    create virtual table listing_search using fts5 (
      words, content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize='ascii'
    )`.execute(db)
  const add = (row: 'new' | 'listing') => sql`
    insert into listing_search (rowid, words)
      select ${sql.ref(`${row}.id`)}, ${sql.ref(`${row}.search_text`)} || ' ' || ${markOf(row)}
      ${sql.raw(row === 'listing' ? 'from listing' : '')} where ${sql.ref(`${row}.hidden_at`)} is null`
  const remove = sql`delete from listing_search where rowid = old.id`
  // Triggers keep it in step, in the transaction that writes a listing.
  await sql`create trigger listing_search_added after insert on listing begin ${add('new')}; end`.execute(db)
  await sql`create trigger listing_search_removed after delete on listing begin ${remove}; end`.execute(db)
  await sql`create trigger listing_search_changed
    after update of search_text, published_at, expires_at, hidden_at on listing
    begin ${remove}; ${add('new')}; end`.execute(db)
  await add('listing').execute(db)
}
