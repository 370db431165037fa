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
  const spread = BigInt((number * PER_BOARD + dollars * PER_DOLLAR + 1) % MODULUS)
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
