import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { type DiscoveryCursor, START } from './discovery-cursor.ts'
import { wordsOf } from './search-words.ts'
import { itsPicture, oldestYoung, pageOf, type Shown, type ShownPage, shownColumns } from './shown.ts'

interface SearchQuery {
  /** As typed: anything at all. */
  words: string
  /** Unix milliseconds. */
  now: number
  after?: DiscoveryCursor | undefined
  limit: number
}

/**
 * What is on show and has every word as the beginning of one of its own, in title, description or host name, those
 * listed last first (which a restored listing, published anew, is not). Accents and case do not count. Nothing is found
 * where no words were typed.
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
 * The index marks each listing with when it was published, or as one without an end: so of all that ever matched, what
 * has expired is left out within the index. One span ahead, since clocks differ.
 */
function shownMarks(now: number): string[] {
  const [first, last] = [Math.floor(oldestYoung(now) / SPAN_MS), Math.floor(now / SPAN_MS) + 1]
  return ['§always', ...Array.from({ length: last - first + 1 }, (_, place) => `§${first + place}`)]
}

/** Words hold letters and digits alone, so quotes need no escape. */
const fts5Query = (words: string[], shown: string[]): string =>
  `${words.map(word => `"${word}"*`).join(' AND ')} AND (${shown.map(mark => `"${mark}"`).join(' OR ')})`

const tsQuery = (words: string[], shown: string[]): string =>
  `${words.map(word => `'${word}':*`).join(' & ')} & (${shown.map(mark => `'${mark}'`).join(' | ')})`

const SEARCH = { query: 'text', before: 'bigint', now: 'bigint', limit: 'bigint' } as const

/**
 * In the order in which they were listed, which is that of the ids. SQLite's index gives the ids downwards, so that of
 * a word in every listing only a page is read.
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

/** Here, what matches is gathered first: so the page is cut before anything is joined to it. */
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
