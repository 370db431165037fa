import type { Db, Store } from '../../../platform/db/store.ts'
import type { Decision } from '../../decisions/chain.ts'
import { parseDestination } from '../../destinations/destination.ts'
import { isSlug, statusOf } from '../../listings/listing.ts'
import { listListings } from '../moderate.ts'

const SHOWN = 50

/** What was decided about a listing since it was listed, newest first. */
export const historyOf = (db: Db, listingId: number): Promise<Decision[]> =>
  db
    .selectFrom('decision')
    .selectAll()
    .where('listingId', '=', listingId)
    // As in the index, which holds no publication.
    .where('kind', '<>', 'accept')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()

/** The newest decisions that people took, about whatever. */
export const newestByPeople = (db: Db): Promise<(Decision & { slug: string | null })[]> =>
  db
    .selectFrom('decision')
    .leftJoin('listing', 'listing.id', 'decision.listingId')
    .selectAll('decision')
    .select('listing.slug')
    // As in the index, which holds no publication.
    .where('actor', '<>', 'automatic')
    .orderBy('decision.id', 'desc')
    .limit(SHOWN)
    .execute()

/** Listings of any status: the newest, or the one that an address, a slug or a public page names. */
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
