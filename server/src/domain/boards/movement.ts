import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { boardOrder } from './rank.ts'
import { boardKey } from './totals.ts'

/** How many places of a board a mark stores. */
const PLACES_MARKED = 100

/** How far back each board compares to show movement. */
const COMPARED_WITH_MS: Record<Board, number> = { all: 24 * HOUR_MS, today: HOUR_MS }

/**
 * Key of a mark's own row, which no destination has. The row records that the mark was taken, even of an empty board.
 * Its rank column holds the milliseconds after the hour.
 */
const TAKEN = ''

/**
 * Places gained (positive) or lost since a mark; `new` if it had none, `entered` if it may have been below the marked
 * ones.
 */
export type Movement = number | 'new' | 'entered'

/** The places of a board at an earlier time. */
export interface Mark {
  /** When it was taken. */
  at: number
  /** Rank by destination key. */
  ranks: ReadonlyMap<string, number>
}

/**
 * Stores the top places of each board once an hour. Instead of a timer, the first request of an hour starts the mark
 * and does not wait for it. A site without visitors needs no marks.
 */
export class BoardMarks {
  readonly #store: Store
  readonly #failed: (error: unknown) => void
  /** The hour in which this process last marked each board, so that few requests must check the database. */
  readonly #markedAt = new Map<Board, number>()
  #underWay: Promise<void> = Promise.resolve()

  /** @param failed called if a mark could not be taken; the next request retries */
  constructor(store: Store, failed: (error: unknown) => void) {
    this.#store = store
    this.#failed = failed
  }

  /** Makes sure that a board is marked this hour. Returns at once and never throws. */
  take(board: Board, now: number): void {
    const at = hourOf(now)
    if (this.#markedAt.get(board) === at) return
    this.#markedAt.set(board, at)
    this.#underWay = this.#underWay
      .then(() => this.#store.transact(trx => takeMark(trx, board, now)))
      .catch(error => {
        this.#markedAt.delete(board)
        this.#failed(error)
      })
  }

  /** Resolves when no mark is in progress. Await it before closing the store. */
  settled(): Promise<void> {
    return this.#underWay
  }
}

/** Returns the mark to compare a board with: from a day (`all`) or an hour (`today`) ago, or the oldest there is. */
export async function readMark(store: Store, board: Board, now: number): Promise<Mark | undefined> {
  const key = boardKey(board, now)
  const rows = await readMarkRows(store, { board: key, until: now - COMPARED_WITH_MS[board] })
  const taken = rows.find(row => row.destinationKey === TAKEN)
  if (!taken) return undefined
  const places = rows.filter(row => row !== taken)
  return { at: taken.at + taken.rank, ranks: new Map(places.map(row => [row.destinationKey, row.rank])) }
}

/** Returns how a destination has moved since a mark; undefined if unknown. */
export function movementSince(
  { ranks }: Mark,
  { destinationKey, rank }: { destinationKey: string; rank: number },
): Movement | undefined {
  const before = ranks.get(destinationKey)
  if (before !== undefined) return before - rank
  const knowsAll = ranks.size < PLACES_MARKED
  if (knowsAll) return 'new'
  return rank <= PLACES_MARKED ? 'entered' : undefined
}

/** Takes this hour's mark, unless it exists, and deletes marks too old to compare with. */
async function takeMark(trx: Trx, board: Board, now: number): Promise<void> {
  const key = boardKey(board, now)
  const at = hourOf(now)
  // Only one of several instances can insert this row, and only that one writes the rest.
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('board_mark')
    .values({ board: key, at, destinationKey: TAKEN, rank: now - at })
    .onConflict(conflict => conflict.columns(['board', 'at', 'destinationKey']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return
  await sql`
    insert into board_mark (board, at, "destinationKey", rank)
    select board, ${at}, "destinationKey",
      row_number() over (${boardOrder.orderBy()})
    from board_total where board = ${key} and shown = 1
    ${boardOrder.orderBy()} limit ${PLACES_MARKED}`.execute(trx)
  await forget(trx, board, now)
}

async function forget(trx: Trx, board: Board, now: number): Promise<void> {
  const key = boardKey(board, now)
  await sql`
    delete from board_mark where board = ${key} and at < (
      select max(at) from board_mark where board = ${key} and at <= ${now - COMPARED_WITH_MS[board]}
    )`.execute(trx)
  if (board !== 'today') return
  await trx.deleteFrom('board_mark').where('board', '<', key).where('board', '<>', 'all').execute()
}

const readMarkRows = statement(
  { board: 'text', until: 'bigint' },
  ({ board, until }) => sql<{ destinationKey: string; rank: number; at: number }>`
      select "destinationKey", rank, at from board_mark
      where board = ${board} and at = coalesce(
        (select max(at) from board_mark where board = ${board} and at <= ${until}),
        (select min(at) from board_mark where board = ${board})
      )`,
)

const hourOf = (now: number) => Math.floor(now / HOUR_MS) * HOUR_MS
