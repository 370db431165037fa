import { BOARD_PAGE_DEFAULT, BOARDS, type Board, CATEGORIES } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBoard } from '../../domain/boards/board.ts'
import { agedHeaders, type LastGood, readFirstPlaces } from '../../domain/boards/first-page.ts'
import { readBoardCursor, readCategoryBoard, writeBoardCursor } from '../../domain/boards/listed-places.ts'
import { type BoardMarks, readMark } from '../../domain/boards/movement.ts'
import { readPlacesTaken } from '../../domain/boards/places-taken.ts'
import { boardKey } from '../../domain/boards/totals.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import type { Store } from '../../platform/db/store.ts'
import { boardCache, LIVE_HEADERS } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendHtml, sendPublic } from '../../platform/http/send.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { categoryBoardPath, findCategory } from '../ui/format.ts'
import { renderOnce } from '../ui/render-once.ts'
import { renderBoard } from './board.tsx'
import { type CategoryBoardView, renderCategoryBoard } from './category-board.tsx'

export interface BoardPageDependencies {
  links: Links
  store: Store
  lastGood: LastGood
  marks: BoardMarks
  clock: () => number
}

type BoardRequest = FastifyRequest<{ Params: { board: Board }; Querystring: { cursor?: unknown } }>

const TAKEN_SHOWN = 5

/** GET /board/{all|today}: a board as a page. */
export async function boardPageRoutes(app: FastifyInstance, deps: BoardPageDependencies): Promise<void> {
  const { links, store, marks, clock } = deps

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(LIVE_HEADERS)
  })

  app.get(`/board/:board(${BOARDS.join('|')})`, async (request: BoardRequest, reply) => {
    const now = clock()
    const { board } = request.params
    const key = boardKey(board, now)
    const cursor = cursorOf(request.query)
    const after = cursor === undefined ? undefined : readBoardCursor(cursor, key)
    const wanted = { board, limit: BOARD_PAGE_DEFAULT }
    const [{ value, asOf }, mark, taken = []] = await Promise.all([
      after
        ? readBoard(store, { ...wanted, after }, now).then(value => ({ value, asOf: undefined }))
        : readFirstPlaces(deps, wanted, now),
      ifPossible(request, () => readMark(store, board, now)),
      cursor === undefined
        ? ifPossible(request, () => readPlacesTaken(store, { boards: [board], limit: TAKEN_SHOWN }, now))
        : [],
    ])
    const { entries, next } = value
    const nextCursor = next && writeBoardCursor(next, key)
    const view = { board, cursor, asOf, aboveCents: after?.totalCents }
    const html = renderBoard({ ...view, entries, mark, taken, nextCursor, now }, links)
    if (asOf !== undefined) return sendHtml(reply.headers(agedHeaders(asOf, now)), 200, html)
    marks.take(board, now)
    return sendPublic(request, reply, html, { cache: boardCache(board, now), tags: [TAGS.board(board)] })
  })

  /** The board is correct without these. */
  async function ifPossible<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (err) {
      request.log.warn({ err }, 'could not read the recent moves of a board')
      return undefined
    }
  }
}

/** The cursor in an address, as it was sent. @throws Problem invalid_cursor if there are several */
export function cursorOf({ cursor }: { cursor?: unknown }): string | undefined {
  if (cursor === undefined || typeof cursor === 'string') return cursor
  throw new Problem('invalid_cursor', { field: 'cursor' })
}

interface CategoryBoardDependencies {
  links: Links
  store: Store
  clock: () => number
}

type CategoryBoardRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { cursor?: unknown } }>

/** GET /category/{slug}/board: the paid places of a category. */
export async function categoryBoardRoutes(app: FastifyInstance, deps: CategoryBoardDependencies): Promise<void> {
  const { links, store, clock } = deps
  const make = renderOnce((view: CategoryBoardView) => renderCategoryBoard(view, links), CATEGORIES.length)

  app.get('/category/:slug/board', async (request: CategoryBoardRequest, reply) => {
    const category = findCategory(request.params.slug)
    if (!category) throw new Problem('not_found')
    const board = categoryBoardPath(category)
    const cursor = cursorOf(request.query)
    const after = cursor === undefined ? undefined : readBoardCursor(cursor, board)
    const { places, next } = await readCategoryBoard(store, category, { after, limit: BOARD_PAGE_DEFAULT })
    const nextCursor = next && writeBoardCursor(next, board)
    const page = make({
      ...{ category, places, cursor, nextCursor },
      now: Math.floor(clock() / MINUTE_MS) * MINUTE_MS,
    })
    return sendPublic(request, reply, page, {
      cache: boardCache('all', clock()),
      tags: [TAGS.board(category), TAGS.categories],
    })
  })
}
