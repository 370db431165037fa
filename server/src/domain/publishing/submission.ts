import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { EXAMPLES, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY_PATTERN, SUBMISSION_SECRET_PATTERN } from '@placard/contract'
import type { onRequestHookHandler } from 'fastify'
import { configure } from 'safe-stable-stringify'
import type { Store } from '../../platform/db/store.ts'
import type { OWNER_PROOF } from '../../platform/db/tables/ownership.ts'
import { noStore } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Allowances } from '../../platform/http/rate-limits/counter.ts'
import { type Allowance, rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { rejectCrossOrigin } from '../../platform/http/request-checks.ts'
import { Secret } from '../../platform/lib/secret.ts'
import type { Destination } from '../destinations/destination.ts'
import { isListed } from '../listings/listing.ts'
import { hashOf } from '../ownership/owner-token.ts'

/** What identifies a publish request (spec 4.1): key, secret and body. */
export interface Submission {
  /** In lower case, because a UUID's case has no meaning. */
  idempotencyKey: string
  secret: Secret
  secretHash: string
  /** SHA-256 of the body's canonical JSON, so key order and white space do not matter. */
  fingerprint: string
  /** Absent if an agent sent it, with the scope in its body. */
  approvalScope?: typeof OWNER_PROOF
}

const idempotencyKey = new RegExp(IDEMPOTENCY_KEY_PATTERN)
const submissionSecret = new RegExp(SUBMISSION_SECRET_PATTERN)
const canonicalJson = configure({ deterministic: true })

/** Returns the submission secret. @throws Problem invalid_submission_secret */
function readSecret(headers: IncomingHttpHeaders, message?: string): Secret {
  const hex = headers['x-submission-secret']
  if (typeof hex !== 'string' || !submissionSecret.test(hex))
    throw new Problem('invalid_submission_secret', { message })
  return Secret.fromHex(hex)
}

/** Returns the secret of an earlier submission: a new one would open nothing. @throws as `readSecret` */
export const readSavedSecret = (headers: IncomingHttpHeaders): Secret =>
  readSecret(
    headers,
    'X-Submission-Secret must be sent once: the 64 hex digits that the submission was sent with. Take them from where you saved them.',
  )

/**
 * Reads the credentials and computes the fingerprint of the body. A header sent twice arrives joined with a comma and
 * is refused.
 */
export function readSubmission(headers: IncomingHttpHeaders, body: unknown): Submission {
  return submissionOf(readKey(headers['idempotency-key']), readSecret(headers), body)
}

/** Returns the key as it is stored. @throws Problem invalid_idempotency_key */
function readKey(key: unknown, message?: string): string {
  if (typeof key !== 'string' || !idempotencyKey.test(key)) throw new Problem('invalid_idempotency_key', { message })
  return key.toLowerCase()
}

/** Returns the key of an earlier submission from an address. @throws as `readKey` */
export const readSavedKey = (key: string): string =>
  readKey(
    key,
    'The address does not contain the Idempotency-Key of a submission, which is a UUID version 4. Take it from where you saved it.',
  )

/** Returns what identifies a request. @param idempotencyKey in lower case */
export const submissionOf = (idempotencyKey: string, secret: Secret, body: unknown): Submission => ({
  idempotencyKey,
  secret,
  secretHash: hashOf(secret),
  fingerprint: hash('sha256', canonicalJson(body) ?? ''),
})

/** Returns the hooks of a route for one agent: pages of other origins can't call it, and no cache keeps its replies. */
export const forOneAgent = (
  { links, allowances }: { links: Links; allowances: Allowances },
  limit: Pick<Allowance, 'name' | 'max' | 'windowMs'>,
): onRequestHookHandler[] => [rejectCrossOrigin(links), noStore, rateLimit(allowances, { ...limit, inHeaders: true })]

export interface AcceptableDependencies {
  store: Store
  submissionsEndAt: number | undefined
}

/**
 * Runs the cheap checks of a new submission, before its quotas.
 *
 * @throws Problem submissions_closed or destination_already_listed
 */
export async function requireAcceptable(
  { store, submissionsEndAt }: AcceptableDependencies,
  destination: Destination,
  now: number,
): Promise<void> {
  if (submissionsEndAt !== undefined && now >= submissionsEndAt) throw new Problem('submissions_closed')
  if (await isListed(store, destination.key)) throw new Problem('destination_already_listed')
}

/**
 * What documents show, because models copy it: our own example, well-known UUIDs, and the hashes of nothing and of
 * "test". Without hyphens, in lower case.
 */
const SHOWN = new Set([
  EXAMPLES.publish.headers[IDEMPOTENCY_HEADER].replaceAll('-', ''),
  '550e8400e29b41d4a716446655440000',
  '123e4567e89b42d3a456426614174000',
  'f47ac10b58cc4372a5670e02b2c3d479',
  '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
])

/**
 * Returns whether hex digits were made up or copied instead of drawn at random: one byte repeated, an ascending or
 * repeated pattern, or an example of a document.
 *
 * A secret of 32 random bytes is called predictable with a probability below 2^-90, and a random UUID below 2^-60: the
 * pattern repeats with a period of at most 16 bytes (2^-127), half of the steps between neighbouring bytes are equal
 * (2^-91), or, in a UUID, 24 of the 31 steps between its digits (2^-70) or 11 of the 15 between its bytes are (2^-61).
 */
export function isPredictable(text: string): boolean {
  const digits = text.replaceAll('-', '').toLowerCase()
  if (SHOWN.has(digits)) return true
  const nibbles = [...digits].map(digit => Number.parseInt(digit, 16))
  const bytes = nibbles.flatMap((high, place) => (place % 2 ? [] : high * 16 + (nibbles[place + 1] ?? 0)))
  if (text.includes('-')) return mostEqualSteps(nibbles, 16) >= 24 || mostEqualSteps(bytes, 256) >= 11
  return hasPeriod(nibbles) || mostEqualSteps(bytes, 256) >= bytes.length / 2
}

/** Whether digits repeat from some digit of the first half on. */
const hasPeriod = (digits: readonly number[]): boolean =>
  Array.from({ length: digits.length / 2 }, (_, place) => place + 1).some(period =>
    digits.every((digit, place) => place < period || digit === digits[place - period]),
  )

/** How many steps from one value to the next are the most frequent step. */
function mostEqualSteps(values: readonly number[], modulus: number): number {
  const steps = values.slice(1).map((value, place) => (value - (values[place] ?? 0) + modulus) % modulus)
  const alike = [...Map.groupBy(steps, step => step).values()]
  return Math.max(...alike.map(each => each.length))
}
