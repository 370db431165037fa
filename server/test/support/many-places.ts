import { sql } from 'kysely'
import type { Store } from '../../src/platform/db/store.ts'
import { listingRow } from './listing-row.ts'
import { vacuum } from './plan.ts'
import { NOON } from './service.ts'

/** A place of a listing on a board, put there without payments. */
export interface Placed {
  /** Its slug, and its key without the version. */
  name: string
  totalCents: number
  reachedAt?: number
  category?: string
  isHidden?: boolean
}

const ROWS_AT_ONCE = 1000

/** Puts many listings on a board. The counts that ranks of `all` and `today` are read from stay as they are. */
export async function placeMany(store: Store, board: string, places: readonly Placed[]): Promise<void> {
  for (let start = 0; start < places.length; start += ROWS_AT_ONCE) {
    const some = places.slice(start, start + ROWS_AT_ONCE)
    await store.transact(async trx => {
      await trx
        .insertInto('listing')
        .values(
          some.map(({ name, category = 'Games', isHidden = false }) =>
            listingRow({
              slug: name,
              expiresAt: null,
              category,
              ...(isHidden && { hiddenAt: NOON, hiddenBy: 'operator', hiddenReason: 'test' }),
            }),
          ),
        )
        .execute()
      await trx
        .insertInto('board_total')
        .values(
          some.map(({ name, totalCents, reachedAt = NOON, category = 'Games', isHidden = false }) => ({
            board,
            destinationKey: `2:${name}`,
            totalCents,
            reachedAt,
            // As hiding leaves it: on a day that is over, the place stays.
            shown: board === 'all' && isHidden ? 0 : 1,
            listingId: sql<number>`(select id from listing where slug = ${name})`,
            category: board === 'all' ? category : '',
          })),
        )
        .execute()
    })
  }
  if (places.length > ROWS_AT_ONCE) await vacuum(store)
}

/** Ranks and names as a board should give them, by the plainest way to tell. */
export const bruteForce = (places: readonly Placed[]): string[] =>
  places
    .filter(({ isHidden }) => !isHidden)
    .sort(
      (a, b) =>
        b.totalCents - a.totalCents || (a.reachedAt ?? NOON) - (b.reachedAt ?? NOON) || (a.name < b.name ? -1 : 1),
    )
    .map(({ name }, index) => `${index + 1} ${name}`)
