import type { Selectable } from 'kysely'
import type { CheckoutTable, PaymentTable, UnplacedReason } from '../storage/schema.ts'
import { nextMidnight, utcDay } from '../time.ts'
import type { StoredEvent } from './amounts.ts'
import { disputedCents } from './disputes.ts'
import { LIVEMODE } from './livemode.ts'
import { refundedCents } from './refunds.ts'

export type Payment = Selectable<PaymentTable>
export type PaymentId = Pick<Payment, 'processor' | 'paymentId'>
/** The fields that decide whether a payment belongs to a checkout. */
export type PaidCheckout = Pick<Selectable<CheckoutTable>, 'id' | 'sessionId' | 'destinationKey'>

/** The earliest event that says that a payment was made. */
export const paidEventOf = (events: readonly StoredEvent[]): StoredEvent | undefined =>
  believed(events)
    .filter(event => event.kind === 'paid')
    .sort(byTime)[0]

const isOfItsMode = ({ processor, livemode }: StoredEvent) => livemode === LIVEMODE[processor]

/** Events of the mode in force when they arrived. A payment without any uses all its events, and is not credited. */
function believed(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const ours = events.filter(isOfItsMode)
  return ours.length > 0 ? ours : events
}

/**
 * Computes a payment from all of its events. Their order and repetition make no difference: the earliest paid event
 * gives the amount, and all events of each refund and dispute give what was taken off.
 *
 * @param checkout the one that the paid event names, if it exists
 */
export function paymentFrom(
  { processor, paymentId }: PaymentId,
  heard: readonly StoredEvent[],
  checkout: PaidCheckout | undefined,
): Payment {
  const events = believed(heard)
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
  // Both must match: any other payment page of the same account could carry the reference alone.
  if (checkout?.id !== paid.checkoutId || checkout.sessionId !== paid.sessionId) return 'unknown_checkout'
  if (paid.currency !== 'usd') return 'wrong_currency'
  return (paid.amountCents ?? 0) > 0 ? undefined : 'no_amount'
}

const byTime = (a: StoredEvent, b: StoredEvent) =>
  a.occurredAt - b.occurredAt || (a.eventId < b.eventId ? -1 : 1)
