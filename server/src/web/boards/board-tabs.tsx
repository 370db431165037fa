import { BOARDS, type Board } from '@placard/contract'
import { utcDay } from '../../time.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { monthPath } from './day-paths.ts'

interface TabsProps {
  /** Whether it leads to a place. */
  isForSale?: boolean
  at: Board | 'past'
  /** Unix milliseconds. */
  now: number
}

/** Both boards, the past days, and the way to a place: they stay in sight. */
export function BoardTabs({ at, isForSale = true, now }: TabsProps) {
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
            <small>{TERMS[board]}</small>
          </a>
        ))}
        <a class="tab" href={monthPath(utcDay(now))} aria-current={at === 'past' ? 'true' : undefined}>
          Past days
          <small>closed</small>
        </a>
        {isForSale && (
          <a class="btn go" href={at === 'past' ? '/promote' : `/promote?board=${at}`}>
            Buy a place
          </a>
        )}
      </nav>
    </div>
  )
}

/** How long a place lasts. The pages of past days do not change with the hour. */
const TERMS: Record<Board, string> = { all: 'no end', today: 'until midnight' }
