import { BOARDS, type Board } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { PlaceTaken } from '../../domain/boards/places-taken.ts'
import { shortName } from '../../domain/pictures/posters/name.ts'
import type { Links } from '../../platform/http/links.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { BOARD_NAMES, BOARDS_IN_WORDS, knownLanguage } from '../ui/format.ts'
import { type PageAtCursor, Pager } from '../ui/paging.tsx'
import { Age, Minute } from '../ui/time.tsx'
import { monthPath } from './day-paths.ts'

/** The heading of a page of paid places, and what it says about them. */
export const PaidHead = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="wrap page-head">
    <h1>{title}</h1>
    <p class="lead">
      <span class="paid">Paid placement</span>
      <br />
      {children}
    </p>
  </div>
)

interface TabsProps {
  /** Whether to link to the page where places are bought. */
  isForSale: boolean
  at: Board | 'past'
  now: number
}

/** Links to both boards, past days, and the page where places are bought. They stay visible on scrolling. */
export function BoardTabs({ at, isForSale, now }: TabsProps) {
  return (
    <div class="tabs">
      <nav class="wrap" aria-label="Boards">
        {BOARDS.map(board => (
          <a key={board} class="tab" href={`/board/${board}`} aria-current={board === at ? 'page' : undefined}>
            {BOARD_NAMES[board]}
            <small>{TERMS[board]}</small>
          </a>
        ))}
        <a class="tab" href={monthPath(utcDay(now))} aria-current={at === 'past' ? 'true' : undefined}>
          Past days
          <small>archive</small>
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

/** How long a place lasts. Without the hour, because pages of past days are rendered once a day. */
const TERMS: Record<Board, ComponentChildren> = {
  all: 'since launch',
  today: (
    <>
      resets <span class="roomy">at midnight UTC</span>
      <span class="tight">daily</span>
    </>
  ),
}

/** Shown on a board without places. */
export const EmptyBoard = ({ heading, children }: { heading: string; children: ComponentChildren }) => (
  <section class="blank" aria-labelledby="empty">
    <b aria-hidden="true">1</b>
    <div>
      <h2 id="empty">{heading}</h2>
      {children}
    </div>
  </section>
)

/** Shown on a page after the last place. Places that were there may be refunded or hidden since. */
export const PastTheEnd = ({ path }: { path: string }) => (
  <p class="blank">
    There are no places this far down. <a href={path}>Back to the top</a>
  </p>
)

interface BoardPagerProps extends PageAtCursor {
  path: string
  nextText?: string
  class?: 'btn'
}

/** Links to the first and the next page of a board. */
export const BoardPager = ({ path, cursor, nextCursor, nextText = 'Next', ...look }: BoardPagerProps) => (
  <Pager
    first={cursor === undefined ? undefined : path}
    firstText="Back to the top"
    next={nextCursor && `${path}?cursor=${nextCursor}`}
    nextText={nextText}
    rel="next"
    {...look}
  />
)

/** The page of a day or month. */
interface Dated {
  path: string
  text: string
}

/** Links to the pages of an earlier and a later day or month. */
export const EarlierAndLater = ({ earlier, later }: { earlier: Dated | false; later: Dated | false }) =>
  earlier || later ? (
    <nav class="pager" aria-label="Earlier and later">
      {earlier && (
        <a href={earlier.path} rel="prev">
          <small>Earlier</small>← {earlier.text}
        </a>
      )}
      {later && (
        <a href={later.path} rel="next">
          <small>Later</small>
          {later.text} →
        </a>
      )}
    </nav>
  ) : null

/** Shown above boards that were read earlier. */
export const DatabaseAway = ({ asOf, links }: { asOf: number; links: Links }) => (
  <p class="callout" role="alert">
    We can’t read our database right now. The boards are as of <Minute at={asOf} />.
    {links.site.sellsPlaces && ' You can’t buy a place until it is back.'}
  </p>
)

interface MovementProps {
  taken: readonly PlaceTaken[]
  /** The board of this page; undefined on the home page. */
  on?: Board
  now: number
}

/** The places that were taken last, latest first. The script of the boards keeps it up to date. */
export const Movement = (movement: MovementProps) => (
  <div data-renewed="movement">{movement.taken.length > 0 && <Taken {...movement} />}</div>
)

function Taken({ taken, on, now }: MovementProps) {
  return (
    <section class="movement" aria-labelledby="movement">
      <h2 id="movement">Lately{on && ' on this board'}</h2>
      <ul>
        {taken.map(({ board, rank, at, slug, title, language }) => (
          <li key={`${board} ${slug} ${at}`}>
            <a href={`/product/${slug}`}>
              <bdi dir="auto" lang={knownLanguage(language)}>
                {shortName(title) || title}
              </bdi>
            </a>{' '}
            took No. {rank}
            {board !== on && ` on ${BOARDS_IN_WORDS[board]}`}, <Age at={at} now={now} />
          </li>
        ))}
      </ul>
    </section>
  )
}
