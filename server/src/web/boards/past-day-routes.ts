import { BOARD_PAGE_DEFAULT } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BoardDependencies } from '../../domain/boards/api.ts'
import { readClosingOrder } from '../../domain/boards/closing-order.ts'
import { readAtCursor } from '../../domain/boards/listed-places.ts'
import { dayAfter, dayBefore, readDay, readWinners } from '../../domain/boards/past-days.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor, type Store } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE, LIVE_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic, type Tagged } from '../../platform/http/send.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { cursorOf } from '../ui/paging.tsx'
import { renderOnce } from '../ui/render-once.ts'
import { isDay, isMonth, lastDayBefore, monthAfter, monthOf } from './day-paths.ts'
import { type PastDayView, renderPastDay } from './past-day.tsx'
import { type MonthView, type MonthWinners, renderMonth } from './winners.tsx'

type DayRequest = FastifyRequest<{ Params: { day: string }; Querystring: { cursor?: unknown } }>

/** How many rendered pages are cached: past days change only by refunds, disputes and hiding. */
const PAGES_CACHED = 16
/** How many older months a page of a month shows below it. */
const OLDER_MONTHS = 2

/** GET /board/today/{YYYY-MM-DD}: a past day. GET /board/today/{YYYY-MM}: the winners of a month. */
export async function pastDayRoutes(app: FastifyInstance, deps: BoardDependencies): Promise<void> {
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
