import { usageError } from '../error.ts'
import { checkSpelling } from '../spelling.ts'
import { current, ofDestination } from './choose.ts'
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

/**
 * Returns the submission to send for a publish: an earlier one that is unfinished or accepted, otherwise a new one. It
 * is saved when this returns. `resumed` says that it may have been sent before.
 *
 * If two processes begin the same publish at once, each writes a record and then reads: the first record wins, so both
 * send the same key. Throws `other_category`, `invalid_destination`, `unknown_category`, `journal_unusable` and
 * `journal_damaged`.
 */
export async function beginSubmission(
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
  for (const { key } of idle) await recordOutcome(store, key, { state: 'refused', code: 'superseded' })
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
