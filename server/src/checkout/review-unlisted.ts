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
 * Reads and reviews the page of a destination that is not listed yet, as publishing it would: before any money is taken.
 *
 * @returns what the page says of itself, to list it by once it is paid; undefined where it is listed already
 * @throws Problem review_rejected, review_unavailable
 */
export async function reviewUnlisted(
  deps: ReviewDependencies & { store: Store },
  destination: Destination,
): Promise<PageMetadata | undefined> {
  if (await isListed(deps.store.db, destination.key)) return undefined
  const reviewed = await reviewDestination(deps, destination)
  if (reviewed.verdict === 'cannot_tell') throw reviewUnavailable(reviewed)
  if (reviewed.verdict === 'reject') {
    const { reason, detail } = reviewed
    throw new Problem('review_rejected', { reason, detail })
  }
  return reviewed.page.metadata
}
