import type { Generated } from 'kysely'

/** Verified money of a destination on a board: derived from payments, kept so that rank is cheap. */
export interface BoardTotalTable {
  /** `all`, or the UTC day of a `today` board. */
  board: string
  destinationKey: string
  totalCents: number
  /** When the total was reached: ties go to who was there first. */
  reachedAt: number
  /**
   * 0 while the listing is hidden: its money is remembered, but it has no place on the board. On a day that was over when
   * it was hidden it stays 1: whoever reads such a board leaves hidden listings out.
   */
  shown: Generated<number>
  /** The listing of the destination: a page of a board finds it faster by this than by the key. */
  listingId: number
  /** On `all`, that of the listing: what the boards of the categories are read by. Empty on the boards of days. */
  category: Generated<string>
}

/** How many destinations have a place below a node of the tree that rank is read from (`domain/boards/rank.ts`). */
export interface BoardCountTable {
  board: string
  level: number
  amount: number
  time: number
  destinations: number
}

/** One change of the counts by whole dollar, which other instances follow (`domain/boards/counts.ts`). */
export interface BoardChangeTable {
  /** From 1, without gaps. */
  version: number
  /** JSON: board, whole dollars, and by how many destinations. Empty where a history begins. */
  moves: string
  /** Random: tells this change from the one that has its number in another history. Null from older versions. */
  token: string | null
  /** Checksum of all counts by dollar after this change (`domain/boards/counts-sum.ts`). Null from older versions. */
  countsSum: number | null
}

/** A place of a board as it was at a moment. */
export interface BoardMarkTable {
  board: string
  at: number
  destinationKey: string
  rank: number
}

/** One of the first places of a board, as somebody took it by a payment. */
export interface PlaceTakenTable {
  board: string
  /** When the payment was heard of. */
  at: number
  destinationKey: string
  rank: number
  /** What it had there by then: the place is told of while as much counts. */
  totalCents: number
}
