import type { ReviewReason } from '@placard/contract'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { parseDestination } from '../destinations/destination.ts'
import { copyFromPage, pageFields } from '../listings/add-listing.ts'
import { raiseFlags } from '../listings/flags.ts'
import { type Listing, statusOf } from '../listings/listing.ts'
import { reportFailedReview } from '../moderation/reports.ts'
import { changePublished } from '../ownership/change-listing.ts'
import { wantPicture } from '../pictures/preview-image.ts'
import type { FetchLimits } from '../review/fetcher/limits.ts'
import { admittedFor, type Judged } from '../review/reviewers/admitted.ts'
import { type ReviewDependencies, type Reviewed, reviewDestination } from '../review/reviewers/reviewers.ts'
import type { Reject } from '../review/verdict.ts'

export interface RefreshDependencies extends ReviewDependencies {
  links: Links
  store: Store
  clock: () => number
}

/** For a fetcher of its own, so that publishing never waits for refreshes. */
export const REFRESH_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: 64, largeBodiesMax: 8 }

/** `cannot_tell`: the page could not be fetched or reviewed right now; `why` is for the operator's log. */
type Refreshed =
  | { outcome: 'refreshed' }
  | { outcome: 'not_published' }
  | { outcome: 'rejected'; reason: ReviewReason; detail: string | undefined }
  | { outcome: 'cannot_tell'; why: string }

/**
 * Fetches and reviews a listing's page again, and updates the listing. If the page does not pass, the listing stays
 * unchanged, and a report asks the operator to decide. What an appeal admitted before passes.
 *
 * @param networks of the client who asked, broadest first
 */
export async function refreshListing(
  deps: RefreshDependencies,
  listing: Listing,
  networks: readonly string[],
): Promise<Refreshed> {
  const { links, store, clock } = deps
  if (statusOf(listing, clock()) !== 'published') return { outcome: 'not_published' }
  const destination = parseDestination(listing.url, links.hostname)
  const admits = await admittedFor(store.db, listing.id)
  const reviewed = await reviewDestination(deps, destination, { networks, admits })
  switch (reviewed.verdict) {
    case 'cannot_tell':
      return { outcome: 'cannot_tell', why: reviewed.why }
    case 'pass': {
      const stored = await storeRefresh(store, listing.id, { ...reviewed, admits }, clock())
      return { outcome: stored ? 'refreshed' : 'not_published' }
    }
    case 'reject': {
      const { reason, detail } = reviewed
      const reported = await storeRejection(store, listing.id, reviewed, clock())
      return reported ? { outcome: 'rejected', reason, detail } : { outcome: 'not_published' }
    }
  }
}

type Passed = Extract<Reviewed, { verdict: 'pass' }>

/** @returns false if it is no longer published */
function storeRefresh(
  store: Store,
  listingId: number,
  { page: { metadata }, facts, admits }: Pick<Passed, 'page' | 'facts'> & { admits: readonly Judged[] },
  now: number,
): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    await raiseFlags(trx, listingId, facts.verdicts, admits, now)
    await copyFromPage(trx, listingId, pageFields(metadata, listing), now)
    await wantPicture(trx, listingId, metadata.imageUrl, now)
    return { kind: 'refresh', explanation: 'Read and reviewed again for its owner' }
  })
}

/** @returns false if it is no longer published, so that there is nothing to decide */
function storeRejection(store: Store, listingId: number, { reason, detail }: Reject, now: number): Promise<boolean> {
  return changePublished(store, listingId, now, async trx => {
    await reportFailedReview(trx, listingId, detail ? `${reason}: ${detail}` : reason, now)
    return undefined
  })
}
