import type { Destination } from '../destinations/destination.ts'
import { type CannotTell, type Reject, type Verdict, verdictOf } from '../destinations/verdict.ts'
import { Problem } from '../http/problem.ts'
import type { Fetched, FetchPage } from '../reading/page.ts'
import type { Reviewers } from './reviewers.ts'

export interface ReviewDependencies {
  fetchPage: FetchPage
  reviewers: Pick<Reviewers, 'review'>
}

/** How long to wait before retrying if a page could not be read or reviewed. */
export const REVIEW_RETRY_SECONDS = 30

/** What was fetched, or why not, with the verdicts that led there: at least one, in the order in which they were given. */
export type Reviewed = (Fetched | Reject | CannotTell) & { verdicts: readonly Verdict[] }

/** Fetches and reviews a destination's page: the only way into the listings. Never throws. */
export async function reviewDestination(
  { fetchPage, reviewers }: ReviewDependencies,
  destination: Destination,
): Promise<Reviewed> {
  const fetched = await fetchPage(destination)
  const verdicts = [verdictOf('fetcher', '1', fetched.verdict === 'pass' ? { verdict: 'pass' } : fetched)]
  if (fetched.verdict !== 'pass') return { ...fetched, verdicts }
  const reviewed = await reviewers.review(fetched.page, destination)
  verdicts.push(...reviewed.verdicts)
  return reviewed.verdict === 'pass' ? { ...fetched, verdicts } : { ...reviewed, verdicts }
}

/** The error for a review without an outcome. */
export const reviewUnavailable = ({ why }: CannotTell): Problem =>
  new Problem('review_unavailable', { retryAfterSeconds: REVIEW_RETRY_SECONDS, cause: new Error(why) })
