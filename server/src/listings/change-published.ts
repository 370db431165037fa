import type { Store, Trx } from '../storage/store.ts'
import { type AuditEvent, audit } from './audit.ts'
import { type Listing, statusOf } from './listing.ts'

/**
 * Changes a listing on its owner's word, in one transaction with the line about it in the audit log.
 *
 * @param store with how to run the transaction: what moves the listing on a board needs the ledger to itself
 * @param change says what it did; undefined where there was nothing to do
 * @returns false where the listing is not published any more, and nothing was changed
 */
export function changePublished(
  store: Pick<Store, 'engine' | 'transact'>,
  listingId: number,
  now: number,
  change: (trx: Trx, listing: Listing) => Promise<Pick<AuditEvent, 'action' | 'reason'> | undefined>,
): Promise<boolean> {
  return store.transact(async trx => {
    const listing = await trx
      .selectFrom('listing')
      .selectAll()
      .where('id', '=', listingId)
      // Whoever hides it meanwhile waits, or was here before. SQLite has one writer anyway.
      .$if(store.engine === 'postgres', query => query.forNoKeyUpdate())
      .executeTakeFirstOrThrow()
    if (statusOf(listing, now) !== 'published') return false
    const done = await change(trx, listing)
    if (done) await audit(trx, { ...done, listingId, actor: 'owner', at: now })
    return true
  })
}
