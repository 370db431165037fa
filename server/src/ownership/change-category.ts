import type { Category } from '@placard/contract'
import { changePublished } from '../listings/change-published.ts'
import { searchText } from '../search/entries.ts'
import type { Store } from '../storage/store.ts'

/** Puts a listing into another category on its owner's word. @returns false where it is not published any more */
export function changeCategory(
  store: Store,
  listingId: number,
  category: Category,
  now: number,
): Promise<boolean> {
  return changePublished(store, listingId, now, async (trx, listing) => {
    if (listing.category === category) return undefined
    await trx
      .updateTable('listing')
      .set({ category, searchText: searchText({ ...listing, category }) })
      .where('id', '=', listingId)
      .execute()
    return { action: 'category', reason: `Moved by its owner from ${listing.category} to ${category}` }
  })
}
