import type { ReviewReason } from '@placard/contract'
import { parseDestination } from '../destinations/destination.ts'
import type { PageMetadata } from '../destinations/page.ts'
import type { Links } from '../http/links.ts'
import { wantPicture } from '../pictures/want-picture.ts'
import { type ReviewDependencies, reviewDestination } from '../review/review-destination.ts'
import type { CannotTell, Reject } from '../review/verdict.ts'
import type { Store } from '../storage/store.ts'
import { changePublished } from './change-published.ts'
import type { Listing } from './listing.ts'
import { pageFields } from './page-fields.ts'

interface RefreshDependencies extends ReviewDependencies {
  links: Links
  store: Store
  clock: () => number
}

/** `cannot_tell`: neither the page nor its review could be had just now; `why` is for the operator's log. */
type Refreshed =
  | { outcome: 'refreshed' }
  | { outcome: 'not_published' }
  | { outcome: 'rejected'; reason: ReviewReason; detail: string | undefined }
  | { outcome: 'cannot_tell'; why: string }

/**
 * Reads and reviews the page of a listing again, and lets the listing say what the page says now. A page that does not
 * pass changes nothing: what becomes of the listing then is for the operator to decide, as with any report.
 */
export async function refreshListing(deps: RefreshDependencies, listing: Listing): Promise<Refreshed> {
  const destination = parseDestination(listing.url, deps.links.hostname)
  const reviewed = await reviewDestination(deps, destination)
  if (reviewed.verdict !== 'pass') return outcomeOf(reviewed)
  const stored = await storeRefresh(deps.store, listing.id, reviewed.page.metadata, deps.clock())
  return { outcome: stored ? 'refreshed' : 'not_published' }
}

const outcomeOf = (verdict: Reject | CannotTell): Refreshed =>
  verdict.verdict === 'reject'
    ? { outcome: 'rejected', reason: verdict.reason, detail: verdict.detail }
    : { outcome: 'cannot_tell', why: verdict.why }

/** @returns false where it is not published any more */
function storeRefresh(
  store: Store,
  listingId: number,
  metadata: PageMetadata,
  now: number,
): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    await trx
      .updateTable('listing')
      .set(pageFields(metadata, listing.hostname))
      .where('id', '=', listingId)
      .execute()
    await wantPicture(trx, listingId, metadata.imageUrl, now)
    return { action: 'refresh', reason: 'Read and reviewed again for its owner' }
  })
}
