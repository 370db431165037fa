import type { Selectable } from 'kysely'
import type { ProcessorEventTable } from '../storage/schema.ts'

export type StoredEvent = Selectable<ProcessorEventTable>

/**
 * What an event takes off a payment, in cents. Stripe gives a dispute in the currency of the bank that opened it. If
 * that differs from the payment's currency, this takes off the whole payment, since we do not know the rate.
 */
export const takenOff = (event: StoredEvent, paid: StoredEvent | undefined): number =>
  (paid && event.currency !== paid.currency ? paid : event).amountCents ?? 0
