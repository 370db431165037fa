import type { Trx } from '../storage/store.ts'

/** Has a listing's page looked at again from a time on, if that was planned for later. */
export async function lookSoon(trx: Trx, listingId: number, at: number): Promise<void> {
  await trx
    .updateTable('seen_page')
    .set({ lookAt: at })
    .where('listingId', '=', listingId)
    .where('lookAt', '>', at)
    .execute()
}
