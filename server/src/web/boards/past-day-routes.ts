import { BOARD_PAGE_DEFAULT } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readClosingOrder } from '../../domain/boards/closing-order.ts'
import { readBoardCursor, writeBoardCursor } from '../../domain/boards/listed-places.ts'
import { dayAfter, dayBefore, readDay, readWinners } from '../../domain/boards/past-days.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor } from '../../platform/db/long-read.ts'
import type { Store } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic, type Tagged } from '../../platform/http/send.ts'
import { utcDay } from '../../platform/lib/time.ts'
import { renderOnce } from '../ui/render-once.ts'
import { cursorOf } from './board-routes.ts'
import { isDay, isMonth, lastDayBefore, monthAfter, monthOf } from './day-paths.ts'
import { type PastDayView, renderPastDay } from './past-day.tsx'
import { type MonthView, type MonthWinners, renderMonth } from './winners.tsx'

interface PastDayDependencies {
  links: Links
  store: Store
  clock: () => number
}

type DayRequest = FastifyRequest<{ Params: { day: string }; Querystring: { cursor?: unknown } }>

/** How many rendered pages to keep: a past day changes only by refunds, disputes and hiding. */
const PAGES_MADE = 16
/** How many older months a page shows. */
const OLDER_MONTHS = 2

/** GET /board/today/{YYYY-MM-DD}: a day that is over. GET /board/today/{YYYY-MM}: the winners of a month. */
export async function pastDayRoutes(app: FastifyInstance, deps: PastDayDependencies): Promise<void> {
  const { links, store, clock } = deps
  const makeDay = renderOnce(renderPastDay(links), PAGES_MADE)
  const makeMonth = renderOnce(renderMonth(links), PAGES_MADE)

  app.get('/board/today/:day', async (request: DayRequest, reply) => {
    const { day } = request.params
    const today = utcDay(clock())
    if (day === today) return reply.header('cache-control', 'no-cache').redirect('/board/today')
    // A listing that is hidden leaves these pages as soon as it leaves other lists.
    const reading = readingFor(store, clientNetworks(request))
    return sendPublic(request, reply, await pageOf(reading, day, today, request.query), {
      cache: CACHE.home,
      tags: [TAGS.days],
    })
  })

  /** @throws Problem not_found if it is no day or month, the day is not over, or the month has not begun */
  async function pageOf(reading: Store, day: string, today: string, query: { cursor?: unknown }): Promise<Tagged> {
    if (isDay(day) && day < today) {
      return makeDay(await readPastDay(reading, day, today, cursorOf(query)))
    }
    if (isMonth(day) && day <= monthOf(today)) {
      return makeMonth(await readMonth(day, today))
    }
    throw new Problem('not_found')
  }

  /** @throws Problem not_found before the first day with a place */
  async function readPastDay(
    reading: Store,
    day: string,
    today: string,
    cursor: string | undefined,
  ): Promise<PastDayView> {
    const after = cursor === undefined ? undefined : readBoardCursor(cursor, day)
    const [{ places, next }, earlier, later, winners] = await Promise.all([
      readDay(reading, day, { after, limit: BOARD_PAGE_DEFAULT }),
      dayBefore(store, day),
      dayAfter(store, { day, before: today }),
      winnersOf(monthOf(day), today),
    ])
    const { closings, gone, hidden, isUntold } = await readClosingOrder(reading, day, places)
    if (places.length === 0 && gone + hidden === 0 && !earlier) throw new Problem('not_found')
    return {
      day,
      places: places.map(place => ({ ...place, closing: closings.get(place.destinationKey) })),
      ...{ gone, hidden, isUntold, cursor, nextCursor: next && writeBoardCursor(next, day) },
      ...{ earlier, later, winners, today: Date.parse(today) },
    }
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
