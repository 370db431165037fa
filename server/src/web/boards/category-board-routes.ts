import { BOARD_PAGE_DEFAULT, CATEGORIES } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readCategoryBoard } from '../../boards/category-board.ts'
import { readBoardCursor, writeBoardCursor } from '../../boards/cursor.ts'
import { TAGS } from '../../edge/tags.ts'
import { boardCache } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { sendPublic } from '../../http/send.ts'
import type { Store } from '../../storage/store.ts'
import { categoryBoardPath, findCategory } from '../ui/category-path.ts'
import { renderOnce } from '../ui/render-once.ts'
import { type CategoryBoardView, renderCategoryBoard } from './category-board.tsx'
import { cursorOf } from './routes.ts'

interface CategoryBoardDependencies {
  links: Links
  store: Store
  clock: () => number
}

type CategoryBoardRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { cursor?: unknown } }>

const MINUTE_MS = 60_000

/** GET /category/{slug}/board: the paid places of a category. */
export async function categoryBoardRoutes(
  app: FastifyInstance,
  deps: CategoryBoardDependencies,
): Promise<void> {
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
