import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { Keyset, type Page, type PageWanted, pageOf } from '../../platform/db/keyset.ts'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { lastId } from './id-ranges.ts'
import {
  type DatedRow,
  type DiscoveryCursor,
  datedColumns,
  isPublished,
  joinPicture,
  youngSince,
} from './listed-row.ts'

interface Wanted extends PageWanted<DiscoveryCursor> {
  now: number
}

/** Returns published listings, newest first. Each page costs the same, however many listings have expired. */
export const newest = (store: Store, wanted: Wanted): Promise<Page<DatedRow>> =>
  youngThenOld(store, EVERYWHERE, { category: '', ...wanted })

/** `newest` within one category. */
export const ofCategory = (store: Store, wanted: Wanted & { category: string }): Promise<Page<DatedRow>> =>
  youngThenOld(store, IN_CATEGORY, wanted)

const FIRST_PAGE = { publishedAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/**
 * A free listing ends a fixed time after its publication, so published listings are the young ones, then the old ones
 * without an end date. Both are index ranges, and nothing between them is read.
 */
async function youngThenOld(
  store: Store,
  { young, old }: typeof EVERYWHERE,
  { category, now, after = FIRST_PAGE, limit }: Wanted & { category: string },
): Promise<Page<DatedRow>> {
  const since = youngSince(now)
  const range = { category, since, now, publishedAt: after.publishedAt, id: after.id }
  // One extra row shows whether more follow.
  const first = after.publishedAt > since ? await young(store, { ...range, limit: limit + 1 }) : []
  const missing = limit + 1 - first.length
  return pageOf(missing > 0 ? [...first, ...(await old(store, { ...range, limit: missing }))] : first, limit)
}

/** Shared collections that a client may open: each renders up to 60 posters, in any order, for one request. */
export const COLLECTIONS_PER_MINUTE = 120

/** Returns those of some listings that are published, in the order of their slugs. @param slugs at least one */
export async function findPublished(store: Store, slugs: readonly string[], now: number): Promise<DatedRow[]> {
  const rows = await withSlugs(
    store,
    slugs.map(slug => ({ slug, now })),
  )
  return rows.toSorted((one, other) => slugs.indexOf(one.slug) - slugs.indexOf(other.slug))
}

const withSlugs = statementOfRows({ slug: 'text', now: 'bigint' }, rows => {
  const slugs = sql.join(rows.map(({ slug }) => slug))
  return sql<DatedRow>`
    select ${datedColumns} from listing ${joinPicture}
    where listing.slug in (${slugs}) and ${isPublished(rows[0]?.now ?? 0)}`
})

/** The published listings around one in its category, the nearest first. */
export interface Neighbours {
  newer: DatedRow[]
  older: DatedRow[]
}

/**
 * Returns up to `limit` listings on either side of a listing in its category, by publication time. The listing itself
 * may be unpublished. Constant work.
 */
export async function readNeighbours(
  store: Store,
  listing: DiscoveryCursor & { category: string },
  { now, limit }: { now: number; limit: number },
): Promise<Neighbours> {
  const [newer, older] = await Promise.all([
    newerThan(store, listing, { now, limit }),
    ofCategory(store, { category: listing.category, now, after: listing, limit }),
  ])
  return { newer, older: older.rows }
}

/** Reads discovery backwards: old listings without an end date, then young listings. */
async function newerThan(
  store: Store,
  { id, category, publishedAt }: DiscoveryCursor & { category: string },
  { now, limit }: { now: number; limit: number },
): Promise<DatedRow[]> {
  const since = youngSince(now)
  const range = { category, since, now }
  const isOld = publishedAt <= since
  const old = isOld ? await NEWER_IN_CATEGORY.old(store, { ...range, publishedAt, id, limit }) : []
  if (old.length === limit) return old
  const after = isOld ? { publishedAt: since, id: Number.MAX_SAFE_INTEGER } : { publishedAt, id }
  return [...old, ...(await NEWER_IN_CATEGORY.young(store, { ...range, ...after, limit: limit - old.length }))]
}

export const RANGE = { category: 'text', since: 'bigint', now: 'bigint', publishedAt: 'bigint', id: 'bigint' } as const
export type Range = DiscoveryCursor & Record<'since' | 'now', number> & { category: string }
export type Condition = (range: Range) => RawBuilder<unknown>

/** Returns SQL for the listings of a range. The conditions are spelled as in the partial index that serves it. */
export const isIn = (range: Range, conditions: readonly Condition[]): RawBuilder<unknown> =>
  sql.join(
    conditions.map(condition => condition(range)),
    sql` and `,
  )

const rangeOf = (order: Keyset<'publishedAt' | 'id'>, ...conditions: Condition[]) =>
  statement({ ...RANGE, limit: 'bigint' }, range => {
    const listings = sql`select ${datedColumns} from listing ${joinPicture} where ${isIn(range, conditions)}`
    return order.page<DatedRow>(listings, range.limit, range)
  })

export const newestFirst = new Keyset({ publishedAt: 'desc', id: 'desc' })
const oldestFirst = newestFirst.reversed()

export const inCategory = ({ category }: Pick<Range, 'category'>) => sql`listing.category = ${category}`
const isNow = ({ now }: Range) => isPublished(now)
/** The end date decides whether a listing is published. The range only says where to look. */
export const isYoung = ({ since, now }: Pick<Range, 'since' | 'now'>) =>
  sql`${isPublished(now)} and listing."publishedAt" > ${since}`
export const isOld = ({ since }: Pick<Range, 'since'>) =>
  sql`listing."hiddenAt" is null and listing."expiresAt" is null and listing."publishedAt" <= ${since}`

const EVERYWHERE = { young: rangeOf(newestFirst, isYoung), old: rangeOf(newestFirst, isOld) }
const IN_CATEGORY = { young: rangeOf(newestFirst, inCategory, isYoung), old: rangeOf(newestFirst, inCategory, isOld) }
const NEWER_IN_CATEGORY = {
  // Without `since`: of two lower bounds, SQLite may begin at the lower one, and read everything between them.
  young: rangeOf(oldestFirst, inCategory, isNow),
  old: rangeOf(oldestFirst, inCategory, isOld),
}

/** How many ids to try at once, and how often: that finds a listing if at least one of two hundred is published. */
const [TRIED_AT_ONCE, ROUNDS_MAX] = [64, 16]
/** If fewer are published, the choice is among all that are, or this many of the newest. */
const NEWEST_MAX = 1000

/**
 * Returns a published listing by chance. Each has the same chance: random ids are tried until one is that of a published
 * listing, which costs a few lookups however many listings there are.
 *
 * @param not the listing to leave out
 * @returns its slug, or undefined if there is no other
 */
export async function randomListing(
  store: Store,
  { not, now }: { not: string | undefined; now: number },
): Promise<string | undefined> {
  const last = await lastId(store)
  for (let round = 0; last && round < ROUNDS_MAX; round++) {
    const tried = Array.from({ length: TRIED_AT_ONCE }, () => ({ id: randomInt(1, last + 1), now }))
    const published = new Map((await publishedAmong(store, tried)).map(({ id, slug }) => [id, slug]))
    const found = tried.map(({ id }) => published.get(id)).find(slug => slug !== undefined && slug !== not)
    if (found !== undefined) return found
  }
  const { rows } = await newest(store, { now, limit: NEWEST_MAX })
  const others = rows.filter(({ slug }) => slug !== not)
  return others.length > 0 ? others[randomInt(others.length)]?.slug : undefined
}

const publishedAmong = statementOfRows({ id: 'bigint', now: 'bigint' }, rows => {
  const ids = sql.join(rows.map(({ id }) => id))
  return sql<{ id: number; slug: string }>`
    select id, slug from listing where id in (${ids}) and ${isPublished(rows[0]?.now ?? 0)}`
})
