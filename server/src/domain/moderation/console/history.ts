import { sql } from 'kysely'
import type { Db, Store } from '../../../platform/db/store.ts'
import type { Decision } from '../../decisions/record.ts'
import { parseDestination } from '../../destinations/destination.ts'
import { isSlug, statusOf } from '../../listings/listing.ts'
import { listListings } from '../moderate.ts'

const SHOWN = 50

/** Returns what was decided about a listing since it was listed, newest first. */
export const historyOf = (db: Db, listingId: number): Promise<Decision[]> =>
  db
    .selectFrom('decision')
    .selectAll()
    .where('listingId', '=', listingId)
    // Repeats the condition of the index, which excludes publications.
    .where('kind', '<>', 'accept')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()

/**
 * The reports of a listing that were settled together, with a decision each. `kind <> 'accept'` repeats the condition of
 * the index.
 */
const settledTogether = sql`decision as each
  where each."listingId" = decision."listingId" and each.kind <> 'accept' and each.kind = 'settle'
    and each.at = decision.at and each.actor = decision.actor`

/** Returns the newest decisions that people took. For reports settled together, one stands for all. */
export const newestByPeople = (db: Db): Promise<(Decision & { slug: string | null; reports: number })[]> =>
  db
    .selectFrom('decision')
    .leftJoin('listing', 'listing.id', 'decision.listingId')
    .selectAll('decision')
    .select('listing.slug')
    .select(sql<number>`(select count(*) from ${settledTogether})`.as('reports'))
    // Repeats the condition of the index, which excludes publications.
    .where('actor', '<>', 'automatic')
    .where(sql<boolean>`(decision.kind <> 'settle'
      or not exists (select 1 from ${settledTogether} and each.id > decision.id))`)
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
