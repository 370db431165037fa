import { BOARDS, DECISION_HEADER } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { readHistory, readStandings, type Standings } from '../../domain/boards/standings.ts'
import { readNextPlace } from '../../domain/checkout/offer.ts'
import { hidingDecision } from '../../domain/decisions/record.ts'
import { readNeighbours } from '../../domain/listings/discovery.ts'
import { findProduct, type Product, statusOf } from '../../domain/listings/listing.ts'
import { relatedListings } from '../../domain/listings/related.ts'
import { addReport, isReportKey, newReportKey } from '../../domain/moderation/reports.ts'
import { TAGS } from '../../platform/cdn/tags.ts'
import { clientHash, clientNetworks } from '../../platform/http/client-address.ts'
import { CACHE, COPYING_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { rateLimiter } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml, sendPublic } from '../../platform/http/send.ts'
import { remembered } from '../../platform/lib/cache.ts'
import { TEN_MINUTES_MS, utcDay } from '../../platform/lib/time.ts'
import { webAddress } from '../ui/format.ts'
import type { Needs } from '../ui/page-parts.ts'
import { renderOnce } from '../ui/render-once.ts'
import { embedRoutes } from './embed-routes.ts'
import { renderEndCalendar } from './end-calendar.ts'
import { renderGone, renderProduct, renderReported } from './page.tsx'
import { type PictureDependencies, pictureRoutes } from './picture-routes.ts'
import { NEIGHBOURS_READ } from './related.tsx'
import { type ReportDraft, readReport } from './report-form.tsx'
import { readCurrentPlaces } from './share.tsx'
import type { Takes } from './standing.tsx'

type ProductDependencies = Needs<'links' | 'store' | 'serviceKeys' | 'traffic' | 'allowances' | 'clock'>

type ShownProduct = Omit<Parameters<typeof renderProduct>[0], 'links' | 'draft'>
type ReportedRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { report?: unknown } }>
type ProductRequest = FastifyRequest<{ Params: { slug: string } }>

/** How many rendered pages to keep, about 10 MB. Their data is read again for each request. */
const PAGES_KEPT = 1000
export const REPORTS_MAX = 5

/** As long as board replies may be cached. */
const TAKES_KEPT_MS = 10_000
const TAKES_KEPT = 2000

/** The longest report in the widest characters, form-encoded. */
const REPORT_MAX_BYTES = 16 * 1024

const CALENDAR = 'text/calendar; charset=utf-8'

/** Not for caches or search engines. */
const PASSING = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }

/** The reporter's link must not reach linked websites. */
const UNTOLD = { ...PASSING, 'referrer-policy': 'no-referrer' }

/** A hidden listing also disappears from the pages of others. */
const tagsOf = (listings: readonly { slug: string }[]) => [...new Set(listings.map(({ slug }) => TAGS.listing(slug)))]

/** The public page of a listing, the link out to its website, and reports about it. */
export async function productRoutes(app: FastifyInstance, deps: ProductDependencies): Promise<void> {
  const { links, store, serviceKeys, traffic, clock } = deps
  const render = renderOnce((shown: ShownProduct) => renderProduct({ ...shown, links }), PAGES_KEPT)
  const related = relatedListings(store)
  const nextPlace = remembered((of: Parameters<typeof readNextPlace>[1], now) => readNextPlace(store, of, now), {
    name: 'next_place',
    forMs: TAKES_KEPT_MS,
    max: TAKES_KEPT,
    keyOf: ({ board, destinationKey }) => `${board} ${destinationKey}`,
  })
  const limit = rateLimiter(deps.allowances, {
    name: 'reportsPerTenMinutesPerIp',
    max: REPORTS_MAX,
    windowMs: TEN_MINUTES_MS,
  })

  app.get('/product/:slug', OPEN, async (request: ProductRequest, reply) => {
    const { product, status } = await productAt(request)
    if (status !== 'published') return sendGone(request, reply, status, product)
    const shown = await shownOf(request, product)
    const page = render(shown)
    traffic.view(product.id, request)
    const { newer, older } = shown.neighbours
    return sendPublic(request, reply.headers(COPYING_HEADERS), page, {
      cache: CACHE.listing,
      tags: tagsOf([product, ...shown.related, ...newer, ...older]),
    })
  })

  // The file an owner adds to a calendar. A listing with a paid place has no end to remember.
  app.get('/product/:slug/end.ics', async (request: ProductRequest, reply) => {
    const { product, status } = await productAt(request)
    if (status !== 'published') return sendHtml(reply.headers(PASSING), 410, renderGone({ status, links }))
    if (product.expiresAt === null) throw new Problem('not_found')
    reply.header('content-disposition', `attachment; filename="${product.slug}.ics"`)
    const calendar = renderEndCalendar(product, product.expiresAt, links)
    return sendPublic(request, reply, calendar, {
      cache: CACHE.listing,
      tags: tagsOf([product]),
      mediaType: CALENDAR,
    })
  })

  app.get('/visit/:slug', async (request: ProductRequest, reply) => {
    reply.headers(PASSING)
    const { product, status } = await productAt(request)
    if (status !== 'published') return sendHtml(reply, 410, renderGone({ status, links }))
    // Redirect only to the listing's own address, whatever else the request says.
    const destination = webAddress(product.url)
    if (!destination) throw new Problem('not_found')
    traffic.click(product.id, request)
    return reply.redirect(destination, 302)
  })

  app.post(
    '/product/:slug/report',
    { onRequest: requireSameOrigin(links), bodyLimit: REPORT_MAX_BYTES },
    async (request: ProductRequest, reply) => {
      reply.headers(PASSING)
      const { product, status } = await productAt(request)
      if (status !== 'published') return sendHtml(reply, 410, renderGone({ status, links }))
      const { report, draft, isTrapped } = readReport(request.body)
      if (!report) return sendAgain(request, reply.code(400), product, draft)
      const seconds = await limit(request)
      if (seconds !== undefined) {
        reply.header('retry-after', String(seconds))
        return sendAgain(request, reply.code(429), product, { ...draft, waitSeconds: seconds })
      }
      // A program that filled in the hidden field gets the same thanks, and learns nothing.
      const [network = ''] = clientNetworks(request)
      const networkHash = clientHash(network, serviceKeys.newest.secret)
      const added = isTrapped
        ? { decisionId: uuidv7(), key: newReportKey().key }
        : await addReport(store, product.id, report, networkHash, clock())
      // There is no Retry-After, because it is unknown when the open reports will be settled.
      if (!added) return sendAgain(request, reply.code(429), product, { ...draft, isFull: true })
      reply.header(DECISION_HEADER, added.decisionId)
      return reply.redirect(`/product/${product.slug}/reported?report=${added.key}`, 303)
    },
  )

  // A refused report leaves the browser at this address; reopening it leads back to the form.
  app.get('/product/:slug/report', async (request: ProductRequest, reply) => {
    const { product } = await productAt(request)
    return reply.headers(PASSING).redirect(`/product/${product.slug}#report`, 302)
  })

  app.get('/product/:slug/reported', async (request: ReportedRequest, reply) => {
    // Also if the listing was taken down since: the page reveals nothing about it.
    const { product } = await productAt(request)
    const { report } = request.query
    const key = isReportKey(report) ? report : undefined
    return sendHtml(reply.headers(UNTOLD), 200, renderReported(product.slug, key, links))
  })

  /** The page with the report filled in, so that nothing typed is lost. */
  async function sendAgain(request: FastifyRequest, reply: FastifyReply, product: Product, draft: ReportDraft) {
    const html = renderProduct({ ...(await shownOf(request, product)), links, draft })
    return sendHtml(reply.headers(COPYING_HEADERS), reply.statusCode, html)
  }

  async function productAt({ params }: ProductRequest) {
    const product = await findProduct(store, params.slug)
    if (!product) throw new Problem('not_found')
    return { product, status: statusOf(product, clock()) }
  }

  async function shownOf(request: FastifyRequest, product: Product): Promise<ShownProduct> {
    const now = clock()
    const [money, likeIt, neighbours] = await Promise.all([
      moneyOf(product, now),
      related(product, now),
      neighboursOf(product, now),
    ])
    const takes = await takesOf(request, product, money.standings, now)
    const places = await readCurrentPlaces(store, money.standings, now)
    return { product, ...money, ...places, takes, related: likeIt, neighbours }
  }

  /** Prices are an extra: the page is correct without them. */
  async function takesOf(request: FastifyRequest, product: Product, standings: Standings, now: number) {
    if (!links.site.sellsPlaces) return undefined
    try {
      const takes = await Promise.all(
        BOARDS.map(async board => {
          const standing = standings[board]
          // All listings without a total there pay the same for the same place.
          const destinationKey = standing ? product.destinationKey : ''
          return [board, await nextPlace({ board, destinationKey, standing }, now)] as const
        }),
      )
      return Object.fromEntries(takes.filter(([, take]) => take)) as Takes
    } catch (err) {
      request.log.warn({ err }, 'could not read what a place costs for the page of a listing')
      return {}
    }
  }

  /** A listing with an end date has no verified payments, so there is nothing to read. */
  async function moneyOf({ destinationKey, expiresAt }: Product, now: number) {
    if (expiresAt !== null) return { standings: {} as Standings, history: [] }
    const standings = await readStandings(store, destinationKey, now)
    const { all } = standings
    const history = all ? await readHistory(store, destinationKey, { totalCents: all.totalCents, now }) : []
    return { standings, history }
  }

  function neighboursOf(product: Product, now: number) {
    return readNeighbours(store, product, { now, limit: NEIGHBOURS_READ })
  }

  async function sendGone(
    request: ProductRequest,
    reply: FastifyReply,
    status: 'expired' | 'unavailable',
    product: Product,
  ) {
    const now = clock()
    const { category } = product
    const hiding = await hidingDecision(store.db, product.slug)
    if (hiding) reply.header(DECISION_HEADER, hiding)
    const neighbours = await neighboursOf(product, now)
    const html = renderGone({ status, links, related: { category, neighbours, today: utcDay(now) } })
    return sendPublic(request, reply.code(410), html, {
      cache: CACHE.listing,
      tags: tagsOf([product, ...neighbours.newer, ...neighbours.older]),
    })
  }
}

/** A listing's page, its pictures, and what other websites show of it. */
export async function listingRoutes(
  app: FastifyInstance,
  deps: ProductDependencies & PictureDependencies,
): Promise<void> {
  await app.register(productRoutes, deps)
  await app.register(pictureRoutes, deps)
  await app.register(embedRoutes, deps)
}
