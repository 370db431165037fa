import { DRAW_SIZE, DRAWS_PATH, type Draw, drawSchema } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { TAGS } from '../../platform/cdn/tags.ts'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links, SiteParts } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { type FullDraw, readDraw } from './read-draw.ts'

/** Returns where the pages of a draw's candidates begin: a slash, a number and `.txt` follow. */
export const candidatesPath = (day: string): string => `/draw/${day}/candidates`

const NOTICE = `The lot of a listing is the SHA-256 of the seed, a zero byte and its slug. The ${DRAW_SIZE} lowest lots are drawn, the lowest first.`

/** Adds GET /api/v1/draws/{day}: everything that is needed to repeat a draw. */
export function drawRoute(app: FastifyInstance, { links, store, clock }: SiteParts): void {
  app.get<{ Params: { day: string } }>(
    `${DRAWS_PATH}/:day`,
    { schema: drawSchema, ...OPEN },
    async (request, reply) => {
      const draw = await drawReply({ store, links }, request.params.day, clock())
      return sendPublic(request, reply, JSON.stringify(draw), {
        mediaType: 'application/json; charset=utf-8',
        cache: CACHE.home,
        // A listing that is taken down leaves the draw.
        tags: draw.drawn.map(({ slug }) => TAGS.listing(slug)),
      })
    },
  )
}

/** Returns the draw of a UTC day, with all that is needed to repeat it. Throws `not_found` if there was none. */
export async function drawReply({ store, links }: Omit<SiteParts, 'clock'>, day: string, now: number) {
  const draw = await readDraw(store, day, now)
  if (!draw)
    throw new Problem('not_found', { message: `There is no draw of ${day}. A draw takes place at midnight UTC.` })
  return drawOf(draw, links)
}

const drawOf = (draw: FullDraw, links: Links): Draw => ({
  day: draw.day,
  drawnAt: draw.at,
  notice: NOTICE,
  algorithm: draw.algorithm,
  seed: draw.seed,
  logSize: draw.logSize,
  candidates: {
    count: draw.candidates,
    sha256: draw.candidatesHash,
    pages: draw.pages,
    url: draw.hasList > 0 ? links.base + candidatesPath(draw.day) : null,
  },
  drawn: draw.drawn.map(({ place, id, slug, lot, title, isShown }) => ({
    place,
    id,
    slug,
    lot,
    productUrl: isShown > 0 ? links.product(slug) : null,
    title: isShown > 0 ? title : null,
  })),
})
