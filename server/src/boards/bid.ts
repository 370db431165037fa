import type { Board } from '@placard/contract'

/** A wanted total in whole US dollars, for a destination on a board. */
export interface Bid {
  destinationKey: string
  board: Board
  targetBid: number
}
