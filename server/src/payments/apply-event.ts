import type { Selectable } from 'kysely'
import { fixedPlan } from '../storage/fixed-plan.ts'
import { putRow } from '../storage/put-row.ts'
import type { CheckoutTable } from '../storage/schema.ts'
import type { Db, Store, Trx } from '../storage/store.ts'
import type { StoredEvent } from './amounts.ts'
import { changeLedger } from './ledger-lock.ts'
import { listPaid, settleDestination } from './paid-listing.ts'
import { type Payment, type PaymentId, paidEventOf, paymentFrom } from './payment.ts'
import type { ProcessorEvent } from './processor.ts'

/**
 * Records a verified event and everything that follows from it, in one transaction: the payment, the totals and counts
 * of the boards, the listing. This is the only way in which money moves rank.
 *
 * @returns `repeated` when this event was applied before, and nothing was changed
 * @throws Problem not_ready where the ledger is held up for too long
 */
export function applyEvent(
  store: Store,
  event: ProcessorEvent,
  now: number,
): Promise<'applied' | 'repeated'> {
  return changeLedger(store, async trx => {
    const isNew = await putEvent(trx, { ...event, receivedAt: now })
    if (!isNew) return 'repeated'
    if (movesMoney(event)) await settlePayment(trx, event, now)
    return 'applied'
  })
}

const movesMoney = ({ kind }: ProcessorEvent) => kind !== 'pending' && kind !== 'failed'

/** Works the payment out anew from all of its events, and then what depends on it. */
async function settlePayment(trx: Trx, event: ProcessorEvent, now: number): Promise<void> {
  const events = await eventsOf(trx, event)
  const checkout = await paidCheckoutOf(trx, events)
  const before = events.length > 1 ? await findPayment(trx, event) : undefined
  const after = paymentFrom(event, events, checkout)
  await putPayment(trx, after)
  if (checkout && after.destinationKey) await listPaid(trx, checkout, now)
  for (const [destinationKey, days] of placesOf([before, after])) {
    await settleDestination(trx, destinationKey, days)
  }
}

const putEvent = putRow(
  'processor_event',
  [
    ...(['processor', 'eventId', 'type', 'kind', 'livemode', 'occurredAt', 'receivedAt'] as const),
    ...(['paymentId', 'sessionId', 'checkoutId', 'amountCents', 'currency'] as const),
    ...(['refundId', 'disputeId'] as const),
  ],
  { key: ['eventId', 'processor'], taken: 'keep' },
)

const putPayment = putRow(
  'payment',
  [
    ...(['processor', 'paymentId', 'checkoutId', 'destinationKey', 'paidAt', 'day'] as const),
    ...(['paidCents', 'refundedCents', 'disputedCents', 'netCents', 'unplaced'] as const),
  ],
  { key: ['paymentId', 'processor'], taken: 'replace' },
)

/** Everything that was heard of a payment. */
export const eventsOf = (db: Db, { processor, paymentId }: PaymentId): Promise<StoredEvent[]> =>
  db
    .selectFrom('processor_event')
    .selectAll()
    .where('processor', '=', processor)
    .where('paymentId', '=', fixedPlan(paymentId))
    .execute()

async function paidCheckoutOf(
  trx: Trx,
  events: readonly StoredEvent[],
): Promise<Selectable<CheckoutTable> | undefined> {
  const paid = paidEventOf(events)
  if (!paid?.checkoutId) return undefined
  return trx
    .selectFrom('checkout')
    .selectAll()
    .where('id', '=', paid.checkoutId)
    .where('processor', '=', paid.processor)
    .executeTakeFirst()
}

const findPayment = (trx: Trx, { processor, paymentId }: PaymentId): Promise<Payment | undefined> =>
  trx
    .selectFrom('payment')
    .selectAll()
    .where('processor', '=', processor)
    .where('paymentId', '=', paymentId)
    .executeTakeFirst()

/** Each destination that a payment counts for, or did, with the days it counts on. */
function placesOf(payments: readonly (Payment | undefined)[]): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const payment of payments) {
    if (!payment?.destinationKey || !payment.day) continue
    const days = places.get(payment.destinationKey) ?? []
    if (!days.includes(payment.day)) days.push(payment.day)
    places.set(payment.destinationKey, days)
  }
  return places
}
