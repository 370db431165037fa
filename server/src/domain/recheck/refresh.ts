import type { ReviewReason } from '@placard/contract'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { SiteParts } from '../../platform/http/site-parts.ts'
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

export type RefreshDependencies = ReviewDependencies & SiteParts

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
 * unchanged, and a report asks the operator to decide.
 *
 * @param networks of the client who asked, broadest first
 */
export async function refreshListing(
  deps: RefreshDependencies,
  listing: Listing,
  networks: readonly string[],
): Promise<Refreshed> {
  const { store, clock } = deps
  if (statusOf(listing, clock()) !== 'published') return { outcome: 'not_published' }
  const reviewed = await reviewAgain(deps, listing, networks)
  switch (reviewed.verdict) {
    case 'cannot_tell':
      return { outcome: 'cannot_tell', why: reviewed.why }
    case 'pass': {
      const stored = await storeRefresh(store, listing.id, reviewed, clock())
      return { outcome: stored ? 'refreshed' : 'not_published' }
    }
    case 'reject': {
      const { reason, detail } = reviewed
      const reported = await storeRejection(store, listing.id, reviewed, clock())
      return reported ? { outcome: 'rejected', reason, detail } : { outcome: 'not_published' }
    }
  }
}

type Passed = Extract<Reviewed, { verdict: 'pass' }> & { admits: readonly Judged[] }

/** Fetches and reviews the page of a listing. What an appeal admitted before passes. */
export async function reviewAgain(deps: RefreshDependencies, { id, url }: Listing, networks: readonly string[]) {
  const admits = await admittedFor(deps.store.db, id)
  const destination = parseDestination(url, deps.links.hostname)
  return { ...(await reviewDestination(deps, destination, { networks, admits })), admits }
}

/** Updates a listing to what its page says now. */
export async function storePage(trx: Trx, listing: Listing, { page, facts, admits }: Passed, now: number) {
  const { metadata } = page
  await raiseFlags(trx, listing.id, facts.verdicts, admits, now)
  await copyFromPage(trx, listing.id, pageFields(metadata, listing), now)
  await wantPicture(trx, listing.id, metadata.imageUrl, now)
}

/** @returns false if it is no longer published */
function storeRefresh(store: Store, listingId: number, passed: Passed, now: number): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    await storePage(trx, listing, passed, now)
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
