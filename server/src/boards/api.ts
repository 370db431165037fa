import {
  BOARD_PAGE_DEFAULT,
  BOARDS,
  BOARDS_PATH,
  type Board,
  type BoardPage,
  type BoardQuery,
  boardSchema,
} from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { boardCache } from '../http/headers.ts'
import type { Links } from '../http/links.ts'
import { sendPublic } from '../http/send.ts'
import type { Store } from '../storage/store.ts'
import { nextMidnight, utcDay } from '../time.ts'
import { readBoard } from './board.ts'
import { readBoardCursor, writeBoardCursor } from './cursor.ts'
import { boardKey } from './totals.ts'

export interface BoardDependencies {
  links: Links
  store: Store
  clock: () => number
}

const NOTICE =
  'Places on this board are paid for: rank is the sum of verified payments in US dollars, net of refunds and disputes.'

/** GET /api/v1/boards/{all|today}: a page of paid places, as public data. */
export function boardRoute(app: FastifyInstance, deps: BoardDependencies): void {
  app.route<{ Params: { board: Board }; Querystring: BoardQuery }>({
    method: 'GET',
    // Other names are 404.
    url: `${BOARDS_PATH}/:board(${BOARDS.join('|')})`,
    schema: boardSchema,
    onRequest: (_request, reply, done) => {
      // Public data without credentials, so any origin may read it.
      reply.header('access-control-allow-origin', '*')
      done()
    },
    handler: async (request, reply) => {
      const now = deps.clock()
      const { board } = request.params
      const page = await boardPage(deps, board, request.query, now)
      // Pages count down by the server's clock, since a visitor's may be wrong.
      reply.header('date', new Date(now).toUTCString())
      return sendPublic(request, reply, JSON.stringify(page), {
        mediaType: 'application/json; charset=utf-8',
        cache: boardCache(board, now),
      })
    },
  })
}

/**
 * Changes only with payments and at midnight, so its ETag stays valid.
 *
 * @throws Problem invalid_cursor, payment_evidence_unavailable
 */
export async function boardPage(
  { store, links }: BoardDependencies,
  board: Board,
  query: BoardQuery,
  now: number,
): Promise<BoardPage> {
  const key = boardKey(board, now)
  const after = query.cursor === undefined ? undefined : readBoardCursor(query.cursor, key)
  const limit = Number(query.limit ?? BOARD_PAGE_DEFAULT)
  const { entries, next } = await readBoard(store, { board, after, limit }, now)
  return {
    board,
    placement: 'paid',
    notice: NOTICE,
    currency: 'usd',
    day: board === 'today' ? utcDay(now) : null,
    endsAt: board === 'today' ? nextMidnight(now) : null,
    entries: entries.map(({ rank, slug, title, totalCents, reachedAt }) => ({
      rank,
      productUrl: links.product(slug),
      title,
      totalCents,
      reachedAt,
    })),
    nextCursor: next ? writeBoardCursor(next, key) : null,
  }
}
