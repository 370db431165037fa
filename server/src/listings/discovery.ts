import { sql } from 'kysely'
import { fixedPlan } from '../storage/fixed-plan.ts'
import { prepared } from '../storage/prepared.ts'
import type { Store } from '../storage/store.ts'
import { type DiscoveryCursor, START } from './discovery-cursor.ts'
import { itsPicture, oldestYoung, pageOf, type Shown, type ShownPage, shownColumns } from './shown.ts'

interface PageQuery {
  /** Unix milliseconds. */
  now: number
  /** Where the page before ended; undefined for the first page. */
  after?: DiscoveryCursor | undefined
  limit: number
}

/** What is on show, newest first. Constant work per page, whatever has expired before. */
export const newest = (store: Store, wanted: PageQuery): Promise<ShownPage> =>
  youngThenOld(wanted, {
    young: range => youngOf(store, ...range),
    old: range => oldOf(store, ...range),
  })

/** The same of one category. */
export const ofCategory = (
  store: Store,
  { category, ...wanted }: PageQuery & { category: string },
): Promise<ShownPage> =>
  youngThenOld(wanted, {
    young: range => youngOfCategory(store, category, ...range),
    old: range => oldOfCategory(store, category, ...range),
  })

type YoungRange = [publishedAfter: number, at: number, id: number, endsAfter: number, limit: number]
type OldRange = [publishedUntil: number, at: number, id: number, limit: number]

/**
 * A free listing ends a fixed time after it was published: so what is on show is the young ones, and after them, in
 * this order, the old ones without an end. Both are ranges of an index, and nothing between them is looked at.
 */
async function youngThenOld(
  { now, after = START, limit }: PageQuery,
  read: { young: (range: YoungRange) => Promise<Shown[]>; old: (range: OldRange) => Promise<Shown[]> },
): Promise<ShownPage> {
  const since = oldestYoung(now)
  const { publishedAt, id } = after
  // One more than wanted, to know whether others follow.
  const young = publishedAt > since ? await read.young([since, publishedAt, id, now, limit + 1]) : []
  const missing = limit + 1 - young.length
  const old = missing > 0 ? await read.old([since, publishedAt, id, missing]) : []
  return pageOf([...young, ...old], limit)
}

const select = sql`select ${shownColumns} from listing ${itsPicture} where listing."hiddenAt" is null`
const newestFirst = sql`order by listing."publishedAt" desc, listing.id desc`

/** The end is looked at as well: it is what counts, and the range only says where to look. */
const young = (...[since, at, id, endsAfter, limit]: YoungRange) => sql`
  and listing."publishedAt" > ${fixedPlan(since)}
  and (listing."publishedAt", listing.id) < (${fixedPlan(at)}, ${fixedPlan(id)})
  and (listing."expiresAt" is null or listing."expiresAt" > ${fixedPlan(endsAfter)})
  ${newestFirst} limit ${fixedPlan(limit)}`

const old = (...[until, at, id, limit]: OldRange) => sql`
  and listing."expiresAt" is null and listing."publishedAt" <= ${fixedPlan(until)}
  and (listing."publishedAt", listing.id) < (${fixedPlan(at)}, ${fixedPlan(id)})
  ${newestFirst} limit ${fixedPlan(limit)}`

const its = (category: string) => sql`and listing.category = ${fixedPlan(category)}`

const youngOf = prepared<YoungRange, Shown>((db, ...range) =>
  sql<Shown>`${select} ${young(...range)}`.compile(db),
)
const oldOf = prepared<OldRange, Shown>((db, ...range) => sql<Shown>`${select} ${old(...range)}`.compile(db))

const youngOfCategory = prepared<[category: string, ...YoungRange], Shown>((db, category, ...range) =>
  sql<Shown>`${select} ${its(category)} ${young(...range)}`.compile(db),
)
const oldOfCategory = prepared<[category: string, ...OldRange], Shown>((db, category, ...range) =>
  sql<Shown>`${select} ${its(category)} ${old(...range)}`.compile(db),
)
