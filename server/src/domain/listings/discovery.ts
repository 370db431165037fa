import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import {
  type DiscoveryCursor,
  itsPicture,
  oldestYoung,
  pageOf,
  type Shown,
  type ShownPage,
  START,
  shownColumns,
} from './listed-row.ts'

interface PageQuery {
  /** Unix milliseconds. */
  now: number
  /** Where the previous page ended; undefined for the first page. */
  after?: DiscoveryCursor | undefined
  limit: number
}

/** Published listings, newest first. Each page costs the same, however many listings have expired. */
export const newest = (store: Store, wanted: PageQuery): Promise<ShownPage> =>
  youngThenOld(wanted, { young: range => youngOf(store, range), old: range => oldOf(store, range) })

/** `newest` within one category. */
export const ofCategory = (
  store: Store,
  { category, ...wanted }: PageQuery & { category: string },
): Promise<ShownPage> =>
  youngThenOld(wanted, {
    young: range => youngOfCategory(store, { category, ...range }),
    old: range => oldOfCategory(store, { category, ...range }),
  })

const OLD = { since: 'bigint', publishedAt: 'bigint', id: 'bigint', limit: 'bigint' } as const
const YOUNG = { ...OLD, now: 'bigint' } as const
type OldRange = Record<keyof typeof OLD, number>
type YoungRange = Record<keyof typeof YOUNG, number>

/**
 * A free listing ends a fixed time after it was published, so the published ones are the young ones, followed by old
 * ones without an end. Both are index ranges, and nothing between them is read.
 */
async function youngThenOld(
  { now, after = START, limit }: PageQuery,
  read: { young: (range: YoungRange) => Promise<Shown[]>; old: (range: OldRange) => Promise<Shown[]> },
): Promise<ShownPage> {
  const since = oldestYoung(now)
  const { publishedAt, id } = after
  // One extra, to know whether more follow.
  const young = publishedAt > since ? await read.young({ since, publishedAt, id, now, limit: limit + 1 }) : []
  const missing = limit + 1 - young.length
  const old = missing > 0 ? await read.old({ since, publishedAt, id, limit: missing }) : []
  return pageOf([...young, ...old], limit)
}

const select = sql`select ${shownColumns} from listing ${itsPicture} where listing."hiddenAt" is null`
const newestFirst = sql`order by listing."publishedAt" desc, listing.id desc`

/** Checks the end too: it decides, and the range only says where to look. */
const young = ({ since, publishedAt, id, now, limit }: YoungRange) => sql`
  and listing."publishedAt" > ${since}
  and (listing."publishedAt", listing.id) < (${publishedAt}, ${id})
  and (listing."expiresAt" is null or listing."expiresAt" > ${now})
  ${newestFirst} limit ${limit}`

const old = ({ since, publishedAt, id, limit }: OldRange) => sql`
  and listing."expiresAt" is null and listing."publishedAt" <= ${since}
  and (listing."publishedAt", listing.id) < (${publishedAt}, ${id})
  ${newestFirst} limit ${limit}`

const its = (category: string) => sql`and listing.category = ${category}`

const youngOf = statement(YOUNG, range => sql<Shown>`${select} ${young(range)}`)
const oldOf = statement(OLD, range => sql<Shown>`${select} ${old(range)}`)

const youngOfCategory = statement(
  { category: 'text', ...YOUNG },
  ({ category, ...range }) => sql<Shown>`${select} ${its(category)} ${young(range)}`,
)
const oldOfCategory = statement(
  { category: 'text', ...OLD },
  ({ category, ...range }) => sql<Shown>`${select} ${its(category)} ${old(range)}`,
)

/** The published listings around one in its category, the nearest first. */
export interface Neighbours {
  newer: Shown[]
  older: Shown[]
}

interface Placed {
  id: number
  category: string
  publishedAt: number
}

/**
 * Up to `limit` listings on either side of a listing in its category, by when they were published. The listing itself
 * need not be published. Constant work.
 */
export async function readNeighbours(
  store: Store,
  listing: Placed,
  { now, limit }: { now: number; limit: number },
): Promise<Neighbours> {
  const { category } = listing
  const [newer, older] = await Promise.all([
    newerThan(store, listing, { now, limit }),
    ofCategory(store, { category, now, after: listing, limit }),
  ])
  return { newer, older: older.listings }
}

/** Like a page of discovery backwards: the old ones without an end, then the young ones. */
async function newerThan(
  store: Store,
  { id, category, publishedAt }: Placed,
  { now, limit }: { now: number; limit: number },
): Promise<Shown[]> {
  const since = oldestYoung(now)
  const isOld = publishedAt <= since
  const old = isOld ? await oldAfter(store, { category, publishedAt, id, since, limit }) : []
  const missing = limit - old.length
  if (missing === 0) return old
  // Of two lower bounds, SQLite may begin at the lower one, and read all that lies between.
  const after = isOld ? { publishedAt: since, id: Number.MAX_SAFE_INTEGER } : { publishedAt, id }
  return [...old, ...(await youngAfter(store, { category, ...after, now, limit: missing }))]
}

const AFTER = { category: 'text', publishedAt: 'bigint', id: 'bigint', limit: 'bigint' } as const

const oldestFirst = sql`order by listing."publishedAt", listing.id`

const oldAfter = statement(
  { ...AFTER, since: 'bigint' },
  ({ category, publishedAt, id, since, limit }) => sql<Shown>`${select}
    and listing.category = ${category} and listing."expiresAt" is null and listing."publishedAt" <= ${since}
    and (listing."publishedAt", listing.id) > (${publishedAt}, ${id}) ${oldestFirst} limit ${limit}`,
)

const youngAfter = statement(
  { ...AFTER, now: 'bigint' },
  ({ category, publishedAt, id, now, limit }) => sql<Shown>`${select}
    and listing.category = ${category}
    and (listing."publishedAt", listing.id) > (${publishedAt}, ${id})
    and (listing."expiresAt" is null or listing."expiresAt" > ${now}) ${oldestFirst} limit ${limit}`,
)
