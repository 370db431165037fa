import { BOARDS, type Board } from '@placard/contract'
import type { PlaceTaken } from '../../domain/boards/places-taken.ts'
import type { Links } from '../../platform/http/links.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { BOARD_NAMES, BOARDS_IN_WORDS, knownLanguage } from '../ui/format.ts'
import { Message } from '../ui/message.tsx'
import { Age, Minute } from '../ui/time.tsx'
import { monthPath } from './day-paths.ts'

interface TabsProps {
  /** Whether it leads to a place. */
  isForSale: boolean
  at: Board | 'past'
  /** Unix milliseconds. */
  now: number
}

/** Both boards, the past days, and the way to a place: they stay in sight. */
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

/** A page after the last place: who stood there has been refunded or hidden since, or nobody ever did. */
export const PastTheEnd = ({ path }: { path: string }) => (
  <p class="blank">
    No place is this far down. <a href={path}>Back to the top</a>
  </p>
)

/** Said above boards that were read earlier. */
export const DatabaseAway = ({ asOf, links }: { asOf: number; links: Links }) => (
  <Message>
    We can’t read our database right now. This is how the boards stood on <Minute at={asOf} />.
    {links.site.sellsPlaces && ' Nothing can be bought until it is back.'}
  </Message>
)

interface MovementProps {
  taken: readonly PlaceTaken[]
  /** The board whose page this is. */
  on?: Board
  /** Unix milliseconds. */
  now: number
}

/** Who took which place, the latest first. The script of the boards keeps it up to date. */
export const Movement = (movement: MovementProps) => (
  <div data-renewed="movement">{movement.taken.length > 0 && <Taken {...movement} />}</div>
)

function Taken({ taken, on, now }: MovementProps) {
  return (
    <section class="movement" aria-labelledby="movement">
      <h2 id="movement">Lately on {on ? 'this board' : 'the boards'}</h2>
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
