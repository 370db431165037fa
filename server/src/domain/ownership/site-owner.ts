import type { Selectable } from 'kysely'
import type { Db } from '../../platform/db/store.ts'
import type { OwnershipTables } from '../../platform/db/tables/ownership.ts'

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
