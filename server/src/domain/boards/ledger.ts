import { sql } from 'kysely'
import { isStoreBusy } from '../../platform/db/failures.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'

/** Any number, the same on every instance: names the lock that all who change the boards take in turn. */
const LEDGER_LOCK = 7_526_311

const RETRY_AFTER_SECONDS = 5

/**
 * Runs `work` in one durable transaction that alone may change payments and boards. Others of this process wait in
 * memory and not on a connection, so that however many they are, reads and publishing go on.
 *
 * @throws Problem not_ready where too many wait, or it is held up for too long: nothing was done then
 */
export async function changeLedger<T>(store: Store, work: (trx: Trx) => Promise<T>): Promise<T> {
  const leave = await store.ledgerQueue.enter()
  if (!leave) throw busy('too many changes of the ledger are waiting')
  try {
    return await store.transact(async trx => {
      // On SQLite every transaction is alone already. First of all: whoever holds a row and waits could wait for ever.
      if (store.engine === 'postgres') await sql`select pg_advisory_xact_lock(${LEDGER_LOCK})`.execute(trx)
      return work(trx)
    })
  } catch (error) {
    throw isStoreBusy(error) ? busy(error) : error
  } finally {
    leave()
  }
}

const busy = (cause: unknown) => new Problem('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause })

/** Reads from the ledger. @throws Problem payment_evidence_unavailable if it cannot be read, instead of guessing */
export async function readLedger<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new Problem('payment_evidence_unavailable', { retryAfterSeconds: 5, cause })
  }
}
