import { randomBytes, randomUUID } from 'node:crypto'
import { APPROVAL_SCOPE, CONTRACT_VERSION } from '@placard/contract'
import { appendRecord, readRecords } from './journal.ts'
import {
  type OutcomeRecord,
  parseBody,
  STATES,
  type SubmissionRecord,
  type SubmissionState,
} from './journal-record.ts'
import { SubmissionSecret } from './secret.ts'

/** One submission: what is sent, byte for byte, and how far it came. */
export interface Submission {
  service: string
  destination: string
  category: string
  key: string
  secret: SubmissionSecret
  body: string
  state: SubmissionState
}

/** How a submission ended for now. */
export type Outcome = Omit<OutcomeRecord, 'type' | 'at' | 'key'>

/** Makes new credentials and the body of a publish that the customer has approved. Writes and sends nothing. */
export function newSubmission(service: string, destination: string, category: string): Submission {
  const approval = { scope: APPROVAL_SCOPE, userApproved: true, rulesVersion: CONTRACT_VERSION }
  return {
    service,
    destination,
    category,
    key: randomUUID(),
    secret: new SubmissionSecret(randomBytes(32).toString('hex')),
    body: JSON.stringify({ destination, category, approval }),
    state: 'unknown',
  }
}

/** Puts a submission on disk. Only afterwards may it be sent. */
export async function recordSubmission(path: string, submission: Submission): Promise<void> {
  const { service, key, secret, body } = submission
  await appendRecord(path, { type: 'submission', at: now(), service, key, secret: secret.reveal(), body })
}

/** Puts on disk how a submission ended for now. */
export async function recordOutcome(path: string, key: string, outcome: Outcome): Promise<void> {
  await appendRecord(path, { type: 'outcome', at: now(), key, ...outcome })
}

/** Every submission of the journal, oldest first, each in the state its outcomes leave it in. */
export async function readSubmissions(path: string): Promise<Submission[]> {
  const records = await readRecords(path)
  const states = new Map<string, SubmissionState>()
  for (const record of records) {
    if (record.type !== 'outcome') continue
    states.set(record.key, strongerState(states.get(record.key) ?? 'postponed', record.state))
  }
  return records
    .filter(record => record.type === 'submission')
    .map(record => submissionFrom(record, states.get(record.key) ?? 'unknown'))
}

/** Two processes may report on one submission in any order: the more conclusive report stands. */
export function strongerState(one: SubmissionState, other: SubmissionState): SubmissionState {
  return STATES.indexOf(one) > STATES.indexOf(other) ? one : other
}

const now = () => new Date().toISOString()

function submissionFrom(
  { service, key, secret, body }: SubmissionRecord,
  state: SubmissionState,
): Submission {
  const { destination = '', category = '' } = parseBody(body) ?? {}
  return { service, destination, category, key, secret: new SubmissionSecret(secret), body, state }
}
