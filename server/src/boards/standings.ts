import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { prepared } from '../storage/prepared.ts'
import type { Db, Store } from '../storage/store.ts'
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
  const standings = await Promise.all(
    BOARDS.map(async board => {
      const key = boardKey(board, now)
      const [place] = await placeOf(store, key, destinationKey)
      if (!place) return []
      const rank = 1 + (await countBefore(store, key, place, destinationKey))
      return [[board, { rank, totalCents: place.totalCents }]]
    }),
  )
  return Object.fromEntries(standings.flat())
}

const placeOf = prepared((db: Db, board: string, destinationKey: string) =>
  db
    .selectFrom('board_total')
    .select(['totalCents', 'reachedAt'])
    .where('board', '=', board)
    .where('destinationKey', '=', destinationKey)
    .where('shown', '=', sql.lit(1))
    .compile(),
)
