import type { Board } from '@placard/contract'

/** What is wanted: so many whole US dollars in all, for a destination, on a board. */
export interface Bid {
  destinationKey: string
  board: Board
  targetBid: number
}
