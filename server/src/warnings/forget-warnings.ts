import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes warnings from before a time. */
export const forgetWarnings = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'warning', { key: ['kind'], where: sql`at < ${before}`, order: sql`at` })
