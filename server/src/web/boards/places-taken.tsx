import type { Board } from '@placard/contract'
import type { PlaceTaken } from '../../boards/places-taken.ts'
import { BOARDS_IN_WORDS } from '../ui/board-names.ts'
import { knownLanguage } from '../ui/listed-text.ts'
import { Age } from '../ui/time.tsx'

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
