import type { Category } from '@placard/contract'
import type { Store } from '../storage/store.ts'
import { type Listing, statusOf } from './listing.ts'

/** Puts a listing into another category on its owner's word. @returns false where it is not published any more */
export function changeCategory(
  store: Store,
  listingId: number,
  category: Category,
  now: number,
): Promise<boolean> {
  return store.transact(async trx => {
    const listing = await trx
      .selectFrom('listing')
      .selectAll()
      .where('id', '=', listingId)
      .executeTakeFirstOrThrow()
    if (statusOf(listing, now) !== 'published') return false
    if (listing.category === category) return true
    await trx.updateTable('listing').set({ category }).where('id', '=', listingId).execute()
    await trx
      .insertInto('audit_event')
      .values({
        listing_id: listingId,
        action: 'category',
        actor: 'owner',
        reason: reasonFor(listing, category),
        at: now,
      })
      .execute()
    return true
  })
}

const reasonFor = ({ category }: Listing, next: Category) => `Moved by its owner from ${category} to ${next}`
