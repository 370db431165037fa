import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findPublished } from '../../domain/listings/discovery.ts'
import { isSlug } from '../../domain/listings/listing.ts'
import { listingTags } from '../../platform/cdn/tags.ts'
import { CACHE, LIVE_HEADERS } from '../../platform/http/headers.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic } from '../../platform/http/send.ts'
import type { Needs } from '../ui/page-parts.ts'
import { LISTED_CACHE, sendDrawn } from '../ui/send-picture.ts'
import { keptDrawing, renderKept, renderShared, SHARED_MAX } from './page.tsx'

type KeptRequest = FastifyRequest<{ Querystring: { listings?: unknown } }>

/**
 * GET /kept: the listings that a visitor keeps, which only the browser knows. With `listings`, a shared collection: the
 * address contains it, and nothing of it is stored.
 */
export async function keptRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'drawn' | 'clock'>,
): Promise<void> {
  const { links, store, drawn, clock } = deps

  app.get('/kept', async (request: KeptRequest, reply) => {
    reply.headers(LIVE_HEADERS)
    if (request.query.listings === undefined) {
      return sendPublic(request, reply, renderKept(links), { cache: CACHE.text, tags: [] })
    }
    const slugs = slugsIn(request)
    const listings = await findPublished(store, slugs, clock())
    const html = renderShared({ listings, missing: slugs.length - listings.length, links })
    return sendPublic(request, reply, html, { cache: CACHE.home, tags: listingTags(listings) })
  })

  app.get('/share/kept.png', async (request: KeptRequest, reply) => {
    const listings = await findPublished(store, slugsIn(request), clock())
    if (listings.length === 0) throw new Problem('not_found')
    const drawing = keptDrawing(listings, links.site)
    return sendDrawn(request, reply, drawn, { drawing, cache: LISTED_CACHE, tags: listingTags(listings) })
  })
}

/** Returns the listings that an address names, each once. @throws Problem invalid_request */
function slugsIn({ query: { listings } }: KeptRequest): string[] {
  const slugs = typeof listings === 'string' ? [...new Set(listings.split(','))] : []
  if (slugs.length > 0 && slugs.length <= SHARED_MAX && slugs.every(isSlug)) return slugs
  throw new Problem('invalid_request', {
    field: 'listings',
    message: `This is not the whole address of a collection. “listings” must name 1 to ${SHARED_MAX} listings as their pages do, separated by commas. Ask for the address again, or open /kept for your own collection.`,
  })
}
