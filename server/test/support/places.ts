import { count } from '../../src/domain/boards/rank.ts'
import type { Store } from '../../src/platform/db/store.ts'
import { listingRow } from './listing-row.ts'
import { NOON } from './service.ts'

/** Gives destinations these totals on a board, as payments would: in cents, by slug. Lists unlisted ones. */
export async function placeOnBoard(store: Store, totals: Record<string, number>, board = 'all'): Promise<void> {
  await store.transact(async trx => {
    for (const [slug, totalCents] of Object.entries(totals)) {
      const { destinationKey, id: listingId } = await trx
        .insertInto('listing')
        .values(listingRow({ slug, expiresAt: null }))
        .onConflict(conflict => conflict.column('slug').doUpdateSet({ expiresAt: null }))
        .returning(['destinationKey', 'id'])
        .executeTakeFirstOrThrow()
      const [before] = await trx
        .deleteFrom('board_total')
        .where('board', '=', board)
        .where('destinationKey', '=', destinationKey)
        .returning(['totalCents', 'reachedAt'])
        .execute()
      const place = { totalCents, reachedAt: NOON }
      await trx
        .insertInto('board_total')
        .values({
          board,
          destinationKey,
          totalCents,
          reachedAt: NOON,
          listingId,
        })
        .execute()
      await count(trx, [
        ...(before ? [{ board, place: before, by: -1 as const }] : []),
        { board, place, by: 1 as const },
      ])
    }
  })
}
