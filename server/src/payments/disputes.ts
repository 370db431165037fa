import type { EventKind } from '../storage/schema.ts'
import { type StoredEvent, takenOff } from './amounts.ts'

/** What of a payment is disputed or was lost in a dispute, in cents. */
export const disputedCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sum(disputesOf(events, paid))

/** Of that, what was lost: until the dispute turns, if it ever does. */
export const lostCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sum(disputesOf(events, paid).filter(({ kind }) => kind === 'dispute_lost'))

/** A dispute as it is now, with what it takes off. */
interface Dispute {
  kind: EventKind
  cents: number
}

/** By state: what comes later in a dispute, and of its two ends the one that takes money, for the board shows no more than there is. */
const RANKS: Partial<Record<EventKind, number>> = { disputed: 1, dispute_won: 2, dispute_lost: 3 }

const rankOf = (kind: EventKind): number => RANKS[kind] ?? 0

/**
 * Each dispute by the newest that was heard of it. One that is closed may be opened again, won or lost again, so no state
 * of it is final, and only the time at which the processor made the event says which is the newest. Of the same second,
 * the one that comes later in a dispute.
 */
function disputesOf(events: readonly StoredEvent[], paid: StoredEvent | undefined): Dispute[] {
  const about = Map.groupBy(
    events.filter(event => rankOf(event.kind) > 0),
    event => event.disputeId,
  )
  return [...about.values()].flatMap(its =>
    its
      .map(event => ({ at: event.occurredAt, kind: event.kind, cents: centsOf(event, paid) }))
      .sort((a, b) => b.at - a.at || rankOf(b.kind) - rankOf(a.kind) || b.cents - a.cents)
      .slice(0, 1),
  )
}

const centsOf = (event: StoredEvent, paid: StoredEvent | undefined): number =>
  event.kind === 'dispute_won' ? 0 : takenOff(event, paid)

const sum = (disputes: readonly Dispute[]): number => disputes.reduce((total, { cents }) => total + cents, 0)
