import { BOARDS, BOARDS_PATH, type Board, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import { type Mark, movementSince } from '../../boards/marks.ts'
import type { PlaceTaken } from '../../boards/places-taken.ts'
import type { Links } from '../../http/links.ts'
import { nextMidnight, utcDay } from '../../time.ts'
import { assetPath } from '../ui/assets.ts'
import { BOARD_NAMES } from '../ui/board-names.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { dollars } from '../ui/money.ts'
import { Minute, timeLeft } from '../ui/time.tsx'
import { monthPath } from './day-paths.ts'
import { MovementMark } from './movement.tsx'
import { Movement } from './places-taken.tsx'

/** One page of a board. */
export interface BoardView {
  board: Board
  entries: readonly BoardEntry[]
  /** The earlier places to compare with; undefined if unknown. */
  mark: Mark | undefined
  /** The last places that were taken, for a first page. */
  taken: readonly PlaceTaken[]
  /** The cursor in the request. */
  cursor: string | undefined
  /** The cursor of the next page. */
  nextCursor: string | undefined
  /** Unix milliseconds. */
  now: number
}

const BOARD_HEADINGS: Record<Board, string> = { all: 'Board of all time', today: 'Board of today' }

const reachedFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** A page of a board. Its script keeps it up to date; without scripts it is correct as served. */
export function renderBoard(view: BoardView, links: Links): string {
  const { board, taken, cursor, now } = view
  const path = `/board/${board}`
  return renderDocument(
    <Layout
      isMoneyPlay={links.isMoneyPlay}
      title={`${BOARD_HEADINGS[board]}: paid places`}
      description="Paid placement: listings ranked by verified payments."
      path={path}
      {...(cursor === undefined && { canonical: links.base + path })}
      head={<script type="module" src={assetPath('board.js')} />}
    >
      <div class="board-top">
        <h1>{BOARD_HEADINGS[board]}</h1>
        <nav class="tabs" aria-label="Boards">
          <ul>
            {BOARDS.map(other => (
              <li key={other}>
                <a class="tab" href={`/board/${other}`} aria-current={other === board ? 'page' : undefined}>
                  {BOARD_NAMES[other]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <PaidPlacement board={board} now={now} />
      </div>
      <div class="board">
        <section
          class="chart"
          aria-label="Places"
          data-live={liveAddress(board, cursor)}
          data-day={board === 'today' ? utcDay(now) : 'all'}
        >
          <Places view={view} />
        </section>
      </div>
      <Movement taken={taken} now={now} />
      {board === 'today' && <a href={monthPath(utcDay(now))}>Past days and their winners</a>}
      <p class="news" role="status" data-news />
    </Layout>,
  )
}

function PaidPlacement({ board, now }: { board: Board; now: number }) {
  const endsAt = nextMidnight(now)
  return (
    <>
      <p class="intro">
        <strong>Paid placement.</strong> Every place here is paid for. A total is the sum of verified payments
        {board === 'today' && ' of this UTC day'} in US dollars, less refunds and disputes. Ties go to whoever
        got there first.
      </p>
      {board === 'today' && (
        <p class="intro">
          Resets at midnight UTC, in <time data-ends-at={endsAt}>{timeLeft(endsAt - now)}</time>.
        </p>
      )}
      <p class="intro">
        Own a website? <a href="/promote">Buy it a place</a>, from {dollars(MINIMUM_TARGET_USD * 100)}, or
        read <a href="/how-boards-work">how boards work</a>.
      </p>
    </>
  )
}

function Places({ view: { board, entries, mark, cursor, nextCursor } }: { view: BoardView }) {
  if (entries.length === 0) return <NoPlaces board={board} />
  return (
    <>
      <ol class="places">
        {entries.map(entry => (
          <Place key={entry.slug} entry={entry} mark={mark} />
        ))}
      </ol>
      {mark && (
        <p class="legend">
          ▲ and ▼: places gained and lost since <Minute at={mark.at} />.
        </p>
      )}
      {(cursor ?? nextCursor) !== undefined && (
        <nav class="pager" aria-label="Pages">
          {cursor !== undefined && <a href={`/board/${board}`}>Back to the top</a>}
          {nextCursor !== undefined && (
            <a class="next" rel="next" href={`/board/${board}?cursor=${nextCursor}`}>
              Next
            </a>
          )}
        </nav>
      )}
    </>
  )
}

function Place({ entry, mark }: { entry: BoardEntry; mark: Mark | undefined }) {
  const { rank, slug, title, hostname, totalCents, reachedAt } = entry
  const path = `/product/${slug}`
  return (
    <li class="place-row" data-place={`${path} ${totalCents}`}>
      <span class="stand">
        <span class="rank">{rank}</span> {mark && <MovementMark movement={movementSince(mark, entry)} />}
      </span>
      <a class="named" href={path} dir="auto">
        {title}
      </a>
      <bdi class="where" dir="ltr">
        {hostname}
      </bdi>
      <span class="total">{dollars(totalCents)}</span>
      <span class="reached">
        reached{' '}
        <time dateTime={new Date(reachedAt).toISOString()}>{reachedFormat.format(reachedAt)} UTC</time>
      </span>
    </li>
  )
}

function NoPlaces({ board }: { board: Board }) {
  return (
    <div class="empty">
      <h2>{board === 'today' ? 'No places taken yet today' : 'No places taken yet'}</h2>
      <p>
        The first verified payment takes No. 1. Own a website? <a href="/promote">Buy it a place</a>: choose a
        total, prove that the website is yours, and pay in your browser.
      </p>
    </div>
  )
}

const liveAddress = (board: Board, cursor: string | undefined) =>
  `${BOARDS_PATH}/${board}${cursor === undefined ? '' : `?cursor=${cursor}`}`
