import type { Selectable } from 'kysely'
import type { ProcessorEventTable } from '../storage/schema.ts'

export type StoredEvent = Selectable<ProcessorEventTable>

/**
 * What an event takes off a payment, in cents. Stripe tells a dispute in the currency of the bank that opened it: of
 * another currency than was paid in, the whole payment is taken off, for nobody here knows the rate.
 */
export const takenOff = (event: StoredEvent, paid: StoredEvent | undefined): number =>
  (paid && event.currency !== paid.currency ? paid : event).amountCents ?? 0
