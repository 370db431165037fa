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
import { TAGS } from '../../platform/cdn/tags.ts'
import type { Store } from '../../platform/db/store.ts'
import { boardCache } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { nextMidnight, utcDay } from '../../platform/lib/time.ts'
import { agedHeaders, type LastGood, type LastRead, readBoardPage } from './first-page.ts'

export interface BoardDependencies {
  links: Links
  store: Store
  clock: () => number
  lastGood: LastGood
}

const NOTICE =
  'Places on this board are paid for: rank is the sum of verified payments in US dollars, net of refunds and disputes.'

/** Adds GET /api/v1/boards/{all|today}: a page of paid places, as public data. */
export function boardRoute(app: FastifyInstance, deps: BoardDependencies): void {
  app.route<{ Params: { board: Board }; Querystring: BoardQuery }>({
    method: 'GET',
    // Other names are 404.
    url: `${BOARDS_PATH}/:board(${BOARDS.join('|')})`,
    schema: boardSchema,
    ...OPEN,
    handler: async (request, reply) => {
      const now = deps.clock()
      const { board } = request.params
      const { value: page, asOf } = await boardPage(deps, board, request.query, now)
      // Pages count down by the server's clock, because a visitor's clock may be wrong.
      reply.header('date', new Date(now).toUTCString())
      const mediaType = 'application/json; charset=utf-8'
      if (asOf !== undefined) return reply.headers(agedHeaders(asOf, now)).type(mediaType).send(JSON.stringify(page))
      return sendPublic(request, reply, JSON.stringify(page), {
        mediaType,
        cache: boardCache(board, now),
        tags: [TAGS.board(board)],
      })
    },
  })
}

/**
 * Returns a page of a board for programs. It changes only with payments and at midnight, so its ETag stays valid. While
 * the database is unreachable, a first page is the one that was read last, and its notice says so.
 *
 * @throws Problem invalid_cursor, payment_evidence_unavailable
 */
export async function boardPage(
  deps: Pick<BoardDependencies, 'store' | 'links' | 'lastGood'>,
  board: Board,
  query: BoardQuery,
  now: number,
): Promise<LastRead<BoardPage>> {
  const limit = Number(query.limit ?? BOARD_PAGE_DEFAULT)
  const { rows, nextCursor = null, asOf } = await readBoardPage(deps, { board, cursor: query.cursor, limit }, now)
  const page: BoardPage = {
    board,
    placement: 'paid',
    notice: asOf === undefined ? NOTICE : `${NOTICE} ${agedNotice(asOf)}`,
    currency: 'usd',
    day: board === 'today' ? utcDay(now) : null,
    endsAt: board === 'today' ? nextMidnight(now) : null,
    entries: rows.map(({ rank, slug, title, totalCents, reachedAt, provenAt }) => ({
      rank,
      productUrl: deps.links.product(slug),
      title,
      totalCents,
      reachedAt,
      ownerVerifiedSince: provenAt,
    })),
    nextCursor,
  }
  return { value: page, asOf }
}

const agedNotice = (asOf: number) =>
  `The database is unreachable. These are only the first places, as of ${new Date(asOf).toISOString()}. No place can be bought until it is back.`
