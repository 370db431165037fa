import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { type ApiDependencies, apiRoutes } from './api.ts'
import { witnessRoutes } from './domain/log/witness.ts'
import { warn } from './domain/notifications/operator/warnings.ts'
import type { StripeAccount } from './domain/payments/stripe.ts'
import { DrawnPictures } from './domain/pictures/drawn-pictures.ts'
import { StoredPictures } from './domain/pictures/storage.ts'
import type { Metrics } from './ops/metrics/metrics.ts'
import type { Traces } from './ops/metrics/traces.ts'
import type { Config } from './platform/config/config.ts'
import { healthRoutes } from './platform/http/health.ts'
import { createServer } from './platform/http/server.ts'
import { startDrawingAhead } from './web/draw-ahead.ts'
import { pages, redirectOf } from './web/routes.ts'
import { renderErrorPage } from './web/ui/error.tsx'
import type { PageDependencies, SelfListing } from './web/ui/page-parts.ts'

type Settled =
  | 'limits'
  | 'submissionsEndAt'
  | 'searchAllowance'
  | 'drawn'
  | 'stored'
  | 'drawListing'
  | 'onPublished'
  | 'stripe'
  | keyof SelfListing

export interface AppDependencies extends Omit<ApiDependencies & PageDependencies, Settled> {
  config: Config
  /** Undefined if no processor is configured: then nothing is for sale. */
  stripe: StripeAccount | undefined
  /** The pages of the sandbox, if it replaces Stripe. */
  sandboxPages?: FastifyPluginAsync | undefined
  /** Whether share pictures are drawn before they are requested. Default: true. */
  drawsAhead?: boolean | undefined
  /** Undefined unless requests are measured. */
  metrics?: Pick<Metrics, 'watch'> | undefined
  /** Undefined unless requests are traced. */
  traces?: Pick<Traces, 'watch'> | undefined
}

/** A picture takes about 20 KB, far more with a stored one in it, and about a tenth of a second to draw. */
const DRAWN_PICTURES = {
  keptMaxBytes: 16 * 1024 * 1024,
  aheadMaxBytes: 16 * 1024 * 1024,
  waitingMax: 20,
}

/** Builds the whole service from its parts. Every route can be found from here. */
export async function buildApp(given: AppDependencies): Promise<FastifyInstance> {
  const { limits, submissionsEndAt } = given.config
  const drawn = new DrawnPictures(DRAWN_PICTURES)
  const stored = new StoredPictures(given.store, given.config)
  const deps = { ...given, limits, submissionsEndAt, drawn, stored }
  const { links, store, clock } = deps
  const app = await createServer({
    ...deps,
    renderProblem: (problem, request) => renderErrorPage(problem, links, request),
    redirectOf,
    // Loaded by the first request for Markdown.
    convertPage: async html => (await import('./web/markdown.ts')).markdownOf(html, links.base),
    onDamage: () => void warn(store, 'database_damaged', clock()),
  })
  app.addHook('onClose', async () => drawn.close())
  const drawAhead = deps.drawsAhead === false ? undefined : startDrawingAhead(app, deps)
  const drawListing = (slug: string) => void drawAhead?.listing(slug)
  const shared = await apiRoutes(app, { ...deps, onPublished: drawListing })
  await witnessRoutes(app, { ...deps, serviceKeys: deps.serviceKeys.all.map(({ secret }) => secret) })
  healthRoutes(app, store, links)
  await app.register(pages, { ...deps, ...shared, drawListing })
  if (deps.sandboxPages) await app.register(deps.sandboxPages)
  return app
}
