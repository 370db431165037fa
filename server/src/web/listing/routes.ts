import { BOARDS, type Board, DECISION_HEADER } from '@placard/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { readHistory, readStandings, type Standings } from '../../domain/boards/standings.ts'
import { readNextPlace } from '../../domain/checkout/offer.ts'
import { hidingDecision } from '../../domain/decisions/record.ts'
import { readNeighbours } from '../../domain/listings/discovery.ts'
import { nextEnd } from '../../domain/listings/listed-row.ts'
import { type Product, productAt } from '../../domain/listings/listing.ts'
import { relatedListings } from '../../domain/listings/related.ts'
import { addReport, isReportKey, reportLink } from '../../domain/moderation/reports.ts'
import { listingTags } from '../../platform/cdn/tags.ts'
import type { ListingStatus } from '../../platform/db/tables/publishing.ts'
import { cachedReplies } from '../../platform/http/cached-replies.ts'
import { broadestNetwork } from '../../platform/http/client-address.ts'
import { CACHE, COPYING_HEADERS, PASSING_HEADERS } from '../../platform/http/headers.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { Problem } from '../../platform/http/problem.ts'
import { allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { requireSameOrigin } from '../../platform/http/request-checks.ts'
import { sendHtml, sendPublic, tagged } from '../../platform/http/send.ts'
import { daysMs, nextMidnight, TEN_MINUTES_MS, utcDay } from '../../platform/lib/time.ts'
import { ifPossible } from '../boards/routes.ts'
import { webAddress } from '../ui/format.ts'
import { renderOnce } from '../ui/layout.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { type EmbedDependencies, embedRoutes } from './embed-routes.ts'
import { renderEndCalendar } from './end-calendar.ts'
import { renderGone, renderProduct, renderReported } from './page.tsx'
import { NEIGHBOURS_READ } from './related.tsx'
import { type ReportDraft, readReport } from './report-form.tsx'
import { reportRoutes } from './reports.tsx'
import { readCurrentPlaces } from './share.tsx'
import type { Takes } from './standing.tsx'

type ProductDependencies = Needs<'links' | 'store' | 'serviceKeys' | 'traffic' | 'allowances' | 'clock'>

type ShownProduct = Omit<Parameters<typeof renderProduct>[0], 'links' | 'draft'>
type GoneStatus = Exclude<ListingStatus, 'published'>
type ReportedRequest = FastifyRequest<{ Params: { slug: string }; Querystring: { report?: unknown } }>
type ProductRequest = FastifyRequest<{ Params: { slug: string } }>

/** How many rendered pages to keep, about 10 MB. */
const PAGES_KEPT = 1000
export const REPORTS_MAX = 5
/** Of all listings. With more, one network could bury what others report, which operators read in the same queue. */
export const REPORTS_PER_DAY_PER_NETWORK = 50

/** The longest report in the widest characters, form-encoded. */
const REPORT_MAX_BYTES = 16 * 1024

/** What places cost, if that can't be read. */
const UNKNOWN: Takes = {}

const CALENDAR = 'text/calendar; charset=utf-8'

/** The reporter's link must not reach linked websites. */
const REPORT_HEADERS = { ...PASSING_HEADERS, 'referrer-policy': 'no-referrer' }

/** The public page of a listing, the link out to its website, and reports about it. */
export function productRoutes(app: FastifyInstance, deps: ProductDependencies): void {
  const { links, store, serviceKeys, traffic, clock } = deps
  const render = renderOnce((shown: ShownProduct) => renderProduct({ ...shown, links }), PAGES_KEPT)
  const related = relatedListings(store)
  const pages = cachedReplies(store, {
    name: 'listing_pages',
    keyOf: (slug: string) => slug,
    max: PAGES_KEPT,
    read: pageOf,
  })
  const limits = [
    { name: 'reportsPerTenMinutesPerIp', max: REPORTS_MAX, windowMs: TEN_MINUTES_MS },
    {
      name: 'reportsPerDayPerNetwork',
      max: REPORTS_PER_DAY_PER_NETWORK,
      windowMs: daysMs(1),
      keyOf: broadestNetwork,
    },
  ].map(limit => allowance(deps.allowances, limit))

  app.get('/product/:slug', OPEN, async (request: ProductRequest, reply) => {
    const { page, id, tags, isGone, hiding } = await pages(request.params.slug, clock())
    if (isGone) {
      reply.code(410)
      if (hiding) reply.header(DECISION_HEADER, hiding)
    } else {
      reply.headers(COPYING_HEADERS)
      traffic.view(id, request)
    }
    return sendPublic(request, reply, page, { cache: CACHE.listing, tags })
  })

  // The file an owner adds to a calendar. A listing with a paid place has no end to remember.
  app.get('/product/:slug/end.ics', async (request: ProductRequest, reply) => {
    const { product, status } = await productAt(store, request.params.slug, clock())
    if (status !== 'published') return sendHtml(reply.headers(PASSING_HEADERS), 410, renderGone({ status, links }))
    if (product.expiresAt === null) throw new Problem('not_found')
    reply.header('content-disposition', `attachment; filename="${product.slug}.ics"`)
    const calendar = renderEndCalendar(product, product.expiresAt, links)
    return sendPublic(request, reply, calendar, {
      cache: CACHE.listing,
      tags: listingTags([product]),
      mediaType: CALENDAR,
    })
  })

  app.get('/visit/:slug', async (request: ProductRequest, reply) => {
    reply.headers(PASSING_HEADERS)
    const { product, status } = await productAt(store, request.params.slug, clock())
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
      reply.headers(PASSING_HEADERS)
      const { product, status } = await productAt(store, request.params.slug, clock())
      if (status !== 'published') return sendHtml(reply, 410, renderGone({ status, links }))
      const { report, draft, isTrapped } = readReport(request.body)
      if (!report) return sendAgain(reply.code(400), product, draft)
      const seconds = await refusedBy(limits, request, reply)
      if (seconds !== undefined) return sendAgain(reply.code(429), product, { ...draft, waitSeconds: seconds })
      // A program that filled in the hidden field gets the same thanks, and learns nothing.
      const added = isTrapped
        ? reportLink(serviceKeys, uuidv7())
        : await addReport(deps, product.id, report, broadestNetwork(request), clock())
      // There is no Retry-After, because it is unknown when the open reports will be settled.
      if (!added) return sendAgain(reply.code(429), product, { ...draft, isFull: true })
      reply.header(DECISION_HEADER, added.decisionId)
      return reply.redirect(`/product/${product.slug}/reported?report=${added.key}`, 303)
    },
  )

  // A refused report leaves the browser at this address; reopening it leads back to the form.
  app.get('/product/:slug/report', async (request: ProductRequest, reply) => {
    const { product } = await productAt(store, request.params.slug, clock())
    return reply.headers(PASSING_HEADERS).redirect(`/product/${product.slug}#report`, 302)
  })

  app.get('/product/:slug/reported', async (request: ReportedRequest, reply) => {
    // Also if the listing was taken down since: the page reveals nothing about it.
    const { product } = await productAt(store, request.params.slug, clock())
    const { report } = request.query
    const key = isReportKey(report) ? report : undefined
    return sendHtml(reply.headers(REPORT_HEADERS), 200, renderReported(product.slug, key, links))
  })

  /** The page with the report filled in, so that nothing typed is lost. */
  async function sendAgain(reply: FastifyReply, product: Product, draft: ReportDraft) {
    const html = renderProduct({ ...(await shownOf(product, clock())), links, draft })
    return sendHtml(reply.headers(COPYING_HEADERS), reply.statusCode, html)
  }

  async function pageOf(slug: string, now: number, failure?: unknown) {
    if (failure !== undefined) throw failure
    const { product, status } = await productAt(store, slug, now)
    return status === 'published' ? publishedPage(product, now) : gonePage(product, status, now)
  }

  async function publishedPage(product: Product, now: number) {
    const shown = await shownOf(product, now)
    const all = [product, ...shown.related, ...shown.neighbours.newer, ...shown.neighbours.older]
    const until = shown.takes === UNKNOWN ? now : Math.min(nextMidnight(now), nextEnd(all, now))
    return { page: render(shown), id: product.id, tags: listingTags(all), isGone: false, hiding: undefined, until }
  }

  async function gonePage(product: Product, status: GoneStatus, now: number) {
    const { id, slug, category } = product
    const hiding = await hidingDecision(store.db, slug)
    const neighbours = await neighboursOf(product, now)
    const around = [...neighbours.newer, ...neighbours.older]
    const html = renderGone({ status, links, related: { category, neighbours, today: utcDay(now) } })
    const until = Math.min(nextMidnight(now), nextEnd(around, now))
    return { page: tagged(Buffer.from(html)), id, tags: listingTags([product, ...around]), isGone: true, hiding, until }
  }

  async function shownOf(product: Product, now: number): Promise<ShownProduct> {
    const [money, likeIt, neighbours] = await Promise.all([
      moneyOf(product, now),
      related(product, now),
      neighboursOf(product, now),
    ])
    const takes = links.site.sellsPlaces ? await takesOf(product, money.standings, now) : undefined
    const places = await readCurrentPlaces(store, money.standings, now)
    return { product, ...money, ...places, takes, related: likeIt, neighbours }
  }

  /** Prices are an extra: the page is correct without them. */
  async function takesOf({ destinationKey }: Product, standings: Standings, now: number): Promise<Takes> {
    const read = async (board: Board) => {
      const take = await readNextPlace(store, { board, destinationKey, standing: standings[board] }, now)
      return take ? [[board, take]] : []
    }
    const message = 'could not read what a place costs for the page of a listing'
    const takes = await ifPossible(app.log, message, () => Promise.all(BOARDS.map(read)))
    return takes ? Object.fromEntries(takes.flat()) : UNKNOWN
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
}

/** A listing's page, its pictures, what other websites show of it, and what became of reports. */
export async function listingRoutes(
  app: FastifyInstance,
  deps: ProductDependencies & EmbedDependencies,
): Promise<void> {
  productRoutes(app, deps)
  embedRoutes(app, deps)
  await app.register(reportRoutes, deps)
}
