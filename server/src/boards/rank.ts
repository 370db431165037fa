import { type Insertable, sql } from 'kysely'
import { fixedPlan } from '../storage/fixed-plan.ts'
import { prepared, preparedIn } from '../storage/prepared.ts'
import type { Database } from '../storage/schema.ts'
import type { Db, Store, Trx } from '../storage/store.ts'

/**
 * Rank without counting. The order of a board (total descending, time reached ascending, destination key) is cut into a
 * tree whose nodes count the destinations below them. A rank is the sum of the nodes that lie wholly ahead: some tens of
 * rows, however many destinations there are, and however many of them have paid the same.
 *
 * Levels 0 to 3 cut totals into 32,768 dollars, then 1,024, 32, and 1. Levels 4 and 5 cut the destinations with one and
 * the same total by when they reached it: by days, and by five minutes. Each level costs every payment a write, and
 * each wide one costs every rank more reading: these were chosen by measuring both.
 */
export const CENTS_PER_NODE = [3_276_800, 102_400, 3_200, 100] as const
export const MS_PER_NODE = [86_400_000, 300_000] as const
const CHILDREN = 32
const [DAY_MS, SLOT_MS] = MS_PER_NODE
const SLOTS_PER_DAY = DAY_MS / SLOT_MS

/** Where a destination stands in the order of a board. */
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

/** A destination that came to a place of a board (1) or left one (-1). */
export interface Move {
  board: string
  place: Place
  by: 1 | -1
}

/** Keeps the counts in step with the totals, in the transaction that changes them. */
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
    const some = changed.slice(from, from + ROWS_PER_STATEMENT)
    const values = some.flatMap(row => [row.board, row.level, row.amount, row.time, row.destinations])
    await addCounts(some.length)(trx, ...values)
  }
}

/** Those of a payment, which moves its destination on two boards at most. Restoring a listing may take more. */
const ROWS_PER_STATEMENT = 24

const addCountsOf = new Map<number, ReturnType<typeof prepareAddCounts>>()

/** The statement for so many rows. */
function addCounts(rowCount: number) {
  const known = addCountsOf.get(rowCount) ?? prepareAddCounts()
  addCountsOf.set(rowCount, known)
  return known
}

const prepareAddCounts = () =>
  preparedIn((trx: Db, ...values: (string | number)[]) =>
    trx
      .insertInto('board_count')
      .values(
        Array.from({ length: values.length / 5 }, (_row, index) => {
          const [board, level, amount, time, destinations] = values.slice(5 * index)
          return { board, level, amount, time, destinations } as Insertable<Database['board_count']>
        }),
      )
      .onConflict(conflict =>
        conflict
          .columns(['board', 'level', 'amount', 'time'])
          .doUpdateSet({ destinations: sql`board_count.destinations + excluded.destinations` }),
      )
      .compile(),
  )

/** How many destinations stand before a place: of those with equal totals and times, the ones with a smaller key. */
export async function countBefore(
  store: Store,
  board: string,
  place: Place,
  destinationKey: string,
): Promise<number> {
  const [row] = await before(store, ...boundsOf(board, place, destinationKey))
  return row?.destinations ?? 0
}

const before = prepared<Bounds, { destinations: number }>((db, ...bounds) =>
  sql<{ destinations: number }>`select ${destinationsBefore(bounds)} as destinations`.compile(db),
)

/** Beyond every node of level 0. */
const BEYOND = Number.MAX_SAFE_INTEGER

/** On one of the levels of totals, the nodes of a board that lie wholly above a dollar: from and to, both exclusive. */
type NodesOfLevel = [board: string, from: number, to: number]
export type NodesAbove = [...NodesOfLevel, ...NodesOfLevel, ...NodesOfLevel, ...NodesOfLevel]

/** Parameters of `destinationsIn`: everything on a board above a whole number of dollars. */
export function nodesAbove(board: string, dollars: number): NodesAbove {
  const at = (level: number) => Math.floor((dollars * 100) / (CENTS_PER_NODE[level] ?? 1))
  const until = (level: number) => (level === 0 ? BEYOND : (at(level - 1) + 1) * CHILDREN)
  const on = (level: number): NodesOfLevel => [board, at(level), until(level)]
  return [...on(0), ...on(1), ...on(2), ...on(3)]
}

/** SQL for how many destinations there are below some nodes. */
export function destinationsIn(nodes: NodesAbove) {
  const levels = CENTS_PER_NODE.map((_size, level) => {
    const [board, from, to] = nodes.slice(3 * level) as NodesOfLevel
    return sql`
      select coalesce(sum(destinations), 0) as n from board_count
      where board = ${fixedPlan(board)} and level = ${sql.lit(level)}
        and amount > ${fixedPlan(from)} and amount < ${fixedPlan(to)}`
  })
  return sql<number>`(select cast(sum(n) as bigint) from (${sql.join(levels, sql` union all `)}) as levels)`
}

/** Ranges within the dollar of a place, from the coarsest to single destinations. */
type WithinDollar = [
  ...[board1: string, totalCents1: number, nextDollar: number],
  ...[board2: string, totalCents2: number, day: number],
  ...[board3: string, totalCents3: number, firstSlot: number, slot: number],
  ...[board4: string, totalCents4: number, slotStart: number, reachedAt4: number],
  ...[board5: string, totalCents5: number, reachedAt5: number, destinationKey: string],
]
export type Bounds = [...NodesAbove, ...WithinDollar]

/** Parameters of `destinationsBefore`: everything on a board that stands before a place. */
export function boundsOf(board: string, { totalCents, reachedAt }: Place, destinationKey: string): Bounds {
  const dollars = Math.floor(totalCents / 100)
  const [day = 0, slot = 0] = MS_PER_NODE.map(size => Math.floor(reachedAt / size))
  return [
    ...nodesAbove(board, dollars),
    ...([board, totalCents, (dollars + 1) * 100] as const),
    ...([board, totalCents, day] as const),
    ...([board, totalCents, day * SLOTS_PER_DAY, slot] as const),
    ...([board, totalCents, slot * SLOT_MS, reachedAt] as const),
    ...([board, totalCents, reachedAt, destinationKey] as const),
  ]
}

/** SQL for how many destinations stand before a place; with `orAt`, the one at that very place counts, too. */
export function destinationsBefore(bounds: Bounds, { orAt = false } = {}) {
  const above = bounds.slice(0, 3 * CENTS_PER_NODE.length) as NodesAbove
  const within = bounds.slice(above.length) as WithinDollar
  const [b1, cents1, nextDollar, b2, cents2, day, b3, cents3, firstSlot, slot, ...rest] = within
  const [b4, cents4, slotStart, at4, b5, cents5, at5, key] = rest
  const nodes = sql`select coalesce(sum(destinations), 0) as n from board_count`
  const places = sql`select count(*) as n from board_total`
  const upTo = orAt ? sql`<=` : sql`<`
  return sql<number>`(${destinationsIn(above)} + (
    select cast(sum(n) as bigint) from (
      ${nodes} where board = ${fixedPlan(b1)} and level = 4
        and amount > ${fixedPlan(cents1)} and amount < ${fixedPlan(nextDollar)}
      union all ${nodes} where board = ${fixedPlan(b2)} and level = 4
        and amount = ${fixedPlan(cents2)} and time < ${fixedPlan(day)}
      union all ${nodes} where board = ${fixedPlan(b3)} and level = 5
        and amount = ${fixedPlan(cents3)} and time >= ${fixedPlan(firstSlot)} and time < ${fixedPlan(slot)}
      union all ${places} where board = ${fixedPlan(b4)} and shown = 1
        and "totalCents" = ${fixedPlan(cents4)} and "reachedAt" >= ${fixedPlan(slotStart)} and "reachedAt" < ${fixedPlan(at4)}
      union all ${places} where board = ${fixedPlan(b5)} and shown = 1
        and "totalCents" = ${fixedPlan(cents5)} and "reachedAt" = ${fixedPlan(at5)} and "destinationKey" ${upTo} ${fixedPlan(key)}
    ) as ranges))`
}
