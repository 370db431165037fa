import type { Board } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { dollars } from '../ui/money.ts'

/** A top place as other pages show it. */
export type TopEntry = Pick<BoardEntry, 'rank' | 'slug' | 'title' | 'totalCents'>

/** The top places of a board, labelled as paid. `entries` is undefined if they cannot be read. */
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
  if (!entries) return <p class="none">We can’t read this board right now. It will be back.</p>
  if (entries.length === 0) {
    return (
      <p class="none">
        {board === 'today' ? 'No places taken yet today' : 'No places taken yet'}. Own a website?{' '}
        <a href="/promote">Buy it a place</a>, or read <a href="/how-boards-work">how boards work</a>.
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
