import type { Destination } from '../destinations/destination.ts'
import type { CannotTell, Reject } from '../destinations/verdict.ts'
import { Problem } from '../http/problem.ts'
import { reviewed } from '../metrics/measured.ts'
import type { Fetched, FetchPage } from '../reading/page.ts'
import { type Reviewer, reviewPage } from './reviewers.ts'

export interface ReviewDependencies {
  fetchPage: FetchPage
  reviewers: readonly Reviewer[]
}

/** How long to wait before retrying if a page could not be read or reviewed. */
export const REVIEW_RETRY_SECONDS = 30

/** Fetches and reviews a destination's page: the only way into the listings. Never throws. */
export async function reviewDestination(
  { fetchPage, reviewers }: ReviewDependencies,
  destination: Destination,
): Promise<Fetched | Reject | CannotTell> {
  const startedAt = performance.now()
  const fetched = await fetchPage(destination)
  reviewed.tell({ reviewer: 'fetcher', ms: performance.now() - startedAt })
  if (fetched.verdict !== 'pass') return fetched
  const opinion = await reviewPage(reviewers, fetched.page, destination)
  return opinion.verdict === 'pass' ? fetched : opinion
}

/** The error for a review without an outcome. */
export const reviewUnavailable = ({ why }: CannotTell): Problem =>
  new Problem('review_unavailable', { retryAfterSeconds: REVIEW_RETRY_SECONDS, cause: new Error(why) })
