import { changeLedger } from '../payments/ledger-lock.ts'
import { ROWS_AT_ONCE } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/**
 * Decides on the oldest orders from before a time: one without any event was never paid, and is deleted. All others
 * stay for good, as the record of what was paid for.
 *
 * @returns how many it decided on
 */
export function forgetUnpaidOrders(store: Store, before: number, now: number): Promise<number> {
  // Under the ledger's lock: a concurrent event is credited to an existing order or to none.
  return changeLedger(store, async trx => {
    const orders = await trx
      .selectFrom('checkout')
      .select(({ exists, selectFrom }) => [
        'id',
        exists(
          selectFrom('processor_event as event')
            .select('event.eventId')
            .whereRef('event.processor', '=', 'checkout.processor')
            .whereRef('event.sessionId', '=', 'checkout.sessionId'),
        ).as('isHeardOf'),
      ])
      .where('keptAt', 'is', null)
      .where('createdAt', '<', before)
      .orderBy('createdAt')
      .limit(ROWS_AT_ONCE)
      .execute()
    const [heardOf, unpaid] = [true, false].map(wanted =>
      orders.filter(({ isHeardOf }) => Boolean(isHeardOf) === wanted).map(({ id }) => id),
    ) as [string[], string[]]
    if (heardOf.length > 0) {
      await trx.updateTable('checkout').set({ keptAt: now }).where('id', 'in', heardOf).execute()
    }
    if (unpaid.length > 0) await trx.deleteFrom('checkout').where('id', 'in', unpaid).execute()
    return orders.length
  })
}
