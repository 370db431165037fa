import type { ReviewReason } from '@placard/contract'

/** The page will not be listed. `detail` is one sentence for the customer; the reason's advice follows it. */
export interface Reject {
  verdict: 'reject'
  reason: ReviewReason
  detail?: string
}

/** No answer for now; a later try may succeed. Never a pass. `why` is for the operator's log. */
export interface CannotTell {
  verdict: 'cannot_tell'
  why: string
}

export interface Passed {
  verdict: 'pass'
}

/** A reviewer's answer. */
export type Verdict = Passed | Reject | CannotTell

export const PASS: Passed = { verdict: 'pass' }
export const reject = (reason: ReviewReason, detail?: string): Reject => ({
  verdict: 'reject',
  reason,
  ...(detail !== undefined && { detail }),
})
export const cannotTell = (why: string): CannotTell => ({ verdict: 'cannot_tell', why })
