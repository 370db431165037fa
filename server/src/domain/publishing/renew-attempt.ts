import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { utcDay } from '../../platform/lib/time.ts'
import type { CountedAs } from './quotas.ts'
import type { Submission } from './submission.ts'

/**
 * Continues, under a new key, what the same client sent for the same body today and what got no outcome. A caller who
 * makes a new key after a 503 thus does not use up another of the day's submissions. The earlier key is forgotten.
 *
 * @returns false if there is no such attempt
 */
export async function renewAttempt(store: Store, submission: Submission, from: CountedAs, now: number) {
  const { idempotencyKey, secretHash, fingerprint } = submission
  const [unsettled] = await unsettledOf(store, { ...from, fingerprint, day: utcDay(now) })
  if (!unsettled) return false
  return store.transact(async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('attempt')
      .set({ idempotencyKey, secretHash })
      .where('requestId', '=', unsettled.requestId)
      .where('state', '=', 'reviewing')
      .where('leaseId', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  })
}

/** Found by the index of a website's attempts of a day, which are few. One that an appeal reopened keeps its key. */
const unsettledOf = statement(
  { day: 'text', hostname: 'text', clientHash: 'text', networkHash: 'text', fingerprint: 'text' },
  ({ day, hostname, clientHash, fingerprint }, db) =>
    db
      .selectFrom('attempt')
      .select('requestId')
      .where('day', '=', day)
      .where('hostname', '=', hostname)
      .where('clientHash', '=', clientHash)
      .where('fingerprint', '=', fingerprint)
      .where('state', '=', 'reviewing')
      .where('leaseId', 'is', null)
      .where('decisionId', 'is', null)
      .limit(1),
)
