import { randomUUID } from 'node:crypto'
import type { PublishLimits } from '@placard/contract'
import { type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { statement, together } from '../../platform/db/statement.ts'
import type { Db, Runner, Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { groundOfRefusal } from '../decisions/grounds.ts'
import { recordDecision } from '../decisions/record.ts'
import { type Judged, readAdmitted, refusalsInFacts } from '../review/reviewers/admitted.ts'
import { type CountedAs, hasTriedHost, lockQuotas, nextPlaces, quotaProblem } from './quotas.ts'
import type { Submission } from './submission.ts'

/**
 * How long a lease lasts. It is longer than the fetcher's queue, fetch, readers and reviewers together, so that only a
 * dead process's lease expires.
 */
export const LEASE_MS = 30_000

/** Returns whether the lease of an attempt is valid. One that ends too late is from before the clock was set back. */
export const isUnderWay = ({ leaseUntil }: Pick<Attempt, 'leaseUntil'>, now: number): boolean =>
  leaseUntil !== null && leaseUntil > now && leaseUntil <= now + 2 * LEASE_MS

/** The data for the answer to a replay. Until it is published, all fields of claim and listing are null. */
export type Attempt = Pick<
  Selectable<Database['attempt']>,
  | 'requestId'
  | 'secretHash'
  | 'fingerprint'
  | 'state'
  | 'leaseId'
  | 'leaseUntil'
  | 'code'
  | 'reason'
  | 'detail'
  | 'admits'
  | 'decisionId'
  | 'timeouts'
  | 'retryAt'
  | 'hostname'
  | 'createdAt'
> & {
  claimId: string | null
  linkVersion: number | null
  listingId: number | null
  ownerTokenHash: string | null
  approval: 'browser' | null
  slug: string | null
  expiresAt: number | null
  hiddenAt: number | null
}

/** The right to review one attempt and settle it. */
export interface Lease {
  requestId: string
  leaseId: string
  decisionId: string
  /** Refusals to ignore, because an appeal reversed them. */
  admits: readonly Judged[]
  /** How many times its website timed out. */
  timeouts: number
}

export async function findAttempt(store: Runner, idempotencyKey: string): Promise<Attempt | undefined> {
  const [attempt] = await attemptByKey(store, { idempotencyKey })
  return attempt
}

const attemptByKey = statement({ idempotencyKey: 'text' }, ({ idempotencyKey }, db) =>
  db
    .selectFrom('attempt')
    .leftJoin('claim', 'claim.requestId', 'attempt.requestId')
    .leftJoin('listing', 'listing.id', 'claim.listingId')
    .select(['attempt.requestId', 'secretHash', 'fingerprint', 'state', 'leaseId', 'leaseUntil', 'createdAt'])
    .select(['code', 'reason', 'detail', 'admits', 'decisionId', 'timeouts', 'retryAt', 'attempt.hostname'])
    .select(['claim.id as claimId', 'claim.listingId', 'claim.linkVersion', 'claim.ownerTokenHash', 'claim.approval'])
    .select(['listing.slug', 'listing.expiresAt', 'listing.hiddenAt'])
    .where('attempt.idempotencyKey', '=', idempotencyKey),
)

/**
 * Reserves a new attempt under the daily quotas. The database decides: each attempt takes its day's next places, in a
 * transaction that excludes other reservations, and a place past a limit rolls it back.
 *
 * @param renew gives the attempt the place of an earlier one for its website
 * @returns the lease, or undefined if another request with this key was first
 * @throws Problem quota_ip, quota_host or quota_global
 */
export function reserveAttempt(
  store: Store,
  submission: Submission,
  from: CountedAs,
  limits: PublishLimits,
  now: number,
  renew: (trx: Trx, submission: Submission, from: CountedAs, now: number) => Promise<Lease | 'taken' | undefined>,
): Promise<Lease | undefined> {
  const requestId = uuidv7()
  const lease = { requestId, leaseId: randomUUID(), decisionId: requestId, admits: [], timeouts: 0 }
  return store.transact(async trx => {
    const attempt = {
      ...lease,
      idempotencyKey: submission.idempotencyKey,
      secretHash: submission.secretHash,
      fingerprint: submission.fingerprint,
      ...from,
      day: utcDay(now),
      leaseUntil: now + LEASE_MS,
      createdAt: now,
    }
    const [, [places]] = await together([lockQuotas(trx), putAttempt(trx, attempt)])
    if (!places) return undefined
    const renewed = places.nthOfHostname > 1 ? await renew(trx, submission, from, now) : undefined
    if (renewed) return renewed === 'taken' ? undefined : renewed
    // Most attempts are far from any limit, so the check of the network is skipped.
    if (quotaProblem({ ...places, hasTried: true }, limits, now)) {
      const hasTried = await hasTriedHost(trx, { ...from, day: utcDay(now), requestId })
      const past = quotaProblem({ ...places, hasTried }, limits, now)
      if (past) throw past
    }
    return lease
  })
}

/** Inserts an attempt at its day's next places. */
const putAttempt = statement(
  {
    requestId: 'text',
    idempotencyKey: 'text',
    secretHash: 'text',
    fingerprint: 'text',
    hostname: 'text',
    clientHash: 'text',
    networkHash: 'text',
    day: 'text',
    leaseId: 'text',
    leaseUntil: 'bigint',
    createdAt: 'bigint',
  },
  (attempt, db) =>
    db
      .insertInto('attempt')
      .values({ ...attempt, ...nextPlaces(attempt), state: 'reviewing' })
      .onConflict(conflict => conflict.column('idempotencyKey').doNothing())
      .returning(['nthOfClient', 'nthOfNetwork', 'nthOfHostname', 'nthOfDay']),
)

/** Returns the id of the decision about an attempt. The first has the attempt's own id, so publishing needs no index. */
export const decisionIdOf = ({ decisionId, requestId }: Pick<Attempt, 'decisionId' | 'requestId'>): string =>
  decisionId ?? requestId

/**
 * Reopens a refused attempt, so that its key may try once more, under the quotas it has already used. The reversed
 * refusals no longer count, but all others do.
 *
 * Does nothing if it is no longer refused, or was deleted.
 *
 * @param facts of the reversed decision: what was judged
 */
export async function reopenAttempt(trx: Trx, requestId: string, facts: string | null, now: number): Promise<void> {
  const attempt = await trx
    .selectFrom('attempt')
    .select('admits')
    .where('requestId', '=', requestId)
    .where('state', '=', 'rejected')
    .executeTakeFirst()
  if (!attempt) return
  const admits = [...readAdmitted(attempt.admits), ...refusalsInFacts(facts)]
  await trx
    .updateTable('attempt')
    .set({ state: 'reviewing', code: null, reason: null, detail: null, settledAt: now })
    .set({ admits: admits.length > 0 ? JSON.stringify(admits) : null, decisionId: uuidv7() })
    .where('requestId', '=', requestId)
    .execute()
}

/**
 * Releases a lease without an outcome, so that the same key may retry.
 *
 * @param retryAt not before this time, because the website timed out
 */
export async function releaseAttempt(db: Db, lease: Lease, retryAt?: number): Promise<void> {
  await db
    .updateTable('attempt')
    .set({ leaseId: null, leaseUntil: null })
    .$if(retryAt !== undefined, query => query.set({ timeouts: lease.timeouts + 1, retryAt: retryAt ?? null }))
    .where('requestId', '=', lease.requestId)
    .where('leaseId', '=', lease.leaseId)
    .execute()
}

/** Why an attempt was refused. It is stored, so that every replay gets the same answer. */
export type Refusal = Pick<Attempt, 'code' | 'reason' | 'detail'>

/**
 * Settles an attempt, permanently unless an appeal reopens it, and records the decision.
 *
 * @param listingId of what was published; without it, the attempt is refused
 * @throws LeaseLost if another request has it; then the transaction must be rolled back
 */
export async function settleAttempt(
  trx: Trx,
  { requestId, leaseId, decisionId }: Lease,
  outcome: Refusal | { listingId: number },
  facts: object,
  now: number,
): Promise<void> {
  const isPublished = 'listingId' in outcome
  const { code, reason, detail } = isPublished ? NO_REFUSAL : outcome
  const state = isPublished ? 'published' : 'rejected'
  const settled = settle(trx, { requestId, leaseId, state, code, reason, detail, now })
  const recorded = recordDecision(trx, {
    id: decisionId,
    requestId,
    facts,
    actor: 'automatic',
    at: now,
    ...(isPublished
      ? { kind: 'accept', ground: 'rules/review', reason: 'passed_review', listingId: outcome.listingId }
      : { kind: 'refuse', ground: groundOfRefusal(reason), reason: reason ?? code ?? 'refused' }),
  })
  await Promise.allSettled([settled, recorded])
  if ((await settled).length === 0) throw new LeaseLost()
  await recorded
}

/** Rolls back the transaction of a request that lost its lease. */
export class LeaseLost extends Error {}

const NO_REFUSAL: Refusal = { code: null, reason: null, detail: null }

const settle = statement(
  { requestId: 'text', leaseId: 'text', state: 'text', now: 'bigint', code: 'text?', reason: 'text?', detail: 'text?' },
  ({ requestId, leaseId, state, code, reason, detail, now }) => sql`
    update attempt
    set state = ${state}, code = ${code}, reason = ${reason}, detail = ${detail},
      "leaseId" = null, "leaseUntil" = null, "settledAt" = ${now}
    where "requestId" = ${requestId} and "leaseId" = ${leaseId}
    returning "requestId"`,
)
