import type { Category } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newest, ofCategory, randomListing } from '../../domain/listings/discovery.ts'
import { type DiscoveryCursor, nextEnd, readDiscoveryCursor } from '../../domain/listings/listed-row.ts'
import { isSlug } from '../../domain/listings/listing.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { readingFor } from '../../platform/db/store.ts'
import { cachedReplies } from '../../platform/http/cached-replies.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE, COPYING_HEADERS, PASSING_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { rateLimit } from '../../platform/http/rate-limits/rate-limit.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { MINUTE_MS, minuteOf } from '../../platform/lib/time.ts'
import { FEED_LENGTH, listingEntries, sendFeed } from '../ui/atom.ts'
import { categoryAt, categoryPath, feedPath } from '../ui/format.ts'
import { renderOnce } from '../ui/layout.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { cursorIn } from '../ui/paging.tsx'
import { type Paged, renderCategory, renderNewest } from './pages.tsx'
import { pagesSitemap, readDaysSitemap, readProductSitemap, readSitemapIndex, robotsText } from './sitemap.ts'

type PagedRequest<Params = unknown> = FastifyRequest<{ Params: Params; Querystring: { after?: unknown } }>

/** A page of the newest listings, of all or of a category. */
interface ListWanted {
  category?: Category
  after: DiscoveryCursor | undefined
}

type ListView = Omit<Paged, 'links'> & { category: Category | undefined; count: number }

const LISTINGS_PER_PAGE = 24
/** The first pages of all and of each category, and some further ones. */
const PAGES_KEPT = 100
/** Each costs a few lookups, and leads to a page that costs more. */
export const RANDOM_PER_MINUTE = 60
const XML = 'application/xml; charset=utf-8'

/** The lists of listings for people, feed readers and crawlers. */
export function discoveryRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'allowances' | 'counts' | 'clock'>,
): void {
  const { links, store, counts, clock } = deps
  const listings = { cache: CACHE.home, tags: [TAGS.newest] }

  const render = renderOnce(({ category, count, ...page }: ListView) => {
    const paged = { ...page, links }
    return category ? renderCategory({ ...paged, category, count }) : renderNewest(paged)
  }, PAGES_KEPT)
  const pages = cachedReplies(store, { name: 'list_pages', keyOf: JSON.stringify, max: PAGES_KEPT, read: pageAt })

  app.get('/newest', OPEN, async (request: PagedRequest, reply) => {
    const { page } = await pages({ after: cursorIn(request.query, readDiscoveryCursor) }, clock())
    return sendPublic(request, reply.headers(COPYING_HEADERS), page, listings)
  })

  app.get('/category/:slug', OPEN, async (request: PagedRequest<{ slug: string }>, reply) => {
    const category = categoryAt(request.params.slug)
    const { page } = await pages({ category, after: cursorIn(request.query, readDiscoveryCursor) }, clock())
    return sendPublic(request, reply.headers(COPYING_HEADERS), page, {
      cache: CACHE.home,
      tags: [TAGS.category(category), TAGS.categories],
    })
  })

  async function pageAt({ category, after }: ListWanted, now: number, failure?: unknown) {
    if (failure !== undefined) throw failure
    const wanted = { now, after, limit: LISTINGS_PER_PAGE }
    const [page, count] = await Promise.all([
      category ? ofCategory(store, { category, ...wanted }) : newest(store, wanted),
      category ? counts(now).then(({ [category]: listed }) => listed) : 0,
    ])
    const minute = minuteOf(now)
    return {
      page: render({ category, count, page, isFurther: after !== undefined, now: minute }),
      until: Math.min(minute + MINUTE_MS, nextEnd(page.rows, now)),
    }
  }

  app.get('/feed.atom', async (request, reply) => {
    const { rows } = await newest(store, { now: clock(), limit: FEED_LENGTH })
    const { tagline } = links.site
    const words = { path: '/feed.atom', page: '/newest', title: 'newest listings', subtitle: tagline }
    return sendFeed(request, reply, { ...words, entries: listingEntries(rows, links) }, { ...listings, links })
  })

  app.get('/category/:slug/feed.atom', async (request: FastifyRequest<{ Params: { slug: string } }>, reply) => {
    const category = categoryAt(request.params.slug)
    const { rows } = await ofCategory(store, { category, now: clock(), limit: FEED_LENGTH })
    const page = categoryPath(category)
    const feed = { path: feedPath(page), page, title: category, entries: listingEntries(rows, links) }
    return sendFeed(request, reply, feed, { ...listings, tags: [TAGS.category(category), TAGS.categories], links })
  })

  const sendFile = (path: string, sending: Parameters<typeof sendPublic>[3], make: () => string | Promise<string>) =>
    app.get(path, OPEN, async (request, reply) => sendPublic(request, reply, await make(), sending))
  const texts = { cache: CACHE.text, tags: [] }

  sendFile('/sitemap.xml', { ...listings, mediaType: XML }, () => readSitemapIndex(store, links))
  sendFile('/sitemap-pages.xml', { ...texts, mediaType: XML }, () => pagesSitemap(links))
  sendFile('/sitemap-days.xml', { cache: CACHE.home, tags: [TAGS.days], mediaType: XML }, () =>
    readDaysSitemap(store, links, clock()),
  )
  sendFile('/robots.txt', { ...texts, mediaType: 'text/plain; charset=utf-8' }, () => robotsText(links))

  app.get(
    '/sitemap-:number(^[1-9]\\d{0,5}$).xml',
    async (request: FastifyRequest<{ Params: { number: string } }>, reply) => {
      const number = Number(request.params.number)
      const reading = readingFor(store, clientNetworks(request))
      const sitemap = await readProductSitemap(reading, { base: links.base, number, now: clock() })
      if (sitemap === undefined) throw new Problem('not_found')
      return sendPublic(request, reply, sitemap, { ...listings, mediaType: XML })
    },
  )

  randomRoute(app, deps)
}

type RandomRequest = FastifyRequest<{ Querystring: { not?: unknown } }>

/**
 * GET /random: leads to a published listing by chance, and not to the one that the visitor comes from. Browsers name
 * that page themselves, and programs can name it in `not`. For all others, it is not the one that was given last.
 */
function randomRoute(
  app: FastifyInstance,
  { store, allowances, clock }: Needs<'links' | 'store' | 'allowances' | 'counts' | 'clock'>,
): void {
  const limits = { name: 'randomPerMinutePerIp', max: RANDOM_PER_MINUTE, windowMs: MINUTE_MS }
  let last: string | undefined

  app.get('/random', { onRequest: rateLimit(allowances, limits) }, async (request: RandomRequest, reply) => {
    reply.headers(PASSING_HEADERS)
    const not = listingBefore(request) ?? last
    last = await randomListing(store, { not, now: clock() })
    return reply.redirect(last === undefined ? '/newest' : `/product/${last}`, 303)
  })
}

function listingBefore({ query: { not }, headers: { referer = '' } }: RandomRequest): string | undefined {
  const slug = typeof not === 'string' ? not : /\/product\/([^/?#]+)$/.exec(referer)?.[1]
  return slug !== undefined && isSlug(slug) ? slug : undefined
}
