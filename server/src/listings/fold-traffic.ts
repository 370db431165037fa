import { type Selectable, sql } from 'kysely'
import { ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Database } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'

type Row = Selectable<Database['listing_day']>

/**
 * Moves the oldest views and clicks from before a day into their months, in one transaction, so that the sums never
 * change.
 *
 * @returns how many rows it folded
 */
export function foldTraffic(store: Store, before: number): Promise<number> {
  return store.transact(async trx => {
    // Delete first: if two instances fold the same days, the second waits here and then finds none.
    const { rows } = await sql<Row>`
      delete from listing_day where ("listingId", day) in (
        select "listingId", day from listing_day where length(day) = 10 and day < ${utcDay(before)}
        order by day, "listingId" limit ${sql.lit(ROWS_AT_ONCE)}
      ) returning "listingId", day, views, clicks`.execute(trx)
    if (rows.length === 0) return 0
    await trx
      .insertInto('listing_day')
      .values(monthsOf(rows))
      .onConflict(conflict =>
        conflict.columns(['listingId', 'day']).doUpdateSet(({ ref, eb }) => ({
          views: eb('listing_day.views', '+', ref('excluded.views')),
          clicks: eb('listing_day.clicks', '+', ref('excluded.clicks')),
        })),
      )
      .execute()
    return rows.length
  })
}

/** Sums by listing and month, always in the same order, so that two instances never deadlock. */
function monthsOf(days: readonly Row[]): Row[] {
  const months = new Map<string, Row>()
  for (const { listingId, day, views, clicks } of days) {
    const month = day.slice(0, 'YYYY-MM'.length)
    const sum = months.get(`${listingId} ${month}`) ?? { listingId, day: month, views: 0, clicks: 0 }
    sum.views += views
    sum.clicks += clicks
    months.set(`${listingId} ${month}`, sum)
  }
  return [...months.values()].sort((a, b) => a.listingId - b.listingId || (a.day < b.day ? -1 : 1))
}
