import { IDEMPOTENCY_HEADER, PROOF_HEADER, PUBLISH_PATH } from '@placard/contract/plain'
import { asPlacardError, type PlacardError } from '../error.ts'
import type { CheckedOptions } from '../options.ts'
import { exchange } from '../service/exchange.ts'
import type { Signal } from '../service/fetch.ts'
import { receiptShape } from '../service/replies.ts'
import { withRetries } from '../service/retry.ts'
import { publishAdvice } from './advice.ts'
import { type Publication, publicationFrom } from './publication.ts'
import type { SubmissionStore } from './store.ts'
import { type Outcome, recordOutcome, type Submission, strongerState } from './submission.ts'

/** How to send, and where to store the outcome. */
export type DeliverOptions = Omit<CheckedOptions, 'store'> & {
  store: SubmissionStore
  signal: Signal | undefined
}

/**
 * Sends a stored submission until the service accepts or finally refuses it, and stores the outcome. `resumed` says
 * that it may have been sent before.
 */
export async function deliver(submission: Submission, resumed: boolean, options: DeliverOptions): Promise<Publication> {
  const { key, secret, body } = submission
  const headers = { [IDEMPOTENCY_HEADER]: key, [PROOF_HEADER]: secret.reveal() }
  let doubtful = resumed && submission.state === 'unknown'
  const send = () =>
    exchange({ method: 'POST', path: PUBLISH_PATH, headers, body }, receiptShape, options).catch((error: unknown) => {
      doubtful ||= asPlacardError(error, 'unknown').kind === 'unknown'
      throw error
    })
  try {
    const publication = publicationFrom(await withRetries(send, options))
    const { receipt, privateLink, decisionId } = publication
    const status = publication.replayed ? 200 : 201
    const link = privateLink && { privateLink: privateLink.reveal() }
    await note(options, submission, { state: 'accepted', status, decisionId, receipt, ...link })
    return publication
  } catch (thrown) {
    const error = asPlacardError(thrown, 'unknown')
    const state = strongerState(resumed ? submission.state : 'postponed', stateAfter(error, doubtful))
    const { status, code, decisionId } = error
    await note(options, submission, { state, status, code, decisionId })
    throw error.with({
      keepCredentials: state !== 'refused',
      whatNext: publishAdvice(error, state, options.store.name),
    })
  }
}

/** Refusals sent before the service looks up the key. They say nothing about an earlier, unanswered request. */
const BEFORE_LOOKUP = new Set([
  'invalid_json',
  'invalid_body',
  'invalid_idempotency_key',
  'invalid_submission_secret',
  'body_too_large',
  'unsupported_media_type',
])

/**
 * Statuses that end a submission, so that a later publish needs a new key. Others are not final: 403 depends on the
 * request's path, 410 and 429 on the time. After a redirect or 404, the right address may be found.
 */
const ENDING_STATUSES = new Set([400, 409, 413, 415, 422])

function stateAfter(error: PlacardError, doubtful: boolean): Outcome['state'] {
  const ended = error.kind === 'refused' && ENDING_STATUSES.has(error.status ?? 0)
  if (ended && !(doubtful && BEFORE_LOOKUP.has(error.code))) return 'refused'
  return doubtful ? 'unknown' : 'postponed'
}

// The credentials are already stored. Without this record, a later run only asks the service once more, so a full disk
// must not cost the caller the receipt.
async function note({ store }: DeliverOptions, submission: Submission, outcome: Outcome): Promise<void> {
  await recordOutcome(store, submission, outcome).catch(() => {})
}
