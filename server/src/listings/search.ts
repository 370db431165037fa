import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { type DiscoveryCursor, START } from './discovery-cursor.ts'
import { wordsOf } from './search-words.ts'
import { itsPicture, oldestYoung, pageOf, type Shown, type ShownPage, shownColumns } from './shown.ts'

interface SearchQuery {
  /** As typed; may be anything. */
  words: string
  /** Unix milliseconds. */
  now: number
  after?: DiscoveryCursor | undefined
  limit: number
}

/**
 * Published listings in which every query word starts a word of the title, description or host name. Ignores accents
 * and case. Most recently listed first; restoring a listing does not move it up. A query without words finds nothing.
 */
export async function search(
  store: Store,
  { words: typed, now, after = START, limit }: SearchQuery,
): Promise<ShownPage> {
  const words = wordsOf(typed)
  if (words.length === 0) return { listings: [], next: undefined }
  const page = { before: after.id, now, limit: limit + 1 }
  const rows =
    store.engine === 'sqlite'
      ? await searchSqlite(store, { query: fts5Query(words, shownMarks(now)), ...page })
      : await searchPostgres(store, { query: tsQuery(words, shownMarks(now)), ...page })
  return pageOf(rows, limit)
}

/** As in migration 4: ten days. */
const SPAN_MS = 864_000_000

/**
 * The index marks each listing with the span in which it was published, or as one without an end, so the index itself
 * skips expired ones. Includes one span ahead, since clocks differ.
 */
function shownMarks(now: number): string[] {
  const [first, last] = [Math.floor(oldestYoung(now) / SPAN_MS), Math.floor(now / SPAN_MS) + 1]
  return ['§always', ...Array.from({ length: last - first + 1 }, (_, place) => `§${first + place}`)]
}

/** Words are only letters and digits, so quotes need no escaping. */
const fts5Query = (words: string[], shown: string[]): string =>
  `${words.map(word => `"${word}"*`).join(' AND ')} AND (${shown.map(mark => `"${mark}"`).join(' OR ')})`

const tsQuery = (words: string[], shown: string[]): string =>
  `${words.map(word => `'${word}':*`).join(' & ')} & (${shown.map(mark => `'${mark}'`).join(' | ')})`

const SEARCH = { query: 'text', before: 'bigint', now: 'bigint', limit: 'bigint' } as const

/**
 * Sorted by id, which is the order of listing. SQLite's index returns ids in descending order, so even for a word in
 * every listing it reads only a page.
 */
const searchSqlite = statement(
  SEARCH,
  ({ query, before, now, limit }) => sql<Shown>`
    select ${shownColumns} from listing_search cross join listing on listing.id = listing_search.rowid ${itsPicture}
    where listing_search match ${query} and listing_search.rowid < ${before}
      and listing."hiddenAt" is null
      and (listing."expiresAt" is null or listing."expiresAt" > ${now})
    order by listing_search.rowid desc limit ${limit}`,
)

/** PostgreSQL gathers all matches first, so cut the page before joining anything. */
const searchPostgres = statement(
  SEARCH,
  ({ query, before, now, limit }) => sql<Shown>`
    select ${shownColumns} from (
      select * from listing
      where search @@ cast(${query} as tsquery)
        and id < ${before} and "hiddenAt" is null
        and ("expiresAt" is null or "expiresAt" > ${now})
      order by id desc limit ${limit}
    ) as listing ${itsPicture} order by listing.id desc`,
)
