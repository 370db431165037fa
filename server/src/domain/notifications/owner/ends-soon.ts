import { statement } from '../../../platform/db/statement.ts'
import type { Store } from '../../../platform/db/store.ts'
import { daysMs } from '../../../platform/lib/time.ts'
import { addNotice } from './notice.ts'

const NOTICE_BEFORE_END_MS = daysMs(7)

/** Notifies the owner of every followed listing that ends within a week, once for each end date. */
export async function notifyOfEnds(store: Store, now: number): Promise<void> {
  for (const { listingId, expiresAt } of await endingSoon(store, { now, until: now + NOTICE_BEFORE_END_MS })) {
    if (expiresAt !== null) await notifyOfEnd(store, { id: listingId, expiresAt }, now)
  }
}

/** Notifies the owner of one listing, if it ends within a week and this end date was not announced yet. */
export async function notifyOfEnd(
  store: Store,
  { id, expiresAt }: { id: number; expiresAt: number | null },
  now: number,
): Promise<void> {
  if (expiresAt === null || expiresAt <= now || expiresAt > now + NOTICE_BEFORE_END_MS) return
  // Every request for a feed calls this, so it reads first: a write would wait for all other writes.
  const [watch] = await lastAnnounced(store, { listingId: id })
  if (!watch || watch.endTold === expiresAt) return
  await store.transact(async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('watch')
      .set({ endTold: expiresAt })
      .where('listingId', '=', id)
      .where('endTold', 'is distinct from', expiresAt)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) {
      await addNotice(trx, id, { kind: 'ends_soon', facts: { endsAt: expiresAt } }, now)
    }
  })
}

const lastAnnounced = statement({ listingId: 'bigint' }, ({ listingId }, db) =>
  db.selectFrom('watch').select('endTold').where('listingId', '=', listingId),
)

const endingSoon = statement({ now: 'bigint', until: 'bigint' }, ({ now, until }, db) =>
  db
    .selectFrom('watch')
    .innerJoin('listing', 'listing.id', 'watch.listingId')
    .select(['watch.listingId', 'listing.expiresAt'])
    .where('watch.checkAt', 'is not', null)
    .where('listing.hiddenAt', 'is', null)
    .where('listing.expiresAt', '>', now)
    .where('listing.expiresAt', '<=', until)
    .whereRef('watch.endTold', 'is distinct from', 'listing.expiresAt'),
)
