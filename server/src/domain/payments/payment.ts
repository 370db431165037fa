import type { Selectable } from 'kysely'
import type { Database } from '../../platform/db/tables/index.ts'
import type { EventKind, UnplacedReason } from '../../platform/db/tables/payments.ts'
import { nextMidnight, utcDay } from '../../platform/lib/time.ts'
import { LIVEMODE } from './processors.ts'

export type Payment = Selectable<Database['payment']>
export type PaymentId = Pick<Payment, 'processor' | 'paymentId'>

/** The fields that decide whether a payment belongs to a checkout. */
export type PaidCheckout = Pick<Selectable<Database['checkout']>, 'id' | 'sessionId' | 'destinationKey'>

/** Returns the earliest event that says that a payment was made. */
export const paidEventOf = (events: readonly StoredEvent[]): StoredEvent | undefined =>
  eventsOfItsMode(events)
    .filter(event => event.kind === 'paid')
    .sort(byTime)[0]

const isOfItsMode = ({ processor, livemode }: StoredEvent) => livemode === LIVEMODE[processor]

/**
 * Returns the events of the mode in force when they arrived. A payment without any uses all its events, and is not
 * credited.
 */
function eventsOfItsMode(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const ours = events.filter(isOfItsMode)
  return ours.length > 0 ? ours : events
}

/**
 * Computes a payment from all of its events. Their order and repetition make no difference. The earliest paid event
 * gives the amount, and all events of each refund and dispute give what was deducted.
 *
 * @param checkout the one that the paid event names, if it exists
 */
export function paymentFrom(
  { processor, paymentId }: PaymentId,
  allEvents: readonly StoredEvent[],
  checkout: PaidCheckout | undefined,
): Payment {
  const events = eventsOfItsMode(allEvents)
  const paid = paidEventOf(events)
  const unplaced = whyUnplaced(events, paid, checkout)
  const amounts = amountsOf(events, paid)
  const closing = paid ? amountsOf(untilMidnight(events, paid), paid) : amounts
  return {
    processor,
    paymentId,
    checkoutId: unplaced ? null : (checkout?.id ?? null),
    destinationKey: unplaced ? null : (checkout?.destinationKey ?? null),
    paidAt: paid?.occurredAt ?? null,
    day: paid ? utcDay(paid.occurredAt) : null,
    ...amounts,
    netCents: unplaced ? 0 : netOf(amounts),
    closingCents: unplaced ? 0 : netOf(closing),
    unplaced: unplaced ?? null,
  }
}

type Amounts = Pick<Payment, 'paidCents' | 'refundedCents' | 'disputedCents'>

const amountsOf = (events: readonly StoredEvent[], paid: StoredEvent | undefined): Amounts => ({
  paidCents: paid?.amountCents ?? 0,
  refundedCents: refundedCents(events, paid),
  disputedCents: disputedCents(events, paid),
})

/** A payment both refunded and disputed never counts below zero. */
const netOf = ({ paidCents, refundedCents, disputedCents }: Amounts): number =>
  Math.max(0, paidCents - refundedCents - disputedCents)

/** The events of the payment's UTC day, by the processor's clock. */
const untilMidnight = (events: readonly StoredEvent[], paid: StoredEvent): StoredEvent[] =>
  events.filter(event => event.occurredAt < nextMidnight(paid.occurredAt))

function whyUnplaced(
  events: readonly StoredEvent[],
  paid: StoredEvent | undefined,
  checkout: PaidCheckout | undefined,
): UnplacedReason | undefined {
  if (events.some(event => event.kind === 'unreadable')) return 'unreadable_event'
  if (!events.some(isOfItsMode)) return 'wrong_mode'
  if (!paid) return 'not_paid_yet'
  // Both must match: any other payment page of the same account could contain the reference alone.
  if (checkout?.id !== paid.checkoutId || checkout.sessionId !== paid.sessionId) return 'unknown_checkout'
  if (paid.currency !== 'usd') return 'wrong_currency'
  return (paid.amountCents ?? 0) > 0 ? undefined : 'no_amount'
}

const byTime = (a: StoredEvent, b: StoredEvent) => a.occurredAt - b.occurredAt || (a.eventId < b.eventId ? -1 : 1)

export type StoredEvent = Selectable<Database['processor_event']>

/**
 * Returns what an event deducts from a payment, in cents. Stripe gives a dispute in the currency of the bank that
 * opened it. If the payment's currency is different, this deducts the whole payment, because the rate is unknown.
 */
const takenOff = (event: StoredEvent, paid: StoredEvent | undefined): number =>
  (paid && event.currency !== paid.currency ? paid : event).amountCents ?? 0

/** How much of a payment is disputed or was lost in a dispute, in cents. */
const disputedCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sumOfDisputes(disputesOf(events, paid))

/** Returns how much of that was lost, unless the dispute is decided again. */
export const lostCents = (events: readonly StoredEvent[], paid: StoredEvent | undefined): number =>
  sumOfDisputes(disputesOf(events, paid).filter(({ kind }) => kind === 'dispute_lost'))

/** A dispute's current state and deduction. */
interface Dispute {
  kind: EventKind
  cents: number
}

/**
 * Ranks states by their order in a dispute. Of the two final states, the one that takes money is higher, so that the
 * board never shows too much.
 */
const RANKS: Partial<Record<EventKind, number>> = { disputed: 1, dispute_won: 2, dispute_lost: 3 }

const rankOf = (kind: EventKind): number => RANKS[kind] ?? 0

/**
 * Returns the newest event of each dispute. A closed dispute can be reopened and decided again, so no state is final,
 * and only the processor's time shows which event is newest. Within the same second, the later state wins.
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

const sumOfDisputes = (disputes: readonly Dispute[]): number => disputes.reduce((total, { cents }) => total + cents, 0)

/**
 * Returns how much of a payment was refunded, in cents.
 *
 * The processor reports each refund, and the sum so far. A refund counts from when it is made, even while pending,
 * until it has failed or was cancelled. That is final, so the order of events does not matter. Each sum was true at its
 * time. So the sum minus what has failed since is a lower bound, even if a refund's own event never arrived. All these
 * bounds hold, and the largest is the answer.
 */
function refundedCents(events: readonly StoredEvent[], paid: StoredEvent | undefined): number {
  const refunds = refundsOf(events, paid)
  const given = sumOfRefunds(refunds.filter(({ failedAt }) => failedAt === undefined))
  const atLeast = events
    .filter(event => event.kind === 'refunded')
    .map(event => takenOff(event, paid) - sumOfRefunds(refunds.filter(hasFailedSince(event.occurredAt))))
  return Math.max(0, given, ...atLeast)
}

interface Refund {
  cents: number
  /** By the processor's clock; undefined if it did not fail. */
  failedAt: number | undefined
}

function refundsOf(events: readonly StoredEvent[], paid: StoredEvent | undefined): Refund[] {
  const about = Map.groupBy(
    events.filter(event => event.kind === 'refund_made' || event.kind === 'refund_failed'),
    event => event.refundId,
  )
  return [...about.values()].map(its => {
    const failures = its.filter(event => event.kind === 'refund_failed')
    return {
      cents: Math.max(...its.map(event => takenOff(event, paid))),
      failedAt: failures.length > 0 ? Math.min(...failures.map(event => event.occurredAt)) : undefined,
    }
  })
}

/** Times are whole seconds. A refund that fails in the same second as a sum was made before it, so the sum includes it. */
const hasFailedSince =
  (at: number) =>
  ({ failedAt }: Refund): boolean =>
    failedAt !== undefined && failedAt >= at

const sumOfRefunds = (refunds: readonly Refund[]): number => refunds.reduce((total, { cents }) => total + cents, 0)
