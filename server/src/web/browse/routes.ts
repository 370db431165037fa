import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CategoryCounts } from '../../domain/listings/category-counts.ts'
import { newest, ofCategory } from '../../domain/listings/discovery.ts'
import { type DiscoveryCursor, readDiscoveryCursor } from '../../domain/listings/listed-row.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor } from '../../platform/db/long-read.ts'
import type { Store } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { FEED_LENGTH, renderFeed } from '../ui/atom.ts'
import { findCategory } from '../ui/format.ts'
import { renderCategory, renderNewest } from './pages.tsx'
import { pagesSitemap, readDaysSitemap, readProductSitemap, readSitemapIndex, robotsText } from './sitemap.ts'

interface DiscoveryDependencies {
  links: Links
  store: Store
  counts: (now: number) => Promise<CategoryCounts>
  clock: () => number
}

type PagedRequest<Params = unknown> = FastifyRequest<{
  Params: Params
  Querystring: { after?: unknown }
}>

const LISTINGS_PER_PAGE = 24
const XML = 'application/xml; charset=utf-8'
const ATOM = 'application/atom+xml; charset=utf-8'

/** All lists of listings, for people, feed readers and crawlers. */
export async function discoveryRoutes(app: FastifyInstance, deps: DiscoveryDependencies): Promise<void> {
  const { links, store, counts, clock } = deps

  app.get('/newest', async (request: PagedRequest, reply) => {
    const { wanted, isFurther } = pageWanted(request)
    const page = await newest(store, wanted)
    return sendPublic(request, reply, renderNewest({ links, page, isFurther, now: wanted.now }), {
      cache: CACHE.home,
      tags: [TAGS.newest],
    })
  })

  app.get('/category/:slug', async (request: PagedRequest<{ slug: string }>, reply) => {
    const category = findCategory(request.params.slug)
    if (!category) throw new Problem('not_found')
    const { wanted, isFurther } = pageWanted(request)
    const [page, { [category]: count }] = await Promise.all([
      ofCategory(store, { category, ...wanted }),
      counts(wanted.now),
    ])
    const html = renderCategory({ category, count, links, page, isFurther, now: wanted.now })
    return sendPublic(request, reply, html, {
      cache: CACHE.home,
      tags: [TAGS.category(category), TAGS.categories],
    })
  })

  app.get('/feed.atom', async (request, reply) => {
    const { rows } = await newest(store, { now: clock(), limit: FEED_LENGTH })
    return sendPublic(request, reply, renderFeed(rows, links), {
      cache: CACHE.home,
      tags: [TAGS.newest],
      mediaType: ATOM,
    })
  })

  app.get('/sitemap.xml', async (request, reply) =>
    sendPublic(request, reply, await readSitemapIndex(store, links), {
      cache: CACHE.home,
      tags: [TAGS.newest],
      mediaType: XML,
    }),
  )

  app.get('/sitemap-pages.xml', async (request, reply) =>
    sendPublic(request, reply, pagesSitemap(links), { cache: CACHE.text, tags: [], mediaType: XML }),
  )

  app.get('/sitemap-days.xml', async (request, reply) =>
    sendPublic(request, reply, await readDaysSitemap(store, links, clock()), {
      cache: CACHE.home,
      tags: [TAGS.days],
      mediaType: XML,
    }),
  )

  app.get(
    '/sitemap-:number(^[1-9]\\d{0,5}$).xml',
    async (request: FastifyRequest<{ Params: { number: string } }>, reply) => {
      const number = Number(request.params.number)
      const reading = readingFor(store, clientNetworks(request))
      const sitemap = await readProductSitemap(reading, { base: links.base, number, now: clock() })
      if (sitemap === undefined) throw new Problem('not_found')
      return sendPublic(request, reply, sitemap, { cache: CACHE.home, tags: [TAGS.newest], mediaType: XML })
    },
  )

  app.get('/robots.txt', async (request, reply) =>
    sendPublic(request, reply, robotsText(links), {
      cache: CACHE.text,
      tags: [],
      mediaType: 'text/plain; charset=utf-8',
    }),
  )

  function pageWanted({ query }: PagedRequest) {
    const after = query.after === undefined ? undefined : cursorOf(query.after)
    return { wanted: { now: clock(), after, limit: LISTINGS_PER_PAGE }, isFurther: after !== undefined }
  }
}

/** @throws Problem invalid_cursor */
function cursorOf(text: unknown): DiscoveryCursor {
  const cursor = readDiscoveryCursor(text)
  if (cursor) return cursor
  throw new Problem('invalid_cursor', {
    field: 'after',
    detail: 'To start at the newest, remove “after” and everything behind it from the address.',
  })
}
