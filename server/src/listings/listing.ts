import type { Selectable } from 'kysely'
import type { ListingStatus, ListingTable } from '../storage/schema.ts'
import { type Runner, statement } from '../storage/statement.ts'
import type { Db } from '../storage/store.ts'
import { isSlug } from './slug.ts'

export type Listing = Selectable<ListingTable>

/** Computed when read: hidden outranks expired (spec 3). `now` in Unix milliseconds. */
export function statusOf(listing: Pick<Listing, 'hiddenAt' | 'expiresAt'>, now: number): ListingStatus {
  if (listing.hiddenAt !== null) return 'unavailable'
  if (listing.expiresAt !== null && listing.expiresAt <= now) return 'expired'
  return 'published'
}

/** The listing with this slug, in any status. */
export async function findListing(db: Db, slug: string): Promise<Listing | undefined> {
  if (!isSlug(slug)) return undefined
  return db.selectFrom('listing').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** Whether a destination has a listing, in any status. */
export const isListed = async (runner: Runner, destinationKey: string): Promise<boolean> =>
  (await findListed(runner, destinationKey)) !== undefined

/** What a destination's listing is called, and what its status follows from. */
export type Listed = Pick<Listing, 'slug' | 'expiresAt' | 'hiddenAt'>

export async function findListed(runner: Runner, destinationKey: string): Promise<Listed | undefined> {
  const [listed] = await withKey(runner, { destinationKey })
  return listed
}

const withKey = statement({ destinationKey: 'text' }, ({ destinationKey }, db) =>
  db
    .selectFrom('listing')
    .select(['slug', 'expiresAt', 'hiddenAt'])
    .where('destinationKey', '=', destinationKey),
)
