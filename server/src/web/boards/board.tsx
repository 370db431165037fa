import { BOARDS_PATH, type Board, MINIMUM_TARGET_USD } from '@placard/contract'
import type { BoardEntry } from '../../domain/boards/board.ts'
import type { Movement as Moved } from '../../domain/boards/movement.ts'
import type { PlaceTaken } from '../../domain/boards/places-taken.ts'
import { paidWords } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { dayText } from '../../platform/lib/text.ts'
import { DAY_MS, MINUTE_MS, nextMidnight, utcDay } from '../../platform/lib/time.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import type { PageAtCursor } from '../ui/paging.tsx'
import { Clock, clockLeft, Minute, RecentDay } from '../ui/time.tsx'
import { boardFeed } from './feeds.ts'
import { BoardPager, BoardTabs, DatabaseAway, EmptyBoard, Movement, PaidHead, PastTheEnd } from './parts.tsx'
import { firstPlacePath, MovementMark, NO_PLACE, PlacesInOrder, placeOf, TakeLink } from './places.tsx'
import { BOARD_HEADINGS, boardSharePicture } from './share.ts'

export interface BoardView extends PageAtCursor {
  board: Board
  entries: readonly BoardEntry[]
  /** How the place of each entry moved since an earlier time; undefined if unknown. */
  moved: { since: number; places: readonly (Moved | undefined)[] } | undefined
  /** The places that were taken last, on the first page. */
  taken: readonly PlaceTaken[]
  /** The last total in cents on the previous page; undefined on the first page. */
  aboveCents: number | undefined
  /** When the board was read, if it can't be read now. Nothing can be bought then. */
  asOf: number | undefined
  now: number
}

/** Renders a page of a board. Its script keeps it up to date; without scripts it is correct as served. */
export function renderBoard(view: BoardView, links: Links): string {
  const { board, entries, taken, cursor, asOf, now } = view
  const isForSale = asOf === undefined && links.site.sellsPlaces
  const path = `/board/${board}`
  return renderDocument(
    <Layout
      links={links}
      title={BOARD_HEADINGS[board]}
      description={`${paidWords(links.site).sentence}: the listings in the order of their verified payments.`}
      path={path}
      {...(cursor === undefined && {
        canonical: links.base + path,
        feed: boardFeed(board),
        sharePicture: boardSharePicture(board, { places: entries, site: links.site, now }),
      })}
      isWall
      scripts={['board.js']}
    >
      <PaidHead title={BOARD_HEADINGS[board]}>
        {board === 'today'
          ? `Every place here was paid for since midnight UTC, ${dayText(now)}. These payments also count for all time.`
          : 'Every place here is paid. A higher total ranks higher; in a tie, the earlier one does. Rank says nothing about quality.'}{' '}
        <a href="/how-boards-work">How boards work</a> · <a href="/proof">The open log</a> ·{' '}
        <a href={boardFeed(board).path}>Feed</a>
      </PaidHead>
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
  const { board, entries, moved, cursor, aboveCents, nextCursor, asOf, now } = view
  const path = `/board/${board}`
  if (entries.length === 0) {
    return cursor === undefined ? <NoPlaces board={board} isForSale={isForSale} /> : <PastTheEnd path={path} />
  }
  return (
    <>
      <PlacesInOrder
        places={entries}
        paid={board === 'today' ? 'paid today' : 'paid'}
        detailsOf={(entry, index) => ({
          reached: board === 'today' ? <Clock at={entry.reachedAt} /> : <RecentDay at={entry.reachedAt} now={now} />,
          movement: moved && <MovementMark movement={moved.places[index]} />,
          take: isForSale && (
            <TakeLink board={board} entry={entry} above={index === 0 ? aboveCents : entries[index - 1]?.totalCents} />
          ),
          id: placeOf(entry),
        })}
      />
      <BoardPager path={path} cursor={cursor} nextCursor={nextCursor} nextText="Next places" class="btn" />
      <p class="legend">
        {moved && (
          <>
            ▲ and ▼: places won and lost since <Minute at={moved.since} />.{' '}
          </>
        )}
        Totals are verified payments in US dollars, less refunds and disputes, as of <Minute at={asOf ?? now} />.
        {isForSale && ' Prices are for a website with no total here yet.'}
      </p>
    </>
  )
}

const NoPlaces = ({ board, isForSale }: { board: Board; isForSale: boolean }) => (
  <EmptyBoard heading="An empty board">
    {isForSale ? (
      <>
        <p>
          {NO_PLACE} ${MINIMUM_TARGET_USD} takes No. 1, until another website pays more.
        </p>
        <p class="acts">
          <a class="btn go" href={firstPlacePath(board)} rel="nofollow">
            Take No. 1 for ${MINIMUM_TARGET_USD}
          </a>
        </p>
      </>
    ) : (
      <p>{NO_PLACE}</p>
    )}
  </EmptyBoard>
)

const liveAddress = (board: Board, cursor: string | undefined) =>
  `${BOARDS_PATH}/${board}${cursor === undefined ? '' : `?cursor=${cursor}`}`

/** The bar of 24 equal hours with gaps between them. `assets/board.js` updates the hours that have passed. */
const HOUR_WIDTH = 17
const GAP_WIDTH = 3
const BAR = { width: 24 * (HOUR_WIDTH + GAP_WIDTH) - GAP_WIDTH, height: 28 }

/** The day as a bar, and the time left. It counts down with scripts; without, it says when it was rendered. */
function BoardClock({ now, isForSale }: { now: number; isForSale: boolean }) {
  const endsAt = nextMidnight(now)
  const hoursPassed = 24 - ((endsAt - now) / DAY_MS) * 24
  const passed = Math.floor(hoursPassed) * (HOUR_WIDTH + GAP_WIDTH) + (hoursPassed % 1) * HOUR_WIDTH
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
        <svg class="hours" viewBox={`0 0 ${BAR.width} ${BAR.height}`} preserveAspectRatio="none" aria-hidden="true">
          <rect width={BAR.width} height={BAR.height} />
          <rect class="off" data-passed width={passed.toFixed(1)} height={BAR.height} />
          <path class="between" d={GAPS} />
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

const GAPS = Array.from(
  { length: 23 },
  (_, hour) => `M${hour * (HOUR_WIDTH + GAP_WIDTH) + HOUR_WIDTH} 0h${GAP_WIDTH}v${BAR.height}h-${GAP_WIDTH}z`,
).join('')

/** Returns an ISO 8601 duration, such as PT6H29M. */
function duration(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  return `PT${Math.floor(minutes / 60)}H${minutes % 60}M`
}
