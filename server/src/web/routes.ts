import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LastGood } from '../domain/boards/first-page.ts'
import { BoardMarks } from '../domain/boards/movement.ts'
import type { CheckoutDependencies } from '../domain/checkout/place-order.ts'
import { categoryCounts } from '../domain/listings/category-counts.ts'
import type { Traffic } from '../domain/listings/traffic.ts'
import type { ServiceKeys } from '../domain/ownership/service-keys/service-keys.ts'
import { OwnershipPasses, Sessions } from '../domain/ownership/signed-cookies.ts'
import { type CheckSiteProof, SiteProofs } from '../domain/ownership/site-proof.ts'
import type { StripeAccount } from '../domain/payments/stripe.ts'
import type { DrawnPictures } from '../domain/pictures/drawn-pictures.ts'
import type { FetchPage } from '../domain/review/page.ts'
import type { Config } from '../platform/config/config.ts'
import { CACHE, PAGE_HEADERS } from '../platform/http/headers.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Allowances } from '../platform/http/rate-limits/counter.ts'
import type { Allowance } from '../platform/http/rate-limits/rate-limit.ts'
import { sendPublic } from '../platform/http/send.ts'
import { pastDayRoutes } from './boards/past-day-routes.ts'
import { boardPageRoutes, categoryBoardRoutes } from './boards/routes.ts'
import { boardShareRoutes } from './boards/share.ts'
import { discoveryRoutes } from './browse/routes.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { consoleRoutes } from './console/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { listRoutes } from './list/routes.ts'
import { embedRoutes } from './listing/embed-routes.ts'
import { pictureRoutes } from './listing/picture-routes.ts'
import { productRoutes } from './listing/routes.ts'
import { noticeFeed } from './manage/feed.ts'
import { privatePage } from './manage/routes.ts'
import { promoteRoutes } from './promote/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { siteRoutes } from './site-files.ts'
import { staticPages } from './texts/routes.ts'
import { transparencyRoutes } from './transparency/routes.ts'
import { findAsset } from './ui/assets.ts'

export interface PageDependencies extends Omit<CheckoutDependencies, 'stripe'> {
  /** Undefined if no processor is set up. */
  stripe: StripeAccount | undefined
  serviceKeys: ServiceKeys
  checkSiteProof: CheckSiteProof
  fetchPageAgain: FetchPage
  traffic: Traffic
  allowances: Allowances
  lastGood: LastGood
  searchAllowance: Allowance
  limits: Config['limits']
  drawn: DrawnPictures
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
}

/** All pages for people, and the texts for agents. Register it in its own context. */
export async function pages(app: FastifyInstance, deps: PageDependencies): Promise<void> {
  await app.register(formbody, { bodyLimit: BODY_MAX_BYTES })
  await app.register(cookie)
  // Before anything can fail, so that error pages have them too.
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS)
  })

  app.get('/assets/:name', async (request: AssetRequest, reply) => {
    const asset = findAsset(request.params.name)
    if (!asset) throw new Problem('not_found')
    const { mediaType, version } = asset
    // During a rolling start, a page of another version may ask for its asset: do not let that reply be cached.
    const cache = request.query.v === version ? CACHE.versioned : 'no-cache'
    return sendPublic(request, reply, asset, { cache, mediaType })
  })

  const marks = new BoardMarks(deps.store, err => app.log.warn({ err }, 'could not remember the places of a board'))
  app.addHook('onClose', () => marks.settled())
  const { drawn } = deps
  await app.register(siteRoutes, { ...deps, drawn })
  const counts = categoryCounts(deps.store)
  await app.register(homeRoutes, { ...deps, marks, counts })
  await app.register(boardPageRoutes, { ...deps, marks })
  await app.register(boardShareRoutes, { ...deps, drawn })
  await app.register(categoryBoardRoutes, deps)
  await app.register(pastDayRoutes, deps)
  await app.register(listRoutes, deps)
  await app.register(staticPages, deps)
  await app.register(transparencyRoutes, deps)
  await app.register(productRoutes, deps)
  await app.register(reportRoutes, deps)
  await app.register(discoveryRoutes, { ...deps, counts })
  await app.register(searchRoutes, deps)
  await app.register(pictureRoutes, { ...deps, drawn })
  await app.register(embedRoutes, deps)
  const { serviceKeys } = deps
  const [sessions, passes] = [new Sessions(serviceKeys), new OwnershipPasses(serviceKeys)]
  await app.register(privatePage, { ...deps, fetchPage: deps.fetchPageAgain, sessions, passes })
  await app.register(noticeFeed, deps)
  const { stripe } = deps
  if (stripe && deps.links.site.sellsPlaces) {
    await app.register(promoteRoutes, { ...deps, stripe, passes, proofs: new SiteProofs(serviceKeys) })
  }
  await app.register(checkoutRoutes, deps)
  await app.register(consoleRoutes, deps)
}

type AssetRequest = FastifyRequest<{ Params: { name: string }; Querystring: { v?: string } }>

/** Addresses that people and programs guess, and where each leads. */
const REDIRECTS: Partial<Record<string, string>> = {
  '/board': '/board/all',
  '/categories': '/#categories',
  '/feed': '/feed.atom',
  '/favicon.ico': '/icon-192.png',
}

/** The redirect of an unknown address: to a known path, or to the same without its trailing slash. */
export function redirectOf({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  // Plain parts only: without its slash, `//elsewhere.com/` would be another host.
  const [, path, slashes, query] = /^((?:\/[\w.~-]+)+)(\/*)(\?.*)?$/.exec(url) ?? []
  if (path === undefined || path.startsWith('/api/')) return undefined
  return REDIRECTS[path] ?? (slashes && path + (query ?? ''))
}
