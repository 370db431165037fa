import type { Destination } from '../destinations/destination.ts'
import type { FetchPage, PageMetadata } from '../destinations/page.ts'
import { Problem } from '../http/problem.ts'
import { isListed } from '../listings/listing.ts'
import { type Reviewer, reviewPage } from '../review/reviewers.ts'
import type { CannotTell, Reject } from '../review/verdict.ts'
import type { Store } from '../storage/store.ts'

const REVIEW_RETRY_SECONDS = 30

interface ReviewDependencies {
  store: Store
  fetchPage: FetchPage
  reviewers: readonly Reviewer[]
}

/**
 * Reads and reviews the page of a destination that is not listed yet, as publishing it would: before any money is taken.
 *
 * @returns what the page says of itself, to list it by once it is paid; undefined where it is listed already
 * @throws Problem review_rejected, review_unavailable
 */
export async function reviewUnlisted(
  { store, fetchPage, reviewers }: ReviewDependencies,
  destination: Destination,
): Promise<PageMetadata | undefined> {
  if (await isListed(store.db, destination.key)) return undefined
  const fetched = await fetchPage(destination)
  if (fetched.verdict !== 'pass') throw refusal(fetched)
  const reviewed = await reviewPage(reviewers, fetched.page, destination)
  if (reviewed.verdict !== 'pass') throw refusal(reviewed)
  return fetched.page.metadata
}

function refusal(verdict: Reject | CannotTell): Problem {
  if (verdict.verdict === 'cannot_tell') {
    const cause = new Error(verdict.why)
    return new Problem('review_unavailable', { retryAfterSeconds: REVIEW_RETRY_SECONDS, cause })
  }
  const { reason, detail } = verdict
  return new Problem('review_rejected', { reason, ...(detail && { detail }) })
}
