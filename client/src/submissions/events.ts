import { PROOF_HEADER, SUBMISSION_STATES, SUBMISSIONS_PATH } from '@placard/contract/plain'
import { usageError } from '../error.ts'
import { fetchBody } from '../service/exchange.ts'
import { address, flag, list, type Of, object, only, optional, text, whole } from '../service/shape.ts'
import { inAddress } from '../service/text.ts'
import { selectSubmission } from './choose.ts'
import type { DeliverOptions } from './deliver.ts'
import { submissionsOf } from './submission.ts'

export const eventsShape = object({
  /** The state now: `published`, `refused`, `hidden`, `ended`, `under_review` or `unknown`. */
  state: only(...SUBMISSION_STATES),
  /** Oldest first. */
  events: list(
    object({
      /** Stays the same, however often the event is read. */
      id: text,
      /** Such as `submission.hidden`. The list may grow. */
      type: text,
      /** Unix milliseconds. */
      at: whole,
      reason: optional(text),
      productUrl: optional(address),
      /** The end that the event is about, in Unix milliseconds. */
      expiresAt: optional(whole),
      decisionId: optional(text),
      decisionUrl: optional(address),
      /** Reads what follows this event. */
      cursor: text,
    }),
  ),
  /** Reads what is new the next time. */
  nextCursor: text,
  hasMore: flag,
  chargeCreated: only(false),
})
/** What happened to a submission, and its state now. */
export type SubmissionEvents = Of<typeof eventsShape>

/** See `PlacardClient.events`. Throws `unknown_submission`, too, if the service does not know it. */
export async function readEvents(
  destination: string | undefined,
  cursor: string | undefined,
  options: DeliverOptions,
): Promise<SubmissionEvents> {
  const { key, secret } = selectSubmission(await submissionsOf(options), destination, options.store.name)
  const query = cursor === undefined ? '' : `?cursor=${inAddress(cursor)}`
  const path = `${SUBMISSIONS_PATH}/${key}/events${query}`
  const body = await fetchBody(
    { method: 'GET', path, headers: { [PROOF_HEADER]: secret.reveal() } },
    eventsShape,
    options,
  )
  if (body.state !== 'unknown') return body
  throw usageError(
    'unknown_submission',
    'The service has no submission with the key and secret in the journal.',
    'If it was never sent, or is older than the service keeps it, publish it.',
    'destination',
  )
}
