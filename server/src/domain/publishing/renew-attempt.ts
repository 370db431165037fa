import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { statement } from '../../platform/db/statement.ts'
import type { Db, Trx } from '../../platform/db/store.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { readAdmitted } from '../review/reviewers/admitted.ts'
import { notYet } from '../review/reviewers/reviewers.ts'
import { type Attempt, decisionIdOf, LEASE_MS, type Lease } from './attempts.ts'
import type { CountedAs } from './quotas.ts'
import type { Submission } from './submission.ts'

/**
 * Leases an unsettled attempt whose lease is free or expired; undefined if another request was first, or if the attempt
 * belongs to another key since it was read (`renewAttempt`).
 */
export async function takeOverAttempt(db: Db, attempt: Attempt, now: number): Promise<Lease | undefined> {
  const lease = {
    requestId: attempt.requestId,
    leaseId: randomUUID(),
    decisionId: decisionIdOf(attempt),
    admits: readAdmitted(attempt.admits),
    timeouts: attempt.timeouts,
  }
  const { numUpdatedRows } = await db
    .updateTable('attempt')
    .set({ leaseId: lease.leaseId, leaseUntil: now + LEASE_MS })
    .where('requestId', '=', attempt.requestId)
    .where('state', '=', 'reviewing')
    .where('leaseId', attempt.leaseId === null ? 'is' : '=', attempt.leaseId)
    .executeTakeFirst()
  return numUpdatedRows === 1n ? lease : undefined
}

/**
 * Gives a new key the place of what the same client sent for the same body today and what got no outcome. A caller who
 * makes a new key after a 503 thus does not use up another of the day's submissions. The earlier key is forgotten.
 *
 * Strangers may share the client's address, so the id is new, too. A request that read the attempt under the earlier
 * key can no longer lease it, and publish what only the later key recovers. A submission with a webhook keeps its key.
 *
 * @param submission whose new attempt was reserved in this transaction, and is deleted
 * @returns the lease; undefined if there is no such attempt, or `taken` if another request has leased it meanwhile
 * @throws Problem review_unavailable if its website timed out and must not be fetched yet; then nothing is changed
 */
export async function renewAttempt(
  trx: Trx,
  { idempotencyKey, secretHash, fingerprint }: Submission,
  from: CountedAs,
  now: number,
): Promise<Lease | 'taken' | undefined> {
  const [unsettled] = await unsettledOf(trx, { ...from, fingerprint, day: utcDay(now) })
  if (!unsettled) return undefined
  const tooEarly = notYet(unsettled.retryAt, now)
  if (tooEarly) throw tooEarly
  const requestId = uuidv7()
  const leaseId = randomUUID()
  // Leased at once: keys that only took it from each other would never be reviewed.
  await trx.deleteFrom('attempt').where('idempotencyKey', '=', idempotencyKey).execute()
  const { numUpdatedRows } = await trx
    .updateTable('attempt')
    .set({ requestId, idempotencyKey, secretHash, leaseId, leaseUntil: now + LEASE_MS, createdAt: now })
    .where('requestId', '=', unsettled.requestId)
    .where('state', '=', 'reviewing')
    .where('leaseId', 'is', null)
    .executeTakeFirst()
  const lease = { requestId, leaseId, decisionId: requestId, admits: [], timeouts: unsettled.timeouts }
  return numUpdatedRows === 1n ? lease : 'taken'
}

/** Found by the index of a website's attempts of a day, which are few. One that an appeal reopened keeps its key. */
const unsettledOf = statement(
  { day: 'text', hostname: 'text', clientHash: 'text', networkHash: 'text', fingerprint: 'text' },
  ({ day, hostname, clientHash, fingerprint }, db) =>
    db
      .selectFrom('attempt')
      .select(['requestId', 'timeouts', 'retryAt'])
      .where('day', '=', day)
      .where('hostname', '=', hostname)
      .where('clientHash', '=', clientHash)
      .where('fingerprint', '=', fingerprint)
      .where('state', '=', 'reviewing')
      .where('leaseId', 'is', null)
      .where('decisionId', 'is', null)
      .where('requestId', 'not in', db.selectFrom('submission_webhook').select('requestId'))
      .limit(1),
)
