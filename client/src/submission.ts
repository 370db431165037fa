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

/** One submission: exactly what is sent, and its state. */
export interface Submission {
  service: string
  destination: string
  category: string
  key: string
  secret: SubmissionSecret
  body: string
  state: SubmissionState
}

/** A submission's latest outcome. */
export type Outcome = Omit<OutcomeRecord, 'type' | 'at' | 'key'>

/** Creates the credentials and body of a publish that the customer has approved. Writes and sends nothing. */
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

/** Writes a submission to disk. It must not be sent before. */
export async function recordSubmission(path: string, submission: Submission): Promise<void> {
  const { service, key, secret, body } = submission
  await appendRecord(path, { type: 'submission', at: now(), service, key, secret: secret.reveal(), body })
}

/** Writes a submission's latest outcome to disk. */
export async function recordOutcome(path: string, key: string, outcome: Outcome): Promise<void> {
  await appendRecord(path, { type: 'outcome', at: now(), key, ...outcome })
}

/** All submissions in the journal, oldest first, each with the state that follows from its outcomes. */
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

/** Two processes may report on one submission in any order, so the more conclusive report wins. */
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
