import { BOARDS, type Board } from '@placard/contract'
import { nextMidnight, utcDay } from '../../time.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { clockLeft } from '../ui/time.tsx'
import { monthPath } from './day-paths.ts'

interface TabsProps {
  at: Board | 'past'
  /** How many places the board of all time has, if that is known. */
  count?: number | undefined
  /** Unix milliseconds. */
  now: number
}

/** Both boards, and the way to a place or the past days: they stay in sight. */
export function BoardTabs({ at, count, now }: TabsProps) {
  return (
    <div class="tabs">
      <nav class="wrap" aria-label="Boards">
        {BOARDS.map(board => (
          <a
            key={board}
            class="tab"
            href={`/board/${board}`}
            aria-current={board === at ? 'page' : undefined}
          >
            {BOARD_NAMES[board]}
            {at === 'past' ? <small>{TERMS[board]}</small> : <Left board={board} count={count} now={now} />}
          </a>
        ))}
        {at === 'past' && (
          <a class="tab" href={monthPath(utcDay(now))} aria-current="true">
            Past days
            <small>closed</small>
          </a>
        )}
        <a class="btn go" href={at === 'past' ? '/promote' : `/promote?board=${at}`}>
          Buy a place
        </a>
      </nav>
    </div>
  )
}

/** The pages of past days do not change with the hour. */
const TERMS: Record<Board, string> = { all: 'no end', today: 'until midnight' }

/** How long a board has left, or how many places it has. */
function Left({ board, count, now }: Omit<TabsProps, 'at'> & { board: Board }) {
  if (board === 'all') return <small>{count ? placesText(count) : TERMS.all}</small>
  const endsAt = nextMidnight(now)
  return (
    <small class="num">
      <time data-ends-at={endsAt}>{clockLeft(endsAt - now)}</time> left
    </small>
  )
}

const placesText = (count: number) => (count === 1 ? '1 place' : `${count.toLocaleString('en-US')} places`)
