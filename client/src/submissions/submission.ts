import { APPROVAL_SCOPE, CONTRACT_VERSION } from '@placard/contract/plain'
import { SubmissionSecret } from '../secret.ts'
import {
  type Appeal,
  type Approval,
  type OutcomeRecord,
  parseBody,
  STATES,
  type SubmissionRecord,
  type SubmissionState,
} from './record.ts'
import type { SubmissionStore } from './store.ts'

/** One submission: exactly what is sent, and its state. */
export interface Submission {
  service: string
  destination: string
  category: string
  key: string
  secret: SubmissionSecret
  body: string
  /** When it was made, as an ISO date. */
  at: string
  approval: Approval | undefined
  state: SubmissionState
  /** The latest outcome, which determines the state. */
  outcome: OutcomeRecord | undefined
  /** Appeals against decisions about it, by the decision's id. */
  appeals: ReadonlyMap<string, Appeal>
}

/** A submission's latest outcome. */
export type Outcome = Omit<OutcomeRecord, 'type' | 'at' | 'key'>

/** What a publish is about; `service` is the normalised address. */
export interface Wanted {
  service: string
  destination: string
  category: string
}

/** Creates the credentials and body of a publish that the customer has approved. Writes and sends nothing. */
export function newSubmission({ service, destination, category }: Wanted, approval?: Approval): Submission {
  const declared = { scope: APPROVAL_SCOPE, userApproved: true, rulesVersion: CONTRACT_VERSION }
  const given = approval?.code === undefined ? declared : { ...declared, approvalCode: approval.code }
  const secret = crypto.getRandomValues(new Uint8Array(32))
  return {
    service,
    destination,
    category,
    key: crypto.randomUUID(),
    secret: new SubmissionSecret([...secret].map(byte => byte.toString(16).padStart(2, '0')).join('')),
    body: JSON.stringify({ destination, category, approval: given }),
    at: now(),
    approval,
    state: 'unknown',
    outcome: undefined,
    appeals: new Map(),
  }
}

/** Stores a submission. It must not be sent before. */
export async function recordSubmission(store: SubmissionStore, submission: Submission): Promise<void> {
  const { at, service, key, secret, body, approval } = submission
  const record = { type: 'submission', at, service, key, secret: secret.reveal(), body } as const
  await store.append(approval === undefined ? record : { ...record, approval })
}

/** Stores a submission's latest outcome. Its time is never before the last one's, also after a clock was set back. */
export async function recordOutcome(
  store: SubmissionStore,
  { key, outcome: last }: Pick<Submission, 'key' | 'outcome'>,
  outcome: Outcome,
): Promise<void> {
  const at = now()
  await store.append({ type: 'outcome', at: last && last.at > at ? last.at : at, key, ...outcome })
}

/** Stores an appeal or its result, next to the submission's outcome. */
export async function recordAppeal(store: SubmissionStore, submission: Submission, appeal: Appeal) {
  const { receipt: _, privateLink: __, ...outcome } = submission.outcome ?? { at: now(), state: 'unknown' }
  await store.append({ ...outcome, type: 'outcome', key: submission.key, appeal })
}

/** Returns all submissions in the store, oldest first and each once, in the state that follows from its outcomes. */
export async function readSubmissions(store: SubmissionStore): Promise<Submission[]> {
  const records = await store.read()
  const outcomes = new Map<string, OutcomeRecord>()
  const submissions = new Map<string, SubmissionRecord>()
  const appeals = new Map<string, Map<string, Appeal>>()
  for (const record of records) {
    const { key } = record
    if (record.type === 'outcome') {
      outcomes.set(key, stronger(outcomes.get(key), record))
      if (record.appeal) appeals.set(key, withAppeal(appeals.get(key), record.appeal))
    } else if (!submissions.has(key)) submissions.set(key, record)
  }
  return [...submissions.values()].map(record => ({
    ...submissionFrom(record, outcomes.get(record.key)),
    appeals: appeals.get(record.key) ?? new Map(),
  }))
}

/** Returns the submissions for one service. */
export const submissionsOf = async ({ store, service }: { store: SubmissionStore; service: string }) =>
  (await readSubmissions(store)).filter(one => one.service === service)

/** An appeal that was received stays received, whatever another process reports. */
function withAppeal(known = new Map<string, Appeal>(), appeal: Appeal): Map<string, Appeal> {
  const { decisionId } = appeal
  return known.get(decisionId)?.state === 'received' ? known : known.set(decisionId, appeal)
}

/** Two processes may report on one submission in any order, so the more conclusive report wins. */
export function strongerState(one: SubmissionState, other: SubmissionState): SubmissionState {
  return STATES.indexOf(one) > STATES.indexOf(other) ? one : other
}

/** Returns the later of two reports of one state, with the earlier one's facts about a listing. */
function stronger(one: OutcomeRecord | undefined, other: OutcomeRecord): OutcomeRecord {
  if (one === undefined) return other
  if (one.state !== other.state) return strongerState(one.state, other.state) === one.state ? one : other
  const [earlier, later] = one.at > other.at ? [other, one] : [one, other]
  return later.receipt === undefined ? { ...later, receipt: earlier.receipt, privateLink: earlier.privateLink } : later
}

const now = () => new Date().toISOString()

function submissionFrom(record: SubmissionRecord, outcome: OutcomeRecord | undefined) {
  const { service, key, secret, body, at, approval } = record
  const { destination = '', category = '' } = parseBody(body) ?? {}
  return {
    service,
    destination,
    category,
    key,
    secret: new SubmissionSecret(secret),
    body,
    at,
    approval,
    // It may be accepted now. Only sending it can tell.
    state: outcome === undefined || outcome.reopened ? 'unknown' : outcome.state,
    outcome,
  } satisfies Omit<Submission, 'appeals'>
}
