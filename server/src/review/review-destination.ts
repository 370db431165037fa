import type { ReviewReason } from '@placard/contract'
import type { Destination } from '../destinations/destination.ts'
import type { CannotTell, Reject } from '../destinations/verdict.ts'
import { Problem } from '../http/problem.ts'
import type { Fetched, FetchPage } from '../reading/page.ts'
import { type Reviewer, reviewPage } from './reviewers.ts'

export interface ReviewDependencies {
  fetchPage: FetchPage
  reviewers: readonly Reviewer[]
}

/** How long to wait before retrying if a page could not be read or reviewed. */
export const REVIEW_RETRY_SECONDS = 30

/** What a review relied on, as it is recorded with the decision. Plain JSON. */
export interface ReviewFacts {
  verdicts: readonly { reviewer: string; version: string; outcome: string; reason?: ReviewReason }[]
  /** Where redirects led, and the SHA-256 of what was there; left out where nothing could be fetched. */
  fetched?: { url: string; sha256: string }
  /** Reasons that counted no more, since an appeal was decided so. */
  admits?: readonly ReviewReason[]
}

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
  const fetched = await fetchPage(destination)
  if (fetched.verdict !== 'pass') return { ...fetched, facts: { verdicts: [record('fetcher', fetched)] } }
  const reviewed = await reviewPage(reviewers, fetched.page, destination, undefined, admits)
  const facts = {
    verdicts: [record(reviewers.map(({ name }) => name).join(', '), reviewed)],
    fetched: { url: fetched.page.url, sha256: fetched.bodyHash },
    ...(admits.length > 0 && { admits }),
  }
  return reviewed.verdict === 'pass' ? { ...fetched, facts } : { ...reviewed, facts }
}

const record = (reviewer: string, verdict: { verdict: string; reason?: ReviewReason }) => ({
  ...{ reviewer, version: '1', outcome: verdict.verdict },
  ...(verdict.reason && { reason: verdict.reason }),
})

/** The error for a review without an outcome. */
export const reviewUnavailable = ({ why }: CannotTell): Problem =>
  new Problem('review_unavailable', { retryAfterSeconds: REVIEW_RETRY_SECONDS, cause: new Error(why) })
