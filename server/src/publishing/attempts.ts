import { randomUUID } from 'node:crypto'
import type { ErrorCode, PublishLimits } from '@placard/contract'
import { type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { Problem } from '../http/problem.ts'
import { fixedPlan } from '../storage/fixed-plan.ts'
import { prepared } from '../storage/prepared.ts'
import type { AttemptTable } from '../storage/schema.ts'
import type { Db, Store } from '../storage/store.ts'
import { secondsToMidnight, utcDay } from '../time.ts'
import type { Submission } from './submission.ts'

/**
 * How long one review may take before another request may take it over. Longer than the fetcher's queue, the fetch,
 * the readers and the reviewers together, so that only the lease of a process that died runs out.
 */
const LEASE_MS = 30_000

/** What decides on a repeat: the attempt, and what it published, null in every field of claim and listing before. */
export type Attempt = Pick<
  Selectable<AttemptTable>,
  | 'request_id'
  | 'secret_hash'
  | 'fingerprint'
  | 'state'
  | 'lease_id'
  | 'lease_until'
  | 'code'
  | 'reason'
  | 'detail'
> & {
  claim_id: string | null
  link_version: number | null
  owner_token_hash: string | null
  slug: string | null
  expires_at: number | null
  hidden_at: number | null
}

/** The right to review one attempt and settle it. */
export interface Lease {
  requestId: string
  leaseId: string
}

export async function findAttempt(store: Store, idempotencyKey: string): Promise<Attempt | undefined> {
  const [attempt] = await attemptByKey(store, idempotencyKey)
  return attempt
}

const attemptByKey = prepared((db: Db, idempotencyKey: string) =>
  db
    .selectFrom('attempt')
    .leftJoin('claim', 'claim.request_id', 'attempt.request_id')
    .leftJoin('listing', 'listing.id', 'claim.listing_id')
    .select(['attempt.request_id', 'secret_hash', 'fingerprint', 'state', 'lease_id', 'lease_until'])
    .select(['code', 'reason', 'detail'])
    .select(['claim.id as claim_id', 'claim.link_version', 'claim.owner_token_hash'])
    .select(['listing.slug', 'listing.expires_at', 'listing.hidden_at'])
    .where('attempt.idempotency_key', '=', fixedPlan(idempotencyKey))
    .compile(),
)

/**
 * Reserves a new attempt under the daily quotas. The database decides: each attempt takes the next places of its day,
 * in a transaction that no other reservation can enter, and a place past a limit undoes it.
 *
 * @returns the lease, or undefined when another request with this key was first
 * @throws Problem quota_ip, quota_host or quota_global
 */
export function reserveAttempt(
  store: Store,
  submission: Submission,
  from: { hostname: string; clientHash: string },
  limits: PublishLimits,
  now: number,
): Promise<Lease | undefined> {
  const lease = { requestId: uuidv7(), leaseId: randomUUID() }
  return store.transact(async trx => {
    if (store.engine === 'postgres') await sql`select pg_advisory_xact_lock(${QUOTA_LOCK})`.execute(trx)
    const places = await trx
      .insertInto('attempt')
      .values({
        request_id: lease.requestId,
        idempotency_key: submission.idempotencyKey,
        secret_hash: submission.secretHash,
        fingerprint: submission.fingerprint,
        hostname: from.hostname,
        client_hash: from.clientHash,
        ...nextPlaces(utcDay(now), from),
        state: 'reviewing',
        lease_id: lease.leaseId,
        lease_until: now + LEASE_MS,
        code: null,
        reason: null,
        detail: null,
        created_at: now,
        settled_at: null,
      })
      .onConflict(conflict => conflict.column('idempotency_key').doNothing())
      .returning(['nth_of_client', 'nth_of_hostname', 'nth_of_day'])
      .executeTakeFirst()
    if (!places) return undefined
    const past = quotaPast(places, limits)
    if (past) throw new Problem(past, { retryAfterSeconds: secondsToMidnight(now) })
    return lease
  })
}

/** The first quota that a place lies past, if any. */
function quotaPast(
  places: Pick<AttemptTable, 'nth_of_client' | 'nth_of_hostname' | 'nth_of_day'>,
  limits: PublishLimits,
): ErrorCode | undefined {
  if (places.nth_of_client > limits.newAttemptsPerDayPerIp) return 'quota_ip'
  if (places.nth_of_hostname > limits.newAttemptsPerDayPerHost) return 'quota_host'
  if (places.nth_of_day > limits.newAttemptsPerDayGlobal) return 'quota_global'
  return undefined
}

/** Any number, the same on every instance: names the lock that reservations take in turn on PostgreSQL. */
const QUOTA_LOCK = 7_526_310

/** The places a new attempt takes in its day, each found at the end of an index. */
const nextPlaces = (day: string, { hostname, clientHash }: { hostname: string; clientHash: string }) => ({
  day,
  nth_of_day: sql<number>`(select coalesce(max(nth_of_day), 0) + 1 from attempt where day = ${fixedPlan(day)})`,
  nth_of_client: sql<number>`(
    select coalesce(max(nth_of_client), 0) + 1 from attempt where day = ${fixedPlan(day)} and client_hash = ${fixedPlan(clientHash)}
  )`,
  nth_of_hostname: sql<number>`(
    select coalesce(max(nth_of_hostname), 0) + 1 from attempt where day = ${fixedPlan(day)} and hostname = ${fixedPlan(hostname)}
  )`,
})

/** Takes an unsettled attempt whose lease is free or has run out; undefined when another request was first. */
export async function takeOverAttempt(db: Db, attempt: Attempt, now: number): Promise<Lease | undefined> {
  const lease = { requestId: attempt.request_id, leaseId: randomUUID() }
  const { numUpdatedRows } = await db
    .updateTable('attempt')
    .set({ lease_id: lease.leaseId, lease_until: now + LEASE_MS })
    .where('request_id', '=', attempt.request_id)
    .where('state', '=', 'reviewing')
    .where('lease_id', attempt.lease_id === null ? 'is' : '=', attempt.lease_id)
    .executeTakeFirst()
  return numUpdatedRows === 1n ? lease : undefined
}

/** Gives a lease back without an outcome: the same key may try again. */
export async function releaseAttempt(db: Db, lease: Lease): Promise<void> {
  await db
    .updateTable('attempt')
    .set({ lease_id: null, lease_until: null })
    .where('request_id', '=', lease.requestId)
    .where('lease_id', '=', lease.leaseId)
    .execute()
}

/** Why an attempt was refused: kept, so that every repeat gets the same answer. */
export type Refusal = Pick<Attempt, 'code' | 'reason' | 'detail'>

/** Settles an attempt for good. @returns false when the lease was lost, and so nothing was changed */
export async function settleAttempt(
  db: Db,
  lease: Lease,
  refusal: Refusal | undefined,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('attempt')
    .set({
      ...(refusal ? { state: 'rejected', ...refusal } : { state: 'published' }),
      lease_id: null,
      lease_until: null,
      settled_at: now,
    })
    .where('request_id', '=', lease.requestId)
    .where('lease_id', '=', lease.leaseId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
