import { CATEGORIES, type Category } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { remembered } from '../../platform/lib/cache.ts'
import { oldestYoung } from './listed-row.ts'

/** Listings of a category are counted up to here, so that counting costs the same however many there are. */
export const COUNTED_MAX = 1000

/** How many published listings each category has, up to `COUNTED_MAX`. */
export type CategoryCounts = Record<Category, number>

const KEPT_MS = 60_000

/** The counts at a time in Unix milliseconds. They are counted at most once a minute. */
export function categoryCounts(store: Store): (now: number) => Promise<CategoryCounts> {
  const ask = remembered((_: undefined, now) => countAll(store, now), {
    name: 'category_counts',
    ...{ forMs: KEPT_MS, keyOf: () => '', max: 1 },
  })
  return now => ask(undefined, now)
}

async function countAll(store: Store, now: number): Promise<CategoryCounts> {
  const counts: [Category, number][] = []
  // One after the other: other requests go in between.
  for (const category of CATEGORIES) {
    const [row] = await countOf(store, { category, since: oldestYoung(now), limit: COUNTED_MAX })
    counts.push([category, Math.min(row?.count ?? 0, COUNTED_MAX)])
  }
  return Object.fromEntries(counts) as CategoryCounts
}

/**
 * Of both index ranges that `discovery.ts` reads. A young one is on show: it ends a fixed time after it was published, or
 * never. So the indexes say it all, and no row is read.
 */
const countOf = statement({ category: 'text', since: 'bigint', limit: 'bigint' }, ({ category, since, limit }) => {
  const its = sql`select 1 from listing where "hiddenAt" is null and category = ${category}`
  return sql<{ count: number }>`
      select (select count(*) from (${its} and "publishedAt" > ${since} limit ${limit}) as young)
        + (select count(*) from (${its} and "expiresAt" is null and "publishedAt" <= ${since}
          limit ${limit}) as old) as count`
})
