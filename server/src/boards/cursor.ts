import { Problem } from '../http/problem.ts'

/** A position on a board: the next page begins right after it. */
export interface BoardCursor {
  totalCents: number
  /** Unix milliseconds. */
  reachedAt: number
  destinationKey: string
}

/**
 * Encodes a cursor for callers: opaque, but not secret. It names its board, so that nobody who pages across midnight
 * mixes the places of two days.
 */
export const writeBoardCursor = (
  { totalCents, reachedAt, destinationKey }: BoardCursor,
  board: string,
): string => Buffer.from([board, totalCents, reachedAt, destinationKey].join(' ')).toString('base64url')

/** @throws Problem invalid_cursor unless `writeBoardCursor` wrote it for this board */
export function readBoardCursor(text: string, board: string): BoardCursor {
  const [, total, reachedAt, destinationKey] =
    SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (destinationKey !== undefined) {
    const cursor = { totalCents: Number(total), reachedAt: Number(reachedAt), destinationKey }
    // One spelling per position: loose encodings and leading zeros were not written here.
    if (writeBoardCursor(cursor, board) === text) return cursor
  }
  throw new Problem('invalid_cursor', { field: 'cursor' })
}

/** Exact numbers, and a key in printable ASCII, as all keys are: PostgreSQL rejects a NUL in any text. */
const SHAPE = /^\S+ (\d{1,16}) (\d{1,15}) ([!-~]+)$/
