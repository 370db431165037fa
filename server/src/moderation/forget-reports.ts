import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes reports that were settled before a time. What was done about them stays on the record of their listings. */
export const forgetSettledReports = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'report', {
    key: ['id'],
    where: sql`settled_at is not null and settled_at < ${before}`,
    order: sql`settled_at`,
  })
