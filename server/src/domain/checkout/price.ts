import { MAXIMUM_TARGET_USD, MINIMUM_CHARGE_CENTS, MINIMUM_TARGET_USD } from '@placard/contract'
import { sql } from 'kysely'
import { sharedStatement } from '../../platform/db/statement.ts'
import type { Db, Store } from '../../platform/db/store.ts'
import type { Bid } from '../boards/board.ts'
import { boardVersion, readWithAbove } from '../boards/counts.ts'
import { readLedger } from '../boards/ledger.ts'
import { boardKey } from '../boards/totals.ts'
import { type Listing, statusOf } from '../listings/listing.ts'

export interface Price {
  /** The destination's verified total on that board. */
  totalCents: number
  /** The amount to pay. If it is below `MINIMUM_CHARGE_CENTS`, or negative, there is nothing to buy. */
  chargeAmountCents: number
  /**
   * Destinations that already have the target total stay ahead: in a tie, the one that reached it first ranks higher.
   */
  estimatedRank: number
}

/**
 * Returns the current price of a bid, for quotes and checkouts. Reads the ledger, writes nothing.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing a price
 */
export function readPrice(store: Store, bid: Bid, now: number): Promise<Price> {
  const { destinationKey, targetBid } = bid
  const board = boardKey(bid.board, now)
  const price = ({ rows: [found], above }: { rows: { totalCents: number }[]; above: number }) => {
    if (!found) throw new Error('the ledger gave no answer')
    const { totalCents } = found
    return { totalCents, chargeAmountCents: targetBid * 100 - totalCents, estimatedRank: above + 1 }
  }
  // A destination above the whole dollar below the target has at least the target.
  const wanted = { board, dollars: targetBid - 1 }
  return readLedger(() => readWithAbove(store, wanted, () => totalOn(store, { board, destinationKey })).then(price))
}

const totalOn = sharedStatement({ board: 'text', destinationKey: 'text' }, bids => {
  const asked = bids.map(({ board, destinationKey }, nth) => sql`(${sql.lit(nth)}, ${board}, ${destinationKey})`)
  return sql<{ version: string; totalCents: number }>`
    with asked (nth, board, "destinationKey") as (values ${sql.join(asked)})
    select ${boardVersion} as version, coalesce((
      select "totalCents" from board_total as total
      where total.board = asked.board and total."destinationKey" = asked."destinationKey"
    ), 0) as "totalCents" from asked order by nth`
})

/** `linkVersion` is null if a payment listed the website, because such a listing has no private link. */
export type PromotableListing = Listing & { linkVersion: number | null }

/** What can be promoted: a published listing, or a website that is not listed yet, but never a listing that is down. */
export type Promotable = { isDown: false; listing: PromotableListing | undefined } | { isDown: true }

/** Returns whether a place of the website could be shown now. Placard sells no place that would not be shown. */
export async function findPromotable(db: Db, destinationKey: string, now: number): Promise<Promotable> {
  const listing = await db
    .selectFrom('listing')
    .leftJoin('claim', 'claim.listingId', 'listing.id')
    .selectAll('listing')
    .select('claim.linkVersion')
    .where('destinationKey', '=', destinationKey)
    .executeTakeFirst()
  if (listing && statusOf(listing, now) !== 'published') return { isDown: true }
  return { isDown: false, listing }
}

/**
 * Returns the lowest bid, in whole US dollars, that ranks above a total. In a tie, the total that was reached first ranks
 * higher, so passing it takes a dollar more.
 */
export const bidAbove = (totalCents: number): number => Math.floor(totalCents / 100) + 1

/** Returns the lowest target, in whole US dollars, with anything to pay; undefined if the board has no higher one. */
export function leastTargetBid(totalCents: number): number | undefined {
  const least = Math.max(MINIMUM_TARGET_USD, Math.ceil((totalCents + MINIMUM_CHARGE_CENTS) / 100))
  return least <= MAXIMUM_TARGET_USD ? least : undefined
}
