import { sql } from 'kysely'
import type { Page, PageWanted } from '../../platform/db/keyset.ts'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Runner, type Store } from '../../platform/db/store.ts'
import { joinPicture, type ListedRow, listedColumns } from '../listings/listed-row.ts'
import { readLedger } from './ledger.ts'
import {
  type BoardCursor,
  countedPlaces,
  type ListedPlace,
  RANKED_MAX,
  readPlaces,
  shownPlaces,
} from './listed-places.ts'
import { boardOrder, STANDING } from './rank.ts'

/*
 * The boards of past days, by the present value of their payments. A listing that was hidden later keeps its total there
 * (`showOnBoards`), so every query here leaves out hidden listings itself, and the places below move up.
 */

/**
 * The condition that the listing of a place isn't hidden. It is no join, because PostgreSQL may then read all listings.
 */
const isVisible = sql`(select "hiddenAt" from listing where listing.id = board_total."listingId") is null`

const placesOf = (day: string) => sql`${shownPlaces} and ${isVisible} and board = ${day}`

const { first, next } = countedPlaces(placesOf)

/** Counts up to a thousand places, and reads the listing of each. */
const placesAfter = longRead('placesAfter', (runner, wanted: Parameters<typeof next>[1]) => next(runner, wanted))

/**
 * Reads one page of the board of a day. Constant work wherever the page begins.
 *
 * @param day UTC, as YYYY-MM-DD
 * @throws Problem payment_evidence_unavailable instead of returning a board that may be wrong
 */
export const readDay = (store: Store, day: string, wanted: PageWanted<BoardCursor>): Promise<Page<ListedPlace>> =>
  readLedger(() => readPlaces(store, day, wanted, { first, next: placesAfter }))

/** Counts the places of a day ahead of a place: exactly up to `RANKED_MAX`, and at least as many beyond. */
export async function placesAheadOn(runner: Runner, day: string, place: BoardCursor): Promise<number> {
  const [row] = await ahead(runner, { ...place, board: day })
  return row?.places ?? 0
}

const ahead = statement(STANDING, ({ board, ...place }) => {
  const places = boardOrder.countAhead(placesOf(board), place, { max: RANKED_MAX, orAt: false })
  return sql<{ places: number }>`select ${places} as places`
})

/** Returns the last day before another one on which a listing has a place, if there is one. */
export async function dayBefore(store: Store, day: string): Promise<string | undefined> {
  const [row] = await readLedger(() => lastBefore(store, { day }))
  return row?.day
}

/** Returns the first day between two others on which a listing has a place, if there is one. */
export async function dayAfter(
  store: Store,
  { day, before }: { day: string; before: string },
): Promise<string | undefined> {
  const [row] = await readLedger(() => firstAfter(store, { day, before }))
  return row?.day
}

/** Returns the last days before another one on which a listing has a place, latest first. */
export async function lastDays(store: Store, { before, limit }: { before: string; limit: number }): Promise<string[]> {
  const rows = await readLedger(() => daysBefore(store, { before, limit }))
  return rows.map(({ day }) => day)
}

/** The listing that is No. 1 of a day. */
export interface Winner extends ListedRow {
  day: string
  totalCents: number
}

/**
 * Returns the winners of the days of a month, in the order of the days.
 *
 * @param month UTC, as YYYY-MM
 * @param before the first day that is not over
 */
export const readWinners = (store: Store, { month, before }: { month: string; before: string }): Promise<Winner[]> =>
  readLedger(() => winnersOf(store, { month, before }))

const fromVisible = sql`from board_total where shown = 1 and ${isVisible}`

const lastBefore = statement(
  { day: 'text' },
  ({ day }) => sql<{ day: string }>`
    select board as day ${fromVisible} and board < ${day} order by board desc limit 1`,
)

/** Finds each day from the one after it, with one lookup in the index. */
const daysBefore = statement(
  { before: 'text', limit: 'bigint' },
  ({ before, limit }) => sql<{ day: string }>`
    with recursive found(day) as (
      select ${before}
      union all
      select (select board ${fromVisible} and board < found.day order by board desc limit 1)
      from found where found.day is not null
    )
    select day from found where day < ${before} limit ${limit}`,
)

const firstAfter = statement(
  { day: 'text', before: 'text' },
  ({ day, before }) => sql<{ day: string }>`
    select board as day ${fromVisible} and board > ${day} and board < ${before} order by board limit 1`,
)

/** Looks up 31 days in the index. A day that is not in the calendar has no board. */
const winnersOf = statement(
  { month: 'text', before: 'text' },
  ({ month, before }) => sql<Winner>`
    with recursive
      number(n) as (select 1 union all select n + 1 from number where n < 31),
      day(board) as (select ${month} || case when n < 10 then '-0' else '-' end || n from number),
      winner(board, "destinationKey") as (
        select board, (
          select "destinationKey" ${fromVisible} and board_total.board = day.board
          ${boardOrder.orderBy()} limit 1
        ) from day where board < ${before}
      )
    select ${listedColumns}, winner.board as day, (
        select total."totalCents" from board_total as total
        where total.board = winner.board and total."destinationKey" = winner."destinationKey"
      ) as "totalCents"
    from winner cross join listing ${joinPicture}
    where listing."destinationKey" = winner."destinationKey" order by winner.board`,
)
