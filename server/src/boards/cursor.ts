import { Problem } from '../http/problem.ts'

/** A place in the order of a board: the page that follows it begins right after. */
export interface BoardCursor {
  totalCents: number
  /** Unix milliseconds. */
  reachedAt: number
  destinationKey: string
}

/**
 * A cursor as callers hand it back: opaque to them, and no secret. It names its board, so that nobody who pages across
 * midnight takes the places of two days for one board.
 */
export const writeBoardCursor = (
  { totalCents, reachedAt, destinationKey }: BoardCursor,
  board: string,
): string => Buffer.from([board, totalCents, reachedAt, destinationKey].join(' ')).toString('base64url')

/** @throws Problem invalid_cursor where `writeBoardCursor` did not write it for that board */
export function readBoardCursor(text: string, board: string): BoardCursor {
  const [, total, reachedAt, destinationKey] =
    SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (destinationKey !== undefined) {
    const cursor = { totalCents: Number(total), reachedAt: Number(reachedAt), destinationKey }
    // One spelling for each place: what decodes loosely, or has leading zeros, was not written here.
    if (writeBoardCursor(cursor, board) === text) return cursor
  }
  throw new Problem('invalid_cursor', { field: 'cursor' })
}

/** Numbers that are exact, and a key in printable ASCII, as keys are: PostgreSQL takes no NUL in a text. */
const SHAPE = /^\S+ (\d{1,16}) (\d{1,15}) ([!-~]+)$/
