import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import { prepared } from '../storage/prepared.ts'
import { utcDay } from '../time.ts'

/** The stored name of a board: every UTC day has a board of its own, and `today` is the present one. */
export const boardKey = (board: Board, now: number): string => (board === 'all' ? 'all' : utcDay(now))

/** Where a destination stands on a board, and where a target would put it. */
export interface Standing {
  /** Net verified total of the destination, in cents; 0 where nothing is paid. */
  totalCents: number
  /** How many other destinations have at least the target. */
  othersAhead: number
}

/** One statement, so that both numbers are of one moment: board, destination key, board, target in cents, own key. */
export const readStanding = prepared<[string, string, string, number, string], Standing>(
  (db, ...parameters) => {
    const [board, destinationKey, sameBoard, targetCents, ownKey] = parameters
    return sql<Standing>`
    select
      coalesce((
        select total_cents from board_total where board = ${board} and destination_key = ${destinationKey}
      ), 0) as "totalCents",
      (
        select count(*) from board_total
        where board = ${sameBoard} and total_cents >= ${targetCents} and destination_key <> ${ownKey}
      ) as "othersAhead"`.compile(db)
  },
)
