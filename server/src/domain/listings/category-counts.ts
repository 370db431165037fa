import { CATEGORIES, type Category } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { cached } from '../../platform/lib/cache.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { youngSince } from './listed-row.ts'

/** Where counting stops, so that it costs the same however many listings a category has. */
export const COUNTED_MAX = 1000

/** The published listings of each category, up to `COUNTED_MAX`. */
export type CategoryCounts = Record<Category, number>

/** Returns a function for the counts at a time. It counts at most once a minute. */
export function categoryCounts(store: Store): (now: number) => Promise<CategoryCounts> {
  const countsAt = cached((_: undefined, now) => countAll(store, now), {
    name: 'category_counts',
    keyOf: () => '',
    max: 1,
    untilOf: (_, now) => now + MINUTE_MS,
  })
  return now => countsAt(undefined, now)
}

async function countAll(store: Store, now: number): Promise<CategoryCounts> {
  const counts: [Category, number][] = []
  // One after the other, so that other requests are handled in between.
  for (const category of CATEGORIES) {
    const [row] = await countOf(store, { category, since: youngSince(now), limit: COUNTED_MAX })
    counts.push([category, Math.min(row?.count ?? 0, COUNTED_MAX)])
  }
  return Object.fromEntries(counts) as CategoryCounts
}

/**
 * Counts the two index ranges that `discovery.ts` reads. A young listing needs no check of its end date, which is a fixed
 * time after its publication. So the count reads the indexes only.
 */
const countOf = statement({ category: 'text', since: 'bigint', limit: 'bigint' }, ({ category, since, limit }) => {
  const listings = sql`select 1 from listing where "hiddenAt" is null and category = ${category}`
  return sql<{ count: number }>`
      select (select count(*) from (${listings} and "publishedAt" > ${since} limit ${limit}) as young)
        + (select count(*) from (${listings} and "expiresAt" is null and "publishedAt" <= ${since}
          limit ${limit}) as old) as count`
})
