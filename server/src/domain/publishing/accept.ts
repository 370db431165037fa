import type { PublishBody } from '@placard/contract'
import { together } from '../../platform/db/statement.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Destination } from '../destinations/destination.ts'
import { addListing } from '../listings/add-listing.ts'
import { raiseFlags } from '../listings/flags.ts'
import { firstSeen } from '../listings/seen-page.ts'
import { addClaim } from '../ownership/claims.ts'
import { refuseLostKey } from '../ownership/service-keys/recorded-keys.ts'
import type { StoreAndKeys } from '../ownership/service-keys/service-keys.ts'
import type { Fetched } from '../review/page.ts'
import {
  type ReviewDependencies,
  type ReviewFacts,
  retrySecondsAfter,
  reviewDestination,
  reviewUnavailable,
} from '../review/reviewers/reviewers.ts'
import { type Lease, LeaseLost, type Refusal, releaseAttempt, settleAttempt } from './attempts.ts'
import type { Published } from './receipt.ts'
import type { Submission } from './submission.ts'

export interface AcceptDependencies extends ReviewDependencies, StoreAndKeys {
  clock: () => number
}

/** A submission with a lease, which may be reviewed. */
export interface Reserved {
  lease: Lease
  destination: Destination
  /** Of the client, broadest first. */
  networks: readonly string[]
}

/**
 * Fetches and reviews the page of a reserved attempt, and settles it: published, or refused permanently.
 *
 * @returns undefined if another request took the lease in the meantime; then nothing is written
 * @throws Problem review_rejected or destination_already_listed (stored), review_unavailable (not stored)
 */
export async function accept(
  deps: AcceptDependencies,
  reserved: Reserved,
  submission: Submission,
  body: PublishBody,
): Promise<Published | undefined> {
  const outcome = await settle(deps, reserved, submission, body).catch(async error => {
    if (error instanceof LeaseLost) return undefined
    const seconds = waitAfter(error, reserved.lease)
    const retryAt = seconds && deps.clock() + seconds * 1000
    // Frees the unsettled attempt for its key at once. If even this fails, the lease expires on its own.
    await deps.store.transact(trx => releaseAttempt(trx, reserved.lease, retryAt)).catch(() => {})
    throw seconds ? error.after(seconds) : error
  })
  if (outcome && 'code' in outcome) throw rejection(outcome, { decisionId: reserved.lease.decisionId })
  return outcome
}

/** Returns how long the website must be left alone, if it timed out. */
const waitAfter = (error: unknown, { timeouts }: Lease): number | undefined =>
  error instanceof Problem && error.reason === 'site_slow' ? retrySecondsAfter(timeouts + 1) : undefined

/** @returns what was stored: a publication, or a refusal. @throws LeaseLost */
async function settle(
  deps: AcceptDependencies,
  reserved: Reserved,
  submission: Submission,
  body: PublishBody,
): Promise<Published | Refusal> {
  const { lease, destination, networks } = reserved
  const { fetched, refusal, facts } = await review(deps, destination, { networks, admits: lease.admits })
  if (fetched) return commit(deps, reserved, submission, body, { fetched, facts })
  await deps.store.transact(trx => settleAttempt(trx, lease, refusal, facts, deps.clock()))
  return refusal
}

type Outcome = { facts: ReviewFacts } & ({ fetched: Fetched; refusal?: never } | { fetched?: never; refusal: Refusal })

/** Returns what the review of its page means for a submission. @throws Problem review_unavailable */
export async function review(
  deps: ReviewDependencies,
  destination: Destination,
  request: Parameters<typeof reviewDestination>[2],
): Promise<Outcome> {
  const reviewed = await reviewDestination(deps, destination, request)
  const { facts } = reviewed
  if (reviewed.verdict === 'pass') return { fetched: reviewed, facts }
  if (reviewed.verdict === 'cannot_tell') throw reviewUnavailable(reviewed)
  const { reason, detail = null } = reviewed
  return { refusal: { code: 'review_rejected', reason, detail }, facts }
}

/** Returns the error for a refusal, identical for the first request and every replay. */
export const rejection = (
  { code, reason, detail }: Refusal,
  details: { decisionId?: string; replayed?: boolean } = {},
): Problem => new Problem(code ?? 'internal_error', { reason, detail, ...details })

/**
 * Writes listing, claim and settled attempt in one transaction. A lost race for the destination settles as a refusal.
 */
async function commit(
  { store, serviceKeys, clock }: AcceptDependencies,
  { lease, destination }: Reserved,
  submission: Submission,
  body: PublishBody,
  { fetched, facts }: { fetched: Fetched; facts: ReviewFacts },
): Promise<Published | Refusal> {
  const now = clock()
  const { metadata } = fetched.page
  const seen = firstSeen(fetched, now)
  const taken: Refusal = { code: 'destination_already_listed', reason: null, detail: null }
  return store.transact(async trx => {
    const settleAs = (outcome: Parameters<typeof settleAttempt>[2]) => settleAttempt(trx, lease, outcome, facts, now)
    const { requestId, admits } = lease
    const writeMore = async (listingId: number) => {
      const [link] = await together([
        addClaim(trx, listingId, requestId, { ...submission, body }, serviceKeys.newest.secret, now),
        settleAs({ listingId }),
        raiseFlags(trx, listingId, facts.verdicts, admits, now),
        refuseLostKey(trx, serviceKeys),
      ])
      return link
    }
    const listing = await addListing(trx, destination, body.category, metadata, now, seen, writeMore)
    if (listing) return { requestId, status: 'published' as const, ...listing }
    await settleAs(taken)
    return taken
  })
}
