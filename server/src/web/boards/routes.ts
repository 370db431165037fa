import { BOARD_PAGE_DEFAULT, BOARDS, type Board, CATEGORIES } from '@placard/contract'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { BoardDependencies } from '../../domain/boards/api.ts'
import { agedHeaders, readBoardPage } from '../../domain/boards/first-page.ts'
import { readAtCursor, readCategoryBoard } from '../../domain/boards/listed-places.ts'
import { type BoardMarks, readMark } from '../../domain/boards/movement.ts'
import { readPlacesTaken } from '../../domain/boards/places-taken.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { boardCache, LIVE_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendHtml, sendPublic } from '../../platform/http/send.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { categoryBoardPath, findCategory } from '../ui/format.ts'
import { cursorOf } from '../ui/paging.tsx'
import { renderOnce } from '../ui/render-once.ts'
import { renderBoard } from './board.tsx'
import { type CategoryBoardView, renderCategoryBoard } from './category-board.tsx'
import { boardFeeds } from './feeds.ts'
import { pastDayRoutes } from './past-day-routes.ts'
import { type BoardShareDependencies, boardShareRoutes } from './share.ts'

interface BoardPageDependencies extends BoardDependencies {
  marks: BoardMarks
}

/** Every page about boards, each subject in a context of its own, so that its headers stay its own. */
export async function boardRoutes(
  app: FastifyInstance,
  deps: BoardPageDependencies & BoardShareDependencies,
): Promise<void> {
  await app.register(boardPageRoutes, deps)
  await app.register(boardShareRoutes, deps)
  await app.register(categoryBoardRoutes, deps)
  await app.register(pastDayRoutes, deps)
  await app.register(boardFeeds, deps)
}

type BoardRequest = FastifyRequest<{ Params: { board: Board }; Querystring: { cursor?: unknown } }>

const TAKEN_SHOWN = 5
const AROUND_FAILED = 'could not read the recent moves of a board'

/** GET /board/{all|today}: a board as a page. */
async function boardPageRoutes(app: FastifyInstance, deps: BoardPageDependencies): Promise<void> {
  const { links, store, marks, clock } = deps

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(LIVE_HEADERS)
  })

  app.get(`/board/:board(${BOARDS.join('|')})`, OPEN, async (request: BoardRequest, reply) => {
    const now = clock()
    const { board } = request.params
    const cursor = cursorOf(request.query)
    const [{ rows, after, nextCursor, asOf }, mark, taken = []] = await Promise.all([
      readBoardPage(deps, { board, cursor, limit: BOARD_PAGE_DEFAULT }, now),
      ifPossible(request.log, AROUND_FAILED, () => readMark(store, board, now)),
      cursor === undefined
        ? ifPossible(request.log, AROUND_FAILED, () =>
            readPlacesTaken(store, { boards: [board], limit: TAKEN_SHOWN }, now),
          )
        : [],
    ])
    const view = { board, entries: rows, mark, taken, cursor, aboveCents: after?.totalCents, nextCursor, asOf, now }
    const html = renderBoard(view, links)
    if (asOf !== undefined) return sendHtml(reply.headers(agedHeaders(asOf, now)), 200, html)
    marks.take(board, now)
    return sendPublic(request, reply, html, { cache: boardCache(board, now), tags: [TAGS.board(board)] })
  })
}

/** Reads a part of a page without which the rest is correct. Returns undefined, and logs why, if it can't be read. */
export async function ifPossible<T>(
  log: FastifyBaseLogger,
  message: string,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (err) {
    log.warn({ err }, message)
    return undefined
  }
}

type CategoryBoardRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { cursor?: unknown } }>

/** GET /category/{slug}/board: the paid places of a category. */
async function categoryBoardRoutes(app: FastifyInstance, deps: BoardDependencies): Promise<void> {
  const { links, store, clock } = deps
  const make = renderOnce((view: CategoryBoardView) => renderCategoryBoard(view, links), CATEGORIES.length)

  app.get('/category/:slug/board', OPEN, async (request: CategoryBoardRequest, reply) => {
    reply.headers(LIVE_HEADERS)
    const category = findCategory(request.params.slug)
    if (!category) throw new Problem('not_found')
    const board = categoryBoardPath(category)
    const cursor = cursorOf(request.query)
    const { rows, nextCursor } = await readAtCursor(board, cursor, after =>
      readCategoryBoard(store, category, { after, limit: BOARD_PAGE_DEFAULT }),
    )
    const now = Math.floor(clock() / MINUTE_MS) * MINUTE_MS
    const page = make({ category, places: rows, cursor, nextCursor, now })
    return sendPublic(request, reply, page, {
      cache: boardCache('all', clock()),
      tags: [TAGS.board(category), TAGS.categories],
    })
  })
}
