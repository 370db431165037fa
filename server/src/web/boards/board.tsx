import { BOARDS_PATH, type Board, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../domain/boards/board.ts'
import type { Mark } from '../../domain/boards/movement.ts'
import type { PlaceTaken } from '../../domain/boards/places-taken.ts'
import type { Links } from '../../platform/http/links.ts'
import { DAY_MS, nextMidnight, utcDay } from '../../platform/lib/time.ts'
import { assetPath } from '../ui/assets.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { Clock, clockLeft, dayText, Minute } from '../ui/time.tsx'
import { BoardTabs, DatabaseAway, Movement, PastTheEnd } from './parts.tsx'
import { POSTERS } from './place-rows.tsx'
import { BoardPoster, BoardRow, firstPlacePath, paidOn } from './places.tsx'
import { BOARD_HEADINGS, boardSharePicture } from './share.ts'

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
  /** When the board was read, if it cannot be read now. Then no place can be bought. Unix milliseconds. */
  asOf: number | undefined
  /** Unix milliseconds. */
  now: number
}

/** A page of a board. Its script keeps it up to date; without scripts it is correct as served. */
export function renderBoard(view: BoardView, links: Links): string {
  const { board, entries, taken, cursor, asOf, now } = view
  const isForSale = asOf === undefined && links.site.sellsPlaces
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
            ? `Every place here was paid for since midnight UTC, ${dayText(now)}. These payments also count for all time.`
            : 'Every place here is paid. Whoever paid more ranks higher; in a tie, the earlier total does. Rank says nothing about quality.'}{' '}
          <a href="/how-boards-work">How boards work</a>
        </p>
      </div>
      <BoardTabs at={board} isForSale={isForSale} now={now} />
      {board === 'today' && asOf === undefined && <BoardClock now={now} isForSale={isForSale} />}
      <div class="wrap">
        {asOf !== undefined && <DatabaseAway asOf={asOf} links={links} />}
        <section
          aria-label="Places"
          data-live={asOf === undefined ? liveAddress(board, cursor) : undefined}
          data-day={board === 'today' ? utcDay(now) : 'all'}
        >
          <Places view={view} isForSale={isForSale} />
        </section>
        <p class="news" role="status" data-news />
        <Movement taken={taken} now={now} on={board} />
      </div>
    </Layout>,
  )
}

function Places({ view, isForSale }: { view: BoardView; isForSale: boolean }) {
  const { board, entries, mark, cursor, aboveCents, nextCursor, asOf, now } = view
  if (entries.length === 0) {
    return cursor === undefined ? (
      <NoPlaces board={board} isForSale={isForSale} />
    ) : (
      <PastTheEnd path={`/board/${board}`} />
    )
  }
  const places = entries.map((entry, index) => ({
    ...{ board, entry, mark, now, isForSale },
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
        Totals are verified payments in US dollars, less refunds and disputes, as of <Minute at={asOf ?? now} />.
        {isForSale && ' Prices are for a website with no total here yet.'}
      </p>
    </>
  )
}

function NoPlaces({ board, isForSale }: { board: Board; isForSale: boolean }) {
  return (
    <section class="blank" aria-labelledby="empty">
      <b aria-hidden="true">1</b>
      <div>
        <h2 id="empty">An empty board</h2>
        {isForSale ? (
          <>
            <p>
              {board === 'today' ? 'No payments today yet.' : 'No payments yet.'} ${MINIMUM_TARGET_USD} takes No. 1,
              until another website pays more.
            </p>
            <p class="acts">
              <a class="btn go" href={firstPlacePath(board)} rel="nofollow">
                Take No. 1 for ${MINIMUM_TARGET_USD}
              </a>
            </p>
          </>
        ) : (
          <p>No listing has a place here.</p>
        )}
      </div>
    </section>
  )
}

const liveAddress = (board: Board, cursor: string | undefined) =>
  `${BOARDS_PATH}/${board}${cursor === undefined ? '' : `?cursor=${cursor}`}`

/** The ruler of the day: 24 equal hours with gaps. `assets/board.js` keeps the passed hours up to date. */
const HOUR = 17
const BETWEEN = 3
const RULER = { width: 24 * (HOUR + BETWEEN) - BETWEEN, height: 28 }

/** The day as a band, and the time left. With scripts it counts down; without, it names the time it was read. */
function BoardClock({ now, isForSale }: { now: number; isForSale: boolean }) {
  const endsAt = nextMidnight(now)
  const hoursPassed = 24 - ((endsAt - now) / DAY_MS) * 24
  const passed = Math.floor(hoursPassed) * (HOUR + BETWEEN) + (hoursPassed % 1) * HOUR
  return (
    <section class="on-green clock" aria-label="Time left">
      <div class="wrap">
        <p>
          <strong>Resets at midnight UTC.</strong> {isForSale && 'What you pay now counts on this board until then. '}
          <span data-still>
            Time left at <Clock at={now} /> UTC:
          </span>
        </p>
        <time class="left" data-ends-at={endsAt} dateTime={duration(endsAt - now)}>
          {clockLeft(endsAt - now)}
        </time>
        <svg class="hours" viewBox={`0 0 ${RULER.width} ${RULER.height}`} preserveAspectRatio="none" aria-hidden="true">
          <rect width={RULER.width} height={RULER.height} />
          <rect class="off" data-passed width={passed.toFixed(1)} height={RULER.height} />
          <path class="between" d={BETWEEN_PATH} />
        </svg>
        <p class="ends" aria-hidden="true">
          <span>00:00</span>
          <span>UTC</span>
          <span>24:00</span>
        </p>
      </div>
    </section>
  )
}

const BETWEEN_PATH = Array.from(
  { length: 23 },
  (_, hour) => `M${hour * (HOUR + BETWEEN) + HOUR} 0h${BETWEEN}v${RULER.height}h-${BETWEEN}z`,
).join('')

/** An ISO 8601 duration, such as PT6H29M. */
function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return `PT${Math.floor(minutes / 60)}H${minutes % 60}M`
}
