import { recordDecision } from '../decisions/record.ts'
import type { Store, Trx } from '../storage/store.ts'
import { type Listing, statusOf } from './listing.ts'

interface OwnersAct {
  kind: 'refresh' | 'category'
  explanation: string
}

/**
 * Changes a listing for its owner, and records it, in one transaction.
 *
 * @param store with how to run the transaction: what moves a listing on a board needs the ledger's lock
 * @param change returns what it did, or undefined if there was nothing to do
 * @returns false if the listing is no longer published; then nothing changes
 */
export function changePublished(
  store: Pick<Store, 'engine' | 'transact'>,
  listingId: number,
  now: number,
  change: (trx: Trx, listing: Listing) => Promise<OwnersAct | undefined>,
): Promise<boolean> {
  return store.transact(async trx => {
    const listing = await trx
      .selectFrom('listing')
      .selectAll()
      .where('id', '=', listingId)
      // Locks the row against a concurrent hide. SQLite has one writer anyway.
      .$if(store.engine === 'postgres', query => query.forNoKeyUpdate())
      .executeTakeFirstOrThrow()
    if (statusOf(listing, now) !== 'published') return false
    const done = await change(trx, listing)
    if (done) {
      await recordDecision(trx, {
        ...{ kind: done.kind, listingId, ground: 'owner', reason: 'by_owner' },
        ...{ facts: { explanation: done.explanation }, actor: 'owner', at: now },
      })
    }
    return true
  })
}
