import type { Category } from '@placard/contract'
import { moveToCategory } from '../boards/totals.ts'
import { changePublished } from '../listings/change-published.ts'
import { changeLedger } from '../payments/ledger-lock.ts'
import { searchText } from '../search/entries.ts'
import type { Store, Trx } from '../storage/store.ts'

/**
 * Changes a listing's category for its owner, and with it the category's board that has its place.
 *
 * @returns false if it is no longer published
 * @throws Problem not_ready if the ledger is busy for too long
 */
export function changeCategory(
  store: Store,
  listingId: number,
  category: Category,
  now: number,
): Promise<boolean> {
  const { engine } = store
  const ledger = { engine, transact: <T>(work: (trx: Trx) => Promise<T>) => changeLedger(store, work) }
  return changePublished(ledger, listingId, now, async (trx, listing) => {
    if (listing.category === category) return undefined
    await trx
      .updateTable('listing')
      .set({ category, searchText: searchText({ ...listing, category }) })
      .where('id', '=', listingId)
      .execute()
    await moveToCategory(trx, listing.destinationKey, category)
    return { kind: 'category', explanation: `Moved by its owner from ${listing.category} to ${category}` }
  })
}
