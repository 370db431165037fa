import type { Destination } from '../destinations/destination.ts'
import type { CannotTell, Reject } from '../destinations/verdict.ts'
import { Problem } from '../http/problem.ts'
import type { Fetched, FetchPage } from '../reading/page.ts'
import { type Reviewer, reviewPage } from './reviewers.ts'

export interface ReviewDependencies {
  fetchPage: FetchPage
  reviewers: readonly Reviewer[]
}

/** How long whoever asked should wait where a page could not be read or reviewed just now. */
export const REVIEW_RETRY_SECONDS = 30

/** Reads the page of a destination and reviews it: the one way into the listings. Never throws. */
export async function reviewDestination(
  { fetchPage, reviewers }: ReviewDependencies,
  destination: Destination,
): Promise<Fetched | Reject | CannotTell> {
  const fetched = await fetchPage(destination)
  if (fetched.verdict !== 'pass') return fetched
  const reviewed = await reviewPage(reviewers, fetched.page, destination)
  return reviewed.verdict === 'pass' ? fetched : reviewed
}

/** The error of a review that had no outcome. */
export const reviewUnavailable = ({ why }: CannotTell): Problem =>
  new Problem('review_unavailable', { retryAfterSeconds: REVIEW_RETRY_SECONDS, cause: new Error(why) })
