import type { FastifyInstance } from 'fastify'
import { announceRoutes } from './agents/discovery/documents.ts'
import { mcpRoute } from './agents/mcp/route.ts'
import { type BoardDependencies, boardRoute, furtherBoardRoutes } from './domain/boards/api.ts'
import { quoteRoute } from './domain/checkout/quote.ts'
import { drawRoute } from './domain/featured/api.ts'
import { listingRoutes, READS_PER_MINUTE } from './domain/listings/api.ts'
import { SEARCHES_PER_MINUTE } from './domain/listings/search.ts'
import { listingStreamRoute } from './domain/listings/streams.ts'
import { logRoutes } from './domain/log/routes.ts'
import { decisionRoutes } from './domain/moderation/appeals/routes.ts'
import { mayHoldOwnerKey } from './domain/ownership/claims.ts'
import type { StripeAccount } from './domain/payments/stripe.ts'
import { webhookRoute } from './domain/payments/webhook.ts'
import { approvalRoutes } from './domain/publishing/approval-routes.ts'
import { capabilitiesRoute } from './domain/publishing/capabilities.ts'
import { check, checkParts, checkRoute } from './domain/publishing/check.ts'
import { type PublishDependencies, publish, publishRoute } from './domain/publishing/publish.ts'
import { submissionRoutes } from './domain/publishing/submission-routes.ts'
import type { FetchPage } from './domain/review/page.ts'
import type { Purger } from './platform/cdn/purger.ts'
import type { Config } from './platform/config/config.ts'
import { type Allowance, allowance, limitRate, rateLimit } from './platform/http/rate-limits/rate-limit.ts'
import { MINUTE_MS } from './platform/lib/time.ts'
import type { SelfListing } from './web/ui/page-parts.ts'

export interface ApiDependencies extends PublishDependencies, BoardDependencies {
  limits: Config['limits']
  /** For checks, so that publishing never waits for them. */
  fetchPageToCheck: FetchPage
  /** Undefined if no processor is configured. */
  stripe: StripeAccount | undefined
  /** Undefined without the setting `PURGE_URL`. */
  purger?: Pick<Purger, 'add'> | undefined
}

interface ForPages extends SelfListing {
  searchAllowance: Allowance
}

/**
 * Adds everything for programs: the HTTP API of the contract, the documents that describe it, MCP, and the processor's
 * webhook.
 *
 * @returns what pages share with programs: the allowance of searches, the check and the publish
 */
export async function apiRoutes(app: FastifyInstance, deps: ApiDependencies): Promise<ForPages> {
  const { allowances, limits, stripe } = deps
  const quoteAllowance = allowance(allowances, {
    name: 'quotesPerMinutePerIp',
    max: limits.quotesPerMinutePerIp,
    windowMs: MINUTE_MS,
    inHeaders: true,
  })
  const searchAllowance = allowance(allowances, {
    name: 'searchesPerMinutePerIp',
    max: SEARCHES_PER_MINUTE,
    windowMs: MINUTE_MS,
  })
  const checking = checkParts({ ...deps, fetchPage: deps.fetchPageToCheck })
  capabilitiesRoute(app, deps)
  publishRoute(app, deps)
  checkRoute(app, checking)
  approvalRoutes(app, checking)
  submissionRoutes(app, deps)
  decisionRoutes(app, deps)
  quoteRoute(app, { ...deps, quoteAllowance })
  const onRead = rateLimit(allowances, { name: 'readsPerMinutePerIp', max: READS_PER_MINUTE, windowMs: MINUTE_MS })
  listingRoutes(app, { ...deps, isSecret: mayHoldOwnerKey, onRead, onSearch: limitRate(searchAllowance) })
  boardRoute(app, deps)
  furtherBoardRoutes(app, deps, onRead)
  drawRoute(app, deps)
  logRoutes(app, deps)
  listingStreamRoute(app, deps)
  announceRoutes(app, deps)
  await app.register(mcpRoute, { ...deps, checking, quoteAllowance, searchAllowance })
  if (stripe) await webhookRoute(app, { ...deps, stripe })
  return {
    searchAllowance,
    check: (body, request) => check(checking, body, request),
    publish: (submission, body, request) => publish(deps, submission, body, request),
  }
}
