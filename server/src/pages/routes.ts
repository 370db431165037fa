import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { Problem } from '../http/problem.ts'
import { findListing, newestListings, statusOf } from '../listings/listing.ts'
import { OwnershipPasses } from '../ownership/ownership-pass.ts'
import type { Sessions } from '../ownership/session.ts'
import { type CheckSiteProof, SiteProofs } from '../ownership/site-proof.ts'
import type { CheckoutDependencies } from '../placement/checkout.ts'
import type { Secret } from '../secret.ts'
import { agentGuide } from './agent-guide.ts'
import { findAsset } from './assets.ts'
import { checkoutRoutes } from './checkout-routes.ts'
import { CACHE, PAGE_HEADERS } from './headers.ts'
import { renderHome } from './home.tsx'
import { llmsText } from './llms.ts'
import { privatePage } from './private-page.ts'
import { renderGone, renderProduct } from './product.tsx'
import { promoteRoutes } from './promote-routes.ts'
import { renderRules } from './rules.tsx'
import { sendPublic } from './send.ts'
import { submissionWindow } from './submission-window.ts'
import { renderSupport } from './support.tsx'

export interface PageDependencies extends CheckoutDependencies {
  serviceKey: Secret
  sessions: Sessions
  checkSiteProof: CheckSiteProof
  limits: Config['limits']
  /** Unix milliseconds. */
  submissionsEndAt: number | undefined
}

const NEWEST_SHOWN = 24

/** Everything for people, and the texts for agents. Register it in a context of its own. */
export async function pages(app: FastifyInstance, deps: PageDependencies): Promise<void> {
  const { links, store, limits, submissionsEndAt, clock } = deps
  await app.register(formbody, { bodyLimit: BODY_MAX_BYTES })
  await app.register(cookie)
  // Set before anything can fail, so that error pages carry them too.
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS)
  })

  app.get('/', async (request, reply) => {
    const now = clock()
    const listings = await newestListings(store.db, now, NEWEST_SHOWN)
    const html = renderHome({ links, listings, submissions: submissionWindow(submissionsEndAt, now) })
    return sendPublic(request, reply, html, { cache: CACHE.home })
  })

  app.get('/product/:slug', async (request: FastifyRequest<{ Params: { slug: string } }>, reply) => {
    const listing = await findListing(store.db, request.params.slug)
    if (!listing) throw new Problem('not_found')
    const status = statusOf(listing, clock())
    if (status === 'published') {
      return sendPublic(request, reply, renderProduct(listing, links), { cache: CACHE.listing })
    }
    return sendPublic(request, reply.code(410), renderGone(status, links), { cache: CACHE.listing })
  })

  app.get('/rules', async (request, reply) =>
    sendPublic(request, reply, renderRules(links), { cache: CACHE.text }),
  )

  app.get('/support', async (request, reply) =>
    sendPublic(request, reply, renderSupport(links), { cache: CACHE.text }),
  )

  app.get('/agent-guide.md', async (request, reply) => {
    const text = agentGuide({ links, limits, submissions: submissionWindow(submissionsEndAt, clock()) })
    return sendPublic(request, reply, text, { cache: CACHE.text, mediaType: 'text/markdown; charset=utf-8' })
  })

  app.get('/llms.txt', async (request, reply) =>
    sendPublic(request, reply, llmsText(links), {
      cache: CACHE.text,
      mediaType: 'text/plain; charset=utf-8',
    }),
  )

  app.get('/assets/:name', async (request: AssetRequest, reply) => {
    const asset = findAsset(request.params.name)
    if (!asset) throw new Problem('not_found')
    const { body, mediaType, version } = asset
    // During a rolling start an address of another version may be asked for: what it gets must not be kept.
    const cache = request.query.v === version ? CACHE.versioned : 'no-cache'
    return sendPublic(request, reply, body, { cache, mediaType })
  })

  const passes = new OwnershipPasses(deps.serviceKey)
  await app.register(privatePage, { ...deps, passes })
  await app.register(promoteRoutes, { ...deps, passes, proofs: new SiteProofs(deps.serviceKey) })
  await app.register(checkoutRoutes, deps)
}

type AssetRequest = FastifyRequest<{ Params: { name: string }; Querystring: { v?: string } }>
