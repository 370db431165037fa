import type { Db } from '../storage/store.ts'

/** Whether a listing was published with a private link. One that was listed by a payment has none. */
export async function isClaimed(db: Db, listingId: number): Promise<boolean> {
  const claim = await db
    .selectFrom('claim')
    .select('id')
    .where('listing_id', '=', listingId)
    .executeTakeFirst()
  return claim !== undefined
}
