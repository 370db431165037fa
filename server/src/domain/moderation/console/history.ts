import { sql } from 'kysely'
import type { Db, Store } from '../../../platform/db/store.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { type Decision, latestFirst } from '../../decisions/record.ts'
import { parseDestination } from '../../destinations/destination.ts'
import { isSlug, statusOf } from '../../listings/listing.ts'
import { listListings } from '../moderate.ts'

const SHOWN = 50

/**
 * Decisions by which reports of a listing were settled, or opened again, together, and reports for the same reason on one
 * UTC day. The last one stands for all.
 */
const together = sql`decision as each
  where each."listingId" = decision."listingId" and each.kind <> 'accept' and each."reportId" is not null
    and each.kind in ('settle', 'outcome', 'report') and each.kind = decision.kind and each.reason = decision.reason
    and (each.at = decision.at or (each.kind = 'report' and each.at / ${sql.lit(DAY_MS)} = decision.at / ${sql.lit(DAY_MS)}))
    and each.actor = decision.actor`
const reports = sql<number>`(select count(*) from ${together})`.as('reports')
/** The index has them by time: by id alone, four thousand reports of a listing would take five seconds. */
const standsForAll = sql<boolean>`(decision."reportId" is null
  or not exists (select 1 from ${together} and (each.at, each.id) > (decision.at, decision.id)))`

/** Returns what was decided about a listing since it was listed, newest first. */
export const historyOf = (db: Db, listingId: number): Promise<(Decision & { reports: number })[]> =>
  db
    .selectFrom('decision')
    .selectAll()
    .select(reports)
    .where('listingId', '=', listingId)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .where(standsForAll)
    .orderBy(latestFirst())
    .limit(SHOWN)
    .execute()

/** Returns the newest decisions that people took, without the reports that they sent: these would crowd them out. */
export const newestByPeople = (db: Db): Promise<(Decision & { slug: string | null; reports: number })[]> =>
  db
    .selectFrom('decision')
    .leftJoin('listing', 'listing.id', 'decision.listingId')
    .selectAll('decision')
    .select('listing.slug')
    .select(reports)
    // Repeats the condition of the index, which excludes publications.
    .where('actor', '<>', 'automatic')
    .where('kind', '<>', 'report')
    .where(standsForAll)
    .orderBy('decision.id', 'desc')
    .limit(SHOWN)
    .execute()

/** Returns listings of any status: the newest, or the one with this address, slug or public page. */
export async function findListings(store: Store, query: string, now: number) {
  if (query === '') return listListings(store, now, SHOWN)
  const slug = query.slice(query.lastIndexOf('/') + 1)
  const found = await store.db
    .selectFrom('listing')
    .selectAll()
    .where(where =>
      where.or([where('destinationKey', '=', keyOf(query)), where('slug', '=', isSlug(slug) ? slug : '')]),
    )
    .execute()
  return found.map(listing => ({ ...listing, status: statusOf(listing, now) }))
}

function keyOf(query: string): string {
  try {
    return parseDestination(query.includes('://') ? query : `https://${query}`).key
  } catch {
    return ''
  }
}
