import { BOARDS } from '@placard/contract'
import { utcDay } from '../../time.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { monthPath } from './day-paths.ts'

/** The ways between the boards, on the pages of past days. @param now in Unix milliseconds */
export function PastDaysTabs({ now }: { now: number }) {
  return (
    <div class="tabs">
      <nav class="wrap" aria-label="Boards">
        {BOARDS.map(board => (
          <a key={board} class="tab" href={`/board/${board}`}>
            {BOARD_NAMES[board]}
          </a>
        ))}
        <a class="tab" href={monthPath(utcDay(now))} aria-current="true">
          Past days
        </a>
      </nav>
    </div>
  )
}
