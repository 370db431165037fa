import { BOARDS, type Board, type Category } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBoard } from '../../boards/board.ts'
import { readCategoryBoard } from '../../boards/category-board.ts'
import { TAGS } from '../../edge/tags.ts'
import { CACHE } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import type { DrawnPictures } from '../../pictures/drawn-pictures.ts'
import type { Store } from '../../storage/store.ts'
import { LISTED_CACHE, sendDrawn } from '../site/send-drawn.ts'
import { categoryDrawing } from '../site/share-picture.ts'
import { findCategory } from '../ui/category-path.ts'
import { boardDrawing, DRAWN_PLACES } from './board-drawing.ts'

interface ShareDependencies {
  links: Links
  store: Store
  drawn: DrawnPictures
  clock: () => number
}

type ShareRequest = FastifyRequest<{ Params: { slug: string } }>

/** Only a new version of the service changes these. */
const CATEGORY_CACHE = { versioned: CACHE.versioned, latest: CACHE.site }

/** What is shown where a board or a category is shared. */
export async function boardShareRoutes(app: FastifyInstance, deps: ShareDependencies): Promise<void> {
  const { links, store, drawn, clock } = deps
  const { site } = links

  app.get('/share/board-:slug([a-z-]+).png', async (request: ShareRequest, reply) => {
    const { slug } = request.params
    const board = BOARDS.find(each => each === slug) ?? findCategory(slug)
    if (!board) throw new Problem('not_found')
    const now = clock()
    const drawing = boardDrawing(board, { places: await firstPlaces(board, now), site, now })
    return sendDrawn(request, reply, drawn, { drawing, cache: LISTED_CACHE, tags: [TAGS.board(board)] })
  })

  app.get('/share/category-:slug([a-z-]+).png', async (request: ShareRequest, reply) => {
    const category = findCategory(request.params.slug)
    if (!category) throw new Problem('not_found')
    const drawing = categoryDrawing(category, site)
    return sendDrawn(request, reply, drawn, { drawing, cache: CATEGORY_CACHE })
  })

  async function firstPlaces(board: Board | Category, now: number) {
    if (board === 'all' || board === 'today') {
      return (await readBoard(store, { board, limit: DRAWN_PLACES }, now)).entries
    }
    return (await readCategoryBoard(store, board, { after: undefined, limit: DRAWN_PLACES })).places
  }
}
