import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { type DiscoveryCursor, START } from './discovery-cursor.ts'
import { itsPicture, oldestYoung, pageOf, type Shown, type ShownPage, shownColumns } from './shown.ts'

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
