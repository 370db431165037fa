import type { EventKind } from '../storage/schema.ts'
import { type StoredEvent, takenOff } from './amounts.ts'

/** What of a payment is disputed or was lost in a dispute, in cents. */
export const disputedCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sum(newestOfDisputes(events), paid)

/** Of that, what was lost: until the dispute turns, if it ever does. */
export const lostCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sum(
    newestOfDisputes(events).filter(event => event.kind === 'dispute_lost'),
    paid,
  )

/** By state: what comes later in a dispute, and of its two ends the one that takes money, for the board shows no more than there is. */
const RANKS: Partial<Record<EventKind, number>> = { disputed: 1, dispute_won: 2, dispute_lost: 3 }

const rankOf = ({ kind }: StoredEvent): number => RANKS[kind] ?? 0

/**
 * The newest that was heard of each dispute. One that is closed may be opened again, won or lost again, so no state of
 * it is final, and only the time at which the processor made the event says which is the newest. Of the same second, the
 * one that comes later in a dispute.
 */
function newestOfDisputes(events: readonly StoredEvent[]): StoredEvent[] {
  const about = Map.groupBy(
    events.filter(event => rankOf(event) > 0),
    event => event.dispute_id,
  )
  return [...about.values()].flatMap(its => its.sort(newestFirst).slice(0, 1))
}

const newestFirst = (a: StoredEvent, b: StoredEvent): number =>
  b.occurred_at - a.occurred_at || rankOf(b) - rankOf(a) || (b.amount_cents ?? 0) - (a.amount_cents ?? 0)

const sum = (newest: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  newest
    .filter(event => event.kind !== 'dispute_won')
    .reduce((total, event) => total + takenOff(event, paid), 0)
