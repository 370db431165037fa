import type { Store } from '../storage/store.ts'

/** An order whose money is on its way, as with a bank transfer. */
export interface PendingOrder {
  id: string
  amountCents: number
}

const PENDING_MAX = 3

/** The newest orders of a destination that were gone through with, and whose money neither came nor failed to come. */
export async function readPending({ db }: Store, destinationKey: string): Promise<PendingOrder[]> {
  return db
    .selectFrom('checkout')
    .select(['id', 'amount_cents as amountCents'])
    .where('destination_key', '=', destinationKey)
    .where('superseded_at', 'is', null)
    .where(({ and, not, exists, selectFrom }) => {
      const events = selectFrom('processor_event as event')
        .select('event.event_id')
        .whereRef('event.processor', '=', 'checkout.processor')
        .whereRef('event.session_id', '=', 'checkout.session_id')
      return and([
        exists(events.where('event.kind', '=', 'pending')),
        not(exists(events.where('event.kind', 'in', ['paid', 'failed']))),
      ])
    })
    .orderBy('created_at', 'desc')
    .limit(PENDING_MAX)
    .execute()
}
