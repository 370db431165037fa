import { type RawBuilder, sql } from 'kysely'
import { statement, statementOfRows } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'

/**
 * Rank without counting. A tree divides the order of a board (total descending, time reached ascending, destination
 * key); each node counts the destinations below it. A rank is the sum of the nodes wholly ahead: some tens of rows,
 * however many destinations there are, and however many have paid the same.
 *
 * Levels 0 to 3 divide totals into steps of 32,768 dollars, 1,024, 32, and 1. Levels 4 and 5 divide destinations with
 * the same total by when they reached it, into days and five minutes. Each level costs every payment a write, and wider
 * levels cost every rank more reads. We chose these by measuring both.
 */
export const CENTS_PER_NODE = [3_276_800, 102_400, 3_200, 100] as const
export const MS_PER_NODE = [86_400_000, 300_000] as const
const [DAY_MS, SLOT_MS] = MS_PER_NODE
const { lit } = sql

/** A destination's position in the order of a board. */
export interface Place {
  totalCents: number
  /** Unix milliseconds. */
  reachedAt: number
}

interface Node {
  level: number
  amount: number
  time: number
}

/** The nodes above a place, one on each level. */
export function nodesOf({ totalCents, reachedAt }: Place): Node[] {
  return [
    ...CENTS_PER_NODE.map((size, level) => ({ level, amount: Math.floor(totalCents / size), time: 0 })),
    ...MS_PER_NODE.map((size, index) => ({
      level: CENTS_PER_NODE.length + index,
      amount: totalCents,
      time: Math.floor(reachedAt / size),
    })),
  ]
}

/** A destination that takes a place on a board (1) or leaves one (-1). */
export interface Move {
  board: string
  place: Place
  by: 1 | -1
}

/** Updates the counts in the transaction that changes the totals. */
export async function count(trx: Trx, moves: readonly Move[]): Promise<void> {
  const rows = new Map<string, Node & { board: string; destinations: number }>()
  for (const { board, place, by } of moves) {
    for (const node of nodesOf(place)) {
      const key = `${board} ${node.level} ${node.amount} ${node.time}`
      const row = rows.get(key) ?? { board, ...node, destinations: 0 }
      row.destinations += by
      rows.set(key, row)
    }
  }
  const changed = [...rows.values()].filter(row => row.destinations !== 0)
  for (let from = 0; from < changed.length; from += ROWS_PER_STATEMENT) {
    await addCounts(trx, changed.slice(from, from + ROWS_PER_STATEMENT))
  }
}

/** Enough for a payment, which moves its destination on at most two boards. Restoring a listing may need several. */
const ROWS_PER_STATEMENT = 24

const addCounts = statementOfRows(
  { board: 'text', level: 'bigint', amount: 'bigint', time: 'bigint', destinations: 'bigint' },
  (rows, db) =>
    db
      .insertInto('board_count')
      .values(rows)
      .onConflict(conflict =>
        conflict
          .columns(['board', 'level', 'amount', 'time'])
          .doUpdateSet({ destinations: sql`board_count.destinations + excluded.destinations` }),
      ),
)

/** The parameters of `destinationsBefore`. */
export const STANDING = {
  board: 'text',
  totalCents: 'bigint',
  reachedAt: 'bigint',
  destinationKey: 'text',
} as const
interface Standing extends Place {
  board: string
  destinationKey: string
}

/** How many destinations precede a place. With equal totals and times, smaller keys precede. */
export async function countBefore(store: Store, standing: Standing): Promise<number> {
  const [row] = await before(store, standing)
  return row?.destinations ?? 0
}

const before = statement(
  STANDING,
  standing => sql<{ destinations: number }>`select ${destinationsBefore(standing)} as destinations`,
)

/*
 * What follows is SQL of parameters. A number in it divides as `Math.floor` does: no total and no time is negative. On
 * each level only the nodes are read that lie within the one node of the level above that is cut by the place.
 */

/** SQL for how many destinations on a board are above the whole dollar of a total. */
export function destinationsAbove({ board, totalCents }: { board: string; totalCents: number }) {
  const levels = CENTS_PER_NODE.map((size, level) => {
    const wider = CENTS_PER_NODE[level - 1]
    const within = wider && sql`and amount < (${totalCents} / ${lit(wider)} + 1) * ${lit(wider / size)}`
    return sql`${nodes(board, level)} and amount > ${totalCents} / ${lit(size)} ${within ?? sql``}`
  })
  return sum(levels)
}

/** SQL for how many destinations precede a place; `orAt` includes the one at that place. */
export function destinationsBefore(
  { board, totalCents, reachedAt, destinationKey }: Standing,
  { orAt = false } = {},
) {
  const day = sql`${reachedAt} / ${lit(DAY_MS)}`
  const slot = sql`${reachedAt} / ${lit(SLOT_MS)}`
  const withTotal = sql`
    select count(*) as n from board_total where board = ${board} and shown = 1 and "totalCents" = ${totalCents}`
  const withinDollar = sum([
    sql`${nodes(board, 4)} and amount > ${totalCents} and amount < (${totalCents} / 100 + 1) * 100`,
    sql`${nodes(board, 4)} and amount = ${totalCents} and time < ${day}`,
    sql`${nodes(board, 5)} and amount = ${totalCents}
      and time >= ${day} * ${lit(DAY_MS / SLOT_MS)} and time < ${slot}`,
    sql`${withTotal} and "reachedAt" >= ${slot} * ${lit(SLOT_MS)} and "reachedAt" < ${reachedAt}`,
    sql`${withTotal} and "reachedAt" = ${reachedAt}
      and "destinationKey" ${orAt ? sql`<=` : sql`<`} ${destinationKey}`,
  ])
  return sql<number>`(${destinationsAbove({ board, totalCents })} + ${withinDollar})`
}

const nodes = (board: string, level: number) => sql`
  select coalesce(sum(destinations), 0) as n from board_count where board = ${board} and level = ${lit(level)}`

const sum = (counts: RawBuilder<unknown>[]) =>
  sql<number>`(select cast(sum(n) as bigint) from (${sql.join(counts, sql` union all `)}) as counts)`
