import { MAXIMUM_TARGET_USD, MINIMUM_CHARGE_CENTS, MINIMUM_TARGET_USD } from '@placard/contract'
import { type Listing, statusOf } from '../listings/listing.ts'
import type { Db } from '../storage/store.ts'

/** With the version of its private link; null if a payment listed it, so that it has none. */
export type PromotableListing = Listing & { linkVersion: number | null }

/** What can be promoted: a published listing, or a website that is not listed yet; never a listing that is down. */
export type Promotable = { isDown: false; listing: PromotableListing | undefined } | { isDown: true }

/** Whether a place could be shown now. We never take money for one that could not. */
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

/** The lowest target, in whole US dollars, with anything to pay; undefined if the board has no higher one. */
export function leastTargetBid(totalCents: number): number | undefined {
  const least = Math.max(MINIMUM_TARGET_USD, Math.ceil((totalCents + MINIMUM_CHARGE_CENTS) / 100))
  return least <= MAXIMUM_TARGET_USD ? least : undefined
}
