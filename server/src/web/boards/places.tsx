import type { Board } from '@placard/contract'
import { stockClass } from '../../art/stock.ts'
import type { BoardEntry } from '../../boards/board.ts'
import { type Mark, movementSince } from '../../boards/marks.ts'
import { PosterPicture } from '../ui/art.tsx'
import { knownLanguage } from '../ui/listed-text.ts'
import { shortDollars } from '../ui/money.ts'
import { Clock, RecentDay } from '../ui/time.tsx'
import { MovementMark } from './movement.tsx'
import { PlaceRow } from './place-rows.tsx'
import { TakeLink } from './take-link.tsx'

interface PlaceProps {
  board: Board
  entry: BoardEntry
  /** The total of the place above in cents, if there is one. */
  above: number | undefined
  mark: Mark | undefined
  /** Unix milliseconds. */
  now: number
}

/** What tells the place from another, for who looks whether the board changed. */
export const placeOf = ({ slug, totalCents }: Pick<BoardEntry, 'slug' | 'totalCents'>) =>
  `/product/${slug} ${totalCents}`

/** Shorter titles are set larger. */
const BIG_TITLE = 14

/** One of the first three places, as a poster. */
export function Poster({ board, entry, above, mark, now }: PlaceProps) {
  const { rank, slug, title, description, hostname, category, language, totalCents, reachedAt } = entry
  const lang = knownLanguage(language)
  return (
    <li class={rank === 1 ? 'top one' : `top ${stockClass(category)}`} data-place={placeOf(entry)}>
      <p class="rank">
        <b>
          <span class="unseen">No. </span>
          {rank}
        </b>
        <span>
          <strong>{shortDollars(totalCents)}</strong>
          paid, reached{' '}
          {board === 'today' ? <Clock at={reachedAt} /> : <RecentDay at={reachedAt} now={now} />}
          {mark && <MovementMark movement={movementSince(mark, entry)} />}
        </span>
      </p>
      <PosterPicture listing={entry} />
      <div class="in">
        <h2 class={title.length <= BIG_TITLE ? 'big' : undefined} dir="auto" lang={lang}>
          <a class="clamp3" href={`/product/${slug}`}>
            {title}
          </a>
        </h2>
        <p class="host">
          <bdi dir="ltr">{hostname}</bdi>
        </p>
        {rank === 1 && description && (
          <p class="clamp3" dir="auto" lang={lang}>
            {description}
          </p>
        )}
        <p class="take-line">
          <TakeLink board={board} entry={entry} above={above} />
        </p>
      </div>
    </li>
  )
}

/** Any other place, as a row. */
export const BoardRow = ({ board, entry, above, mark }: PlaceProps) => (
  <PlaceRow
    place={entry}
    paid={board === 'today' ? 'paid today' : 'paid'}
    movement={mark && <MovementMark movement={movementSince(mark, entry)} />}
    take={<TakeLink board={board} entry={entry} above={above} />}
    id={placeOf(entry)}
  />
)
