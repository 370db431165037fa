import type { Category } from '@placard/contract'
import type { Store, Trx } from '../../platform/db/store.ts'
import { changeLedger } from '../boards/ledger.ts'
import { moveToCategory } from '../boards/totals.ts'
import { recordDecision } from '../decisions/record.ts'
import { type Listing, lockListing, statusOf } from '../listings/listing.ts'
import { searchText } from '../search/entries.ts'

/**
 * Changes a listing for its owner, and records it, in one transaction.
 *
 * @param store how to run the transaction: moving a listing on a board needs the ledger lock
 * @param change returns what it did, or undefined if there was nothing to do
 * @returns false if the listing is no longer published; then nothing changes
 */
export function changePublished(
  store: Pick<Store, 'transact'>,
  listingId: number,
  now: number,
  change: (trx: Trx, listing: Listing) => Promise<{ kind: 'refresh' | 'category'; explanation: string } | undefined>,
): Promise<boolean> {
  return store.transact(async trx => {
    const listing = await lockListing(trx, listingId)
    if (statusOf(listing, now) !== 'published') return false
    const done = await change(trx, listing)
    if (done) {
      await recordDecision(trx, {
        kind: done.kind,
        listingId,
        ground: 'owner',
        reason: 'by_owner',
        facts: { explanation: done.explanation },
        actor: 'owner',
        at: now,
      })
    }
    return true
  })
}

/**
 * Changes a listing's category for its owner, and moves its place to that category's board.
 *
 * @returns false if it is no longer published
 * @throws Problem not_ready if the ledger is busy for too long
 */
export function changeCategory(store: Store, listingId: number, category: Category, now: number): Promise<boolean> {
  const ledger = { transact: <T>(work: (trx: Trx) => Promise<T>) => changeLedger(store, work) }
  return changePublished(ledger, listingId, now, async (trx, listing) => {
    if (listing.category === category) return undefined
    await trx
      .updateTable('listing')
      .set({ category, searchText: searchText({ ...listing, category }), updatedAt: now })
      .where('id', '=', listingId)
      .execute()
    await moveToCategory(trx, listing.destinationKey, category)
    return { kind: 'category', explanation: `Moved by its owner from ${listing.category} to ${category}` }
  })
}
