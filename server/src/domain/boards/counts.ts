import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Runner, type Store, type Trx } from '../../platform/db/store.ts'
import { DOLLAR_LEVEL, type DollarMove, nextSum, sumOfCounts, sumOfMoves } from './counts-sum.ts'

/**
 * The number of destinations of a board above a whole dollar, from counts in memory.
 *
 * Every payment that changes the counts writes a `board_change`: the next version, a random token and the moves. A read
 * of the ledger reads the last change in the same statement. Then the counts in memory are brought to that change, so
 * they agree with the rows that were read, whichever instance wrote them. If the tokens differ from those in memory,
 * the database has another history, as after a failover, and the counts are read again from scratch
 * (docs/decisions/rank-tree.md).
 */

/**
 * SQL for the last change of the counts, version and token, to read in one statement with the rows that must agree with
 * them.
 */
export const boardVersion = sql<string>`coalesce((
  select version || ' ' || coalesce(token, '') from board_change order by version desc limit 1), '0 none')`

/** A change of the counts, which identifies a history. */
interface Point {
  version: number
  /** Empty if an older version of the service wrote it. Then it does not identify the history. */
  token: string
}

function pointOf(boardVersion: string): Point {
  const [version, token = ''] = boardVersion.split(' ')
  return { version: Number(version), token }
}

const isSame = (one: Point, other: Point) => one.version === other.version && one.token === other.token
const isKnownAs = (known: Point, seen: Point) => seen.token !== '' && isSame(known, seen)

/** Records the moves, in the transaction that makes them. Needs the ledger lock. */
export async function noteMoves(trx: Trx, moves: readonly DollarMove[]): Promise<void> {
  const token = randomUUID()
  await putChange(trx, { moves: JSON.stringify(moves), token, by: sumOfMoves(moves) })
}

// If there is no checksum yet, it is computed from all counts, which already contain the change.
const putChange = statement(
  { moves: 'text', token: 'text', by: 'bigint' },
  ({ moves, token, by }) => sql`
    insert into board_change (version, moves, token, "countsSum") values (
      (select coalesce(max(version), 0) + 1 from board_change), ${moves}, ${token},
      coalesce(${nextSum(lastSum, by)}, ${sumOfCounts})
    )`,
)

const lastSum = sql`(select last."countsSum" from board_change as last order by last.version desc limit 1)`

/**
 * Reads from the ledger, and returns how many destinations were above a whole dollar at that moment.
 *
 * @param read runs a statement whose rows have the `boardVersion` that it saw
 */
export async function readWithAbove<Row extends { version: string }>(
  store: Store,
  { board, dollars }: { board: string; dollars: number },
  read: () => Promise<Row[]>,
): Promise<{ rows: Row[]; above: number }> {
  let passed: DollarCounts | undefined
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const rows = await read()
    const [first] = rows
    if (first === undefined) return { rows, above: 0 }
    const seen = pointOf(first.version)
    // The ledger went back: a standby that lagged became the primary, or a backup was restored under a running service.
    if (passed && seen.version < passed.point.version) await forget(store, board, passed)
    const counts = await countsUntil(store, board, seen)
    if (isSame(counts.point, seen)) return { rows, above: counts.above(dollars) }
    // Another request has read a newer ledger in the meantime, so this one reads it, too.
    passed = counts
  }
  throw new Error(`the ledger changed at each of ${TRIES_MAX} readings: is more than one database behind it?`)
}

/**
 * Payments can't arrive fast enough to reach this. It ends the loop if the connections lead to two different databases.
 */
const TRIES_MAX = 100

/**
 * The maximum number of changes to catch up with: counting from scratch takes about as long. Older ones are deleted.
 */
export const CHANGES_KEPT = 1000
/** The boards of all time and of today, and a second day around midnight. */
const BOARDS_MAX = 3

/** Keyed by the connection of a store, which a job's store shares. */
const boardsOf = new WeakMap<Store['db'], Map<string, Promise<DollarCounts>>>()

/** Returns the counts of a board at a point, or at a later one that another request asked for. */
async function countsUntil(store: Store, board: string, seen: Point): Promise<DollarCounts> {
  for (;;) {
    const kept = keptCounts(store).get(board)
    if (!kept) return countAgain(store, board)
    const known = await kept
    if (await catchUp(store, board, known, seen)) return known
    // If many requests find this out at once, one of them counts.
    if (keptCounts(store).get(board) === kept) return countAgain(store, board)
  }
}

/** Brings counts to a point. @returns false if they are of another history, or changes are missing */
async function catchUp(store: Store, board: string, known: DollarCounts, seen: Point): Promise<boolean> {
  const from = known.point
  if (from.version < seen.version && seen.version - from.version < CHANGES_KEPT) {
    const changes = await changesSince(store, { since: from.version, version: seen.version })
    for (const [at, change] of changes.entries()) {
      const before = at === 0 ? undefined : changes[at - 1]
      if (before) known.apply(change, before, board)
    }
  }
  return known.point.version > seen.version || isKnownAs(known.point, seen)
}

function keptCounts({ db }: Store): Map<string, Promise<DollarCounts>> {
  const boards = boardsOf.get(db) ?? new Map<string, Promise<DollarCounts>>()
  boardsOf.set(db, boards)
  return boards
}

async function forget(store: Store, board: string, counts: DollarCounts): Promise<void> {
  const boards = keptCounts(store)
  const kept = boards.get(board)
  if ((await kept) === counts && boards.get(board) === kept) boards.delete(board)
}

/**
 * Compares the counts in memory with those in the database, and replaces those that differ.
 *
 * @returns the boards whose counts differed
 */
export async function compareCounts(store: Store): Promise<string[]> {
  const differing: string[] = []
  for (const [board, kept] of keptCounts(store)) {
    const known = await kept.catch(() => undefined)
    const [counted] = await byDollarApart(store, { board })
    if (!known || !counted) continue
    const stored = new DollarCounts(counted)
    const isBehind = known.point.version < stored.point.version
    const [behind, ahead] = isBehind ? [known, stored] : [stored, known]
    // If the histories differ, the next request reads the counts from scratch. If a payment arrived in between, the
    // next comparison checks them.
    if (!(await catchUp(store, board, behind, ahead.point)) || !isSame(known.point, stored.point)) continue
    if (known.equals(stored)) continue
    differing.push(board)
    if (keptCounts(store).get(board) === kept) keptCounts(store).set(board, Promise.resolve(stored))
  }
  return differing
}

function countAgain(store: Store, board: string): Promise<DollarCounts> {
  const boards = keptCounts(store)
  const counts = byDollar(store, { board }).then(([counted]) => new DollarCounts(counted as Counted))
  boards.delete(board)
  boards.set(board, counts)
  const oldestDay = [...boards.keys()].find(key => key !== 'all')
  if (boards.size > BOARDS_MAX && oldestDay !== undefined) boards.delete(oldestDay)
  counts.catch(() => boards.get(board) === counts && boards.delete(board))
  return counts
}

/** The counts by dollar as one text, because 240,000 rows would be as many objects. */
const byDollar = statement(
  { board: 'text' },
  ({ board }) => sql<Counted>`
    select ${boardVersion} as version, (
      select string_agg(amount || ',' || destinations, ',') from board_count
      where board = ${board} and level = ${sql.lit(DOLLAR_LEVEL)}
    ) as counts`,
)

/** On a separate connection, because this read is long and not urgent. */
const byDollarApart = longRead('countsByDollar', (runner: Runner, wanted: { board: string }) =>
  byDollar(runner, wanted),
)

interface Counted {
  version: string
  /** Dollars and destinations alternate; null on an empty board. */
  counts: string | null
}

interface Change extends Point {
  /** JSON of `DollarMove[]`. */
  moves: string
}

/** Includes the last change that the counts contain, to show whether it still belongs to this history. */
const changesSince = statement(
  { since: 'bigint', version: 'bigint' },
  ({ since, version }) => sql<Change>`
    select version, coalesce(token, '') as token, moves from board_change
    where version >= ${since} and version <= ${version} order by version`,
)

/** More dollars than the highest possible bid. Only several payments together lead beyond. */
const TREE_DOLLARS = 2 ** 20

/** Destinations by whole dollar: a Fenwick tree of 4 MB, and a list of the few amounts above its range. */
class DollarCounts {
  point: Point
  readonly #tree = new Int32Array(TREE_DOLLARS + 1)
  readonly #beyond = new Map<number, number>()

  constructor({ version, counts }: Counted) {
    this.point = pointOf(version)
    const pairs: number[] = JSON.parse(`[${counts ?? ''}]`)
    for (let at = 0; at < pairs.length; at += 2) this.#add(pairs[at] ?? 0, pairs[at + 1] ?? 0)
  }

  /** Applies the next change. Ignores any other, because a concurrent request may have applied it already. */
  apply({ version, token, moves }: Change, before: Point, board: string): void {
    if (!isKnownAs(this.point, before) || version !== before.version + 1) return
    for (const [on, dollars, by] of JSON.parse(moves) as DollarMove[]) if (on === board) this.#add(dollars, by)
    this.point = { version, token }
  }

  equals(other: DollarCounts): boolean {
    const [one, two] = [Buffer.from(this.#tree.buffer), Buffer.from(other.#tree.buffer)]
    return (
      one.equals(two) &&
      this.#beyond.size === other.#beyond.size &&
      [...this.#beyond].every(([dollars, count]) => other.#beyond.get(dollars) === count)
    )
  }

  above(dollars: number): number {
    let destinations = 0
    for (const [beyond, count] of this.#beyond) if (beyond > dollars) destinations += count
    for (let node = dollars + 2; node <= TREE_DOLLARS; node += node & -node) {
      destinations += this.#tree[node] ?? 0
    }
    return destinations
  }

  #add(dollars: number, by: number): void {
    if (dollars >= TREE_DOLLARS) {
      const count = (this.#beyond.get(dollars) ?? 0) + by
      if (count === 0) this.#beyond.delete(dollars)
      else this.#beyond.set(dollars, count)
      return
    }
    for (let node = dollars + 1; node > 0; node -= node & -node) {
      this.#tree[node] = (this.#tree[node] ?? 0) + by
    }
  }
}
