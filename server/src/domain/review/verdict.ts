import type { ReviewReason, UnavailableReason } from '@placard/contract'

/** The facts that an opinion is based on, as plain JSON: a matched host, a list's name, phrases found. */
export type Evidence = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** A refusal to list the page. `detail` is one sentence for the customer. The reason's advice follows it. */
export interface Reject {
  verdict: 'reject'
  reason: ReviewReason
  detail?: string
  evidence?: Evidence
}

/** No answer now, but a later try may succeed. Never a pass. `why` is for the operator's log. */
export interface CannotTell {
  verdict: 'cannot_tell'
  why: string
  /** For the client; by default, a reviewer is at fault. A website that is slow is left alone for a while. */
  fault?: UnavailableReason
  /** One sentence for the client. */
  detail?: string
  /** Whether no connection to the website came about. */
  isUnconnected?: true
}

/** A check that found nothing. */
export interface Passed {
  verdict: 'pass'
  evidence?: Evidence
}

/** The page is listed, and the operator is notified. `reason` is the one that a refusal would give. */
export interface Flag {
  verdict: 'flag'
  reason: ReviewReason
  evidence: Evidence
}

export type Opinion = Passed | Flag | Reject | CannotTell

/** A recorded answer: the reviewer, the version of its rules, and its facts. Plain JSON. */
export interface Verdict {
  reviewer: string
  /** Changes whenever the reviewer's rules do. */
  version: string
  outcome: Opinion['verdict']
  /** Only with `flag` and `reject`. */
  reason?: ReviewReason
  /** With `cannot_tell`, `why` says what went wrong. */
  evidence: Evidence
}

export const PASS: Passed = { verdict: 'pass' }
export const flag = (reason: ReviewReason, evidence: Evidence): Flag => ({
  verdict: 'flag',
  reason,
  evidence,
})
export const reject = (reason: ReviewReason, detail?: string, evidence?: Evidence): Reject => ({
  verdict: 'reject',
  reason,
  ...(detail !== undefined && { detail }),
  ...(evidence !== undefined && { evidence }),
})
export const cannotTell = (why: string, fault?: UnavailableReason, detail?: string): CannotTell => ({
  verdict: 'cannot_tell',
  why,
  ...(fault !== undefined && { fault }),
  ...(detail !== undefined && { detail }),
})

/** Returns an opinion as a record. */
export const verdictOf = (reviewer: string, version: string, opinion: Opinion): Verdict => ({
  reviewer,
  version,
  outcome: opinion.verdict,
  ...('reason' in opinion && { reason: opinion.reason }),
  evidence: opinion.verdict === 'cannot_tell' ? { why: opinion.why } : (opinion.evidence ?? {}),
})
