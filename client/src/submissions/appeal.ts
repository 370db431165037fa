import { STATEMENT_MAX_LENGTH } from '@placard/contract/plain'
import { fieldsOf, optionalText } from '../check.ts'
import { aborted, asPlacardError, messageOf, PlacardError, usageError } from '../error.ts'
import type { Decision } from '../service/replies.ts'
import { plain } from '../service/text.ts'
import { whenToRepeat } from './advice.ts'
import { askAbout, type Found, readDecision } from './decisions.ts'
import type { DeliverOptions } from './deliver.ts'
import { approvalFrom } from './publish.ts'
import type { Appeal, Approval } from './record.ts'
import type { SubmissionStore } from './store.ts'
import { recordAppeal, type Submission, submissionsOf } from './submission.ts'

/** What to appeal, and why. Set `userApproved` to true only after the customer's explicit yes to this statement. */
export interface AppealRequest {
  /** Its id, or its website. Optional if the store holds only one submission. */
  decision?: string
  /** At most 1,000 characters. A person reads it, as the customer's words. */
  statement: string
  userApproved: boolean
  /** Saved with the submission: how the yes was asked for, and who gave it. */
  approval?: Approval
}

/** See `PlacardClient.appeal`. */
export async function appeal(request: AppealRequest, options: DeliverOptions): Promise<Decision> {
  const { which, statement, approval } = checkRequest(request)
  if (options.signal?.aborted) throw aborted('usage')
  const found = await readDecision(which, options)
  checkContestable(found.decision)
  checkNoSecret(statement, found.submission)
  const kept = await begin(found, { statement, approval }, options.store)
  return send(found, kept, options)
}

/** Saves the appeal before it is sent, so that a repeat sends the same one; or returns the saved one. */
async function begin(
  { submission, decision: { id: decisionId } }: Found,
  { statement, approval }: Pick<Appeal, 'statement' | 'approval'>,
  store: SubmissionStore,
): Promise<Appeal> {
  const earlier = submission.appeals.get(decisionId)
  if (earlier?.statement === statement && earlier.state !== 'refused') {
    await store.sync()
    return earlier
  }
  const at = new Date().toISOString()
  const made: Appeal = { decisionId, statement, at, approval, state: 'unknown' }
  await recordAppeal(store, submission, made)
  return made
}

async function send({ submission }: Found, kept: Appeal, options: DeliverOptions): Promise<Decision> {
  const { decisionId, statement } = kept
  // The service returns it again, so a full disk must not cost the caller the answer.
  const note = (state: Appeal['state']) => recordAppeal(options.store, submission, { ...kept, state }).catch(() => {})
  try {
    const body = JSON.stringify({ statement })
    const decision = await askAbout(submission, { method: 'POST', path: `${decisionId}/appeal`, body }, options)
    if (kept.state !== 'received') await note('received')
    return decision
  } catch (thrown) {
    const error = asPlacardError(thrown, 'unknown')
    if (error.kind === 'refused') {
      await note('refused')
      throw error.with({
        whatNext: 'Read the decision: it says what can be done, and what came of an appeal.',
      })
    }
    const again = `The statement is saved in ${options.store.name}. Repeat the same appeal ${whenToRepeat(error)}: it counts once.`
    throw error.with({ whatNext: again })
  }
}

/** Throws `not_contestable` and what can be done, unless an appeal is possible or was already sent. */
export function checkContestable({ contest, appeal: sent }: Decision): void {
  if (contest.isPossible || sent) return
  throw new PlacardError({
    kind: 'refused',
    code: 'not_contestable',
    error: 'This decision cannot be appealed, or the time to appeal is over.',
    whatNext: `The service says: ${messageOf(contest.how)}`,
  })
}

/** Throws `already_appealed` if the service has another statement, so that no customer is asked about one in vain. */
export function checkNotAppealed({ appeal: sent }: Decision, statement: string, kept: Appeal | undefined): void {
  // The service made one plain line of the statement. The journal has it as it was given.
  if (!sent || sent.statement === statement || kept?.statement === statement) return
  throw new PlacardError({
    kind: 'refused',
    code: 'already_appealed',
    error: 'This decision was already appealed, and can be appealed only once.',
    whatNext: 'Nothing was sent. Read the decision: it says what the statement was, and what came of it.',
  })
}

/** Throws `invalid_statement` if no service accepts the value. */
export function checkStatement(value: unknown): asserts value is string {
  const isRight = typeof value === 'string' && value.length <= STATEMENT_MAX_LENGTH && plain(value).trim() !== ''
  if (!isRight || /#owner=/i.test(value)) throw invalidStatement()
}

/** A person reads the statement, and must not see the secret. */
function checkNoSecret(statement: string, { secret }: Submission): void {
  if (statement.toLowerCase().includes(secret.reveal().toLowerCase())) throw invalidStatement()
}

/** Returns the stored appeal against a decision and the yes to it, unless the appeal was refused. */
export async function savedAppeal(
  store: SubmissionStore,
  service: string,
  decisionId: string,
): Promise<Appeal | undefined> {
  const all = await submissionsOf({ store, service })
  const kept = all.flatMap(({ appeals }) => appeals.get(decisionId) ?? []).at(-1)
  return kept?.state === 'refused' ? undefined : kept
}

function checkRequest(request: AppealRequest) {
  const { decision, statement, userApproved, approval } = fieldsOf('The request', request)
  if (userApproved !== true) {
    throw usageError(
      'approval_required',
      'An appeal is sent in the customer’s name, and needs their explicit yes to this statement.',
      'Ask the customer first; set userApproved (--user-approved) only after an explicit yes.',
      'userApproved',
    )
  }
  checkStatement(statement)
  return { which: optionalText('decision', decision), statement, approval: approvalFrom(approval) }
}

const invalidStatement = () =>
  usageError(
    'invalid_statement',
    `The statement must have 1 to ${STATEMENT_MAX_LENGTH} characters, and must not contain a secret or private link.`,
    'Nothing was sent. Say in the customer’s words why the decision is wrong.',
    'statement',
  )
