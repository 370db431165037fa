import { BOARDS_PATH, type Board, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../domain/boards/board.ts'
import { nextMidnight, utcDay } from '../../platform/lib/time.ts'
import { canBeTaken, firstPlacePath, NO_PLACE, placeOf, TakeLink } from '../boards/places.tsx'
import { BOARD_NAMES, knownLanguage, shortDollars } from '../ui/format.ts'
import { ListingPoster } from '../ui/listing-poster.tsx'
import { timeLeft } from '../ui/time.tsx'

/** What the home page shows of a place. */
export type TopEntry = Omit<BoardEntry, 'reachedAt' | 'destinationKey' | 'description'>

interface BoardTopProps {
  board: Board
  /** Undefined if they can't be read. */
  entries: readonly TopEntry[] | undefined
  /** The highest number of entries. */
  limit: number
  /** If false, no price is shown, and the list is not kept up to date. */
  isForSale: boolean
  now: number
}

/** The first places of a board, marked as paid. */
export function BoardTop({ board, entries, limit, isForSale, now }: BoardTopProps) {
  return (
    <section
      class="chart"
      aria-labelledby={`top-${board}`}
      data-live={entries && isForSale ? `${BOARDS_PATH}/${board}?limit=${limit}` : undefined}
      data-day={board === 'today' ? utcDay(now) : 'all'}
    >
      <div class="chart-head">
        <h2 id={`top-${board}`}>
          <a href={`/board/${board}`}>{BOARD_NAMES[board]}</a>
        </h2>
        <span class="paid">Paid placement</span>
        {board === 'today' && <span class="when num">Resets in {timeLeft(nextMidnight(now) - now)}</span>}
      </div>
      <Entries board={board} entries={entries} isForSale={isForSale} />
    </section>
  )
}

const IN_WORDS: Record<Board, string> = { all: 'all time', today: 'today' }

function Entries({ board, entries, isForSale }: Pick<BoardTopProps, 'board' | 'entries' | 'isForSale'>) {
  if (!entries) return <p>We can’t read this board right now. Try again soon.</p>
  const [first, ...others] = entries
  if (!first) {
    return (
      <p>
        {NO_PLACE}{' '}
        {isForSale && (
          <a class="take" href={firstPlacePath(board)} rel="nofollow">
            Take No. 1 for ${MINIMUM_TARGET_USD}
          </a>
        )}
      </p>
    )
  }
  const head = (
    <p class="no" data-place={placeOf(first)}>
      <b>No. 1</b>
      <span>
        {IN_WORDS[board]}
        <strong>{shortDollars(first.totalCents)}</strong>
      </span>
    </p>
  )
  return (
    <>
      <ListingPoster listing={first} head={head} class="no1" isLazy={false} />
      <ol class="ranks" start={2}>
        {others.map(entry => (
          <li key={entry.slug} data-place={placeOf(entry)}>
            <b>{entry.rank}</b>
            <a href={`/product/${entry.slug}`} dir="auto" lang={knownLanguage(entry.language)}>
              <span class="clamp2">{entry.title}</span>
            </a>
            <span class="sum">{shortDollars(entry.totalCents)}</span>
          </li>
        ))}
        {isForSale && canBeTaken(first) && (
          <li class="more">
            <TakeLink board={board} entry={first} {...(board === 'today' && { on: 'today' })} />
          </li>
        )}
      </ol>
    </>
  )
}
