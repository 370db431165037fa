import type { Board } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import { type Mark, movementSince } from '../../boards/marks.ts'
import { Clock, RecentDay } from '../ui/time.tsx'
import { MovementMark } from './movement.tsx'
import { PlaceRow, Poster } from './place-rows.tsx'
import { TakeLink } from './take-link.tsx'

interface PlaceProps {
  board: Board
  entry: BoardEntry
  /** The total of the place above in cents, if there is one. */
  above: number | undefined
  mark: Mark | undefined
  /** Without, it names no price. */
  isForSale: boolean
  /** Unix milliseconds. */
  now: number
}

/** What tells the place from another, for who looks whether the board changed. */
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

/** What a total is. */
export const paidOn = (board: Board) => (board === 'today' ? 'paid today' : 'paid')
