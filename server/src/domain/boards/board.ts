import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import { type Page, type PageWanted, pageOf } from '../../platform/db/keyset.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { boardVersion } from './counts.ts'
import { readLedger } from './ledger.ts'
import { type BoardCursor, type ListedPlace, listPlaces, shownPlaces } from './listed-places.ts'
import { aheadWithinDollar, boardOrder, countBefore, readAhead, STANDING } from './rank.ts'
import { boardKey } from './totals.ts'

/** A place on the board of all time or of today. These boards keep counts, so every place has a rank. */
export interface BoardEntry extends ListedPlace {
  rank: number
}

type Row = Omit<BoardEntry, 'rank'>

/**
 * Reads one page of a board. Every page costs the same, however many totals are equal.
 *
 * @throws Problem payment_evidence_unavailable instead of returning a board that may be wrong
 */
export async function readBoard(
  store: Store,
  { board, after, limit }: PageWanted<BoardCursor> & { board: Board },
  now: number,
): Promise<Page<BoardEntry>> {
  // One extra row shows whether more follow.
  const wanted = { board: boardKey(board, now), limit: limit + 1 }
  const { rows, before } = await readLedger(async () =>
    after ? readNextPage(store, { ...after, ...wanted }) : { rows: await firstPage(store, wanted), before: 0 },
  )
  return pageOf(
    rows.map((row, index) => ({ rank: before + index + 1, ...row })),
    limit,
  )
}

/** A wanted total in whole US dollars, for a destination on a board. */
export type Bid = Pick<Database['checkout'], 'destinationKey' | 'board' | 'targetBid'>

/**
 * Reads the neighbours of a bid: `above` is the last destination with at least the target, `below` the first with less,
 * each with its current rank. Leaves out the bid's own destination.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing
 */
export async function readNeighbours(
  store: Store,
  { board, destinationKey, targetBid }: Bid,
  now: number,
): Promise<{ above?: BoardEntry; below?: BoardEntry }> {
  const key = boardKey(board, now)
  const target = { board: key, cents: targetBid * 100, otherThan: destinationKey }
  const ranked = async (row: Row) => ({ rank: 1 + (await countBefore(store, { ...row, board: key })), ...row })
  return readLedger(async () => {
    const [[above], [below]] = await Promise.all([lastAtLeast(store, target), firstBelow(store, target)])
    return { ...(above && { above: await ranked(above) }), ...(below && { below: await ranked(below) }) }
  })
}

const placesOf = (board: string) => sql`${shownPlaces} and board = ${board}`

const firstPage = statement({ board: 'text', limit: 'bigint' }, ({ board, limit }) =>
  listPlaces<Row>(boardOrder.page(placesOf(board), limit)),
)

/** Reads what follows a place, and how many places precede that. */
async function readNextPage(store: Store, after: BoardCursor & { board: string; limit: number }) {
  const { rows, above } = await readAhead(store, after, () => nextPage(store, after))
  return {
    rows: rows.map(({ version, ahead, ...row }): Row => row),
    before: above + (rows[0]?.ahead ?? 0),
  }
}

/** A row of a page, with what its rank is computed from. One statement reads everything, so that it agrees. */
type NextRow = Row & { version: string; ahead: number }

const nextPage = statement(
  { ...STANDING, limit: 'bigint' },
  ({ limit, ...standing }) => sql<NextRow>`
    with seen(version, ahead) as (select ${boardVersion}, ${aheadWithinDollar(standing, { orAt: true })})
    ${listPlaces(boardOrder.page(placesOf(standing.board), limit, standing), {
      more: sql`, (select version from seen) as version, (select ahead from seen) as ahead`,
    })}`,
)

const TARGET = { board: 'text', cents: 'bigint', otherThan: 'text' } as const
const backwards = boardOrder.reversed()

const lastAtLeast = statement(TARGET, ({ board, cents, otherThan }) => {
  const places = sql`${placesOf(board)} and "totalCents" >= ${cents} and "destinationKey" <> ${otherThan}`
  return listPlaces<Row>(backwards.page(places, 1), { order: backwards })
})

const firstBelow = statement(TARGET, ({ board, cents, otherThan }) => {
  const places = sql`${placesOf(board)} and "totalCents" < ${cents} and "destinationKey" <> ${otherThan}`
  return listPlaces<Row>(boardOrder.page(places, 1))
})
