import { REVIEW_REASONS } from '@placard/contract/plain'
import type { PlacardError } from '../error.ts'
import { utcText } from '../service/text.ts'
import type { SubmissionState } from './record.ts'

/** Returns what to do after a publish that did not succeed, in a sentence or two. */
export function publishAdvice(error: PlacardError, state: SubmissionState, journal: string): string {
  const kept = `The key, secret and body are saved in ${journal}.`
  if (error.kind !== 'refused') return `Repeat the same publish ${whenToRepeat(error)}. ${kept}`
  if (state !== 'refused') return `${waiting(error)} ${kept}`
  return refusalAdvice(error) ?? 'This submission is over; the next publish begins a new one.'
}

/** Returns what to do after a refusal of the listing itself, which is also a refusal to ask the customer about it. */
export function refusalAdvice(error: PlacardError): string | undefined {
  if (error.code === 'review_rejected') return reviewAdvice(error)
  if (error.code === 'destination_already_listed') {
    return 'If you published it from another machine, ask for its status there, or import that machine’s journal.'
  }
  return error.code === 'submissions_closed' ? 'If submissions open again, publish again.' : undefined
}

/** Returns when to repeat a request: `after 2026-09-06 00:00 UTC`, or `later` if the service did not say. */
export function whenToRepeat({ retryAfterSeconds }: PlacardError, nowMs = Date.now()): string {
  return retryAfterSeconds ? `after ${utcText(nowMs + retryAfterSeconds * 1000)}` : 'later'
}

function waiting(error: PlacardError): string {
  if (error.code === 'submissions_closed') return 'If submissions open again, repeat the same publish.'
  const isWrongAddress = error.code === 'redirected' || error.code === 'not_found'
  return isWrongAddress ? error.whatNext : 'Fix that, then repeat the same publish.'
}

function reviewAdvice({ error, reason, decisionId }: PlacardError): string {
  const known = Object.entries(REVIEW_REASONS).find(([name]) => name === reason)?.[1]
  const why = known && !error.includes(known) ? `${known} ` : ''
  const contest = decisionId
    ? ` If the decision is wrong, the customer can appeal it once: see decision and appeal, for ${decisionId}.`
    : ''
  return `${why}Change the page, then publish again: that begins a new submission.${contest}`
}
