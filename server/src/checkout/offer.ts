import type { Board } from '@placard/contract'
import { MINIMUM_CHARGE_CENTS } from '@placard/contract'
import { type BoardEntry, readNeighbours } from '../boards/board.ts'
import type { Listing } from '../listings/listing.ts'
import { mayOutlastDay } from '../payments/session-end.ts'
import type { Store } from '../storage/store.ts'
import { type PendingOrder, readPending } from './pending-orders.ts'
import { type Price, readPrice } from './price.ts'
import { leastTargetBid } from './promotable.ts'

/** Everything a buyer should see, at this moment. */
export interface Offer {
  listing: Listing | undefined
  price: Price
  /** Whether there is anything to pay for the target. */
  isPayable: boolean
  /** Whether the payment page of an order placed now may stay open past the ordered day. */
  mayOutlastDay: boolean
  /** The lowest target, in whole US dollars, with anything to pay; undefined if the board has no higher one. */
  leastTargetBid: number | undefined
  /** The target's neighbours, other than the destination itself. */
  neighbours: { above?: BoardEntry; below?: BoardEntry }
  /** Orders of the destination whose money is on its way and does not count yet, newest first. */
  pending: PendingOrder[]
}

/** @throws Problem payment_evidence_unavailable instead of guessing a price */
export async function readOffer(
  store: Store,
  bid: { destinationKey: string; board: Board; targetBid: number },
  listing: Listing | undefined,
  now: number,
): Promise<Offer> {
  const [price, neighbours, pending] = await Promise.all([
    readPrice(store, bid, now),
    readNeighbours(store, bid, now),
    readPending(store, bid.destinationKey),
  ])
  return {
    listing,
    price,
    isPayable: price.chargeAmountCents >= MINIMUM_CHARGE_CENTS,
    mayOutlastDay: mayOutlastDay({ board: bid.board, createdAt: now }),
    leastTargetBid: leastTargetBid(price.totalCents),
    neighbours,
    pending,
  }
}
