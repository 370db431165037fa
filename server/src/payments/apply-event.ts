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
    const isNew = await putEvent(trx, { ...event, received_at: now })
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
  if (checkout && after.destination_key) await listPaid(trx, checkout, now)
  for (const [destinationKey, days] of placesOf([before, after])) {
    await settleDestination(trx, destinationKey, days)
  }
}

const putEvent = putRow(
  'processor_event',
  [
    ...(['processor', 'event_id', 'type', 'kind', 'livemode', 'occurred_at', 'received_at'] as const),
    ...(['payment_id', 'session_id', 'checkout_id', 'amount_cents', 'currency'] as const),
    ...(['refund_id', 'dispute_id'] as const),
  ],
  { key: ['event_id', 'processor'], taken: 'keep' },
)

const putPayment = putRow(
  'payment',
  [
    ...(['processor', 'payment_id', 'checkout_id', 'destination_key', 'paid_at', 'day'] as const),
    ...(['paid_cents', 'refunded_cents', 'disputed_cents', 'net_cents', 'unplaced'] as const),
  ],
  { key: ['payment_id', 'processor'], taken: 'replace' },
)

/** Everything that was heard of a payment. */
export const eventsOf = (db: Db, { processor, payment_id }: PaymentId): Promise<StoredEvent[]> =>
  db
    .selectFrom('processor_event')
    .selectAll()
    .where('processor', '=', processor)
    .where('payment_id', '=', fixedPlan(payment_id))
    .execute()

async function paidCheckoutOf(
  trx: Trx,
  events: readonly StoredEvent[],
): Promise<Selectable<CheckoutTable> | undefined> {
  const paid = paidEventOf(events)
  if (!paid?.checkout_id) return undefined
  return trx
    .selectFrom('checkout')
    .selectAll()
    .where('id', '=', paid.checkout_id)
    .where('processor', '=', paid.processor)
    .executeTakeFirst()
}

const findPayment = (trx: Trx, { processor, payment_id }: PaymentId): Promise<Payment | undefined> =>
  trx
    .selectFrom('payment')
    .selectAll()
    .where('processor', '=', processor)
    .where('payment_id', '=', payment_id)
    .executeTakeFirst()

/** Each destination that a payment counts for, or did, with the days it counts on. */
function placesOf(payments: readonly (Payment | undefined)[]): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const payment of payments) {
    if (!payment?.destination_key || !payment.day) continue
    const days = places.get(payment.destination_key) ?? []
    if (!days.includes(payment.day)) days.push(payment.day)
    places.set(payment.destination_key, days)
  }
  return places
}
