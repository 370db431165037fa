import type { Destination } from '../destinations/destination.ts'
import { Problem } from '../http/problem.ts'
import { isListed } from '../listings/listing.ts'
import type { PageMetadata } from '../reading/page.ts'
import {
  type ReviewDependencies,
  reviewDestination,
  reviewUnavailable,
} from '../review/review-destination.ts'
import type { Store } from '../storage/store.ts'

/**
 * Fetches and reviews the page of an unlisted destination before taking money, as publishing would.
 *
 * @returns the page's metadata, for listing it once it is paid; undefined if it is already listed
 * @throws Problem review_rejected, review_unavailable
 */
export async function reviewUnlisted(
  deps: ReviewDependencies & { store: Store },
  destination: Destination,
): Promise<PageMetadata | undefined> {
  if (await isListed(deps.store, destination.key)) return undefined
  const reviewed = await reviewDestination(deps, destination)
  if (reviewed.verdict === 'cannot_tell') throw reviewUnavailable(reviewed)
  if (reviewed.verdict === 'reject') {
    const { reason, detail } = reviewed
    throw new Problem('review_rejected', { reason, detail })
  }
  return reviewed.page.metadata
}
