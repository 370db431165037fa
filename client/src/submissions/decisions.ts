import { DECISIONS_PATH, PROOF_HEADER } from '@placard/contract/plain'
import { asPlacardError, PlacardError, usageError } from '../error.ts'
import { fetchBody, type Outgoing } from '../service/exchange.ts'
import { type Decision, decisionShape } from '../service/replies.ts'
import { isDecisionId } from '../service/text.ts'
import { whenToRepeat } from './advice.ts'
import { ofDestination, selectByDecision } from './choose.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import { recordAppeal, recordOutcome, type Submission, submissionsOf } from './submission.ts'

/** A decision as the service returned it, and its submission. */
export interface Found {
  submission: Submission
  decision: Decision
}

/** A decision to request, and the submission whose secret gives access to it. */
interface Sought {
  submission: Submission
  id: string
}

/** The maximum number of submissions whose secret is tried for an id that is not in the store. */
const TRIED = 20

/**
 * Returns the decision with this id, of this website in any spelling, of the only refused submission, or of the only one.
 * Stores what it changes for the submission: after a reversed refusal, a publish sends the same one again.
 *
 * Throws `no_decision`, `unknown_submission`, `which_submission`, and the service's `not_found`.
 */
export async function readDecision(which: string | undefined, options: DeliverOptions): Promise<Found> {
  const sought =
    which !== undefined && isDecisionId(which)
      ? await byId(which.toLowerCase(), options)
      : [await ofWebsite(which, options)]
  for (const [index, { submission, id }] of sought.entries()) {
    try {
      const decision = await askAbout(submission, { method: 'GET', path: id }, options)
      // An appeal is sent to this id.
      if (decision.id.toLowerCase() !== id.toLowerCase()) throw anotherDecision()
      await note(submission, decision, options)
      return { submission, decision }
    } catch (thrown) {
      const error = asPlacardError(thrown, 'unknown')
      if (error.code !== 'not_found' || index === sought.length - 1) throw withAdvice(error)
    }
  }
  throw noDecision(options.store.name)
}

/** Sends one request about a decision, with the secret of its submission, and retries. */
export function askAbout({ secret }: Submission, about: Outgoing, options: DeliverOptions): Promise<Decision> {
  const headers = { [PROOF_HEADER]: secret.reveal() }
  return fetchBody({ ...about, path: `${DECISIONS_PATH}/${about.path}`, headers }, decisionShape, options)
}

/** Returns the submission of the decision; if the store has none, those it may be about, newest first. */
async function byId(id: string, options: DeliverOptions): Promise<Sought[]> {
  const all = (await submissionsOf(options)).toReversed()
  const known = all.filter(one => isAbout(one, id))
  return (known.length > 0 ? known : all.slice(0, TRIED)).map(submission => ({ submission, id }))
}

/** Returns whether the store links a decision to this submission. */
export function isAbout({ outcome, appeals }: Submission, id: string): boolean {
  const { requestId } = (outcome?.receipt ?? {}) as { requestId?: unknown }
  return outcome?.decisionId === id || requestId === id || appeals.has(id)
}

/** Returns the decision that counts for a website: why its listing is up or down, or why it was last refused. */
async function ofWebsite(destination: string | undefined, options: DeliverOptions): Promise<Sought> {
  const { store, service } = options
  const all = await submissionsOf(options)
  const submission = selectByDecision(all, destination, store.name)
  if (submission.state === 'accepted') {
    await store.sync()
    const { decisionId, receipt } = await deliver(submission, true, options).catch((thrown: unknown) => {
      throw withAdvice(asPlacardError(thrown, 'unknown'))
    })
    // The decision to accept has the id of the request.
    return { submission, id: decisionId ?? receipt.requestId }
  }
  const refused = ofDestination(all, service, submission.destination).findLast(one => one.outcome?.decisionId)
  const id = refused?.outcome?.decisionId
  if (refused && id !== undefined) return { submission: refused, id }
  throw noDecision(store.name)
}

// The service returns it again, so a full disk must not cost the caller the answer.
async function note(submission: Submission, decision: Decision, { store }: DeliverOptions): Promise<void> {
  const { outcome, appeals } = submission
  const { id, kind, appeal } = decision
  const kept = appeals.get(id)
  if (kept?.state === 'unknown' && appeal?.statement === kept.statement) {
    await recordAppeal(store, submission, { ...kept, state: 'received' }).catch(() => {})
  }
  const isReversed = kind === 'refuse' && appeal?.outcome?.result === 'reversed'
  if (isReversed && outcome?.state === 'refused' && outcome.decisionId === id && !outcome.reopened) {
    const { state, status, code, decisionId } = outcome
    await recordOutcome(store, submission, { state, status, code, decisionId, reopened: true }).catch(() => {})
  }
}

/** Returns the error with what to do next, if a request about a decision fails. */
function withAdvice(error: PlacardError): PlacardError {
  if (error.code === 'not_found') {
    return error.with({
      error: 'The service knows no such decision about a submission in this journal.',
      whatNext:
        'It may be too old, of another service, or about a submission in another journal. Check its id, or name the website.',
    })
  }
  const isTemporary = error.kind === 'postponed' || error.kind === 'unknown'
  return isTemporary
    ? error.with({ whatNext: `Reading it changes nothing: read it again ${whenToRepeat(error)}.` })
    : error
}

const anotherDecision = () =>
  new PlacardError({
    kind: 'unknown',
    code: 'invalid_response',
    error: 'The answer cannot be used: it is about another decision.',
    whatNext: 'Check the service address.',
  })

const noDecision = (journal: string) =>
  usageError(
    'no_decision',
    `The journal ${journal} has no decision about this.`,
    'An unfinished submission has no decision yet: resume it. If a reply has a decisionId, use that.',
    'decision',
  )
