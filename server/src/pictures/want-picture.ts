import { sql } from 'kysely'
import { putRow } from '../storage/put-row.ts'
import type { PictureTable } from '../storage/schema.ts'
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
  sourceUrl: string | null,
  now: number,
): Promise<void> {
  // No page of ours leads to such an address, but the text comes from outside, and PostgreSQL takes no NUL.
  const source_url = sourceUrl?.includes('\0') ? null : sourceUrl
  const fresh = {
    state: source_url === null ? ('none' as const) : ('wanted' as const),
    source_url,
    attempts: 0,
    try_at: source_url === null ? null : now,
  }
  if (await putPicture(trx, { listing_id: listingId, ...fresh })) return
  const again = await trx
    .updateTable('picture')
    .set({
      state: sql<PictureTable['state']>`case when version is null then 'wanted' else 'stored' end`,
      attempts: 0,
      try_at: now,
    })
    .where('listing_id', '=', listingId)
    .where('source_url', '=', source_url)
    .executeTakeFirst()
  if (again.numUpdatedRows > 0n) return
  await trx
    .updateTable('picture')
    .set({ ...fresh, ...NO_BYTES })
    .where('listing_id', '=', listingId)
    .execute()
}

const putPicture = putRow('picture', ['listing_id', 'state', 'source_url', 'attempts', 'try_at'], {
  key: ['listing_id'],
  taken: 'keep',
})

/** Of a row without a picture. */
export const NO_BYTES = {
  media_type: null,
  width: null,
  height: null,
  version: null,
  bytes: null,
  stored_at: null,
} as const
