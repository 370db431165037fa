import type { Selectable } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { ProcessorName } from '../../platform/config/outside-services.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { type EventKind, isUnplaced } from '../../platform/db/tables/payments.ts'
import { atMost } from '../../platform/lib/cache.ts'
import { isUuid } from '../../platform/lib/text.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { eventsOf } from '../payments/apply-event.ts'
import { lostCents, paidEventOf, type StoredEvent } from '../payments/payment.ts'
import { LIVEMODE } from '../payments/processors.ts'
import type { StripeAccount, StripeSession } from '../payments/stripe.ts'
import { blockOf } from '../review/reviewers/blocked-hosts.ts'
import { findPromotable, readPrice } from './price.ts'

export type Checkout = Selectable<Database['checkout']>

/**
 * The state of an order, as far as this service knows:
 * - `open`: no event yet
 * - `pending`: ordered, and the money is on its way
 * - `paid`: credited
 * - `held`: paid but not credited; the operator must settle it
 * - `settled`: paid but not credited, and an operator has settled it
 * - `refunded`: paid, never credited, and refunded in full
 * - `failed`: the money never arrived
 * - `superseded`: a newer order replaced it
 * - `unopened`: the processor returned no payment page
 */
type CheckoutState =
  | 'open'
  | 'pending'
  | 'paid'
  | 'held'
  | 'settled'
  | 'refunded'
  | 'failed'
  | 'superseded'
  | 'unopened'

/** A payment in cents. `netCents` is what counts on the boards: what was paid without the rest. */
export interface PaidAmounts {
  paidCents: number
  refundedCents: number
  /** In open disputes. */
  disputedCents: number
  netCents: number
  /** In lost disputes. */
  lostCents: number
  /** By the processor's clock: the payment counts on the board of this UTC day. */
  paidAt: number
}

export interface CheckoutNow {
  checkout: Checkout
  state: CheckoutState
  /** Only in the state `paid`. */
  payment: PaidAmounts | undefined
}

/** Returns an order and its state, from our own database only; undefined if there is no such order. */
export async function readCheckout(store: Store, id: string): Promise<CheckoutNow | undefined> {
  if (!isUuid(id)) return undefined
  const checkout = await store.db.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()
  if (!checkout) return undefined
  const events = await eventsOfSession(store, checkout)
  const credited = events.find(each => each.checkoutId === id)
  return {
    checkout,
    state: credited ? 'paid' : stateOf(checkout, events),
    payment: credited && (await amountsOf(store, credited)),
  }
}

/** An event about a session, with its payment, if any. */
type SessionEvent = Pick<StoredEvent, 'kind' | 'processor' | 'paymentId'> & {
  [Column in 'checkoutId' | 'paidAt' | 'paidCents' | 'refundedCents' | 'disputedCents' | 'netCents']:
    | Database['payment'][Column]
    | null
} & {
  /** Whether the operator must still settle the payment. */
  isHeld: unknown
}

async function eventsOfSession({ db }: Store, { processor, sessionId }: Checkout): Promise<SessionEvent[]> {
  if (sessionId === null) return []
  return db
    .selectFrom('processor_event as event')
    .leftJoin('payment', join =>
      join.onRef('payment.processor', '=', 'event.processor').onRef('payment.paymentId', '=', 'event.paymentId'),
    )
    .select(['event.kind', 'event.processor', 'event.paymentId'])
    .select(['payment.checkoutId', 'payment.paidAt'])
    .select(['payment.paidCents', 'payment.refundedCents', 'payment.disputedCents', 'payment.netCents'])
    .select(isUnplaced.as('isHeld'))
    .where('event.processor', '=', processor)
    .where('event.sessionId', '=', sessionId)
    .where('event.livemode', '=', LIVEMODE[processor])
    .execute()
}

function stateOf(checkout: Checkout, events: readonly SessionEvent[]): CheckoutState {
  const has = (kind: EventKind) => events.some(each => each.kind === kind)
  if (has('paid')) {
    if (events.some(isRefunded)) return 'refunded'
    return events.some(({ kind, isHeld }) => kind === 'paid' && isHeld) ? 'held' : 'settled'
  }
  if (has('failed')) return 'failed'
  if (has('pending')) return 'pending'
  if (checkout.supersededAt !== null) return 'superseded'
  return checkout.sessionId === null ? 'unopened' : 'open'
}

const isRefunded = ({ kind, paidCents, refundedCents }: SessionEvent) =>
  kind === 'paid' && (paidCents ?? 0) > 0 && (refundedCents ?? 0) >= (paidCents ?? 0)

async function amountsOf(store: Store, payment: SessionEvent): Promise<PaidAmounts> {
  const paidCents = payment.paidCents ?? 0
  const refundedCents = Math.min(payment.refundedCents ?? 0, paidCents)
  // A bank may dispute all of a payment after a part was refunded. That takes only the rest.
  const disputedCents = Math.min(payment.disputedCents ?? 0, paidCents - refundedCents)
  // The payment has only the sum of disputed and lost amounts.
  const events = disputedCents > 0 ? await eventsOf(store, payment) : []
  const lost = Math.min(lostCents(events, paidEventOf(events)), disputedCents)
  return {
    paidCents,
    refundedCents,
    disputedCents: disputedCents - lost,
    netCents: payment.netCents ?? 0,
    lostCents: lost,
    paidAt: payment.paidAt ?? 0,
  }
}

/** How long an answer is cached, so that reloading a page does not call the processor. */
const CACHE_MS = 5000

/** How many answers to cache; the one used least recently is dropped first. */
const ANSWERS_MAX = 1000

type SessionCall = 'read' | 'close'

/** Reads payment sessions from Stripe, each at most once in five seconds: answers are cached in memory. */
export class CachedSessions {
  readonly #stripe: StripeAccount
  readonly #clock: () => number
  readonly #answers = new LRUCache<string, { at: number; answer: Promise<StripeSession> }>(atMost(ANSWERS_MAX))

  constructor(stripe: StripeAccount, clock: () => number) {
    this.#stripe = stripe
    this.#clock = clock
  }

  /** Returns whether an answer is cached, so that `read` need not call the processor. */
  has(sessionId: string, act: SessionCall): boolean {
    const known = this.#answers.get(keyOf(sessionId, act))
    const age = this.#clock() - (known?.at ?? Number.NEGATIVE_INFINITY)
    return age >= 0 && age < CACHE_MS
  }

  /**
   * Reads a session, after closing it if `act` is `close`.
   *
   * @throws Problem payments_unavailable if Stripe gives no good answer
   */
  read(sessionId: string, act: SessionCall): Promise<StripeSession> {
    const key = keyOf(sessionId, act)
    const known = this.#answers.get(key)
    if (known && this.has(sessionId, act)) return known.answer
    const answer = this.#ask(sessionId, act)
    this.#answers.set(key, { at: this.#clock(), answer })
    return answer
  }

  /** Discards the cached answer when the payer returns. */
  discard(sessionId: string): void {
    this.#answers.delete(keyOf(sessionId, 'read'))
  }

  async #ask(sessionId: string, act: SessionCall): Promise<StripeSession> {
    if (act === 'read') return this.#stripe.readSession(sessionId)
    const found = await this.#stripe.expireSession(sessionId)
    return { status: found === 'complete' ? 'complete' : 'expired', url: null }
  }
}

const keyOf = (sessionId: string, act: SessionCall) => `${act} ${sessionId}`

/** Why an order without an event should not be paid. */
export type WhyClosed = 'other_processor' | 'superseded' | 'day_over' | 'not_shown' | 'blocked' | 'price_changed'

/**
 * Returns why an order no longer sells this place at this amount; undefined if it still does.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export async function whyClosed(
  { store, processor }: { store: Store; processor: ProcessorName | undefined },
  { state, checkout }: CheckoutNow,
  now: number,
): Promise<WhyClosed | undefined> {
  const { board, destinationKey, targetBid } = checkout
  // The instance that took the order may be ahead of this one, in the next day.
  const at = Math.max(now, checkout.createdAt)
  if (checkout.processor !== processor) return 'other_processor'
  if (state === 'superseded') return 'superseded'
  if (board === 'today' && utcDay(checkout.createdAt) !== utcDay(at)) return 'day_over'
  const promotable = await findPromotable(store.db, destinationKey, now)
  if (promotable.isDown) return 'not_shown'
  // The listings of a blocked host stay, but a payment must not make a new one.
  if (!promotable.listing && (await blockOf(store, checkout.hostname))) return 'blocked'
  const { chargeAmountCents } = await readPrice(store, { destinationKey, board, targetBid }, at)
  return chargeAmountCents === checkout.amountCents ? undefined : 'price_changed'
}
