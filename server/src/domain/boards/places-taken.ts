import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { ListedRow } from '../listings/listed-row.ts'
import { type BoardCursor, shownPlaces } from './listed-places.ts'
import { boardOrder, STANDING } from './rank.ts'
import { boardKey, type Rise } from './totals.ts'

/** How many places of a board are worth reporting. */
const RANKS_REPORTED = 10
/** How many of the latest to read. Some may belong to hidden listings, or their payments were refunded. */
const READ_MAX = 40

/** A place that a listing took with a payment. */
export interface PlaceTaken extends Pick<ListedRow, 'slug' | 'title' | 'language'> {
  board: Board
  rank: number
  /** When Placard received the payment and the board changed. */
  at: number
}

/** A place as stored with the event that took it, so that `reconcile` can prove the one that is shown. */
export type RecordedPlace = Omit<Database['place_taken'], 'at'>

/**
 * Records which of the first places a payment took, in the transaction that credits it. The rank can't be computed
 * later, because totals of others may be refunded by then.
 *
 * @returns the places
 */
export async function recordPlacesTaken(
  trx: Trx,
  destinationKey: string,
  rises: readonly Rise[],
  now: number,
): Promise<RecordedPlace[]> {
  const taken: RecordedPlace[] = []
  for (const { board, before, after } of rises) {
    const from = before ?? after
    const places = { ...after, totalCentsBefore: from.totalCents, reachedAtBefore: from.reachedAt }
    const [ahead] = await othersAhead(trx, { board, destinationKey, ...places })
    if (!ahead || ahead.now >= RANKS_REPORTED || (before && ahead.now >= ahead.before)) continue
    const place = { board, destinationKey, rank: ahead.now + 1, totalCents: after.totalCents }
    await putTaken(trx, { ...place, at: now })
    taken.push(place)
  }
  return taken
}

/**
 * Returns the first places taken most recently on the open boards, latest first. Leaves out places whose payments no
 * longer count, and those of hidden listings. Constant work.
 */
export async function readPlacesTaken(
  store: Store,
  { boards = BOARDS, limit }: { boards?: readonly Board[]; limit: number },
  now: number,
): Promise<PlaceTaken[]> {
  const taken = await Promise.all(
    boards.map(async board => {
      const rows = await takenOn(store, { board: boardKey(board, now), limit })
      return rows.map(row => ({ board, ...row }))
    }),
  )
  return taken
    .flat()
    .sort((a, b) => b.at - a.at || a.rank - b.rank)
    .slice(0, limit)
}

/** Counts the others in the first places that are ahead of a place, and those that were ahead of its earlier place. */
const othersAhead = statement(
  { ...STANDING, totalCentsBefore: 'bigint', reachedAtBefore: 'bigint' },
  ({ board, totalCentsBefore, reachedAtBefore, ...now }) => {
    const before = { ...now, totalCents: totalCentsBefore, reachedAt: reachedAtBefore }
    const ahead = (place: BoardCursor) => sql`count(case when ${boardOrder.isRowAhead(place)} then 1 end)`
    const others = sql`${shownPlaces} and board = ${board} and "destinationKey" <> ${now.destinationKey}`
    return sql<{ now: number; before: number }>`
      select ${ahead(now)} as now, ${ahead(before)} as before
      from (${others} ${boardOrder.orderBy()} limit ${sql.lit(RANKS_REPORTED)}) as first_others`
  },
)

const putTaken = statement(
  { board: 'text', at: 'bigint', destinationKey: 'text', rank: 'bigint', totalCents: 'bigint' },
  ({ board, at, destinationKey, ...taken }, db) =>
    db
      .insertInto('place_taken')
      .values({ board, at, destinationKey, ...taken })
      .onConflict(conflict => conflict.columns(['board', 'at', 'destinationKey']).doUpdateSet(taken)),
)

const takenOn = statement(
  { board: 'text', limit: 'bigint' },
  ({ board, limit }) => sql<Omit<PlaceTaken, 'board'>>`
    select taken.at, taken.rank, listing.slug, listing.title, listing.language
    from (
      select board, at, "destinationKey", rank, "totalCents" from place_taken
      where board = ${board} order by at desc limit ${sql.lit(READ_MAX)}
    ) as taken
      cross join board_total as total cross join listing
    where total.board = taken.board and total."destinationKey" = taken."destinationKey"
      and total."totalCents" >= taken."totalCents"
      and listing.id = total."listingId" and listing."hiddenAt" is null
    order by taken.at desc, taken.rank limit ${limit}`,
)
