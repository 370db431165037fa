import type { Trx } from '../storage/store.ts'
import { daysMs } from '../time.ts'

/** Begins to look after a listing, unless somebody follows it already. What was seen of it before no longer counts. */
export async function follow(trx: Trx, listingId: number, now: number): Promise<void> {
  const checkAt = now + daysMs(1)
  await trx
    .insertInto('watch')
    .values({ listingId, ...NO_FEED, checkAt: null, failingSince: null, endTold: null })
    .onConflict(conflict => conflict.column('listingId').doNothing())
    .execute()
  const { numUpdatedRows } = await trx
    .updateTable('watch')
    .set({ checkAt, failingSince: null, goneTold: 0 })
    .where('listingId', '=', listingId)
    .where('checkAt', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) {
    await trx.deleteFrom('watched_place').where('listingId', '=', listingId).execute()
  }
}

const NO_FEED = { feedHash: null, feedNonce: null, feedKeyCheckValue: null, feedLinkVersion: null }

/** No longer looks after a listing that has neither feed nor webhook. */
export async function unfollowIfUnread(trx: Trx, listingId: number): Promise<void> {
  await trx
    .updateTable('watch')
    .set({ checkAt: null })
    .where('listingId', '=', listingId)
    .where('feedHash', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('webhook').select('listingId').where('listingId', '=', listingId))),
    )
    .execute()
}
