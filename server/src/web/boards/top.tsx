import type { Board } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { dollars } from '../ui/money.ts'

/** What the first places show, elsewhere than on the board itself. */
export type TopEntry = Pick<BoardEntry, 'rank' | 'slug' | 'title' | 'totalCents'>

/** The first places of a board, plainly as paid ones. `entries` undefined: they cannot be read just now. */
export function BoardTop({ board, entries }: { board: Board; entries: readonly TopEntry[] | undefined }) {
  return (
    <section class="chart" aria-labelledby={`top-${board}`}>
      <h2 class="top-head" id={`top-${board}`}>
        <a class="plain" href={`/board/${board}`}>
          {BOARD_NAMES[board]}
        </a>
        <span class="paid">Paid placement</span>
      </h2>
      <Entries board={board} entries={entries} />
    </section>
  )
}

function Entries({ board, entries }: { board: Board; entries: readonly TopEntry[] | undefined }) {
  if (!entries) return <p class="none">This board cannot be read just now. It will be back.</p>
  if (entries.length === 0) {
    return (
      <p class="none">
        {board === 'today' ? 'No place is taken yet today' : 'No place is taken yet'}. A place is bought with
        a verified payment for a website of yours: <a href="/promote">buy a place</a>, or read{' '}
        <a href="/how-boards-work">how boards work</a>.
      </p>
    )
  }
  return (
    <ol class="top-list">
      {entries.map(({ rank, slug, title, totalCents }) => (
        <li key={slug} class="top-place">
          <span class="top-rank">{rank}</span>
          <a class="top-name" href={`/product/${slug}`} dir="auto">
            {title}
          </a>
          <span class="total">{dollars(totalCents)}</span>
        </li>
      ))}
    </ol>
  )
}
