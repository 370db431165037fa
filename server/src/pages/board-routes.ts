import { BOARD_PAGE_DEFAULT, BOARDS, type Board } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CACHE, LIVE_HEADERS, untilMidnight } from '../http/headers.ts'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { sendPublic } from '../http/send.ts'
import { readBoard } from '../placement/board.ts'
import { type BoardMarks, type Mark, readMark } from '../placement/board-marks.ts'
import { boardKey } from '../placement/board-totals.ts'
import { readCursor, writeCursor } from '../placement/cursor.ts'
import type { Store } from '../storage/store.ts'
import { renderBoard } from './board.tsx'

interface BoardPageDependencies {
  links: Links
  store: Store
  marks: BoardMarks
  clock: () => number
}

type BoardRequest = FastifyRequest<{ Params: { board: Board }; Querystring: { cursor?: unknown } }>

/** GET /board/{all|today}: the places of a board, for people. */
export async function boardPageRoutes(app: FastifyInstance, deps: BoardPageDependencies): Promise<void> {
  const { links, store, marks, clock } = deps

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(LIVE_HEADERS)
  })

  app.get(`/board/:board(${BOARDS.join('|')})`, async (request: BoardRequest, reply) => {
    const now = clock()
    const { board } = request.params
    const cursor = cursorOf(request)
    const [{ entries, next }, mark] = await Promise.all([
      readPlaces(board, cursor, now),
      readMarkIfPossible(request, board, now),
    ])
    marks.take(board, now)
    const nextCursor = next && writeCursor(next, boardKey(board, now))
    const html = renderBoard({ board, entries, mark, cursor, nextCursor, now }, links)
    const cache = board === 'today' ? untilMidnight(CACHE.board, now) : CACHE.board
    return sendPublic(request, reply, html, { cache })
  })

  /** @throws Problem payment_evidence_unavailable rather than a board that may be wrong */
  async function readPlaces(board: Board, cursor: string | undefined, now: number) {
    const after = cursor === undefined ? undefined : readCursor(cursor, boardKey(board, now))
    try {
      return await readBoard(store, { board, after, limit: BOARD_PAGE_DEFAULT }, now)
    } catch (cause) {
      throw new Problem('payment_evidence_unavailable', { retryAfterSeconds: 5, cause })
    }
  }

  /** Who rose and who fell is an extra: a board is right without. */
  async function readMarkIfPossible(
    request: FastifyRequest,
    board: Board,
    now: number,
  ): Promise<Mark | undefined> {
    try {
      return await readMark(store, board, now)
    } catch (err) {
      request.log.warn({ err }, 'the earlier places of a board could not be read')
      return undefined
    }
  }
}

function cursorOf({ query: { cursor } }: BoardRequest): string | undefined {
  if (cursor === undefined || typeof cursor === 'string') return cursor
  throw new Problem('invalid_cursor', { field: 'cursor' })
}
