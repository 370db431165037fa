import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageWanted, pageOf } from '../../platform/db/keyset.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Runner, Store } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { joinPicture, type ListedRow, listedColumns } from '../listings/listed-row.ts'
import { readLedger } from './ledger.ts'
import { boardOrder, type Place, STANDING } from './rank.ts'

/**
 * The last rank that is counted on boards without stored counts, which payments need not update. Places beyond it are
 * listed in their order, without a rank.
 */
export const RANKED_MAX = 1000

/** A position on a board. The next page begins right after it. */
export interface BoardCursor extends Place {
  destinationKey: string
}

/** A destination in its place on a board. */
export interface ListedPlace extends ListedRow, BoardCursor {
  /** Of the listing. */
  id: number
  /** From 1; undefined beyond `RANKED_MAX`. */
  rank: number | undefined
}

/** SQL for the places of a board, which a condition for the board must follow. `shown` is spelled as in the indexes. */
export const shownPlaces = sql`
  select "totalCents", "reachedAt", "destinationKey", "listingId" from board_total where shown = 1`

/** SQL for some places in their order, as `ListedPlace` without a rank. @param more further columns */
export const listPlaces = <Row>(places: RawBuilder<unknown>, { order = boardOrder, more = sql`` } = {}) =>
  // `cross join` keeps SQLite from beginning with the listings.
  sql<Row>`
    select ${listedColumns}, listing.id, page."destinationKey", page."totalCents", page."reachedAt"${more}
    from (${places}) as page cross join listing ${joinPicture}
    where listing.id = page."listingId" ${order.orderBy('page')}`

type CountedPlace = Omit<ListedPlace, 'rank'> & { before: number }
type Wanted = BoardCursor & { board: string; limit: number }

/**
 * Builds the statements for the pages of boards that keep no counts: ranks are counted from the first place on.
 *
 * @param source SQL for the places of a board
 */
export function countedPlaces(source: (board: string) => RawBuilder<unknown>) {
  const first = statement({ board: 'text', limit: 'bigint' }, ({ board, limit }) =>
    listPlaces<CountedPlace>(boardOrder.page(source(board), limit), { more: sql`, 0 as before` }),
  )
  const next = statement({ ...STANDING, limit: 'bigint' }, ({ board, limit, ...after }) => {
    const before = boardOrder.countAhead(source(board), after, { max: RANKED_MAX, orAt: true })
    return listPlaces<CountedPlace>(boardOrder.page(source(board), limit, after), { more: sql`, ${before} as before` })
  })
  return { first, next }
}

/** Reads a page of a board that keeps no counts. @param read from `countedPlaces` */
export async function readPlaces(
  runner: Runner,
  board: string,
  { after, limit }: PageWanted<BoardCursor>,
  read: {
    first: ReturnType<typeof countedPlaces>['first']
    next(runner: Runner, wanted: Wanted): Promise<CountedPlace[]>
  },
): Promise<Page<ListedPlace>> {
  // One extra row shows whether more follow.
  const wanted = { board, limit: limit + 1 }
  const rows = after ? await read.next(runner, { ...after, ...wanted }) : await read.first(runner, wanted)
  const places = rows.map(({ before, ...place }, index) => ({
    rank: before < RANKED_MAX ? before + index + 1 : undefined,
    ...place,
  }))
  return pageOf(places, limit)
}

const ofCategory = countedPlaces(category => sql`${shownPlaces} and board = 'all' and category = ${category}`)

/**
 * Reads one page of the board of a category: the places of `all` in this category, ranked among each other. Constant
 * work wherever the page begins. The only cost of these boards to payments is an index.
 *
 * @throws Problem payment_evidence_unavailable instead of returning a board that may be wrong
 */
export const readCategoryBoard = (
  store: Store,
  category: string,
  wanted: PageWanted<BoardCursor>,
): Promise<Page<ListedPlace>> => readLedger(() => readPlaces(store, category, wanted, ofCategory))

/** A page of a board, with its cursors as callers send them. */
export interface CursorPage<Row> {
  rows: Row[]
  /** Where the previous page ended; undefined on the first page. */
  after: BoardCursor | undefined
  /** Undefined on the last page. */
  nextCursor: string | undefined
}

/**
 * Reads the page of a board that a caller asks for.
 *
 * @param board the name of the board in its cursors
 * @param cursor as the caller sent it; undefined for the first page
 * @throws Problem invalid_cursor, and what `read` throws
 */
export async function readAtCursor<Row extends BoardCursor>(
  board: string,
  cursor: string | undefined,
  read: (after: BoardCursor | undefined) => Promise<Page<Row>>,
): Promise<CursorPage<Row>> {
  const after = cursor === undefined ? undefined : readBoardCursor(cursor, board)
  const { rows, next } = await read(after)
  return { rows, after, nextCursor: next && writeBoardCursor(next, board) }
}

/**
 * Encodes a cursor for callers: opaque, but not secret. It names its board, so that paging across midnight can't mix the
 * places of two days. The name of a category has spaces.
 */
const writeBoardCursor = ({ totalCents, reachedAt, destinationKey }: BoardCursor, board: string): string =>
  Buffer.from([board, totalCents, reachedAt, destinationKey].join(' ')).toString('base64url')

/** Two exact numbers, and a key in printable ASCII, as all keys are: PostgreSQL rejects a NUL in any text. */
const CURSOR_TEXT = / (\d{1,16}) (\d{1,15}) ([!-~]+)$/

/** Returns the cursor in a text. @throws Problem invalid_cursor unless `writeBoardCursor` wrote it for this board */
function readBoardCursor(text: string, board: string): BoardCursor {
  const [, total, reachedAt, destinationKey] = CURSOR_TEXT.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (destinationKey !== undefined) {
    const cursor = { totalCents: Number(total), reachedAt: Number(reachedAt), destinationKey }
    // Each position has exactly one spelling: `writeBoardCursor` writes no loose encodings and no leading zeros.
    if (writeBoardCursor(cursor, board) === text) return cursor
  }
  throw new Problem('invalid_cursor', { field: 'cursor' })
}
