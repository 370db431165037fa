import { BOARDS_PATH, type Board, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../boards/board.ts'
import type { Mark } from '../../boards/marks.ts'
import type { PlaceTaken } from '../../boards/places-taken.ts'
import type { Links } from '../../http/links.ts'
import { utcDay } from '../../time.ts'
import { assetPath } from '../ui/assets.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { dayText, Minute } from '../ui/time.tsx'
import { BoardClock } from './board-clock.tsx'
import { BOARD_HEADINGS, boardSharePicture } from './board-drawing.ts'
import { BoardTabs } from './board-tabs.tsx'
import { DatabaseAway, PastTheEnd } from './notes.tsx'
import { POSTERS } from './place-rows.tsx'
import { BoardPoster, BoardRow, paidOn } from './places.tsx'
import { Movement } from './places-taken.tsx'
import { firstPlacePath } from './take-link.tsx'

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
  /** The last total in cents on the page before, if this is a further one. */
  aboveCents: number | undefined
  /** The cursor of the next page. */
  nextCursor: string | undefined
  /** When it was read, if it cannot be read just now. Nothing can be bought then. Unix milliseconds. */
  asOf: number | undefined
  /** Unix milliseconds. */
  now: number
}

/** A page of a board. Its script keeps it up to date; without scripts it is correct as served. */
export function renderBoard(view: BoardView, links: Links): string {
  const { board, entries, taken, cursor, asOf, now } = view
  const path = `/board/${board}`
  return renderDocument(
    <Layout
      links={links}
      title={BOARD_HEADINGS[board]}
      description="Paid placement: the listings in the order of their verified payments."
      path={path}
      {...(cursor === undefined && {
        canonical: links.base + path,
        sharePicture: boardSharePicture(board, { places: entries, site: links.site, now }),
      })}
      isWall
      head={<script type="module" src={assetPath('board.js')} />}
    >
      <div class="wrap page-head">
        <h1>{BOARD_HEADINGS[board]}</h1>
        <p class="lead">
          <span class="paid">Paid placement</span>
          <br />
          {board === 'today'
            ? `Every place here was bought since midnight UTC, ${dayText(now)}. The same dollars count on All time.`
            : 'Every place here was bought. More money stands higher; ties go to whoever got there first. It says nothing about quality.'}{' '}
          <a href="/how-boards-work">How boards work</a>
        </p>
      </div>
      <BoardTabs at={board} isForSale={asOf === undefined} now={now} />
      {board === 'today' && asOf === undefined && <BoardClock now={now} />}
      <div class="wrap">
        {asOf !== undefined && <DatabaseAway asOf={asOf} />}
        <section
          aria-label="Places"
          data-live={asOf === undefined ? liveAddress(board, cursor) : undefined}
          data-day={board === 'today' ? utcDay(now) : 'all'}
        >
          <Places view={view} />
        </section>
        <p class="news" role="status" data-news />
        <Movement taken={taken} now={now} on={board} />
      </div>
    </Layout>,
  )
}

function Places({ view }: { view: BoardView }) {
  const { board, entries, mark, cursor, aboveCents, nextCursor, asOf, now } = view
  if (entries.length === 0) {
    return cursor === undefined ? (
      <NoPlaces board={board} isForSale={asOf === undefined} />
    ) : (
      <PastTheEnd path={`/board/${board}`} />
    )
  }
  const places = entries.map((entry, index) => ({
    ...{ board, entry, mark, now, isForSale: asOf === undefined },
    above: index === 0 ? aboveCents : entries[index - 1]?.totalCents,
  }))
  const posters = places.filter(({ entry }) => entry.rank <= POSTERS)
  const rows = places.slice(posters.length)
  return (
    <>
      {posters.length > 0 && (
        <ol class="podium">
          {posters.map(place => (
            <BoardPoster key={place.entry.slug} {...place} />
          ))}
        </ol>
      )}
      {rows.length > 0 && (
        <ol class="rows" start={rows[0]?.entry.rank} data-paid={paidOn(board)}>
          {rows.map(place => (
            <BoardRow key={place.entry.slug} {...place} />
          ))}
        </ol>
      )}
      {(cursor ?? nextCursor) !== undefined && (
        <nav class="pager" aria-label="Pages">
          {cursor !== undefined && (
            <a class="btn" href={`/board/${board}`}>
              Back to the top
            </a>
          )}
          {nextCursor !== undefined && (
            <a class="btn" rel="next" href={`/board/${board}?cursor=${nextCursor}`}>
              Next places
            </a>
          )}
        </nav>
      )}
      <p class="legend">
        {mark && (
          <>
            ▲ and ▼: places won and lost since <Minute at={mark.at} />.{' '}
          </>
        )}
        Totals are verified payments in US dollars, less refunds and disputes, as of{' '}
        <Minute at={asOf ?? now} />.
        {asOf === undefined && ' Prices are for a website with no total here yet.'}
      </p>
    </>
  )
}

function NoPlaces({ board, isForSale }: { board: Board; isForSale: boolean }) {
  return (
    <section class="blank" aria-labelledby="nobody">
      <b aria-hidden="true">1</b>
      <div>
        <h2 id="nobody">An empty board</h2>
        <p>
          {board === 'today' ? 'Nobody has paid today yet.' : 'Nobody has paid yet.'} ${MINIMUM_TARGET_USD} is
          No. 1, until somebody pays more.
        </p>
        {isForSale && (
          <p class="acts">
            <a class="btn go" href={firstPlacePath(board)} rel="nofollow">
              Take No. 1 for ${MINIMUM_TARGET_USD}
            </a>
          </p>
        )}
      </div>
    </section>
  )
}

const liveAddress = (board: Board, cursor: string | undefined) =>
  `${BOARDS_PATH}/${board}${cursor === undefined ? '' : `?cursor=${cursor}`}`
