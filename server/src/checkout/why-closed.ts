import type { StripeAccount } from '../payments/stripe.ts'
import type { Store } from '../storage/store.ts'
import { utcDay } from '../time.ts'
import type { CheckoutNow } from './checkout-state.ts'
import { readPrice } from './price.ts'
import { findPromotable } from './promotable.ts'

/** Why nobody should pay for an order that nothing was heard of. */
export type WhyClosed = 'other_processor' | 'superseded' | 'day_over' | 'not_shown' | 'price_changed'

/**
 * Looks whether an order still sells what it says: that very place, at the amount that leads there.
 *
 * @throws Problem payment_evidence_unavailable rather than a price from a guess
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
