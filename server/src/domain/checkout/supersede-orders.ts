import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { Problem } from '../../platform/http/problem.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { changeLedger } from '../boards/ledger.ts'
import type { StripeAccount } from '../payments/stripe.ts'

interface OrderStores {
  store: Store
  stripe: StripeAccount
  clock: () => number
}

type Staying = Pick<Database['checkout'], 'id' | 'destinationKey'>
type Superseded = Pick<Database['checkout'], 'id' | 'destinationKey' | 'processor'> & { sessionId: string }
type Log = Pick<FastifyBaseLogger, 'warn'>

/**
 * Marks all open orders of a destination except one as superseded. If several arrive at once, the last one stays. An
 * order without a payment page yet is left alone, because it will supersede the others itself. An order with any event
 * was completed, and stays, too.
 *
 * @returns the superseded orders, whose sessions should be expired
 */
export async function supersedeOthers(trx: Trx, stays: Staying, now: number): Promise<Superseded[]> {
  return trx
    .updateTable('checkout')
    .set({ supersededAt: now })
    .where('destinationKey', '=', stays.destinationKey)
    .where('id', '!=', stays.id)
    .where('sessionId', 'is not', null)
    .where('supersededAt', 'is', null)
    .where(hasNoEvent)
    .returning(['id', 'destinationKey', 'processor', sql<string>`"sessionId"`.as('sessionId')])
    .execute()
}

const hasNoEvent = sql<boolean>`not exists (
  select 1 from processor_event as event
  where event.processor = checkout.processor and event."sessionId" = checkout."sessionId"
)`

/** Longer than any order takes to close the payment pages of those that it superseded. */
export const CLOSING_MS = MINUTE_MS

/**
 * The orders of a destination that were superseded since then, and whose payment pages may still be open. One of them
 * may turn out to be paid, with its event still to come.
 */
export const supersededSince = (trx: Trx, { destinationKey }: Staying, since: number): Promise<Superseded[]> =>
  trx
    .selectFrom('checkout')
    .select(['id', 'destinationKey', 'processor', sql<string>`"sessionId"`.as('sessionId')])
    .where('destinationKey', '=', destinationKey)
    .where('sessionId', 'is not', null)
    .where('supersededAt', '>=', since)
    .where(hasNoEvent)
    .execute()

/**
 * Closes payment pages, best effort: a payment on a page that stays open still counts.
 *
 * @returns the order that turns out to be paid, if any, with its event still to come
 */
export async function closeAll(
  { stripe }: Pick<OrderStores, 'stripe'>,
  superseded: readonly Superseded[],
  log: Log,
): Promise<Superseded | undefined> {
  const ours = superseded.filter(order => order.processor === stripe.name)
  const found = await Promise.all(ours.map(order => closeSession(stripe, order.sessionId, log)))
  return ours.find((_, at) => found[at] === 'complete')
}

export async function closeSession(stripe: StripeAccount, sessionId: string, log: Log) {
  try {
    return await stripe.expireSession(sessionId)
  } catch (error) {
    const err = error instanceof Problem ? error.cause : error
    log.warn({ err, sessionId }, 'could not close a superseded payment page')
    return undefined
  }
}

/** Reinstates a paid order that newer ones superseded. */
export async function reinstateOrder(deps: OrderStores, waiting: Superseded, log: Log): Promise<void> {
  const { store, clock } = deps
  const newer = await changeLedger(store, async trx => {
    const others = await supersedeOthers(trx, waiting, clock())
    await trx.updateTable('checkout').set({ supersededAt: null }).where('id', '=', waiting.id).execute()
    return others
  })
  await closeAll(deps, newer, log)
}
