import { BOARDS, type Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { boardKey, type Rise } from './totals.ts'

/** The places worth reporting. */
const RANKS_TOLD = 10
/** How many of the latest to read. Some may belong to hidden listings, or their money was returned. */
const LOOKED_AT = 40

/** A place that somebody took with a payment. Its texts come from the web and are hostile. */
export interface PlaceTaken {
  board: Board
  rank: number
  /** When the service heard of the payment, and so when the board changed. Unix milliseconds. */
  at: number
  slug: string
  title: string
  language: string
}

/** A place as the event that took it keeps it, so that `reconcile` can prove the one that is told. */
export interface PlaceTook {
  board: string
  destinationKey: string
  rank: number
  totalCents: number
}

/**
 * Remembers who rose to one of the first places, in the transaction that credits the payment. Nobody can work out that
 * rank later: what others had then may be refunded by now.
 *
 * @returns the places
 */
export async function rememberPlacesTaken(
  trx: Trx,
  destinationKey: string,
  rises: readonly Rise[],
  now: number,
): Promise<PlaceTook[]> {
  const taken: PlaceTook[] = []
  for (const { board, before, after } of rises) {
    const from = before ?? after
    const [ahead] = await othersAhead(trx, {
      board,
      destinationKey,
      totalCents: after.totalCents,
      reachedAt: after.reachedAt,
      totalCentsBefore: from.totalCents,
      reachedAtBefore: from.reachedAt,
    })
    if (!ahead || ahead.now >= RANKS_TOLD || (before && ahead.now >= ahead.before)) continue
    const place = { board, destinationKey, rank: ahead.now + 1, totalCents: after.totalCents }
    await putTaken(trx, { ...place, at: now })
    taken.push(place)
  }
  return taken
}

/**
 * The first places taken most recently on the open boards, latest first. Leaves out a place whose money no longer counts,
 * or whose listing is hidden. Constant work.
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

const STOOD = { totalCents: 'bigint', reachedAt: 'bigint' } as const

/** How many others in the first places are ahead of a place, and how many were ahead of the one before. */
const othersAhead = statement(
  {
    ...{ board: 'text', destinationKey: 'text', ...STOOD },
    ...{ totalCentsBefore: 'bigint', reachedAtBefore: 'bigint' },
  },
  ({ board, destinationKey, totalCents, reachedAt, totalCentsBefore, reachedAtBefore }) => {
    const ahead = (cents: number, at: number) => sql`count(case
      when "totalCents" > ${cents} then 1
      when "totalCents" = ${cents} and "reachedAt" < ${at} then 1
      when "totalCents" = ${cents} and "reachedAt" = ${at} and "destinationKey" < ${destinationKey} then 1 end)`
    return sql<{ now: number; before: number }>`
      select ${ahead(totalCents, reachedAt)} as now, ${ahead(totalCentsBefore, reachedAtBefore)} as before
      from (
        select "totalCents", "reachedAt", "destinationKey" from board_total
        where shown = 1 and board = ${board} and "destinationKey" <> ${destinationKey}
        order by "totalCents" desc, "reachedAt", "destinationKey" limit ${sql.lit(RANKS_TOLD)}
      ) as first_others`
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
      where board = ${board} order by at desc limit ${sql.lit(LOOKED_AT)}
    ) as taken
      cross join board_total as total cross join listing
    where total.board = taken.board and total."destinationKey" = taken."destinationKey"
      and total."totalCents" >= taken."totalCents"
      and listing.id = total."listingId" and listing."hiddenAt" is null
    order by taken.at desc, taken.rank limit ${limit}`,
)
