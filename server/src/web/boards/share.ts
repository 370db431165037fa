import { BOARDS, type Board, type Category, MINIMUM_TARGET_USD } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBoard } from '../../domain/boards/board.ts'
import { readCategoryBoard } from '../../domain/boards/listed-places.ts'
import { readDay } from '../../domain/boards/past-days.ts'
import { type BoardDrawing, brandOf } from '../../domain/pictures/drawing.ts'
import { shortName } from '../../domain/pictures/posters/name.ts'
import { categorySlug, TAGS } from '../../platform/cdn/tags.ts'
import { paidWords, type Site } from '../../platform/config/site.ts'
import { Problem } from '../../platform/http/problem.ts'
import { dayText } from '../../platform/lib/text.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { categoryAt } from '../ui/format.ts'
import type { Needs } from '../ui/page-parts.ts'
import { LISTED_CACHE, OUR_WORDS_CACHE, sendDrawn } from '../ui/send-picture.ts'
import { categoryDrawing, type SharePicture, sharedPath } from '../ui/share-picture.tsx'
import { isDay } from './day-paths.ts'

export const BOARD_HEADINGS: Record<Board, string> = { all: 'Most paid, all time', today: 'Most paid, today' }

/** How many places a share picture shows. */
const DRAWN_PLACES = 3

interface Drawn {
  /** From the first place on. More than `DRAWN_PLACES` are ignored. */
  places: readonly { title: string; hostname: string; language: string }[]
  site: Site
  now: number
}

/** Returns what the share picture of a board or of the board of a category is drawn from. */
export const boardDrawing = (board: Board | Category, { now, ...drawn }: Drawn): BoardDrawing =>
  drawingOf(drawn, {
    heading: headingOf(board),
    // Other websites may show the picture after the day is over.
    note: paidWords(drawn.site).sentence + (board === 'today' ? `, ${dayText(now)}` : ''),
  })

/** Returns what the share picture of a past day is drawn from. @param day UTC, as YYYY-MM-DD */
const dayDrawing = (day: string, drawn: Omit<Drawn, 'now'>): BoardDrawing =>
  drawingOf(drawn, {
    heading: `Most paid, ${dayText(Date.parse(day))}`,
    note: `${paidWords(drawn.site).sentence}. This day is over.`,
  })

function drawingOf({ places, site }: Omit<Drawn, 'now'>, words: Pick<BoardDrawing, 'heading' | 'note'>): BoardDrawing {
  return {
    kind: 'board',
    brand: brandOf(site),
    ...words,
    places: places.slice(0, DRAWN_PLACES).map(({ title, hostname, language }) => ({
      title: shortName(title) || title,
      hostname,
      language,
    })),
    offer: site.sellsPlaces ? `NO. 1 FOR $${MINIMUM_TARGET_USD}` : 'NO PLACES YET',
  }
}

export const boardSharePicture = (board: Board | Category, drawn: Drawn): SharePicture =>
  pictureOf(`board-${categorySlug(board)}`, boardDrawing(board, drawn))

/** Returns the share picture of a past day with at least one place. */
export const daySharePicture = (day: string, drawn: Omit<Drawn, 'now'>): SharePicture =>
  pictureOf(`day-${day}`, dayDrawing(day, drawn))

function pictureOf(name: string, drawing: BoardDrawing): SharePicture {
  const names = drawing.places.map(({ title }, index) => `${index + 1}. ${title}`).join(', ')
  return {
    path: sharedPath(name, drawing),
    alt: `${drawing.heading} on ${drawing.brand.name}: ${names || 'no places yet'}`,
  }
}

const headingOf = (board: Board | Category): string =>
  board === 'all' || board === 'today' ? BOARD_HEADINGS[board] : `Paid places in ${board}`

type ShareRequest = FastifyRequest<{ Params: { slug: string } }>

/** The share pictures of boards, past days and categories. */
export function boardShareRoutes(
  app: FastifyInstance,
  { links, store, drawn, clock }: Needs<'links' | 'store' | 'drawn' | 'clock'>,
): void {
  const { site } = links

  app.get('/share/board-:slug([a-z-]+).png', async (request: ShareRequest, reply) => {
    const { slug } = request.params
    const board = BOARDS.find(each => each === slug) ?? categoryAt(slug)
    const now = clock()
    const drawing = boardDrawing(board, { places: await firstPlaces(board, now), site, now })
    return sendDrawn(request, reply, drawn, { drawing, cache: LISTED_CACHE, tags: [TAGS.board(board)] })
  })

  app.get(
    '/share/day-:day(\\d{4}-\\d{2}-\\d{2}).png',
    async (request: FastifyRequest<{ Params: { day: string } }>, reply) => {
      const { day } = request.params
      if (!isDay(day) || day >= utcDay(clock())) throw new Problem('not_found')
      const { rows: places } = await readDay(store, day, { limit: DRAWN_PLACES })
      if (places.length === 0) throw new Problem('not_found')
      const drawing = dayDrawing(day, { places, site })
      return sendDrawn(request, reply, drawn, { drawing, cache: LISTED_CACHE, tags: [TAGS.days] })
    },
  )

  app.get('/share/category-:slug([a-z-]+).png', async (request: ShareRequest, reply) => {
    const category = categoryAt(request.params.slug)
    const drawing = categoryDrawing(category, site)
    return sendDrawn(request, reply, drawn, { drawing, cache: OUR_WORDS_CACHE })
  })

  async function firstPlaces(board: Board | Category, now: number) {
    const { rows } =
      board === 'all' || board === 'today'
        ? await readBoard(store, { board, limit: DRAWN_PLACES }, now)
        : await readCategoryBoard(store, board, { limit: DRAWN_PLACES })
    return rows
  }
}
