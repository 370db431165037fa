import { sql } from 'kysely'
import { Problem } from '../http/problem.ts'
import { createSlots, type Slots } from '../slots.ts'
import type { Engine, Store, Trx } from '../storage/store.ts'
import { isStoreBusy } from '../storage/store-failure.ts'

/** Any number, the same on every instance: names the lock that all who change the boards take in turn. */
const LEDGER_LOCK = 7_526_311

/**
 * How many of one process change the ledger at a time. On PostgreSQL each would only hold a connection and wait for the
 * lock, so one does; on SQLite those who come together share one commit.
 */
const AT_ONCE_MAX: Record<Engine, number> = { postgres: 1, sqlite: 64 }

/** Who would have to wait longer, or behind more, is told to come again: a processor delivers again by itself. */
const WAIT_MAX_MS = 15_000
const WAITERS_MAX = 1000
const RETRY_AFTER_SECONDS = 5

/**
 * Runs `work` in one durable transaction that alone may change payments and boards. Others of this process wait in
 * memory and not on a connection, so that however many they are, reads and publishing go on.
 *
 * @throws Problem not_ready where too many wait, or it is held up for too long: nothing was done then
 */
export async function changeLedger<T>(store: Store, work: (trx: Trx) => Promise<T>): Promise<T> {
  const leave = await slotsOf(store).enter()
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

const slots = new WeakMap<Store, Slots>()

function slotsOf(store: Store): Slots {
  const known = slots.get(store)
  if (known) return known
  const made = createSlots({
    atOnceMax: AT_ONCE_MAX[store.engine],
    waitersMax: WAITERS_MAX,
    waitMs: WAIT_MAX_MS,
  })
  slots.set(store, made)
  return made
}

const busy = (cause: unknown) => new Problem('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause })
