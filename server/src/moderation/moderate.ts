import { DISPLAY_DAYS } from '@placard/contract'
import { showOnBoards } from '../boards/totals.ts'
import { audit } from '../listings/audit.ts'
import { findListing, type Listing, statusOf } from '../listings/listing.ts'
import { changeLedger } from '../payments/ledger-lock.ts'
import type { Store, Trx } from '../storage/store.ts'
import { daysMs } from '../time.ts'

/** What an operator's act came to: the listing as it is now, and whether anything changed. */
export interface Moderated {
  listing: Listing
  changed: boolean
}

/** Takes a listing out of sight. Its receipt says `unavailable` from now on, and replays do not undo it. */
export function hideListing(
  store: Store,
  slug: string,
  reason: string,
  now: number,
): Promise<Moderated | undefined> {
  return moderate(store, slug, (trx, listing) => hide(trx, listing, 'operator', reason, now))
}

/** Takes a listing down on its owner's word. Final for the owner: only an operator restores (spec 3). */
export async function withdrawListing(store: Store, listing: Listing, now: number): Promise<void> {
  await changeLedger(store, async trx => {
    await hide(trx, listing, 'owner', 'Withdrawn by its owner', now)
  })
}

/** Needs the ledger to itself. @returns false where it was hidden before, and so nothing was changed */
async function hide(
  trx: Trx,
  { id, destinationKey }: Listing,
  by: 'operator' | 'owner',
  reason: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('listing')
    .set({ hiddenAt: now, hiddenBy: by, hiddenReason: reason })
    .where('id', '=', id)
    .where('hiddenAt', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await showOnBoards(trx, destinationKey, false)
  const action = by === 'owner' ? 'withdraw' : 'hide'
  await audit(trx, { listingId: id, action, actor: by, reason, at: now })
  return true
}

/**
 * Shows a hidden listing again, whoever hid it; the end of its time stays what it was. One that is not hidden but has
 * ended begins its time anew.
 */
export function restoreListing(
  store: Store,
  slug: string,
  reason: string,
  now: number,
): Promise<Moderated | undefined> {
  return moderate(store, slug, async (trx, listing) => {
    const hasEnded = statusOf(listing, now) === 'expired'
    if (listing.hiddenAt === null && !hasEnded) return false
    await trx
      .updateTable('listing')
      .set({ hiddenAt: null, hiddenBy: null, hiddenReason: null })
      // It is listed as a new one is, since discovery goes by when a listing was published.
      .$if(hasEnded, query => query.set({ publishedAt: now, expiresAt: now + daysMs(DISPLAY_DAYS) }))
      .where('id', '=', listing.id)
      .execute()
    await showOnBoards(trx, listing.destinationKey, true)
    await audit(trx, { listingId: listing.id, action: 'restore', actor: 'operator', reason, at: now })
    return true
  })
}

/** Listings of any status, newest first. */
export async function listListings(store: Store, now: number, count: number) {
  const listings = await store.db
    .selectFrom('listing')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(count)
    .execute()
  return listings.map(listing => ({ ...listing, status: statusOf(listing, now) }))
}

/** @returns undefined where there is no such listing */
function moderate(
  store: Store,
  slug: string,
  change: (trx: Trx, listing: Listing) => Promise<boolean>,
): Promise<Moderated | undefined> {
  return changeLedger(store, async trx => {
    const before = await findListing(trx, slug)
    if (!before) return undefined
    const changed = await change(trx, before)
    return { listing: (await findListing(trx, slug)) ?? before, changed }
  })
}
