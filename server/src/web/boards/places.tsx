import { type Board, MAXIMUM_TARGET_USD, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../domain/boards/board.ts'
import { type Mark, type Movement, movementSince } from '../../domain/boards/movement.ts'
import { placePath } from '../../platform/http/links.ts'
import { Clock, RecentDay } from '../ui/time.tsx'
import { PlaceRow, Poster } from './place-rows.tsx'

interface PlaceProps {
  board: Board
  entry: BoardEntry
  /** The total of the place above in cents, if there is one. */
  above: number | undefined
  mark: Mark | undefined
  /** If false, no price is shown. */
  isForSale: boolean
  /** Unix milliseconds. */
  now: number
}

/** Identifies a place and its total, so that the script can see whether the board changed. */
export const placeOf = ({ slug, totalCents }: Pick<BoardEntry, 'slug' | 'totalCents'>) =>
  `/product/${slug} ${totalCents}`

/** One of the first three places. */
export const BoardPoster = ({ board, entry, above, mark, isForSale, now }: PlaceProps) => (
  <Poster
    place={entry}
    paid={
      <>
        paid, reached{' '}
        {board === 'today' ? <Clock at={entry.reachedAt} /> : <RecentDay at={entry.reachedAt} now={now} />}
      </>
    }
    movement={mark && <MovementMark movement={movementSince(mark, entry)} />}
    take={isForSale && <TakeLink board={board} entry={entry} above={above} />}
    id={placeOf(entry)}
  />
)

/** Any other place, as a row. */
export const BoardRow = ({ board, entry, above, mark, isForSale }: PlaceProps) => (
  <PlaceRow
    place={entry}
    paid={paidOn(board)}
    movement={mark && <MovementMark movement={movementSince(mark, entry)} />}
    take={isForSale && <TakeLink board={board} entry={entry} above={above} />}
    id={placeOf(entry)}
  />
)

/** The label of a total. */
export const paidOn = (board: Board) => (board === 'today' ? 'paid today' : 'paid')

interface Shape {
  kind: 'up' | 'down' | 'same' | 'new'
  sign: string
  /** For screen readers. */
  words: string
}

/** How a place moved: a sign, and words for screen readers. Empty if the movement is unknown. */
function MovementMark({ movement }: { movement: Movement | undefined }) {
  if (movement === undefined) return null
  const { kind, sign, words } = shapeOf(movement)
  return (
    <span class={`move ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{words}</span>
    </span>
  )
}

function shapeOf(movement: Movement): Shape {
  if (movement === 'new') return { kind: 'new', sign: 'new', words: 'new here' }
  if (movement === 'entered') return { kind: 'up', sign: '▲', words: 'up from below place 100' }
  if (movement === 0) return { kind: 'same', sign: '–', words: 'same place' }
  const by = Math.abs(movement)
  const places = by === 1 ? '1 place' : `${by} places`
  return movement > 0
    ? { kind: 'up', sign: `▲ ${by}`, words: `up ${places}` }
    : { kind: 'down', sign: `▼ ${by}`, words: `down ${places}` }
}

interface TakeProps {
  board: Board
  entry: Pick<BoardEntry, 'rank' | 'totalCents'>
  /** The total of the place above in cents, if there is one. */
  above?: number | undefined
  /** Follows the rank, if the board is not clear from the context. */
  on?: string
}

/**
 * A link that buys the place of a listing: its price for a website with no total yet, leading to the filled-in order. In a
 * tie, the total that was reached first ranks higher, so the price is one dollar more than the listing's total. Shows
 * nothing if no allowed total is high enough. If the same price buys the place above, the link says so.
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

/** The lowest bid in US dollars that ranks above a total. */
const leastAbove = (totalCents: number): number => Math.max(MINIMUM_TARGET_USD, Math.floor(totalCents / 100) + 1)

/** Returns the path that buys the first place of an empty board. */
export const firstPlacePath = (board: Board): string => placePath({ board, targetBid: MINIMUM_TARGET_USD })
