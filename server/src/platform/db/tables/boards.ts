import { type Generated, sql } from 'kysely'
import { type DeleteOldRows, FOREVER, forDays, type TablePolicies } from './retention.ts'

/** The boards, which follow from the payments. */
export interface BoardTables {
  /** Verified money of a destination on a board: derived from payments, and stored so that rank is cheap. */
  board_total: {
    /** `all`, or the UTC day of a `today` board. */
    board: string
    destinationKey: string
    totalCents: number
    /** When the total was reached: of equal totals, the earlier one ranks higher. */
    reachedAt: number
    /**
     * 0 while the listing is hidden: its money is kept, but it has no place on the board. On days that ended before it
     * was hidden, it stays 1, so queries of past days must leave out hidden listings themselves.
     */
    shown: Generated<number>
    /** The listing of the destination. Finding it by this is faster than by the key. */
    listingId: number
    /** On `all`, the category of the listing, for category boards. Empty on the boards of days. */
    category: Generated<string>
  }
  /** How many destinations have a place below a node of the tree that rank is read from (`domain/boards/rank.ts`). */
  board_count: {
    board: string
    level: number
    amount: number
    time: number
    destinations: number
  }
  /** One change of the counts by whole dollar, which other instances follow (`domain/boards/counts.ts`). */
  board_change: {
    /** From 1, without gaps. */
    version: number
    /** JSON: board, whole dollars, and by how many destinations. Empty at the start of a history. */
    moves: string
    /**
     * Random: distinguishes this change from one with the same version in another history. Null from older versions.
     */
    token: string | null
    /**
     * Checksum of all counts by dollar after this change (`domain/boards/dollar-counts.ts`). Null from older versions.
     */
    countsSum: number | null
  }
  /** A place of a board as it was at a moment. */
  board_mark: {
    board: string
    at: number
    destinationKey: string
    rank: number
  }
  /** One of the first places of a board, when a payment took it. */
  place_taken: {
    board: string
    /** When the payment's event arrived. */
    at: number
    destinationKey: string
    rank: number
    /** The total with which the place was taken. Pages show the place while the total is at least this. */
    totalCents: number
  }
}

const AFTER_A_WEEK: DeleteOldRows<BoardTables['board_mark'] | BoardTables['place_taken']> = {
  days: 7,
  key: ['board', 'at', 'destinationKey'],
  where: before => sql`at < ${before}`,
  order: sql`at`,
}

export const boardPolicies: TablePolicies<BoardTables> = {
  board_total: {
    isExported: true,
    what: 'A total on a board, even of a past day',
    kept: FOREVER,
    why: 'Every past day has a page with its winners.',
  },
  board_count: {
    isExported: true,
    what: 'Counts of destinations, which give the ranks',
    kept: 'until they reach zero',
    why: 'The totals determine them.',
  },
  board_change: {
    isExported: true,
    what: 'A change of those counts',
    kept: 'until 1,000 newer ones follow',
    why: 'Each instance uses it to update the counts that it keeps in memory.',
    end: { days: 0, step: 'count-changes' },
  },
  board_mark: {
    isExported: true,
    what: 'The top places of a board in one hour',
    kept: forDays(7, 'at most'),
    why: 'Boards show who has risen or fallen since. Usually the next mark deletes them.',
    end: AFTER_A_WEEK,
  },
  place_taken: {
    isExported: true,
    what: 'A payment that took one of the first ten places of a board',
    kept: forDays(7, 'after it was taken'),
    why: 'Pages show what moved on the boards.',
    end: AFTER_A_WEEK,
  },
}
