import { sql } from 'kysely'
import { deleteSome } from '../storage/delete-some.ts'
import type { Store } from '../storage/store.ts'

/** Deletes counts that came to nothing. A payment that needs one again makes it anew. */
export const forgetEmptyCounts = (store: Store): Promise<number> =>
  deleteSome(store, 'board_count', {
    key: ['board', 'level', 'amount', 'time'],
    where: sql`destinations = 0`,
    order: sql`board`,
  })

/** Deletes what is known of places that were taken before a time. */
export const forgetPlacesTaken = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'place_taken', {
    key: ['board', 'at', 'destinationKey'],
    where: sql`at < ${before}`,
    order: sql`at`,
  })

/** Deletes marks from before a time. Mostly the next mark has done so: this is for a board that nobody looks at. */
export const forgetOldMarks = (store: Store, before: number): Promise<number> =>
  deleteSome(store, 'board_mark', {
    key: ['board', 'at', 'destinationKey'],
    where: sql`at < ${before}`,
    order: sql`at`,
  })
