import type { ReviewReason } from '@placard/contract'

/** The page will not be listed. `detail` is one sentence for the customer; the reason's advice follows it. */
export interface Reject {
  verdict: 'reject'
  reason: ReviewReason
  detail?: string
}

/** The question could not be answered now and may be later: never a pass. `why` is for the operator's log. */
export interface CannotTell {
  verdict: 'cannot_tell'
  why: string
}

export interface Passed {
  verdict: 'pass'
}

/** What a reviewer answers. */
export type Verdict = Passed | Reject | CannotTell

export const PASS: Passed = { verdict: 'pass' }
export const reject = (reason: ReviewReason, detail?: string): Reject => ({
  verdict: 'reject',
  reason,
  ...(detail !== undefined && { detail }),
})
export const cannotTell = (why: string): CannotTell => ({ verdict: 'cannot_tell', why })
