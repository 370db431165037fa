import { BOARDS, type Board } from '@placard/contract'
import type { Store } from '../storage/store.ts'
import { boardKey } from './board-totals.ts'
import { countBefore } from './rank.ts'

/** Where a destination stands on a board now. */
export interface Standing {
  /** From 1. */
  rank: number
  totalCents: number
}

/** The same on each board: none where it has no verified money there, or is not shown. */
export type Standings = Partial<Record<Board, Standing>>

/** Where a destination stands on each board at a moment. */
export async function readStandings(store: Store, destinationKey: string, now: number): Promise<Standings> {
  const standings: Standings = {}
  for (const board of BOARDS) {
    const key = boardKey(board, now)
    const total = await store.db
      .selectFrom('board_total')
      .select(['total_cents as totalCents', 'reached_at as reachedAt'])
      .where('board', '=', key)
      .where('destination_key', '=', destinationKey)
      .where('shown', '=', 1)
      .executeTakeFirst()
    if (!total) continue
    const rank = 1 + (await countBefore(store, key, total, destinationKey))
    standings[board] = { rank, totalCents: total.totalCents }
  }
  return standings
}
