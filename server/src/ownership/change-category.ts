import type { Category } from '@placard/contract'
import { changePublished } from '../listings/change-published.ts'
import type { Store } from '../storage/store.ts'

/** Changes a listing's category for its owner. @returns false if it is no longer published */
export function changeCategory(
  store: Store,
  listingId: number,
  category: Category,
  now: number,
): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    if (listing.category === category) return undefined
    await trx.updateTable('listing').set({ category }).where('id', '=', listingId).execute()
    return { action: 'category', reason: `Moved by its owner from ${listing.category} to ${category}` }
  })
}
