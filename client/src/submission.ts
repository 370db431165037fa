import { randomBytes, randomUUID } from 'node:crypto'
import {
  APPROVAL_SCOPE,
  CONTRACT_VERSION,
  IDEMPOTENCY_KEY_PATTERN,
  SUBMISSION_SECRET_PATTERN,
} from '@placard/contract'
import { appendLine, type JournalLine, readLines } from './journal.ts'
import { SubmissionSecret } from './secret.ts'

/**
 * What the journal knows of a submission. `unknown`: it may have been accepted, which is also true of one that was
 * written down and never answered. `postponed`: certainly not accepted so far. `refused`: its key is spent.
 */
export type SubmissionState = 'postponed' | 'unknown' | 'refused' | 'accepted'

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

/** How a submission ended for now; a line of the journal. The receipt is without its private link. */
export interface Outcome {
  state: SubmissionState
  status?: number | undefined
  code?: string | undefined
  receipt?: unknown
}

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
  await appendLine(path, { type: 'submission', at: now(), service, key, secret: secret.reveal(), body })
}

/** Puts on disk how a submission ended for now. */
export async function recordOutcome(path: string, key: string, outcome: Outcome): Promise<void> {
  await appendLine(path, { type: 'outcome', at: now(), key, ...outcome })
}

/** Every submission of the journal, oldest first, each in the state its outcomes leave it in. */
export async function readSubmissions(path: string): Promise<Submission[]> {
  const lines = await readLines(path)
  const outcomes = new Map<unknown, SubmissionState>()
  for (const { type, key, state } of lines) {
    if (type !== 'outcome' || !isState(state)) continue
    outcomes.set(key, strongerState(outcomes.get(key) ?? 'postponed', state))
  }
  return lines.flatMap(line => {
    const submission = parseSubmission(line)
    return submission ? [{ ...submission, state: outcomes.get(submission.key) ?? submission.state }] : []
  })
}

const STRENGTH: readonly SubmissionState[] = ['postponed', 'unknown', 'refused', 'accepted']

/** Two processes may report on one submission in any order: the more conclusive report stands. */
export function strongerState(one: SubmissionState, other: SubmissionState): SubmissionState {
  return STRENGTH.indexOf(one) > STRENGTH.indexOf(other) ? one : other
}

const isState = (value: unknown): value is SubmissionState => STRENGTH.some(state => state === value)

const now = () => new Date().toISOString()

function parseSubmission({ type, service, key, secret, body }: JournalLine): Submission | undefined {
  if (type !== 'submission' || typeof service !== 'string' || typeof body !== 'string') return undefined
  if (!matches(idempotencyKey, key) || !matches(submissionSecret, secret)) return undefined
  const { destination, category } = parseBody(body)
  if (typeof destination !== 'string' || typeof category !== 'string') return undefined
  return { service, destination, category, key, secret: new SubmissionSecret(secret), body, state: 'unknown' }
}

function parseBody(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

const idempotencyKey = new RegExp(IDEMPOTENCY_KEY_PATTERN)
const submissionSecret = new RegExp(SUBMISSION_SECRET_PATTERN)

const matches = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value)
