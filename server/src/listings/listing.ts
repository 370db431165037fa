import type { Selectable } from 'kysely'
import type { ListingStatus, ListingTable } from '../storage/schema.ts'
import type { Db } from '../storage/store.ts'
import { isSlug } from './slug.ts'

export type Listing = Selectable<ListingTable>

/** Derived at reading: moderation outranks expiry (spec 3). `now` in Unix milliseconds. */
export function statusOf(listing: Pick<Listing, 'hiddenAt' | 'expiresAt'>, now: number): ListingStatus {
  if (listing.hiddenAt !== null) return 'unavailable'
  if (listing.expiresAt !== null && listing.expiresAt <= now) return 'expired'
  return 'published'
}

/** The listing of a public page's address, whatever its status. */
export async function findListing(db: Db, slug: string): Promise<Listing | undefined> {
  if (!isSlug(slug)) return undefined
  return db.selectFrom('listing').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** Whether a destination is taken, whatever the status of its listing. */
export async function isListed(db: Db, destinationKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('listing')
    .select('id')
    .where('destinationKey', '=', destinationKey)
    .executeTakeFirst()
  return row !== undefined
}
