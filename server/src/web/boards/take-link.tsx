import { type Board, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import { placePath } from '../../http/links.ts'

interface TakeProps {
  board: Board
  entry: Pick<BoardEntry, 'rank' | 'totalCents'>
  /** The total of the place above in cents, if there is one. */
  above?: number | undefined
  /** Said after the place, where the board is not clear from what stands around. */
  on?: string
}

/**
 * The way to somebody's place: what it costs a website with no total yet, with the order filled in. Ties go to whoever
 * got there first, so it takes one dollar more. Nothing where no total is high enough. Where the same price takes the place
 * above, it says so.
 */
export function TakeLink({ board, entry: { rank, totalCents }, above, on }: TakeProps) {
  const targetBid = leastAbove(totalCents)
  if (targetBid > MAXIMUM_TARGET_USD) return null
  if (above !== undefined && leastAbove(above) === targetBid) {
    const other = `No. ${(rank - 1).toLocaleString('en-US')}`
    return <span class="soft">{above === totalCents ? `tie with ${other}` : `same price as ${other}`}</span>
  }
  return (
    <a class="take" href={placePath({ board, targetBid })} rel="nofollow">
      Take No. {rank.toLocaleString('en-US')}
      {on && ` ${on}`} for ${targetBid.toLocaleString('en-US')}
    </a>
  )
}

/** The least bid in US dollars that stands above a total. */
const leastAbove = (totalCents: number): number =>
  Math.max(MINIMUM_TARGET_USD, Math.floor(totalCents / 100) + 1)

/** What the first place costs where nobody has one. */
export const firstPlacePath = (board: Board): string => placePath({ board, targetBid: MINIMUM_TARGET_USD })
