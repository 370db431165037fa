import { type Insertable, sql } from 'kysely'
import type { PictureTable } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { Trx } from '../storage/store.ts'

/**
 * Notes what a listing's page names as its preview image, to be fetched soon; null: it names none. A picture made from
 * the same address stays until the new one is there, one from another address goes at once.
 *
 * @param now Unix milliseconds
 */
export async function wantPicture(
  trx: Trx,
  listingId: number,
  named: string | null,
  now: number,
): Promise<void> {
  // No page of ours leads to such an address, but the text comes from outside, and PostgreSQL takes no NUL.
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
      state: sql<PictureTable['state']>`case when version is null then 'wanted' else 'stored' end`,
      attempts: 0,
      tryAt: now,
    })
    .where('listingId', '=', listingId)
    .where('sourceUrl', '=', sourceUrl)
    .executeTakeFirst()
  if (again.numUpdatedRows > 0n) return
  await trx
    .updateTable('picture')
    .set({ ...fresh, ...NO_BYTES })
    .where('listingId', '=', listingId)
    .execute()
}

const putPicture = statement(
  { listingId: 'bigint', state: 'text', sourceUrl: 'text?', attempts: 'bigint', tryAt: 'bigint?' },
  (picture, db) =>
    db
      .insertInto('picture')
      .values(picture as Insertable<PictureTable>)
      .onConflict(conflict => conflict.column('listingId').doNothing())
      .returning('listingId'),
)

/** Of a row without a picture. */
export const NO_BYTES = {
  mediaType: null,
  width: null,
  height: null,
  version: null,
  bytes: null,
  storedAt: null,
} as const
