import { sql } from 'kysely'
import { longRead } from '../../platform/db/long-read.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Runner, Store } from '../../platform/db/store.ts'
import { itsPicture } from '../listings/listed-row.ts'
import { readLedger } from './ledger.ts'
import {
  type BoardCursor,
  CURSOR,
  firstPlaces,
  nextPlaces,
  type PageWanted,
  type PlacesPage,
  placeColumns,
  placesAhead,
  readPlaces,
} from './listed-places.ts'

/*
 * The boards of days that are over, by what their payments count for now. What was hidden since keeps its total there
 * (`showOnBoards`), so each of these leaves hidden listings out by themselves, and ranks close up.
 */

/**
 * One page of the board of a day. Constant work wherever the page lies.
 *
 * @param day UTC, as YYYY-MM-DD
 * @throws Problem payment_evidence_unavailable rather than a board that may be wrong
 */
export const readDay = (store: Store, day: string, wanted: PageWanted): Promise<PlacesPage> =>
  readLedger(() => readPlaces(store, { day }, wanted, { first, next: placesAfter }))

/** Counts up to a thousand places, and looks at the listing of each. */
const placesAfter = longRead('placesAfter', (runner, wanted: { day: string; limit: number } & BoardCursor) =>
  next(runner, wanted),
)

/** How many places of a day are ahead of one: up to `RANKED_MAX` exact, and no fewer beyond. */
export async function placesAheadOn(runner: Runner, day: string, place: BoardCursor): Promise<number> {
  const { totalCents, reachedAt, destinationKey } = place
  const [row] = await ahead(runner, { day, totalCents, reachedAt, destinationKey })
  return row?.places ?? 0
}

/** The last day before one that somebody has a place on, if there is such a day. */
export async function dayBefore(store: Store, day: string): Promise<string | undefined> {
  const [row] = await readLedger(() => lastBefore(store, { day }))
  return row?.day
}

/** The first day after one, and before another, that somebody has a place on. */
export async function dayAfter(
  store: Store,
  { day, before }: { day: string; before: string },
): Promise<string | undefined> {
  const [row] = await readLedger(() => firstAfter(store, { day, before }))
  return row?.day
}

/** The last days before one that somebody has a place on, the latest first. */
export async function lastDays(store: Store, { before, limit }: { before: string; limit: number }): Promise<string[]> {
  const rows = await readLedger(() => daysBefore(store, { before, limit }))
  return rows.map(({ day }) => day)
}

/** Who is No. 1 of a day. Its texts come from the web and are hostile. */
export interface Winner {
  day: string
  totalCents: number
  slug: string
  title: string
  hostname: string
  category: string
  language: string
  /** Null where no picture of its own is stored. */
  pictureVersion: string | null
}

/**
 * Who is No. 1 of each day of a month that somebody has a place on, in the order of the days.
 *
 * @param month UTC, as YYYY-MM
 * @param before the first day that is not over
 */
export const readWinners = (store: Store, { month, before }: { month: string; before: string }): Promise<Winner[]> =>
  readLedger(() => winnersOf(store, { month, before }))

/** One look at each listing in turn: of a join, PostgreSQL may think that all listings are read faster than a few. */
const onShow = sql`
  from board_total as place
  where place.shown = 1 and (select "hiddenAt" from listing where listing.id = place."listingId") is null`

const placesOf = (day: string) => sql`select ${placeColumns} ${onShow} and place.board = ${day}`

const first = statement({ day: 'text', limit: 'bigint' }, ({ day, limit }) => firstPlaces(placesOf(day), limit))

const next = statement({ day: 'text', ...CURSOR, limit: 'bigint' }, ({ day, limit, ...cursor }) =>
  nextPlaces(placesOf(day), cursor, limit),
)

const ahead = statement(
  { day: 'text', ...CURSOR },
  ({ day, ...cursor }) =>
    sql<{ places: number }>`select ${placesAhead(placesOf(day), cursor, { orAt: false })} as places`,
)

const lastBefore = statement(
  { day: 'text' },
  ({ day }) => sql<{ day: string }>`
    select place.board as day ${onShow} and place.board < ${day} order by place.board desc limit 1`,
)

/** From day to day, each found by one look into the index. */
const daysBefore = statement(
  { before: 'text', limit: 'bigint' },
  ({ before, limit }) => sql<{ day: string }>`
    with recursive found(day) as (
      select ${before}
      union all
      select (select place.board ${onShow} and place.board < found.day order by place.board desc limit 1)
      from found where found.day is not null
    )
    select day from found where day < ${before} limit ${limit}`,
)

const firstAfter = statement(
  { day: 'text', before: 'text' },
  ({ day, before }) => sql<{ day: string }>`
    select place.board as day ${onShow} and place.board > ${day} and place.board < ${before}
    order by place.board limit 1`,
)

/** One look into the index for each day there may be; a day that is none has no board. */
const winnersOf = statement(
  { month: 'text', before: 'text' },
  ({ month, before }) => sql<Winner>`
    with recursive
      number(n) as (select 1 union all select n + 1 from number where n < 31),
      day(board) as (select ${month} || case when n < 10 then '-0' else '-' end || n from number),
      winner(board, "destinationKey") as (
        select board, (
          select place."destinationKey" ${onShow} and place.board = day.board
          order by place."totalCents" desc, place."reachedAt", place."destinationKey" limit 1
        ) from day where board < ${before}
      )
    select winner.board as day, listing.slug, listing.title, listing.hostname, listing.category, listing.language,
      picture.version as "pictureVersion", (
        select total."totalCents" from board_total as total
        where total.board = winner.board and total."destinationKey" = winner."destinationKey"
      ) as "totalCents"
    from winner cross join listing ${itsPicture}
    where listing."destinationKey" = winner."destinationKey" order by winner.board`,
)
