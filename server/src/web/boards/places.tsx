import { type Board, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../domain/boards/board.ts'
import type { Movement } from '../../domain/boards/movement.ts'
import { bidAbove } from '../../domain/checkout/price.ts'
import { placePath } from '../../platform/http/links.ts'
import { counted } from '../../platform/lib/text.ts'

/** Returns what identifies a place to the script of the boards, which checks whether the board changed. */
export const placeOf = ({ slug, totalCents }: Pick<BoardEntry, 'slug' | 'totalCents'>) =>
  `/product/${slug} ${totalCents}`

/** How a place moved, as a sign and as text for screen readers. Nothing if the movement is unknown. */
export function MovementMark({ movement }: { movement: Movement | undefined }) {
  if (movement === undefined) return null
  const [kind, sign, text] = markOf(movement)
  return (
    <span class={`move ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{text}</span>
    </span>
  )
}

function markOf(movement: Movement): [kind: 'up' | 'down' | 'same' | 'new', sign: string, text: string] {
  if (movement === 'new') return ['new', 'new', 'new here']
  if (movement === 'entered') return ['up', '▲', 'up from below place 100']
  if (movement === 0) return ['same', '–', 'same place']
  const by = Math.abs(movement)
  const places = counted(by, 'place')
  return movement > 0 ? ['up', `▲ ${by}`, `up ${places}`] : ['down', `▼ ${by}`, `down ${places}`]
}

interface TakeProps {
  board: Board
  entry: Pick<BoardEntry, 'rank' | 'totalCents'>
  /** The total of the place above in cents, if there is one. */
  above?: number | undefined
  /** Added after the place if the page doesn't make clear which board it is on. */
  on?: string
}

/**
 * A link to a filled-in order for the place of a listing, with the price for a website that has no total yet. Shows
 * nothing if no allowed total is high enough. If the same price buys the place above, it says so instead.
 */
export function TakeLink({ board, entry, above, on }: TakeProps) {
  if (!canBeTaken(entry)) return null
  const { rank, totalCents } = entry
  const targetBid = leastAbove(totalCents)
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

/** Returns whether an allowed total is higher. */
export const canBeTaken = ({ totalCents }: { totalCents: number }): boolean =>
  leastAbove(totalCents) <= MAXIMUM_TARGET_USD

/** Returns the lowest bid that is allowed and ranks above a total. */
const leastAbove = (totalCents: number): number => Math.max(MINIMUM_TARGET_USD, bidAbove(totalCents))

/** Returns the address of an order for the first place of an empty board. */
export const firstPlacePath = (board: Board): string => placePath({ board, targetBid: MINIMUM_TARGET_USD })

/** Says that a board is empty. Payments may have been refunded, or their listings hidden. */
export const NO_PLACE = 'No listing has a place here.'
