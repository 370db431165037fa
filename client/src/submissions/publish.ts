import { checkCategory, checkDestination, fieldsOf, optionalText } from '../check.ts'
import { aborted, asPlacardError, usageError } from '../error.ts'
import { checkSpelling } from '../spelling.ts'
import { current, ofDestination } from './choose.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import type { Publication } from './publication.ts'
import type { Approval } from './record.ts'
import type { SubmissionStore } from './store.ts'
import {
  newSubmission,
  readSubmissions,
  recordOutcome,
  recordSubmission,
  type Submission,
  type Wanted,
} from './submission.ts'

/** What to publish. Set `userApproved` to true only after the customer's explicit yes. */
export interface PublishRequest {
  destination: string
  /** An English category ID from `capabilities`. */
  category: string
  userApproved: boolean
  /** Saved with the submission: how the yes was asked for, and who gave it. */
  approval?: Approval
}

/** See `PlacardClient.publish`. */
export async function publish(request: PublishRequest, options: DeliverOptions): Promise<Publication> {
  const { destination, category, approval } = checkRequest(request)
  if (options.signal?.aborted) throw aborted('usage')
  const wanted = { service: options.service, destination, category }
  const { submission, resumed } = await beginSubmission(options.store, wanted, approval)
  return deliver(submission, resumed, options).catch(async (thrown: unknown) => {
    if (asPlacardError(thrown, 'unknown').code === 'destination_already_listed') await findReplaced(wanted, options)
    throw thrown
  })
}

/**
 * Sends this destination's submissions in other categories again. A process that was killed may have sent one, and not
 * stored that it was accepted. Throws `other_category` if one was.
 */
async function findReplaced(wanted: Wanted, options: DeliverOptions): Promise<void> {
  const same = ofDestination(await readSubmissions(options.store), wanted.service, wanted.destination)
  for (const one of same.filter(({ state, category }) => state === 'refused' && category !== wanted.category)) {
    const isListed = await deliver(one, true, options).then(
      () => true,
      () => false,
    )
    if (isListed) inCategory({ ...one, state: 'accepted' }, wanted)
  }
}

/**
 * Returns the submission to send for a publish: an earlier one that is unfinished or accepted, otherwise a new one. It
 * is saved when this returns. `resumed` says that it may have been sent before.
 *
 * If two processes begin the same publish at once, each writes a record and then reads: the first record wins, so both
 * send the same key. Throws `other_category`, `invalid_destination`, `unknown_category`, `journal_unusable` and
 * `journal_damaged`.
 */
async function beginSubmission(
  store: SubmissionStore,
  wanted: Wanted,
  approval: Approval,
): Promise<{ submission: Submission; resumed: boolean }> {
  const earlier = choose(await readSubmissions(store), wanted)
  if (earlier) {
    await store.sync()
    return { submission: inCategory(earlier, wanted), resumed: true }
  }
  // Only after reading the journal: a replay is sent unchanged, even if its fields have become invalid.
  checkSpelling(wanted)
  const made = newSubmission(wanted, approval)
  await recordSubmission(store, made)
  const all = await readSubmissions(store)
  const first = choose(all, wanted)
  if (!first)
    throw usageError(
      'journal_unusable',
      `The journal ${store.name} does not store what is written to it.`,
      'Nothing was sent. Name another file.',
      'store',
    )
  const resumed = first.key !== made.key
  const idle = resumed ? [made] : ofDestination(all, wanted.service, wanted.destination).filter(isWaiting)
  for (const one of idle) await recordOutcome(store, one, { state: 'refused', code: 'superseded' })
  return { submission: inCategory(first, wanted), resumed }
}

/** A submission that was certainly not accepted. A publish in another category replaces it. */
const isWaiting = ({ state }: Submission) => state === 'postponed'

/**
 * Returns the submission that a publish must resume: one that is or may be accepted, in any category, or a postponed
 * one.
 */
function choose(submissions: Submission[], wanted: Wanted): Submission | undefined {
  const live = ofDestination(submissions, wanted.service, wanted.destination).filter(
    one => one.state !== 'refused' && (!isWaiting(one) || one.category === wanted.category),
  )
  return current(live)
}

function inCategory(submission: Submission, wanted: Wanted): Submission {
  if (submission.category === wanted.category) return submission
  const finished = submission.state === 'accepted' ? 'was published' : 'has an unfinished submission'
  throw usageError(
    'other_category',
    `This destination ${finished} under the category "${submission.category}".`,
    'Ask for its status to get its receipt; a destination is listed only once.',
    'category',
  ).with({ keepCredentials: true })
}

/**
 * Returns the stored approval of the submission that a publish would resume: a repeat publishes nothing new. Throws
 * `other_category`, so that no person is asked for what cannot be published.
 */
export async function approvedBefore(store: SubmissionStore, wanted: Wanted): Promise<Approval | undefined> {
  const earlier = choose(await readSubmissions(store), wanted)
  return earlier && (inCategory(earlier, wanted).approval ?? { how: 'before' })
}

function checkRequest(request: PublishRequest) {
  const { destination, category, userApproved, approval } = fieldsOf('The request', request)
  if (userApproved !== true) {
    throw usageError(
      'approval_required',
      'Publishing needs the customer’s explicit yes to this destination and a public listing.',
      'Ask the customer first; set userApproved (--user-approved) only after an explicit yes.',
      'userApproved',
    )
  }
  checkDestination(destination)
  checkCategory(category)
  return { destination, category, approval: approvalFrom(approval) }
}

/** Returns the approval that a caller declares. Throws `invalid_option`. */
export function approvalFrom(given: unknown): Approval {
  const { how, by, code } = given === undefined ? {} : fieldsOf('approval', given)
  const giver = optionalText('approval.by', by)
  const approvalCode = optionalText('approval.code', code)
  return {
    how: optionalText('approval.how', how) ?? 'userApproved',
    ...(giver === undefined ? {} : { by: giver }),
    ...(approvalCode === undefined ? {} : { code: approvalCode }),
  }
}
