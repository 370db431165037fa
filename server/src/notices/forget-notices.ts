import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes notices from before a time. */
export const forgetNotices = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'notice', { key: ['id'], where: sql`at < ${before}`, order: sql`at` })
