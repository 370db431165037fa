import { IDEMPOTENCY_HEADER, PROOF_HEADER, PUBLISH_PATH, Receipt } from '@placard/contract'
import { publishAdvice } from './advice.ts'
import { beginSubmission } from './begin.ts'
import { checkCategory, checkDestination, fieldsOf } from './check.ts'
import { aborted, asPlacardError, type PlacardError, usageError } from './error.ts'
import { type Answer, exchange } from './exchange.ts'
import type { CheckedOptions } from './options.ts'
import type { Publication, PublishRequest } from './publication.ts'
import { withRetries } from './retry.ts'
import { PrivateLink } from './secret.ts'
import { type Outcome, recordOutcome, type Submission, strongerState } from './submission.ts'

/** Where and how to publish. */
type PublishOptions = CheckedOptions & { journalPath: string; signal: AbortSignal | undefined }

/** See `PlacardClient.publish`. */
export async function publish(request: PublishRequest, options: PublishOptions): Promise<Publication> {
  const { destination, category } = checkRequest(request)
  if (options.signal?.aborted) throw aborted('usage')
  const wanted = { service: options.service, destination, category }
  const { submission, resumed } = await beginSubmission(options.journalPath, wanted)
  let doubtful = resumed && submission.state === 'unknown'
  const send = () =>
    sendSubmission(submission, options).catch((error: unknown) => {
      doubtful ||= asPlacardError(error, 'unknown').kind === 'unknown'
      throw error
    })
  try {
    const publication = publicationFrom(await withRetries(send, options))
    const { receipt } = publication
    await note(options, submission, { state: 'accepted', status: publication.replayed ? 200 : 201, receipt })
    return publication
  } catch (thrown) {
    const error = asPlacardError(thrown, 'unknown')
    const state = strongerState(resumed ? submission.state : 'postponed', stateAfter(error, doubtful))
    await note(options, submission, { state, status: error.status, code: error.code })
    throw error.with({
      keepCredentials: state !== 'refused',
      advice: publishAdvice(error, state, options.journalPath),
    })
  }
}

function checkRequest(request: PublishRequest): { destination: string; category: string } {
  const { destination, category, userApproved } = fieldsOf('The request', request)
  if (userApproved !== true) {
    throw usageError(
      'approval_required',
      'Publishing needs the customer’s explicit yes to this destination and a public listing.',
      'Ask the customer first; set userApproved (--user-approved) only after an explicit yes.',
    )
  }
  checkDestination(destination)
  checkCategory(category)
  return { destination, category }
}

function sendSubmission(
  { service, key, secret, body }: Submission,
  options: PublishOptions,
): Promise<Answer> {
  return exchange(
    {
      method: 'POST',
      url: service + PUBLISH_PATH,
      headers: {
        'content-type': 'application/json',
        [IDEMPOTENCY_HEADER]: key,
        [PROOF_HEADER]: secret.reveal(),
      },
      body,
      timeoutMs: options.requestTimeoutMs,
      signal: options.signal,
    },
    Receipt,
  )
}

function publicationFrom({ status, body }: Answer): Publication {
  const full = body as Receipt
  const { privateRecoveryUrl, ...ownership } = full.ownership
  return {
    receipt: { ...full, ownership },
    ...(privateRecoveryUrl === undefined ? {} : { privateLink: new PrivateLink(privateRecoveryUrl) }),
    replayed: status === 200,
  }
}

/** Refusals sent before the service looks up the key: they say nothing about an earlier, unanswered request. */
const BEFORE_LOOKUP = new Set([
  'invalid_json',
  'invalid_body',
  'invalid_idempotency_key',
  'invalid_submission_secret',
  'body_too_large',
  'unsupported_media_type',
])

/**
 * Statuses that end a submission, so that a later publish needs a new key. The others are not final: 403 is about the
 * request's path, 410 and 429 about the time, and after a redirect or 404 you may find the right address.
 */
const ENDING_STATUSES = new Set([400, 409, 413, 415, 422])

function stateAfter(error: PlacardError, doubtful: boolean): Outcome['state'] {
  const ended = error.kind === 'refused' && ENDING_STATUSES.has(error.status ?? 0)
  if (ended && !(doubtful && BEFORE_LOOKUP.has(error.code))) return 'refused'
  return doubtful ? 'unknown' : 'postponed'
}

// The credentials are already on disk. Without this line, a later run only asks the service once more, so a full disk must not cost the caller the receipt.
async function note(options: PublishOptions, { key }: Submission, outcome: Outcome): Promise<void> {
  await recordOutcome(options.journalPath, key, outcome).catch(() => {})
}
