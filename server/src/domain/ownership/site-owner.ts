import type { Selectable } from 'kysely'
import type { Db } from '../../platform/db/store.ts'
import type { OwnershipTables } from '../../platform/db/tables/ownership.ts'
import { type Destination, parseDestination } from '../destinations/destination.ts'

/** The proven owner of a listing's website. */
export type SiteOwner = Selectable<OwnershipTables['site_owner']>

/** Returns who proved a listing's website, if anybody did and the proof is still there. */
export const findSiteOwner = (db: Db, listingId: number): Promise<SiteOwner | undefined> =>
  db.selectFrom('site_owner').selectAll().where('listingId', '=', listingId).executeTakeFirst()

/** Returns until when somebody else waits to take a listing over; undefined if nobody does. */
export async function waitsUntil(db: Db, listingId: number): Promise<number | undefined> {
  const waiting = await db
    .selectFrom('waiting_owner')
    .select('effectiveAt')
    .where('listingId', '=', listingId)
    .where('contestedAt', 'is', null)
    .executeTakeFirst()
  return waiting?.effectiveAt
}

/**
 * Returns a destination as it is listed, or as given if it is not listed. What is listed must be proven: somebody else
 * may serve another spelling of it, such as `www.`, or the same name without encryption.
 */
export async function asListed(db: Db, destination: Destination): Promise<Destination> {
  const { key } = destination
  const listed = await db.selectFrom('listing').select('url').where('destinationKey', '=', key).executeTakeFirst()
  return listed ? parseDestination(listed.url) : destination
}
