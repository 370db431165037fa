import type { Insertable, Selectable, Updateable } from 'kysely'
import { rememberPlacesTaken } from '../boards/places-taken.ts'
import type { CheckoutTable, PaymentTable, ProcessorEventTable, ProcessorName } from '../storage/schema.ts'
import { type Runner, statement } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'
import type { StoredEvent } from './amounts.ts'
import { changeLedger } from './ledger-lock.ts'
import { listPaid, settleDestination } from './paid-listing.ts'
import { type Payment, type PaymentId, paidEventOf, paymentFrom } from './payment.ts'
import type { ProcessorEvent } from './stripe-events.ts'

/**
 * Records a verified event and everything that follows from it, in one transaction: the payment, the boards' totals and
 * counts, the listing. Money moves rank only through this function.
 *
 * @returns `repeated` if this event was applied before; then nothing changes
 * @throws Problem not_ready if the ledger stays locked too long
 */
export function applyEvent(
  store: Store,
  event: ProcessorEvent,
  now: number,
): Promise<'applied' | 'repeated'> {
  return changeLedger(store, async trx => {
    const added = await putEvent(trx, { ...event, receivedAt: now })
    if (added.length === 0) return 'repeated'
    if (movesMoney(event)) await settlePayment(trx, event, now)
    return 'applied'
  })
}

const movesMoney = ({ kind }: ProcessorEvent) => kind !== 'pending' && kind !== 'failed'

/** Recomputes the payment from all of its events, and then what depends on it. */
async function settlePayment(trx: Trx, event: ProcessorEvent, now: number): Promise<void> {
  const events = await eventsOf(trx, event)
  const checkout = await paidCheckoutOf(trx, events)
  const before = events.length > 1 ? await findPayment(trx, event) : undefined
  const after = paymentFrom(event, events, checkout)
  await putPayment(trx, after)
  if (checkout && after.destinationKey) await listPaid(trx, checkout, now)
  for (const [destinationKey, days] of placesOf([before, after])) {
    const rises = await settleDestination(trx, destinationKey, days)
    if (event.kind === 'paid') await rememberPlacesTaken(trx, destinationKey, rises, now)
  }
}

const putEvent = statement(
  {
    ...{ processor: 'text', eventId: 'text', type: 'text', kind: 'text', livemode: 'bigint' },
    ...{ occurredAt: 'bigint', receivedAt: 'bigint' },
    ...{
      paymentId: 'text',
      sessionId: 'text?',
      checkoutId: 'text?',
      amountCents: 'bigint?',
      currency: 'text?',
    },
    ...{ refundId: 'text?', disputeId: 'text?' },
  },
  (event, db) =>
    db
      .insertInto('processor_event')
      .values(event as Insertable<ProcessorEventTable>)
      .onConflict(conflict => conflict.columns(['eventId', 'processor']).doNothing())
      .returning('eventId'),
)

const putPayment = statement(
  {
    ...{ processor: 'text', paymentId: 'text' },
    ...{ checkoutId: 'text?', destinationKey: 'text?', paidAt: 'bigint?', day: 'text?' },
    ...{ paidCents: 'bigint', refundedCents: 'bigint', disputedCents: 'bigint', netCents: 'bigint' },
    closingCents: 'bigint',
    ...{ unplaced: 'text?' },
  },
  ({ processor, paymentId, ...amounts }, db) =>
    db
      .insertInto('payment')
      .values({ processor, paymentId, ...amounts } as Insertable<PaymentTable>)
      .onConflict(conflict =>
        conflict.columns(['paymentId', 'processor']).doUpdateSet(amounts as Updateable<PaymentTable>),
      ),
)

/** All events about a payment. */
export const eventsOf: (runner: Runner, payment: PaymentId) => Promise<StoredEvent[]> = statement(
  { processor: 'text', paymentId: 'text' },
  ({ processor, paymentId }, db) =>
    db
      .selectFrom('processor_event')
      .selectAll()
      .where('processor', '=', processor as ProcessorName)
      .where('paymentId', '=', paymentId),
)

async function paidCheckoutOf(
  trx: Trx,
  events: readonly StoredEvent[],
): Promise<Selectable<CheckoutTable> | undefined> {
  const paid = paidEventOf(events)
  if (!paid?.checkoutId) return undefined
  const [checkout] = await checkoutOf(trx, { id: paid.checkoutId, processor: paid.processor })
  return checkout
}

const checkoutOf = statement({ id: 'text', processor: 'text' }, ({ id, processor }, db) =>
  db
    .selectFrom('checkout')
    .selectAll()
    .where('id', '=', id)
    .where('processor', '=', processor as ProcessorName),
)

async function findPayment(trx: Trx, { processor, paymentId }: PaymentId): Promise<Payment | undefined> {
  const [payment] = await paymentOf(trx, { processor, paymentId })
  return payment
}

const paymentOf = statement({ processor: 'text', paymentId: 'text' }, ({ processor, paymentId }, db) =>
  db
    .selectFrom('payment')
    .selectAll()
    .where('processor', '=', processor as ProcessorName)
    .where('paymentId', '=', paymentId),
)

/** Each destination that the payments count for, with the days. */
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
