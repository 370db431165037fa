import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Allowances } from '../allowances/allowances.ts'
import type { LastGood } from '../boards/last-good.ts'
import { BoardMarks } from '../boards/marks.ts'
import type { CheckoutDependencies } from '../checkout/checkout.ts'
import type { Config } from '../config.ts'
import { CACHE, PAGE_HEADERS } from '../http/headers.ts'
import { Problem } from '../http/problem.ts'
import type { Allowance } from '../http/rate-limit.ts'
import { sendPublic } from '../http/send.ts'
import type { ServiceKeys } from '../keys/service-keys.ts'
import { categoryCounts } from '../listings/category-counts.ts'
import type { Traffic } from '../listings/traffic.ts'
import { OwnershipPasses } from '../ownership/pass.ts'
import { Sessions } from '../ownership/session.ts'
import { type CheckSiteProof, SiteProofs } from '../ownership/site-proof.ts'
import { DrawnPictures } from '../pictures/drawn-pictures.ts'
import type { FetchPage } from '../reading/page.ts'
import { categoryBoardRoutes } from './boards/category-board-routes.ts'
import { pastDayRoutes } from './boards/past-day-routes.ts'
import { boardPageRoutes } from './boards/routes.ts'
import { boardShareRoutes } from './boards/share-routes.ts'
import { promoteRoutes } from './checkout/promote-routes.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { reportRoutes } from './decisions/report-routes.ts'
import { discoveryRoutes } from './directory/discovery-routes.ts'
import { homeRoutes } from './directory/home-routes.ts'
import { searchRoutes } from './directory/search-routes.ts'
import { embedRoutes } from './listing/embed-routes.ts'
import { pictureRoutes } from './listing/picture-routes.ts'
import { productRoutes } from './listing/product-routes.ts'
import { noticeFeed } from './private-page/feed-routes.ts'
import { privatePage } from './private-page/routes.ts'
import { siteRoutes } from './site/site-routes.ts'
import { listRoutes } from './start/routes.ts'
import { staticPages } from './texts/static-pages.ts'
import { transparencyRoutes } from './transparency/routes.ts'
import { findAsset } from './ui/assets.ts'

export interface PageDependencies extends CheckoutDependencies {
  serviceKeys: ServiceKeys
  checkSiteProof: CheckSiteProof
  fetchPageAgain: FetchPage
  traffic: Traffic
  allowances: Allowances
  lastGood: LastGood
  searchAllowance: Allowance
  limits: Config['limits']
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
}

/** One is some twenty kilobytes, far more with a stored picture, and takes a third of a second. */
const DRAWN_PICTURES = { keptMaxBytes: 16 * 1024 * 1024, waitingMax: 20, waitingMaxPerClient: 7 }

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

  const marks = new BoardMarks(deps.store, err =>
    app.log.warn({ err }, 'could not remember the places of a board'),
  )
  app.addHook('onClose', () => marks.settled())
  const drawn = new DrawnPictures(DRAWN_PICTURES)
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
  await app.register(promoteRoutes, { ...deps, passes, proofs: new SiteProofs(serviceKeys) })
  await app.register(checkoutRoutes, deps)
}

type AssetRequest = FastifyRequest<{ Params: { name: string }; Querystring: { v?: string } }>
