import { BOARD_PAGE_DEFAULT, BOARDS, type Board, CATEGORIES } from '@placard/contract'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { readClosingOrder } from '../../domain/boards/closing-order.ts'
import { agedHeaders, readBoardPage } from '../../domain/boards/first-page.ts'
import { readAtCursor, readCategoryBoard } from '../../domain/boards/listed-places.ts'
import { movementSince, readMark } from '../../domain/boards/movement.ts'
import { dayAfter, dayBefore, readDay, readWinners } from '../../domain/boards/past-days.ts'
import { readPlacesTaken } from '../../domain/boards/places-taken.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor, type Store } from '../../platform/db/store.ts'
import { cachedReplies } from '../../platform/http/cached-replies.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { boardCache, CACHE, LIVE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendHtml, sendPublic, type Tagged } from '../../platform/http/send.ts'
import { MINUTE_MS, minuteOf, utcDay } from '../../platform/lib/time.ts'
import { categoryAt, categoryBoardPath } from '../ui/format.ts'
import { renderOnce } from '../ui/layout.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { cursorOf } from '../ui/paging.tsx'
import { type BoardView, renderBoard } from './board.tsx'
import { type CategoryBoardView, renderCategoryBoard } from './category-board.tsx'
import { isDay, isMonth, lastDayBefore, monthAfter, monthOf } from './day-paths.ts'
import { boardFeeds } from './feeds.ts'
import { type PastDayView, renderPastDay } from './past-day.tsx'
import { boardShareRoutes } from './share.ts'
import { type MonthView, type MonthWinners, renderMonth } from './winners.tsx'

type BoardDependencies = Needs<'links' | 'store' | 'staleCache' | 'marks' | 'drawn' | 'clock'>

/** Every page about boards. The boards have a context of their own, so that their headers stay their own. */
export async function boardRoutes(app: FastifyInstance, deps: BoardDependencies): Promise<void> {
  await app.register(boardPageRoutes, deps)
  boardShareRoutes(app, deps)
  categoryBoardRoutes(app, deps)
  pastDayRoutes(app, deps)
  boardFeeds(app, deps)
}

/** A page of a board. */
interface Wanted {
  board: Board
  cursor: string | undefined
}

type BoardRequest = FastifyRequest<{ Params: { board: Board }; Querystring: { cursor?: unknown } }>

/** How many rendered pages of boards are cached, and of past days, which change only by refunds, disputes and hiding. */
const PAGES_CACHED = 16
const TAKEN_SHOWN = 5
const AROUND_FAILED = 'could not read the recent moves of a board'

/** GET /board/{all|today}: a board as a page. */
async function boardPageRoutes(app: FastifyInstance, deps: BoardDependencies): Promise<void> {
  const { links, store, marks, clock } = deps
  const make = renderOnce((view: BoardView) => renderBoard(view, links), PAGES_CACHED)
  const pages = cachedReplies(store, {
    name: 'board_pages',
    keyOf: ({ board, cursor }: Wanted) => JSON.stringify([board, cursor]),
    max: PAGES_CACHED,
    read: pageAt,
  })

  app.addHook('onRequest', withHeaders(LIVE_HEADERS))

  app.get(`/board/:board(${BOARDS.join('|')})`, OPEN, async (request: BoardRequest, reply) => {
    const now = clock()
    const { board } = request.params
    const { page, asOf } = await pages({ board, cursor: cursorOf(request.query) }, now)
    if (asOf !== undefined) return sendHtml(reply.headers(agedHeaders(asOf, now)), 200, page.body)
    marks.take(board, now)
    return sendPublic(request, reply, page, { cache: boardCache(board, now), tags: [TAGS.board(board)] })
  })

  async function pageAt({ board, cursor }: Wanted, now: number, failure?: unknown) {
    const [{ rows, after, nextCursor, asOf }, around] = await Promise.all([
      readBoardPage(deps, { board, cursor, limit: BOARD_PAGE_DEFAULT }, now, failure),
      failure === undefined ? ifPossible(app.log, AROUND_FAILED, () => readAround({ board, cursor }, now)) : undefined,
    ])
    const { mark, taken = [] } = around ?? {}
    const moved = mark && { since: mark.at, places: rows.map(row => movementSince(mark, row)) }
    const minute = minuteOf(now)
    const page = make({
      ...{ board, entries: rows, moved, taken, cursor, nextCursor, asOf },
      aboveCents: after?.totalCents,
      now: minute,
    })
    return { page, asOf, until: asOf === undefined && around ? minute + MINUTE_MS : now }
  }

  async function readAround({ board, cursor }: Wanted, now: number) {
    const [mark, taken] = await Promise.all([
      readMark(store, board, now),
      cursor === undefined ? readPlacesTaken(store, { boards: [board], limit: TAKEN_SHOWN }, now) : [],
    ])
    return { mark, taken }
  }
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
function categoryBoardRoutes(app: FastifyInstance, deps: BoardDependencies): void {
  const { links, store, clock } = deps
  const make = renderOnce((view: CategoryBoardView) => renderCategoryBoard(view, links), CATEGORIES.length)

  app.get('/category/:slug/board', OPEN, async (request: CategoryBoardRequest, reply) => {
    reply.headers(LIVE_HEADERS)
    const category = categoryAt(request.params.slug)
    const board = categoryBoardPath(category)
    const cursor = cursorOf(request.query)
    const { rows, nextCursor } = await readAtCursor(board, cursor, after =>
      readCategoryBoard(store, category, { after, limit: BOARD_PAGE_DEFAULT }),
    )
    const now = minuteOf(clock())
    const page = make({ category, places: rows, cursor, nextCursor, now })
    return sendPublic(request, reply, page, {
      cache: boardCache('all', clock()),
      tags: [TAGS.board(category), TAGS.categories],
    })
  })
}

type DayRequest = FastifyRequest<{ Params: { day: string }; Querystring: { cursor?: unknown } }>

/** How many older months a page of a month shows below it. */
const OLDER_MONTHS = 2

/** GET /board/today/{YYYY-MM-DD}: a past day. GET /board/today/{YYYY-MM}: the winners of a month. */
function pastDayRoutes(app: FastifyInstance, deps: BoardDependencies): void {
  const { links, store, clock } = deps
  const makeDay = renderOnce(renderPastDay(links), PAGES_CACHED)
  const makeMonth = renderOnce(renderMonth(links), PAGES_CACHED)

  app.get('/board/today/:day', OPEN, async (request: DayRequest, reply) => {
    const { day } = request.params
    const today = utcDay(clock())
    if (day === today) return reply.header('cache-control', 'no-cache').redirect('/board/today')
    // Hidden listings must disappear from these pages as fast as from other lists.
    const reading = readingFor(store, clientNetworks(request))
    return sendPublic(request, reply.headers(LIVE_HEADERS), await pageOf(reading, day, today, request.query), {
      cache: CACHE.home,
      tags: [TAGS.days],
    })
  })

  /** @throws Problem not_found unless it is a day that is over, or a month that has begun */
  async function pageOf(reading: Store, day: string, today: string, query: { cursor?: unknown }): Promise<Tagged> {
    if (isDay(day) && day < today) return makeDay(await readPastDay(reading, day, today, cursorOf(query)))
    if (isMonth(day) && day <= monthOf(today)) return makeMonth(await readMonth(day, today))
    throw new Problem('not_found')
  }

  /** @throws Problem not_found before the first day with a place */
  async function readPastDay(
    reading: Store,
    day: string,
    today: string,
    cursor: string | undefined,
  ): Promise<PastDayView> {
    const [{ rows, nextCursor }, earlier, later, winners] = await Promise.all([
      readAtCursor(day, cursor, after => readDay(reading, day, { after, limit: BOARD_PAGE_DEFAULT })),
      dayBefore(store, day),
      dayAfter(store, { day, before: today }),
      winnersOf(monthOf(day), today),
    ])
    const { closings, ...changed } = await readClosingOrder(reading, day, rows)
    if (rows.length === 0 && changed.gone + changed.hidden === 0 && !earlier) throw new Problem('not_found')
    const places = rows.map(place => ({ ...place, closing: closings.get(place.destinationKey) }))
    return { day, places, ...changed, cursor, nextCursor, earlier, later, winners, today: Date.parse(today) }
  }

  /** @throws Problem not_found before the first month with a winner, unless it is the present one */
  async function readMonth(month: string, today: string): Promise<MonthView> {
    const older: string[] = []
    for (let at = month; older.length < OLDER_MONTHS; older.push(at)) at = monthOf(lastDayBefore(at))
    const [first, ...rest] = await Promise.all([month, ...older].map(each => winnersOf(each, today)))
    const shown = rest.filter(({ winners }) => winners.length > 0)
    const earlier = await dayBefore(store, `${older.at(-1)}-01`)
    const isEmpty = !first || (first.winners.length === 0 && shown.length === 0 && !earlier)
    if (!first || (isEmpty && month !== monthOf(today))) throw new Problem('not_found')
    const later = month < monthOf(today) ? monthAfter(month) : undefined
    return { months: [first, ...shown], earlier, later, today: Date.parse(today) }
  }

  const winnersOf = async (month: string, before: string): Promise<MonthWinners> => ({
    month,
    winners: await readWinners(store, { month, before }),
  })
}
