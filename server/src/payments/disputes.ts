import type { EventKind } from '../storage/schema.ts'
import { type StoredEvent, takenOff } from './amounts.ts'

/** How much of a payment is disputed or was lost in a dispute, in cents. */
export const disputedCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sum(disputesOf(events, paid))

/** How much of that was lost, unless the dispute is decided again. */
export const lostCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sum(disputesOf(events, paid).filter(({ kind }) => kind === 'dispute_lost'))

/** A dispute's current state, and what it takes off. */
interface Dispute {
  kind: EventKind
  cents: number
}

/** Ranks states by when they come in a dispute. Of the two ends, the one that takes money is higher, so that the board never shows too much. */
const RANKS: Partial<Record<EventKind, number>> = { disputed: 1, dispute_won: 2, dispute_lost: 3 }

const rankOf = (kind: EventKind): number => RANKS[kind] ?? 0

/**
 * The newest event of each dispute. A closed dispute can be reopened and decided again, so no state is final, and only
 * the processor's time tells which event is newest. Within the same second, the later state wins.
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
