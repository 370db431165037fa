import { statementOfRows } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { daysMs, utcDay } from '../time.ts'

/** What a destination had on a UTC day, by what its payments count for now. In cents. */
export interface DayOfTotal {
  /** YYYY-MM-DD. */
  day: string
  /** Paid on that day. */
  paidCents: number
  /** Its total on `all` when the day ended. */
  totalCents: number
}

const HISTORY_DAYS = 30

/**
 * A destination's total on each of the last days, oldest first, today included. A refund or dispute counts on the day of
 * its payment. Constant work: one row per day.
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
