import { BOARDS, type Board } from '@placard/contract'
import type { ComponentChildren } from 'preact'
import type { PlaceTaken } from '../../domain/boards/places-taken.ts'
import type { Links } from '../../platform/http/links.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { BOARD_NAMES, BOARDS_IN_WORDS, knownLanguage } from '../ui/format.ts'
import { Message } from '../ui/message.tsx'
import { Age, Minute } from '../ui/time.tsx'
import { monthPath } from './day-paths.ts'

interface TabsProps {
  /** Whether to show the link to buy a place. */
  isForSale: boolean
  at: Board | 'past'
  /** Unix milliseconds. */
  now: number
}

/** Links to both boards and past days, and to buy a place. They stay visible while the page scrolls. */
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

/** What each board counts. Not a countdown: the pages of past days do not change with the hour. */
const TERMS: Record<Board, ComponentChildren> = {
  all: 'since launch',
  today: (
    <>
      resets <span class="roomy">at midnight UTC</span>
      <span class="tight">daily</span>
    </>
  ),
}

/** A page after the last place: its places were refunded or hidden since, or never existed. */
export const PastTheEnd = ({ path }: { path: string }) => (
  <p class="blank">
    There are no places this far down. <a href={path}>Back to the top</a>
  </p>
)

/** Shown above boards that were read earlier. */
export const DatabaseAway = ({ asOf, links }: { asOf: number; links: Links }) => (
  <Message>
    We can’t read our database right now. The boards are as of <Minute at={asOf} />.
    {links.site.sellsPlaces && ' You can’t buy a place until it is back.'}
  </Message>
)

interface MovementProps {
  taken: readonly PlaceTaken[]
  /** The board whose page this is. */
  on?: Board
  /** Unix milliseconds. */
  now: number
}

/** The last places taken, the latest first. The script of the boards keeps them up to date. */
export const Movement = (movement: MovementProps) => (
  <div data-renewed="movement">{movement.taken.length > 0 && <Taken {...movement} />}</div>
)

function Taken({ taken, on, now }: MovementProps) {
  return (
    <section class="movement" aria-labelledby="movement">
      <h2 id="movement">Recent moves on {on ? 'this board' : 'the boards'}</h2>
      <ul>
        {taken.map(({ board, rank, at, slug, title, language }) => (
          <li key={`${board} ${slug} ${at}`}>
            <a href={`/product/${slug}`}>
              <bdi lang={knownLanguage(language)}>{title}</bdi>
            </a>{' '}
            took No. {rank}
            {board !== on && (
              <>
                {' '}
                on <a href={`/board/${board}`}>{BOARDS_IN_WORDS[board]}</a>
              </>
            )}
            , <Age at={at} now={now} />
          </li>
        ))}
      </ul>
    </section>
  )
}
