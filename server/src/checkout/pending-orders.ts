import type { Store } from '../storage/store.ts'

/** An order whose money is on its way, as with a bank transfer. */
export interface PendingOrder {
  id: string
  amountCents: number
}

const PENDING_MAX = 3

/** The newest completed orders of a destination whose money has neither arrived nor failed. */
export async function readPending({ db }: Store, destinationKey: string): Promise<PendingOrder[]> {
  return db
    .selectFrom('checkout')
    .select(['id', 'amountCents'])
    .where('destinationKey', '=', destinationKey)
    .where('supersededAt', 'is', null)
    .where(({ and, not, exists, selectFrom }) => {
      const events = selectFrom('processor_event as event')
        .select('event.eventId')
        .whereRef('event.processor', '=', 'checkout.processor')
        .whereRef('event.sessionId', '=', 'checkout.sessionId')
      return and([
        exists(events.where('event.kind', '=', 'pending')),
        not(exists(events.where('event.kind', 'in', ['paid', 'failed']))),
      ])
    })
    .orderBy('createdAt', 'desc')
    .limit(PENDING_MAX)
    .execute()
}
