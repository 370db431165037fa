import { type Board, type Category, MINIMUM_TARGET_USD } from '@placard/contract'
import { shortName } from '../../art/name.ts'
import { categorySlug } from '../../edge/tags.ts'
import { type BoardDrawing, houseOf } from '../../pictures/drawing.ts'
import type { Site } from '../../site/site.ts'
import { type SharePicture, sharedPath } from '../site/share-picture.ts'
import { dayText } from '../ui/time.tsx'

/** What a board is called, as a heading. */
export const BOARD_HEADINGS: Record<Board, string> = { all: 'Most paid, all time', today: 'Most paid, today' }

/** How many places a share picture shows. */
export const DRAWN_PLACES = 3

interface Drawn {
  /** From the first place on; more than are drawn do no harm. */
  places: readonly { title: string; hostname: string; language: string }[]
  site: Site
  /** Unix milliseconds. */
  now: number
}

/** What the share picture of a board is drawn from, or of the board of a category. */
export function boardDrawing(board: Board | Category, { places, site, now }: Drawn): BoardDrawing {
  return {
    kind: 'board',
    house: houseOf(site),
    heading: headingOf(board),
    // Whoever keeps the picture for longer than today still says which day it was.
    note: board === 'today' ? `Paid placement, ${dayText(now)}` : 'Paid placement',
    places: places.slice(0, DRAWN_PLACES).map(({ title, hostname, language }) => ({
      title: shortName(title) || title,
      hostname,
      language,
    })),
    offer: `NO. 1 FOR $${MINIMUM_TARGET_USD}`,
  }
}

export function boardSharePicture(board: Board | Category, drawn: Drawn): SharePicture {
  const drawing = boardDrawing(board, drawn)
  const names = drawing.places.map(({ title }, index) => `${index + 1}. ${title}`).join(', ')
  return {
    path: sharedPath(`board-${categorySlug(board)}`, drawing),
    alt: `${drawing.heading} on ${drawn.site.name}: ${names || 'nobody yet'}`,
  }
}

const headingOf = (board: Board | Category): string =>
  board === 'all' || board === 'today' ? BOARD_HEADINGS[board] : `Paid places in ${board}`
