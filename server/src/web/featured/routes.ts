import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readPicks } from '../../domain/featured/feature.ts'
import {
  drawsAround,
  lastDraws,
  readCandidatesPage,
  readDraw,
  readDrawnSince,
} from '../../domain/featured/read-draw.ts'
import { listingTags, TAGS } from '../../platform/cdn/tags.ts'
import { CACHE, COPYING_HEADERS, homeCache } from '../../platform/http/headers.ts'
import { DRAW_PATH, PICKS_PATH } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic, tagged } from '../../platform/http/send.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { isDay } from '../boards/day-paths.ts'
import { FEED_LENGTH, sendFeed } from '../ui/atom.ts'
import { renderOnce } from '../ui/layout.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { OUR_WORDS_CACHE, sendDrawn } from '../ui/send-picture.ts'
import { drawDrawing, picksDrawing } from '../ui/share-picture.tsx'
import { DRAW_FEED, drawEntry, renderDraw, renderNoDraw } from './draw-page.tsx'
import { PICKS_FEED, pickEntry, renderPicks } from './picks.tsx'

/** More than a reader scrolls through. */
const PICKS_SHOWN = 100

/** How many days the feed of the draws covers. */
const FEED_DAYS = 30

/** How many rendered pages are cached: they change only when a listing does. */
const PAGES_CACHED = 16

/** GET /draw: the last draw. GET /draw/{YYYY-MM-DD}: the draw of a day. GET /picks: what the operator recommends. */
export function featuredRoutes(app: FastifyInstance, deps: Needs<'links' | 'store' | 'drawn' | 'clock'>): void {
  const { links, store, drawn, clock } = deps
  const render = renderOnce(renderDraw(links), PAGES_CACHED)
  const renderedPicks = renderOnce(renderPicks(links))

  app.get(DRAW_PATH, OPEN, async (request, reply) => {
    const [last] = await lastDraws(store, 1)
    if (last !== undefined) return sendDraw(request, reply, last)
    return sendPublic(request, reply, renderNoDraw(links), { cache: homeCache(clock()) })
  })

  app.get(`${DRAW_PATH}/:day`, OPEN, async (request: FastifyRequest<{ Params: { day: string } }>, reply) => {
    const { day } = request.params
    if (!isDay(day)) throw new Problem('not_found')
    return sendDraw(request, reply, day)
  })

  // For programs that repeat the draw: immutable, unless a restore repeats the draw, and compressed when it was drawn.
  app.get(
    `${DRAW_PATH}/:day/candidates/:page(^[1-9]\\d{0,5}$).txt`,
    OPEN,
    async (request: FastifyRequest<{ Params: { day: string; page: string } }>, reply) => {
      const { day, page } = request.params
      const found = isDay(day) ? await readCandidatesPage(store, day, Number(page)) : undefined
      if (!found) throw new Problem('not_found')
      const { body, gzipped } = found
      const sending = { mediaType: 'text/plain; charset=utf-8', cache: CACHE.versioned, tags: [] }
      return sendPublic(request, reply, { ...tagged(body), gzipped }, sending)
    },
  )

  app.get(DRAW_FEED.path, async (request, reply) => {
    const now = clock()
    const drawn = await readDrawnSince(store, { day: utcDay(now - daysMs(FEED_DAYS)), now })
    const entries = [...Map.groupBy(drawn, ({ day }) => day)].map(([day, listings]) =>
      drawEntry({ day, at: listings[0]?.at ?? now, titles: listings.map(({ title }) => title) }, links),
    )
    const feed = { ...DRAW_FEED, page: DRAW_PATH, subtitle: 'Drawn each day, whether paid or not.', entries }
    return sendFeed(request, reply, feed, { cache: homeCache(now), tags: [TAGS.newest], links })
  })

  app.get(PICKS_PATH, OPEN, async (request, reply) => {
    const picks = await readPicks(store, { now: clock(), limit: PICKS_SHOWN })
    const page = renderedPicks(picks)
    return sendPublic(request, reply.headers(COPYING_HEADERS), page, { cache: CACHE.home, tags: listingTags(picks) })
  })

  app.get('/share/picks.png', (request, reply) =>
    sendDrawn(request, reply, drawn, { drawing: picksDrawing(links.site), cache: OUR_WORDS_CACHE }),
  )

  app.get(
    '/share/draw-:day(\\d{4}-\\d{2}-\\d{2}).png',
    async (request: FastifyRequest<{ Params: { day: string } }>, reply) => {
      const { day } = request.params
      if (!isDay(day) || !(await readDraw(store, day, clock()))) throw new Problem('not_found')
      return sendDrawn(request, reply, drawn, { drawing: drawDrawing(day, links.site), cache: OUR_WORDS_CACHE })
    },
  )

  app.get(PICKS_FEED.path, async (request, reply) => {
    const picks = await readPicks(store, { now: clock(), limit: FEED_LENGTH })
    const entries = picks.map(pick => pickEntry(pick, links))
    const feed = { ...PICKS_FEED, page: PICKS_PATH, subtitle: 'Chosen by a person, and not paid.', entries }
    return sendFeed(request, reply, feed, { cache: CACHE.home, tags: listingTags(picks), links })
  })

  /** @throws Problem not_found without a draw on that day */
  async function sendDraw(request: FastifyRequest, reply: FastifyReply, day: string) {
    const now = clock()
    const [draw, around] = await Promise.all([readDraw(store, day, now), drawsAround(store, day)])
    if (!draw) throw new Problem('not_found')
    const page = render({ draw, ...around, isToday: day === utcDay(now) })
    return sendPublic(request, reply.headers(COPYING_HEADERS), page, {
      cache: homeCache(now),
      tags: listingTags(draw.drawn),
    })
  }
}
