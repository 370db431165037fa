import { sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store, Trx } from '../storage/store.ts'

/**
 * How many destinations of a board are above a whole dollar, from counts in memory. Every change of the counts takes the
 * next version and says what moved (`board_change`). Whoever reads the ledger reads its version in the same statement,
 * and the counts are brought to exactly that version: so they agree with what was read, whichever instance wrote it, and
 * are never older (docs/decisions/rank-tree.md).
 */

/** The level of `board_count` that counts by whole dollar. */
export const DOLLAR_LEVEL = 3

/** A destination that gains (1) or loses (-1) a place at some whole dollars on a board. */
export type DollarMove = [board: string, dollars: number, by: number]

/** SQL for the version of the counts, to read in one statement with what has to agree with them. */
export const boardVersion = sql<number>`(select coalesce(max(version), 0) from board_change)`

/** Says what moved, in the transaction that moves it. Needs the ledger to itself. */
export async function noteMoves(trx: Trx, moves: readonly DollarMove[]): Promise<void> {
  await putChange(trx, { moves: JSON.stringify(moves) })
}

const putChange = statement(
  { moves: 'text' },
  ({ moves }) =>
    sql`insert into board_change (version, moves) select coalesce(max(version), 0) + 1, ${moves} from board_change`,
)

/**
 * Reads from the ledger, and says how many destinations were above a whole dollar at that moment.
 *
 * @param read runs a statement whose rows carry the `boardVersion` that it saw
 */
export async function readWithAbove<Row extends { version: number }>(
  store: Store,
  { board, dollars }: { board: string; dollars: number },
  read: () => Promise<Row[]>,
): Promise<{ rows: Row[]; above: number }> {
  let passed = 0
  for (;;) {
    const rows = await read()
    const version = rows[0]?.version
    if (version === undefined) return { rows, above: 0 }
    // The ledger went back: somebody restored a backup under a running service.
    if (version < passed) keptCounts(store).delete(board)
    const counts = await countsUntil(store, board, version)
    if (counts.version === version) return { rows, above: counts.above(dollars) }
    // Another request has read a newer ledger meanwhile, so this one reads it, too.
    passed = counts.version
  }
}

/** The most changes to catch up with: to count anew takes about as long. No older ones are needed. */
export const CHANGES_KEPT = 1000
/** The boards of all time and of today, and around midnight a second day. */
const BOARDS_MAX = 3

const boardsOf = new WeakMap<Store, Map<string, Promise<DollarCounts>>>()

/** The counts of a board at a version, or at a later one that others have asked for. */
async function countsUntil(store: Store, board: string, version: number): Promise<DollarCounts> {
  const known = await (keptCounts(store).get(board) ?? countAnew(store, board))
  if (known.version >= version) return known
  if (version - known.version <= CHANGES_KEPT) {
    for (const change of await changesSince(store, { since: known.version, version })) {
      known.apply(change, board)
    }
  }
  // Nobody has asked for so long that changes are missing.
  return known.version >= version ? known : countAnew(store, board)
}

function keptCounts(store: Store): Map<string, Promise<DollarCounts>> {
  const boards = boardsOf.get(store) ?? new Map<string, Promise<DollarCounts>>()
  boardsOf.set(store, boards)
  return boards
}

function countAnew(store: Store, board: string): Promise<DollarCounts> {
  const boards = keptCounts(store)
  const counts = byDollar(store, { board }).then(([counted]) => new DollarCounts(counted as Counted))
  boards.delete(board)
  boards.set(board, counts)
  const oldestDay = [...boards.keys()].find(key => key !== 'all')
  if (boards.size > BOARDS_MAX && oldestDay !== undefined) boards.delete(oldestDay)
  counts.catch(() => boards.get(board) === counts && boards.delete(board))
  return counts
}

/** The counts by dollar in one text: 240,000 rows would be as many objects. */
const byDollar = statement(
  { board: 'text' },
  ({ board }) => sql<Counted>`
    select ${boardVersion} as version, (
      select string_agg(amount || ',' || destinations, ',') from board_count
      where board = ${board} and level = ${sql.lit(DOLLAR_LEVEL)}
    ) as counts`,
)

interface Counted {
  version: number
  /** Dollars and destinations in turns; null on an empty board. */
  counts: string | null
}

interface Change {
  version: number
  /** JSON of `DollarMove[]`. */
  moves: string
}

const changesSince = statement(
  { since: 'bigint', version: 'bigint' },
  ({ since, version }) => sql<Change>`
    select version, moves from board_change where version > ${since} and version <= ${version} order by version`,
)

/** More dollars than anybody can bid. Only a board's last places go beyond, by several payments. */
const TREE_DOLLARS = 2 ** 20

/** Destinations by whole dollar: a Fenwick tree of 4 MB, and a list of the few beyond it. */
class DollarCounts {
  version: number
  readonly #tree = new Int32Array(TREE_DOLLARS + 1)
  readonly #beyond = new Map<number, number>()

  constructor({ version, counts }: Counted) {
    this.version = version
    const pairs: number[] = JSON.parse(`[${counts ?? ''}]`)
    for (let at = 0; at < pairs.length; at += 2) this.#add(pairs[at] ?? 0, pairs[at + 1] ?? 0)
  }

  /** Applies the next change. Ignores any other: a request beside may have applied it, or one is missing. */
  apply({ version, moves }: Change, board: string): void {
    if (version !== this.version + 1) return
    for (const [on, dollars, by] of JSON.parse(moves) as DollarMove[])
      if (on === board) this.#add(dollars, by)
    this.version = version
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
      this.#beyond.set(dollars, (this.#beyond.get(dollars) ?? 0) + by)
      return
    }
    for (let node = dollars + 1; node > 0; node -= node & -node) {
      this.#tree[node] = (this.#tree[node] ?? 0) + by
    }
  }
}
