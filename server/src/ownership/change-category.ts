import type { Category } from '@placard/contract'
import { moveToCategory } from '../boards/board-totals.ts'
import { changePublished } from '../listings/change-published.ts'
import { changeLedger } from '../payments/ledger-lock.ts'
import type { Store, Trx } from '../storage/store.ts'

/**
 * Puts a listing into another category on its owner's word, and its place on the board of that category.
 *
 * @returns false where it is not published any more
 * @throws Problem not_ready where the ledger is held up for too long
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
    await trx.updateTable('listing').set({ category }).where('id', '=', listingId).execute()
    await moveToCategory(trx, listing.destinationKey, category)
    return { action: 'category', reason: `Moved by its owner from ${listing.category} to ${category}` }
  })
}
