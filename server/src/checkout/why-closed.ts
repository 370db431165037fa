import type { StripeAccount } from '../payments/stripe.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'
import { readPrice } from './price.ts'
import { findPromotable } from './promotable.ts'
import type { CheckoutNow } from './state.ts'

/** Why nobody should pay for an order without an event. */
export type WhyClosed = 'other_processor' | 'superseded' | 'day_over' | 'not_shown' | 'price_changed'

/**
 * Whether an order still sells what it says: this place, at this amount.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export async function whyClosed(
  { store, stripe }: { store: Store; stripe: Pick<StripeAccount, 'name'> },
  { state, checkout }: CheckoutNow,
  now: number,
): Promise<WhyClosed | undefined> {
  const { board, destinationKey, targetBid } = checkout
  if (checkout.processor !== stripe.name) return 'other_processor'
  if (state === 'superseded') return 'superseded'
  if (board === 'today' && utcDay(checkout.createdAt) !== utcDay(now)) return 'day_over'
  if ((await findPromotable(store.db, destinationKey, now)).isDown) return 'not_shown'
  const { chargeAmountCents } = await readPrice(store, { destinationKey, board, targetBid }, now)
  return chargeAmountCents === checkout.amountCents ? undefined : 'price_changed'
}
