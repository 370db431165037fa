import { sql } from 'kysely'
import { Keyset } from '../../platform/db/keyset.ts'
import { statement, statementOfRows, type ValuesOf } from '../../platform/db/statement.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { boardVersion, noteMoves, readWithAbove } from './counts.ts'
import { DOLLAR_LEVEL, type DollarMove } from './dollar-counts.ts'

/**
 * Rank without counting all places. Levels of counts divide the order of a board (total descending, time reached
 * ascending, destination key). A rank is the sum of what is wholly ahead, so its cost does not depend on how many
 * destinations there are, or how many paid the same.
 *
 * Level 3 counts by whole dollar. Sums of it are in memory (`counts.ts`). Levels 4 and 5 divide destinations with the
 * same total by when they reached it, into days and five minutes. Each level costs every payment a write, and wider
 * nodes cost every rank more reads. We chose these by measuring both.
 */
export const CENTS_PER_NODE = 100
export const MS_PER_NODE = [86_400_000, 300_000] as const
export const TIME_LEVELS = [4, 5] as const
const [DAY_MS, SLOT_MS] = MS_PER_NODE
const [DAY_LEVEL, SLOT_LEVEL] = TIME_LEVELS
const { lit } = sql

/** The total of a destination on a board. */
export interface Place {
  totalCents: number
  reachedAt: number
}

/** The order of every board: the highest total first, and among equal totals the one that was reached first. */
export const boardOrder = new Keyset({ totalCents: 'desc', reachedAt: 'asc', destinationKey: 'asc' })

type Node = Omit<ValuesOf<typeof NODE>, 'board'>

/** Returns the nodes above a place, one on each level. */
const nodesOf = ({ totalCents, reachedAt }: Place): Node[] => [
  { level: DOLLAR_LEVEL, amount: dollarsOf(totalCents), time: 0 },
  { level: DAY_LEVEL, amount: totalCents, time: Math.floor(reachedAt / DAY_MS) },
  { level: SLOT_LEVEL, amount: totalCents, time: Math.floor(reachedAt / SLOT_MS) },
]

const dollarsOf = (totalCents: number) => Math.floor(totalCents / CENTS_PER_NODE)

/** A destination that takes a place on a board (1) or leaves one (-1). */
export interface Move {
  board: string
  place: Place
  by: 1 | -1
}

/** Updates the counts in the transaction that changes the totals. Needs the ledger lock. */
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
  const left = changed.filter(row => row.destinations < 0)
  for (let from = 0; from < left.length; from += ROWS_PER_STATEMENT) {
    await dropEmpty(trx, left.slice(from, from + ROWS_PER_STATEMENT))
  }
  const moved = changed.filter(row => row.level === DOLLAR_LEVEL)
  if (moved.length > 0) {
    await noteMoves(
      trx,
      moved.map(({ board, amount, destinations }): DollarMove => [board, amount, destinations]),
    )
  }
}

/** Enough for a payment, which moves its destination on at most two boards. Restoring a listing may need several. */
const ROWS_PER_STATEMENT = 12

const NODE = { board: 'text', level: 'bigint', amount: 'bigint', time: 'bigint' } as const

const addCounts = statementOfRows({ ...NODE, destinations: 'bigint' }, (rows, db) =>
  db
    .insertInto('board_count')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['board', 'level', 'amount', 'time'])
        .doUpdateSet({ destinations: sql`board_count.destinations + excluded.destinations` }),
    ),
)

const dropEmpty = statementOfRows(
  NODE,
  nodes =>
    sql`delete from board_count where destinations = 0 and (board, level, amount, time) in (values ${sql.join(
      nodes.map(({ board, level, amount, time }) => sql`(${board}, ${level}, ${amount}, ${time})`),
    )})`,
)

export const STANDING = {
  board: 'text',
  totalCents: 'bigint',
  reachedAt: 'bigint',
  destinationKey: 'text',
} as const
type Standing = ValuesOf<typeof STANDING>

/** Returns how many destinations precede a place. With equal totals and times, smaller keys precede. */
export async function countBefore(store: Store, standing: Standing): Promise<number> {
  const { rows, above } = await readAhead(store, standing, () => before(store, standing))
  return above + (rows[0]?.ahead ?? 0)
}

/** Reads rows, and how many destinations were above the whole dollar of a place: see `readWithAbove`. */
export const readAhead = <Row extends { version: string }>(
  store: Store,
  { board, totalCents }: { board: string; totalCents: number },
  read: () => Promise<Row[]>,
) => readWithAbove(store, { board, dollars: dollarsOf(totalCents) }, read)

const before = statement(
  STANDING,
  standing => sql<{ version: string; ahead: number }>`
    select ${boardVersion} as version, ${aheadWithinDollar(standing)} as ahead`,
)

/**
 * SQL for the number of destinations that precede a place, of those with the same whole dollars; `orAt` includes the
 * one at that place. Division of a number in it equals `Math.floor`, because totals and times are not negative. Each
 * level reads only nodes within the node of the level above that contains the place.
 */
export function aheadWithinDollar({ board, totalCents, reachedAt, destinationKey }: Standing, { orAt = false } = {}) {
  const day = sql`${reachedAt} / ${lit(DAY_MS)}`
  const slot = sql`${reachedAt} / ${lit(SLOT_MS)}`
  const nodes = (level: number) => sql`
    select coalesce(sum(destinations), 0) as n from board_count where board = ${board} and level = ${lit(level)}`
  const withTotal = sql`
    select count(*) as n from board_total where board = ${board} and shown = 1 and "totalCents" = ${totalCents}`
  const counts = [
    sql`${nodes(DAY_LEVEL)} and amount > ${totalCents}
      and amount < (${totalCents} / ${lit(CENTS_PER_NODE)} + 1) * ${lit(CENTS_PER_NODE)}`,
    sql`${nodes(DAY_LEVEL)} and amount = ${totalCents} and time < ${day}`,
    sql`${nodes(SLOT_LEVEL)} and amount = ${totalCents}
      and time >= ${day} * ${lit(DAY_MS / SLOT_MS)} and time < ${slot}`,
    sql`${withTotal} and "reachedAt" >= ${slot} * ${lit(SLOT_MS)} and "reachedAt" < ${reachedAt}`,
    sql`${withTotal} and "reachedAt" = ${reachedAt}
      and "destinationKey" ${orAt ? sql`<=` : sql`<`} ${destinationKey}`,
  ]
  return sql<number>`(select cast(sum(n) as bigint) from (${sql.join(counts, sql` union all `)}) as counts)`
}
