import { type Insertable, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { dropObject, lockObject } from './move-pictures.ts'

/**
 * Records the preview image that a listing's page names, to fetch it soon; null if it names none. A picture from the
 * same address stays until the new one is ready. One from another address is removed at once.
 */
export async function wantPicture(trx: Trx, listingId: number, named: string | null, now: number): Promise<void> {
  // The text comes from outside, and PostgreSQL rejects a NUL in any text.
  const sourceUrl = named?.includes('\0') ? null : named
  const fresh = {
    state: sourceUrl === null ? ('none' as const) : ('wanted' as const),
    sourceUrl,
    attempts: 0,
    tryAt: sourceUrl === null ? null : now,
  }
  const added = await putPicture(trx, { listingId, ...fresh })
  if (added.length > 0) return
  const again = await trx
    .updateTable('picture')
    .set({
      state: sql<Database['picture']['state']>`case when version is null then 'wanted' else 'stored' end`,
      attempts: 0,
      tryAt: now,
    })
    .where('listingId', '=', listingId)
    .where('sourceUrl', '=', sourceUrl)
    .executeTakeFirst()
  if (again.numUpdatedRows > 0n) return
  const object = await lockObject(trx, listingId)
  if (object !== null) await dropObject(trx, object, now)
  await trx
    .updateTable('picture')
    .set({ ...fresh, ...NO_BYTES })
    .where('listingId', '=', listingId)
    .execute()
}

/** Makes the picture of a listing due that is shown again: the worker postponed it meanwhile. */
export async function resumePicture(trx: Trx, listingId: number, now: number): Promise<void> {
  await trx
    .updateTable('picture')
    .set({ tryAt: now })
    .where('listingId', '=', listingId)
    .where('tryAt', '>', now)
    .execute()
}

const putPicture = statement(
  { listingId: 'bigint', state: 'text', sourceUrl: 'text?', attempts: 'bigint', tryAt: 'bigint?' },
  (picture, db) =>
    db
      .insertInto('picture')
      .values(picture as Insertable<Database['picture']>)
      .onConflict(conflict => conflict.column('listingId').doNothing())
      .returning('listingId'),
)

/** Column values of a row without a picture. */
export const NO_BYTES = {
  mediaType: null,
  width: null,
  height: null,
  version: null,
  bytes: null,
  objectName: null,
  storedAt: null,
} as const
