import type { ReviewReason } from '@placard/contract'
import { parseDestination } from '../destinations/destination.ts'
import type { Reject } from '../destinations/verdict.ts'
import type { FetchLimits } from '../fetcher/limits.ts'
import type { Links } from '../http/links.ts'
import { changePublished } from '../listings/change-published.ts'
import { type Listing, statusOf } from '../listings/listing.ts'
import { pageFields } from '../listings/page-fields.ts'
import { reportFailedReview } from '../moderation/reports.ts'
import { wantPicture } from '../pictures/want-picture.ts'
import type { PageMetadata } from '../reading/page.ts'
import { type ReviewDependencies, reviewDestination } from '../review/review-destination.ts'
import { addToVocabulary } from '../search/vocabulary.ts'
import type { Store } from '../storage/store.ts'

interface RefreshDependencies extends ReviewDependencies {
  links: Links
  store: Store
  clock: () => number
}

/** For its own fetcher, so that publishing never waits for refreshes. */
export const REFRESH_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: 4 }

/** `cannot_tell`: the page could not be fetched or reviewed right now; `why` is for the operator's log. */
type Refreshed =
  | { outcome: 'refreshed' }
  | { outcome: 'not_published' }
  | { outcome: 'rejected'; reason: ReviewReason; detail: string | undefined }
  | { outcome: 'cannot_tell'; why: string }

/**
 * Fetches and reviews a listing's page again, and updates the listing. A page that does not pass changes nothing but is
 * reported, and the operator decides what happens to the listing.
 */
export async function refreshListing(deps: RefreshDependencies, listing: Listing): Promise<Refreshed> {
  const { links, store, clock } = deps
  if (statusOf(listing, clock()) !== 'published') return { outcome: 'not_published' }
  const reviewed = await reviewDestination(deps, parseDestination(listing.url, links.hostname))
  switch (reviewed.verdict) {
    case 'cannot_tell':
      return { outcome: 'cannot_tell', why: reviewed.why }
    case 'pass': {
      const stored = await storeRefresh(store, listing.id, reviewed.page.metadata, clock())
      return { outcome: stored ? 'refreshed' : 'not_published' }
    }
    case 'reject': {
      const { reason, detail } = reviewed
      const reported = await storeRejection(store, listing.id, reviewed, clock())
      return reported ? { outcome: 'rejected', reason, detail } : { outcome: 'not_published' }
    }
  }
}

/** @returns false if it is no longer published */
function storeRefresh(
  store: Store,
  listingId: number,
  metadata: PageMetadata,
  now: number,
): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    const fields = pageFields(metadata, listing)
    await trx.updateTable('listing').set(fields).where('id', '=', listingId).execute()
    await addToVocabulary(trx, fields.searchText)
    await wantPicture(trx, listingId, metadata.imageUrl, now)
    return { kind: 'refresh', explanation: 'Read and reviewed again for its owner' }
  })
}

/** @returns false if it is no longer published, so that there is nothing to decide */
function storeRejection(
  store: Store,
  listingId: number,
  { reason, detail }: Reject,
  now: number,
): Promise<boolean> {
  return changePublished(store, listingId, now, async trx => {
    await reportFailedReview(trx, listingId, detail ? `${reason}: ${detail}` : reason, now)
    return undefined
  })
}
