import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Runner, type Store, type Trx } from '../../platform/db/store.ts'
import {
  type Change,
  type Counted,
  DOLLAR_LEVEL,
  DollarCounts,
  type DollarMove,
  isKnownAs,
  isSame,
  nextSum,
  type Point,
  pointOf,
  sumOfCounts,
  sumOfMoves,
} from './dollar-counts.ts'

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
export function readWithAbove<Row extends { version: string }>(
  store: Store,
  wanted: { board: string; dollars: number },
  read: () => Promise<Row[]>,
): Promise<{ rows: Row[]; above: number }> {
  // Nearly always, the counts in memory are those of the ledger that was read.
  return read().then(rows => {
    const known = loadedCounts(store, wanted.board)
    if (rows[0] && known?.isAt(rows[0].version)) return { rows, above: known.above(wanted.dollars) }
    return followedBy(store, wanted, rows, read)
  })
}

/** Brings the counts to the rows that were read, which must be read again if others were faster. */
async function followedBy<Row extends { version: string }>(
  store: Store,
  { board, dollars }: { board: string; dollars: number },
  found: Row[],
  read: () => Promise<Row[]>,
): Promise<{ rows: Row[]; above: number }> {
  let [rows, passed]: [Row[], DollarCounts | undefined] = [found, undefined]
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (tries > 0) rows = await read()
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
/** What each promise became: most reads need not wait for one. */
const settled = new WeakMap<Promise<DollarCounts>, DollarCounts>()

function loadedCounts(store: Store, board: string): DollarCounts | undefined {
  const counts = countsInMemory(store).get(board)
  return counts && settled.get(counts)
}

/** Returns the counts of a board at a point, or at a later one that another request asked for. */
async function countsUntil(store: Store, board: string, seen: Point): Promise<DollarCounts> {
  for (;;) {
    const kept = countsInMemory(store).get(board)
    if (!kept) return countAgain(store, board)
    const known = await kept
    if (await catchUp(store, board, known, seen)) return known
    // If many requests find this out at once, one of them counts.
    if (countsInMemory(store).get(board) === kept) return countAgain(store, board)
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

function countsInMemory({ db }: Store): Map<string, Promise<DollarCounts>> {
  const boards = boardsOf.get(db) ?? new Map<string, Promise<DollarCounts>>()
  boardsOf.set(db, boards)
  return boards
}

async function forget(store: Store, board: string, counts: DollarCounts): Promise<void> {
  const boards = countsInMemory(store)
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
  for (const [board, kept] of countsInMemory(store)) {
    const known = await kept.catch(() => undefined)
    const [counted] = await byDollarOnThread(store, { board })
    if (!known || !counted) continue
    const stored = new DollarCounts(counted)
    const isBehind = known.point.version < stored.point.version
    const [behind, ahead] = isBehind ? [known, stored] : [stored, known]
    // If the histories differ, the next request reads the counts from scratch. If a payment arrived in between, the
    // next comparison checks them.
    if (!(await catchUp(store, board, behind, ahead.point)) || !isSame(known.point, stored.point)) continue
    if (known.equals(stored)) continue
    differing.push(board)
    if (countsInMemory(store).get(board) === kept) countsInMemory(store).set(board, Promise.resolve(stored))
  }
  return differing
}

function countAgain(store: Store, board: string): Promise<DollarCounts> {
  const boards = countsInMemory(store)
  const counts = byDollar(store, { board }).then(([counted]) => new DollarCounts(counted as Counted))
  boards.delete(board)
  boards.set(board, counts)
  const oldestDay = [...boards.keys()].find(key => key !== 'all')
  if (boards.size > BOARDS_MAX && oldestDay !== undefined) boards.delete(oldestDay)
  counts.then(
    known => settled.set(counts, known),
    () => boards.get(board) === counts && boards.delete(board),
  )
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
const byDollarOnThread = longRead('countsByDollar', (runner: Runner, wanted: { board: string }) =>
  byDollar(runner, wanted),
)

/** Includes the last change that the counts contain, to show whether it still belongs to this history. */
const changesSince = statement(
  { since: 'bigint', version: 'bigint' },
  ({ since, version }) => sql<Change>`
    select version, coalesce(token, '') as token, moves from board_change
    where version >= ${since} and version <= ${version} order by version`,
)
