import { sql } from 'kysely'
import type { Store, Trx } from '../storage/store.ts'

/** Any number, the same on every instance: names the lock that all who change the boards take in turn. */
const LEDGER_LOCK = 7_526_311

/**
 * Lets one transaction at a time change payments and boards. On SQLite every transaction is alone already. Take it first
 * in a transaction: whoever holds a row and then waits for it could wait for ever.
 */
export async function lockLedger(store: Pick<Store, 'engine'>, trx: Trx): Promise<void> {
  if (store.engine === 'postgres') await sql`select pg_advisory_xact_lock(${LEDGER_LOCK})`.execute(trx)
}
