import { sql } from 'kysely'
import { isStoreBusy } from '../../platform/db/failures.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'

/** Any number that is the same on every instance. It names the lock for all changes of the boards. */
const LEDGER_LOCK = 7_526_311

const RETRY_AFTER_SECONDS = 5

/**
 * Runs `work` in one durable transaction, the only one that may change payments and boards at that time. Others of this
 * process wait in memory without a connection, so that reads and publishing continue.
 *
 * @throws Problem not_ready if too many wait, or the lock stays taken too long: then nothing was done
 */
export async function changeLedger<T>(store: Store, work: (trx: Trx) => Promise<T>): Promise<T> {
  const release = await store.ledgerQueue.acquire()
  if (!release) throw busy('too many changes of the ledger are waiting')
  try {
    return await store.transact(async trx => {
      // On SQLite, every transaction has the lock already. Take it before any row lock; in the other order,
      // transactions can deadlock.
      if (store.engine === 'postgres') await sql`select pg_advisory_xact_lock(${LEDGER_LOCK})`.execute(trx)
      return work(trx)
    })
  } catch (error) {
    throw isStoreBusy(error) ? busy(error) : error
  } finally {
    release()
  }
}

const busy = (cause: unknown) => new Problem('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause })

/** Reads from the ledger. @throws Problem payment_evidence_unavailable if it cannot be read, rather than guess */
export const readLedger = <T>(read: () => Promise<T>): Promise<T> =>
  read().catch(cause => {
    throw new Problem('payment_evidence_unavailable', { retryAfterSeconds: 5, cause })
  })
