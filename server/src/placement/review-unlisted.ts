import type { Destination } from '../destinations/destination.ts'
import type { PageMetadata } from '../destinations/page.ts'
import { Problem } from '../http/problem.ts'
import { isListed } from '../listings/listing.ts'
import {
  type ReviewDependencies,
  reviewDestination,
  reviewUnavailable,
} from '../review/review-destination.ts'
import type { CannotTell, Reject } from '../review/verdict.ts'
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
  if (reviewed.verdict !== 'pass') throw refusal(reviewed)
  return reviewed.page.metadata
}

function refusal(verdict: Reject | CannotTell): Problem {
  if (verdict.verdict === 'cannot_tell') return reviewUnavailable(verdict)
  const { reason, detail } = verdict
  return new Problem('review_rejected', { reason, ...(detail && { detail }) })
}
