import type { PlaceTaken } from '../../boards/places-taken.ts'
import { BOARDS_IN_WORDS } from '../ui/board-names.ts'
import { knownLanguage } from '../ui/listed-text.ts'
import { Age } from '../ui/time.tsx'

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
            took No. {rank} on <a href={`/board/${board}`}>{BOARDS_IN_WORDS[board]}</a>,{' '}
            <Age at={at} now={now} />
          </li>
        ))}
      </ul>
    </section>
  )
}
