import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { countBefore } from './rank.ts'
import { boardKey } from './totals.ts'

/** A destination's current place on a board. */
export interface Standing {
  /** From 1. */
  rank: number
  totalCents: number
}

/** Places by board. None on a board without verified money, or while the listing is not shown. */
export type Standings = Partial<Record<Board, Standing>>

/** A destination's place on each board. */
export async function readStandings(store: Store, destinationKey: string, now: number): Promise<Standings> {
  const standings = await Promise.all(
    BOARDS.map(async board => {
      const key = boardKey(board, now)
      const [place] = await placeOf(store, { board: key, destinationKey })
      if (!place) return []
      const rank = 1 + (await countBefore(store, { board: key, destinationKey, ...place }))
      return [[board, { rank, totalCents: place.totalCents }]]
    }),
  )
  return Object.fromEntries(standings.flat())
}

/** A destination's total on a stored board (`boardKey`), and when it was reached. */
export const placeOf = statement({ board: 'text', destinationKey: 'text' }, ({ board, destinationKey }, db) =>
  db
    .selectFrom('board_total')
    .select(['totalCents', 'reachedAt'])
    .where('board', '=', board)
    .where('destinationKey', '=', destinationKey)
    .where('shown', '=', sql.lit(1)),
)
