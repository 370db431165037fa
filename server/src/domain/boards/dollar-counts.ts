import { type RawBuilder, sql } from 'kysely'

/** The level of `board_count` that counts by whole dollar. */
export const DOLLAR_LEVEL = 3

/** A destination that gains (1) or loses (-1) a place at some whole dollars on a board. */
export type DollarMove = [board: string, dollars: number, by: number]

/**
 * Modulus of the checksum of all counts by whole dollar. The checksum is a sum with a weight for each board and dollar.
 * Each change updates it from its moves alone (`board_change."countsSum"`), and `reconcile` computes it from the
 * counts. If a change was altered, or the last one deleted, the two differ. It finds damage, but not forgery.
 */
const MODULUS = 2_147_483_647
/**
 * Distribute boards and dollars over the modulus. The migration that introduced the sum repeats these numbers: they
 * never change.
 */
const [PER_BOARD, PER_DOLLAR] = [1_000_003, 7919]

/** Returns the change of the checksum by some moves, from 0 up to the modulus. */
export function sumOfMoves(moves: readonly DollarMove[]): number {
  const sum = moves.reduce((total, [board, dollars, by]) => total + BigInt(by) * weightOf(board, dollars), 0n)
  return Number(((sum % BigInt(MODULUS)) + BigInt(MODULUS)) % BigInt(MODULUS))
}

function weightOf(board: string, dollars: number): bigint {
  const number = board === 'all' ? 0 : Number(board.replaceAll('-', ''))
  const spread = (BigInt(number * PER_BOARD + 1) + BigInt(dollars) * BigInt(PER_DOLLAR)) % BigInt(MODULUS)
  return (spread * spread) % BigInt(MODULUS)
}

/** Returns the checksum after moves, from the one before them. */
export const sumAfter = (before: number, moves: readonly DollarMove[]): number => (before + sumOfMoves(moves)) % MODULUS

/** SQL for the checksum after it changes by `by`. */
export const nextSum = (before: RawBuilder<unknown>, by: number) => sql`(${before} + ${by}) % ${sql.lit(MODULUS)}`

/** SQL for the checksum of the stored counts, all of which it reads. */
export const sumOfCounts = sql<number>`(
  select coalesce(cast(sum(destinations * (x * x % ${sql.lit(MODULUS)})) % ${sql.lit(MODULUS)} as bigint), 0) from (
    select destinations, (
      case when board = 'all' then 0 else cast(replace(board, '-', '') as bigint) end * ${sql.lit(PER_BOARD)}
      + amount * ${sql.lit(PER_DOLLAR)} + 1) % ${sql.lit(MODULUS)} as x
    from board_count where level = ${sql.lit(DOLLAR_LEVEL)}
  ) as counts)`

/** A change of the counts, which identifies a history. */
export interface Point {
  version: number
  /** Empty if an older version of the service wrote it. Then it does not identify the history. */
  token: string
}

export function pointOf(boardVersion: string): Point {
  const [version, token = ''] = boardVersion.split(' ')
  return { version: Number(version), token }
}

export const isSame = (one: Point, other: Point) => one.version === other.version && one.token === other.token
export const isKnownAs = (known: Point, seen: Point) => seen.token !== '' && isSame(known, seen)

export interface Counted {
  version: string
  /** Dollars and destinations alternate; null on an empty board. */
  counts: string | null
}

export interface Change extends Point {
  /** JSON of `DollarMove[]`. */
  moves: string
}

/** More dollars than the highest possible bid. Only several payments together lead beyond. */
const TREE_DOLLARS = 2 ** 20

/** Destinations by whole dollar: a Fenwick tree of 4 MB, and a list of the few amounts above its range. */
export class DollarCounts {
  point: Point
  readonly #tree = new Int32Array(TREE_DOLLARS + 1)
  readonly #beyond = new Map<number, number>()

  constructor({ version, counts }: Counted) {
    this.point = pointOf(version)
    const pairs: number[] = JSON.parse(`[${counts ?? ''}]`)
    for (let at = 0; at < pairs.length; at += 2) this.#add(pairs[at] ?? 0, pairs[at + 1] ?? 0)
  }

  /** Whether they are the counts of a `boardVersion`, and it identifies the history. */
  isAt(boardVersion: string): boolean {
    const { version, token } = this.point
    return token !== '' && boardVersion === `${version} ${token}`
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
