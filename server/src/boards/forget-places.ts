import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'
import { boardVersion, CHANGES_KEPT } from './dollar-counts.ts'

/** Deletes old changes of the counts. Keeps the newest, which says the version. */
export const forgetChanges = (store: Store): Promise<number> =>
  deleteSome(store, 'board_change', {
    key: ['version'],
    where: sql`version <= ${boardVersion} - ${sql.lit(CHANGES_KEPT)}`,
    order: sql`version`,
  })

/** Deletes what is known of places that were taken before a time. */
export const forgetPlacesTaken = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'place_taken', {
    key: ['board', 'at', 'destinationKey'],
    where: sql`at < ${before}`,
    order: sql`at`,
  })

/** Deletes old marks. Usually the next mark has already done so; this is for boards that nobody visits. */
export const forgetOldMarks = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'board_mark', {
    key: ['board', 'at', 'destinationKey'],
    where: sql`at < ${before}`,
    order: sql`at`,
  })
