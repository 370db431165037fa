import type { ReviewReason } from '@placard/contract'
import type { Destination } from '../destinations/destination.ts'
import { type CannotTell, type Reject, type Verdict, verdictOf } from '../destinations/verdict.ts'
import { Problem } from '../http/problem.ts'
import { reviewed } from '../metrics/measured.ts'
import type { Fetched, FetchPage } from '../reading/page.ts'
import type { Reviewers } from './reviewers.ts'

export interface ReviewDependencies {
  fetchPage: FetchPage
  reviewers: Pick<Reviewers, 'review'>
}

/** How long to wait before retrying if a page could not be read or reviewed. */
export const REVIEW_RETRY_SECONDS = 30

/** What a review relied on, as it is recorded with the decision. Plain JSON. */
export interface ReviewFacts {
  /** What led to the outcome: at least one, in the order in which they were given. */
  verdicts: readonly Verdict[]
  /** Where redirects led, and the SHA-256 of what was there; left out where nothing could be fetched. */
  fetched?: { url: string; sha256: string }
  /** Reasons that counted no more, since an appeal was decided so. */
  admits?: readonly ReviewReason[]
}

/** What was fetched, or why not, and on which facts. */
export type Reviewed = (Fetched | Reject | CannotTell) & { facts: ReviewFacts }

/**
 * Fetches and reviews a destination's page: the only way into the listings. Never throws.
 *
 * @param admits reasons that count no more, since an appeal was decided so
 */
export async function reviewDestination(
  { fetchPage, reviewers }: ReviewDependencies,
  destination: Destination,
  admits: readonly ReviewReason[] = [],
): Promise<Reviewed> {
  const startedAt = performance.now()
  const fetched = await fetchPage(destination)
  reviewed.tell({ reviewer: 'fetcher', ms: performance.now() - startedAt })
  const read = verdictOf('fetcher', '1', fetched.verdict === 'pass' ? { verdict: 'pass' } : fetched)
  if (fetched.verdict !== 'pass') return { ...fetched, facts: { verdicts: [read] } }
  const { verdicts, ...outcome } = await reviewers.review(fetched.page, destination, admits)
  const facts = {
    verdicts: [read, ...verdicts],
    fetched: { url: fetched.page.url, sha256: fetched.bodyHash },
    ...(admits.length > 0 && { admits }),
  }
  return outcome.verdict === 'pass' ? { ...fetched, facts } : { ...outcome, facts }
}

/** The error for a review without an outcome. */
export const reviewUnavailable = ({ why }: CannotTell): Problem =>
  new Problem('review_unavailable', { retryAfterSeconds: REVIEW_RETRY_SECONDS, cause: new Error(why) })
