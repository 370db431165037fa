import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { boardVersion, readWithAbove } from './counts.ts'
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

/** Returns a destination's place on each board. */
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

/** Returns how many destinations have a place on a board. Sums counts in memory. */
export async function countPlaces(store: Store, board: Board, now: number): Promise<number> {
  const all = { board: boardKey(board, now), dollars: -1 }
  return (await readWithAbove(store, all, () => versionNow(store, {}))).above
}

const versionNow = statement({}, () => sql<{ version: string }>`select ${boardVersion} as version`)

/** Returns a destination's total on a stored board (`boardKey`), and when it was reached. */
export const placeOf = statement({ board: 'text', destinationKey: 'text' }, ({ board, destinationKey }, db) =>
  db
    .selectFrom('board_total')
    .select(['totalCents', 'reachedAt'])
    .where('board', '=', board)
    .where('destinationKey', '=', destinationKey)
    .where('shown', '=', sql.lit(1)),
)

/** A destination's amounts on a UTC day, after later refunds and disputes. */
export interface DayOfTotal {
  /** YYYY-MM-DD. */
  day: string
  paidCents: number
  /** Its total on `all` at the end of the day. */
  totalCents: number
}

const HISTORY_DAYS = 30

/**
 * Returns a destination's total on each of the last days, oldest first, with today. A refund or dispute counts on the
 * day of its payment. Constant work: one row per day.
 *
 * @param totalCents its total on `all` now
 */
export async function readHistory(
  store: Store,
  destinationKey: string,
  { totalCents, now }: { totalCents: number; now: number },
): Promise<DayOfTotal[]> {
  const days = Array.from({ length: HISTORY_DAYS }, (_, ago) => utcDay(now - daysMs(ago)))
  const rows = await paidOnDays(
    store,
    days.map(board => ({ board, destinationKey })),
  )
  const paidOn = new Map(rows.map(row => [row.board, row.totalCents]))
  let left = totalCents
  return days
    .map(day => {
      const paidCents = paidOn.get(day) ?? 0
      const ofDay = { day, paidCents, totalCents: Math.max(0, left) }
      left -= paidCents
      return ofDay
    })
    .reverse()
}

const paidOnDays = statementOfRows({ board: 'text', destinationKey: 'text' }, (rows, db) =>
  db
    .selectFrom('board_total')
    .select(['board', 'totalCents'])
    .where('destinationKey', '=', rows[0]?.destinationKey ?? '')
    .where(
      'board',
      'in',
      rows.map(row => row.board),
    ),
)
