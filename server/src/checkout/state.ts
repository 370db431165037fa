import type { Selectable } from 'kysely'
import type { StoredEvent } from '../payments/amounts.ts'
import { eventsOf } from '../payments/apply-event.ts'
import { lostCents } from '../payments/disputes.ts'
import { LIVEMODE } from '../payments/livemode.ts'
import { paidEventOf } from '../payments/payment.ts'
import type { CheckoutTable, EventKind, PaymentTable } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { isUuid } from '../uuid.ts'

export type Checkout = Selectable<CheckoutTable>

/**
 * The state of an order, as far as this service knows:
 * - `open`: no event yet
 * - `pending`: ordered, and the money is on its way
 * - `paid`: credited
 * - `held`: paid but not credited; the operator has to settle it
 * - `refunded`: paid, never credited, and refunded in full
 * - `failed`: the money never arrived
 * - `superseded`: a newer order replaced it
 * - `unopened`: the processor gave no payment page
 */
type CheckoutState = 'open' | 'pending' | 'paid' | 'held' | 'refunded' | 'failed' | 'superseded' | 'unopened'

/** A payment in absolute amounts, in cents. `netCents` is what counts on the boards. */
export interface PaidAmounts {
  paidCents: number
  refundedCents: number
  disputedCents: number
  netCents: number
  /** The part of the disputed amount that was lost for good. */
  lostCents: number
  /** By the processor's clock: the payment counts on the board of this UTC day. */
  paidAt: number
}

export interface CheckoutNow {
  checkout: Checkout
  state: CheckoutState
  /** In the state `paid`. */
  payment: PaidAmounts | undefined
}

/** An order and its state, from our own database only; undefined if there is no such order. */
export async function readCheckout(store: Store, id: string): Promise<CheckoutNow | undefined> {
  if (!isUuid(id)) return undefined
  const checkout = await store.db.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()
  if (!checkout) return undefined
  const heard = await heardOf(store, checkout)
  const credited = heard.find(each => each.checkoutId === id)
  return {
    checkout,
    state: credited ? 'paid' : stateOf(checkout, heard),
    payment: credited && (await amountsOf(store, credited)),
  }
}

/** An event about a session, with its payment, if any. */
type Heard = Pick<StoredEvent, 'kind' | 'processor' | 'paymentId'> & {
  [Column in 'checkoutId' | 'paidAt' | 'paidCents' | 'refundedCents' | 'disputedCents' | 'netCents']:
    | PaymentTable[Column]
    | null
}

async function heardOf({ db }: Store, { processor, sessionId }: Checkout): Promise<Heard[]> {
  if (sessionId === null) return []
  return db
    .selectFrom('processor_event as event')
    .leftJoin('payment', join =>
      join
        .onRef('payment.processor', '=', 'event.processor')
        .onRef('payment.paymentId', '=', 'event.paymentId'),
    )
    .select(['event.kind', 'event.processor', 'event.paymentId'])
    .select(['payment.checkoutId', 'payment.paidAt'])
    .select(['payment.paidCents', 'payment.refundedCents', 'payment.disputedCents', 'payment.netCents'])
    .where('event.processor', '=', processor)
    .where('event.sessionId', '=', sessionId)
    .where('event.livemode', '=', LIVEMODE[processor])
    .execute()
}

function stateOf(checkout: Checkout, heard: readonly Heard[]): CheckoutState {
  const said = (kind: EventKind) => heard.some(each => each.kind === kind)
  if (said('paid')) return heard.some(isGivenBack) ? 'refunded' : 'held'
  if (said('failed')) return 'failed'
  if (said('pending')) return 'pending'
  if (checkout.supersededAt !== null) return 'superseded'
  return checkout.sessionId === null ? 'unopened' : 'open'
}

const isGivenBack = ({ kind, paidCents, refundedCents }: Heard) =>
  kind === 'paid' && (paidCents ?? 0) > 0 && (refundedCents ?? 0) >= (paidCents ?? 0)

async function amountsOf(store: Store, payment: Heard): Promise<PaidAmounts> {
  const disputedCents = payment.disputedCents ?? 0
  // The payment has only the sum of disputed and lost amounts.
  const events = disputedCents > 0 ? await eventsOf(store, payment) : []
  return {
    paidCents: payment.paidCents ?? 0,
    refundedCents: payment.refundedCents ?? 0,
    disputedCents,
    netCents: payment.netCents ?? 0,
    lostCents: lostCents(events, paidEventOf(events)),
    paidAt: payment.paidAt ?? 0,
  }
}
