import { BOARD_PAGE_DEFAULT, BOARDS, type Board } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBoard } from '../../boards/board.ts'
import { readBoardCursor, writeBoardCursor } from '../../boards/cursor.ts'
import { readFirstPlaces } from '../../boards/first-places.ts'
import { agedHeaders, type LastGood } from '../../boards/last-good.ts'
import { type BoardMarks, readMark } from '../../boards/marks.ts'
import { readPlacesTaken } from '../../boards/places-taken.ts'
import { boardKey } from '../../boards/totals.ts'
import { TAGS } from '../../edge/tags.ts'
import { boardCache, LIVE_HEADERS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { sendHtml, sendPublic } from '../../http/send.ts'
import type { Store } from '../../storage/store.ts'
import { renderBoard } from './board.tsx'

interface BoardPageDependencies {
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
      request.log.warn({ err }, 'could not read what stands around a board')
      return undefined
    }
  }
}

/** The cursor in an address, as it was sent. @throws Problem invalid_cursor if there are several */
export function cursorOf({ cursor }: { cursor?: unknown }): string | undefined {
  if (cursor === undefined || typeof cursor === 'string') return cursor
  throw new Problem('invalid_cursor', { field: 'cursor' })
}
