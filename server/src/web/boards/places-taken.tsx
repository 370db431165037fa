import type { Board } from '@placard/contract'
import type { PlaceTaken } from '../../boards/places-taken.ts'
import { knownLanguage } from '../ui/listed-text.ts'

/** Who took which place, the latest first. The script of the boards keeps it up to date. `now` in Unix milliseconds. */
export const Movement = ({ taken, now }: { taken: readonly PlaceTaken[]; now: number }) => (
  <div data-renewed="movement">{taken.length > 0 && <Taken taken={taken} now={now} />}</div>
)

function Taken({ taken, now }: { taken: readonly PlaceTaken[]; now: number }) {
  return (
    <section class="movement" aria-labelledby="movement">
      <h2 id="movement">Lately on the boards</h2>
      <ul>
        {taken.map(({ board, rank, at, slug, title, language }) => (
          <li key={`${board} ${slug} ${at}`}>
            <a href={`/product/${slug}`}>
              <bdi lang={knownLanguage(language)}>{title}</bdi>
            </a>{' '}
            took No. {rank} on <a href={`/board/${board}`}>{BOARD_IN_WORDS[board]}</a>,{' '}
            <time dateTime={new Date(at).toISOString()} data-age>
              {agoText(now - at)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}

const BOARD_IN_WORDS: Record<Board, string> = { all: 'the board of all time', today: 'today’s board' }

const UNITS = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const

/** How long ago something was, such as 4 minutes ago. */
function agoText(agoMs: number): string {
  for (const [name, unitMs] of UNITS) {
    const count = Math.floor(agoMs / unitMs)
    if (count > 0) return `${count} ${name}${count === 1 ? '' : 's'} ago`
  }
  return 'less than a minute ago'
}
