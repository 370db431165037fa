import { destinationKey } from './destination-key.ts'
import { usageError } from './error.ts'
import { syncJournal } from './journal.ts'
import { checkSpelling, type Wanted } from './spelling.ts'
import {
  newSubmission,
  readSubmissions,
  recordOutcome,
  recordSubmission,
  type Submission,
} from './submission.ts'

/**
 * The submission to send for a publish: an earlier one that is unfinished or accepted, otherwise a new one. It is on
 * disk when this returns. `resumed` says that it may have been sent before.
 *
 * If two processes begin the same publish at once, both write a line and then both read: the first line wins, so both
 * send the same key. Throws `other_category`, `invalid_destination`, `unknown_category`, `journal_unusable` and
 * `journal_damaged`.
 */
export async function beginSubmission(
  journalPath: string,
  wanted: Wanted,
): Promise<{ submission: Submission; resumed: boolean }> {
  const earlier = choose(await readSubmissions(journalPath), wanted)
  if (earlier) {
    await syncJournal(journalPath)
    return { submission: inCategory(earlier, wanted), resumed: true }
  }
  // Only after reading the journal: a repeat is sent unchanged, whatever its fields mean by now.
  checkSpelling(wanted)
  const made = newSubmission(wanted.service, wanted.destination, wanted.category)
  await recordSubmission(journalPath, made)
  const first = choose(await readSubmissions(journalPath), wanted)
  if (!first)
    throw usageError(
      'journal_unusable',
      `The journal ${journalPath} does not keep what is written to it.`,
      'Nothing was sent. Name another file.',
    )
  const resumed = first.key !== made.key
  if (resumed) await recordOutcome(journalPath, made.key, { state: 'refused', code: 'superseded' })
  return { submission: inCategory(first, wanted), resumed }
}

/**
 * The submission that a publish must resume, among all of one destination: one that is or may be accepted, in any
 * category, since a destination is listed only once; otherwise a postponed one in the same category.
 */
function choose(submissions: Submission[], wanted: Wanted): Submission | undefined {
  const key = destinationKey(wanted.destination)
  const same = submissions.filter(
    one => one.service === wanted.service && destinationKey(one.destination) === key,
  )
  return (
    same.find(one => one.state === 'accepted') ??
    same.find(one => one.state === 'unknown') ??
    same.find(one => one.state === 'postponed' && one.category === wanted.category)
  )
}

function inCategory(submission: Submission, wanted: Wanted): Submission {
  if (submission.category === wanted.category) return submission
  const finished = submission.state === 'accepted' ? 'was published' : 'has an unfinished submission'
  throw usageError(
    'other_category',
    `This destination ${finished} under the category "${submission.category}".`,
    'Publish it with that category to get its receipt; a destination is listed only once.',
  ).with({ keepCredentials: true })
}
