import type { Board } from '@placard/contract'
import { MINIMUM_CHARGE_CENTS } from '@placard/contract'
import { type BoardEntry, readNeighbours } from '../boards/board.ts'
import type { Listing } from '../listings/listing.ts'
import { mayOutlastDay } from '../payments/session-end.ts'
import type { Store } from '../storage/store.ts'
import { type PendingOrder, readPending } from './pending-orders.ts'
import { type Price, readPrice } from './price.ts'
import { leastTargetBid } from './promotable.ts'

/** Everything a person should see before buying, as it is at this moment. */
export interface Offer {
  listing: Listing | undefined
  price: Price
  /** Whether anything is due for the target. */
  isPayable: boolean
  /** Whether the payment page of an order of now may stay open past the day that is ordered. */
  mayOutlastDay: boolean
  /** The least target, in whole US dollars, that something is due for; undefined where the board takes no more. */
  leastTargetBid: number | undefined
  /** Who would stand next to the target, other than the destination itself. */
  neighbours: { above?: BoardEntry; below?: BoardEntry }
  /** Orders of the destination whose money is on its way: it does not count yet. The newest first. */
  pending: PendingOrder[]
}

/** @throws Problem payment_evidence_unavailable rather than a price from a guess */
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
