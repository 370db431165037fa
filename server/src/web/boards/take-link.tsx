import { type Board, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import { placePath } from '../../http/links.ts'

interface TakeProps {
  board: Board
  entry: Pick<BoardEntry, 'rank' | 'totalCents'>
  /** Said after the place, where the board is not clear from what stands around. */
  on?: string
}

/**
 * The way to somebody's place: what it costs a website with no total yet, with the order filled in. Ties go to whoever
 * got there first, so it takes one dollar more. Nothing where no total is high enough.
 */
export function TakeLink({ board, entry: { rank, totalCents }, on }: TakeProps) {
  const targetBid = Math.max(MINIMUM_TARGET_USD, Math.floor(totalCents / 100) + 1)
  if (targetBid > MAXIMUM_TARGET_USD) return null
  return (
    <a class="take" href={placePath({ board, targetBid })} rel="nofollow">
      Take No. {rank.toLocaleString('en-US')}
      {on && ` ${on}`} for ${targetBid.toLocaleString('en-US')}
    </a>
  )
}

/** What the first place costs where nobody has one. */
export const firstPlacePath = (board: Board): string => placePath({ board, targetBid: MINIMUM_TARGET_USD })
