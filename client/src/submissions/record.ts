import { IDEMPOTENCY_KEY_PATTERN, SUBMISSION_SECRET_PATTERN } from '@placard/contract/plain'

/**
 * What is known about a submission:
 * - `unknown`: it may have been accepted, or it was stored and never answered.
 * - `postponed`: certainly not accepted so far.
 * - `refused`: its key is used up.
 */
export type SubmissionState = 'postponed' | 'unknown' | 'refused' | 'accepted'

/** From the least conclusive to the most. */
export const STATES: readonly SubmissionState[] = ['postponed', 'unknown', 'refused', 'accepted']

/** How the customer's approval was given, as the caller says: `how` it was asked for, and `by` whom it was given. */
export interface Approval {
  how: string
  by?: string | undefined
  /** The code of an approval in a browser, which is sent along. */
  code?: string | undefined
}

/** Exactly what is sent, and where. `at` is the ISO time of the customer's approval. */
export interface SubmissionRecord {
  type: 'submission'
  at: string
  service: string
  key: string
  secret: string
  body: string
  approval?: Approval | undefined
}

/**
 * An appeal against a decision about a submission, with the customer's approval. `at` is the ISO time of that approval.
 * `unknown`: it may have arrived.
 */
export interface Appeal {
  decisionId: string
  statement: string
  at: string
  approval: Approval
  state: 'unknown' | 'received' | 'refused'
}

/** A submission's latest outcome. The private link is in a field of its own, not in the receipt. */
export interface OutcomeRecord {
  type: 'outcome'
  at: string
  key: string
  state: SubmissionState
  status?: number | undefined
  code?: string | undefined
  /** The decision that refused the submission or took the listing down. */
  decisionId?: string | undefined
  /** On `refused`: an appeal reversed it, so the same submission may be sent once more. */
  reopened?: boolean | undefined
  /** A separate record that repeats the outcome, so that older versions, which have no appeals, read it correctly. */
  appeal?: Appeal | undefined
  receipt?: unknown
  privateLink?: string | undefined
}

export type JournalRecord = SubmissionRecord | OutcomeRecord

/** All fields that the first version wrote. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'at', 'service', 'key', 'secret', 'body'],
  ...['state', 'status', 'code', 'receipt'],
])

/**
 * Returns the record in a JSON value, or undefined. `exact` allows only fields of the first version: it had no
 * checksum, so an unknown field is a damaged name.
 */
export function recordFrom(value: Record<string, unknown>, exact: boolean): JournalRecord | undefined {
  if (exact && !Object.keys(value).every(name => FIELDS.has(name))) return undefined
  if (!matches(idempotencyKey, value.key)) return undefined
  const known =
    value.type === 'submission'
      ? typeof value.service === 'string' && matches(submissionSecret, value.secret) && hasBody(value)
      : value.type === 'outcome' && STATES.some(state => state === value.state)
  return known ? (value as unknown as JournalRecord) : undefined
}

/** Returns destination and category of a sent body, or undefined if it has none. */
export function parseBody(body: unknown): { destination: string; category: string } | undefined {
  try {
    const { destination, category } = JSON.parse(String(body))
    return typeof destination === 'string' && typeof category === 'string' ? { destination, category } : undefined
  } catch {
    return undefined
  }
}

const hasBody = ({ body }: Record<string, unknown>) => typeof body === 'string' && parseBody(body) !== undefined

const idempotencyKey = new RegExp(IDEMPOTENCY_KEY_PATTERN)
const submissionSecret = new RegExp(SUBMISSION_SECRET_PATTERN)

const matches = (pattern: RegExp, value: unknown): value is string => typeof value === 'string' && pattern.test(value)
