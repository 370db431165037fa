import type { ReviewReason } from '@placard/contract'

/** The facts that an opinion relies on, as plain JSON: a matched host, a list's name, phrases found. */
export type Evidence = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** The page will not be listed. `detail` is one sentence for the customer; the reason's advice follows it. */
export interface Reject {
  verdict: 'reject'
  reason: ReviewReason
  detail?: string
  evidence?: Evidence
}

/** No answer for now; a later try may succeed. Never a pass. `why` is for the operator's log. */
export interface CannotTell {
  verdict: 'cannot_tell'
  why: string
  /** The website kept us waiting until our patience ended. */
  timedOut?: true
}

/** Looked at, and nothing found. */
export interface Passed {
  verdict: 'pass'
  evidence?: Evidence
}

/** The page is listed, and the operator should know. `reason` is the one a refusal would give. */
export interface Flag {
  verdict: 'flag'
  reason: ReviewReason
  evidence: Evidence
}

/** A reviewer's answer. */
export type Opinion = Passed | Flag | Reject | CannotTell

/** An answer as it is recorded: who gave it, by which rules, and on which facts. Plain JSON. */
export interface Verdict {
  reviewer: string
  /** Changes whenever the reviewer's rules do. */
  version: string
  outcome: Opinion['verdict']
  /** With `flag` and `reject`. */
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
export const cannotTell = (why: string): CannotTell => ({ verdict: 'cannot_tell', why })
export const timedOut = (why: string): CannotTell => ({ ...cannotTell(why), timedOut: true })

/** An opinion as a record. */
export const verdictOf = (reviewer: string, version: string, opinion: Opinion): Verdict => ({
  reviewer,
  version,
  outcome: opinion.verdict,
  ...('reason' in opinion && { reason: opinion.reason }),
  evidence: opinion.verdict === 'cannot_tell' ? { why: opinion.why } : (opinion.evidence ?? {}),
})
