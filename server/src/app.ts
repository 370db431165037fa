import { BODY_MAX_BYTES } from '@placard/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { announceRoutes, openapi } from './agents/discovery/routes.ts'
import { mcpRoute } from './agents/mcp/route.ts'
import { boardRoute } from './domain/boards/api.ts'
import type { LastGood } from './domain/boards/first-page.ts'
import { quoteRoute } from './domain/checkout/quote.ts'
import { SEARCHES_PER_MINUTE } from './domain/listings/search.ts'
import type { Traffic } from './domain/listings/traffic.ts'
import { decisionRoutes } from './domain/moderation/appeals/routes.ts'
import { warn } from './domain/notifications/operator/warnings.ts'
import type { CheckSiteProof } from './domain/ownership/site-proof.ts'
import type { StripeAccount } from './domain/payments/stripe.ts'
import { webhookRoute } from './domain/payments/webhook.ts'
import { DrawnPictures } from './domain/pictures/drawn-pictures.ts'
import type { AcceptDependencies } from './domain/publishing/accept.ts'
import { capabilitiesRoute } from './domain/publishing/capabilities.ts'
import { checkParts, checkRoute } from './domain/publishing/check.ts'
import { publishRoute } from './domain/publishing/publish.ts'
import type { FetchPage } from './domain/review/page.ts'
import type { Metrics } from './ops/metrics/metrics.ts'
import type { Traces } from './ops/metrics/traces.ts'
import type { Purger } from './platform/cdn/purger.ts'
import { holdAtEdge } from './platform/cdn/tags.ts'
import type { Config } from './platform/config/config.ts'
import { logRequests, requestIds } from './platform/http/access-log.ts'
import { dropForwardedPorts } from './platform/http/client-address.ts'
import { Connections } from './platform/http/connections.ts'
import { Damper } from './platform/http/damper.ts'
import { problemFrom, replyToClientErrors, replyToErrors, sendProblem } from './platform/http/error-reply.ts'
import { CACHE } from './platform/http/headers.ts'
import { healthRoutes } from './platform/http/health.ts'
import type { Links } from './platform/http/links.ts'
import { Problem } from './platform/http/problem.ts'
import type { Allowances } from './platform/http/rate-limits/counter.ts'
import { allowance } from './platform/http/rate-limits/rate-limit.ts'
import { acceptOnlyJson, allowedMethods, hostProblem } from './platform/http/request-checks.ts'
import { createLog } from './platform/lib/log.ts'
import { MINUTE_MS } from './platform/lib/time.ts'
import { startDrawingAhead } from './web/draw-ahead.ts'
import { pages, redirectOf } from './web/routes.ts'
import { renderErrorPage } from './web/ui/error.tsx'

export interface AppDependencies extends AcceptDependencies {
  config: Config
  links: Links
  allowances: Allowances
  /** Undefined if no processor is set up: nothing is for sale then. */
  stripe: StripeAccount | undefined
  /** The pages of the sandbox, if it stands in for Stripe. */
  sandboxPages?: FastifyPluginAsync | undefined
  /** For refreshes, so that publishing never waits for them. */
  fetchPageAgain: FetchPage
  /** For checks, for the same reason. */
  fetchPageToCheck: FetchPage
  checkSiteProof: CheckSiteProof
  traffic: Traffic
  /** If a shared cache is told what changed. */
  purger?: Pick<Purger, 'add'> | undefined
  lastGood: LastGood
  /** Whether share pictures are drawn before anyone asks; if left out, they are. */
  drawsAhead?: boolean | undefined
  /** If somebody measures. */
  metrics?: Pick<Metrics, 'watch' | 'Response'> | undefined
  /** If somebody traces. */
  traces?: Pick<Traces, 'watch'> | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells load balancers and clients that a stop is near, and closes the port after a delay. Then close the app. */
    drain(delayMs: number): Promise<void>
    /** Knows whether the database is unreachable. */
    damper: { readonly isOutage: boolean; end(log: { warn(about: object, message: string): void }): void }
  }
}

/** The log, with the id of the request on each line. */
type RequestLog = FastifyBaseLogger & { reqId?: string }

/** One is some twenty kilobytes, far more with a stored picture, and takes a third of a second. */
const DRAWN_PICTURES = {
  ...{ keptMaxBytes: 16 * 1024 * 1024, aheadMaxBytes: 16 * 1024 * 1024 },
  waitingMax: 20,
}

/** A year. No `includeSubDomains` and no `preload`: those are not ours to decide. */
const HSTS = 'max-age=31536000'

/** Builds the whole service from its parts. Every route can be found from here. */
export async function buildApp(deps: AppDependencies): Promise<FastifyInstance> {
  const { config, links, store, allowances } = deps
  const nextRequestId = requestIds()
  const damper = new Damper(() => void warn(store, 'database_damaged', deps.clock()))
  const log = createLog({
    level: config.logLevel,
    hooks: { logMethod: damper.logMethod },
    mixin: (_line, _level, logger) => ({ reqId: (logger as RequestLog).reqId }),
  })
  const renderProblem = (problem: Problem) => renderErrorPage(problem, links)
  const isHttps = config.baseUrl?.startsWith('https:')
  const onEveryReply = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    return isHttps ? reply.header('strict-transport-security', HSTS) : reply
  }
  const connections = new Connections(config.connectionsMax, () =>
    log.warn('LIMIT_CONNECTIONS is reached: new connections replace those idle longest'),
  )
  const app: FastifyInstance = Fastify({
    // Given no logger, Fastify listens to no reply for one that is not to be logged; and few requests log anything, so
    // that the id waits outside the log's own bindings. Both save a small reply a twentieth of its time.
    childLoggerFactory: (_none, { reqId }): RequestLog => Object.assign(Object.create(log), { reqId }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    serverFactory: handle => {
      const server = connections.createServer(handle, deps.metrics?.Response)
      replyToClientErrors(server, connections, nextRequestId)
      return server
    },
    // `createServer` has already attached its own.
    clientErrorHandler: () => {},
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: BODY_MAX_BYTES,
    // A stop finishes requests under way, and still serves one that arrives on an open connection.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendProblem(problemFrom(error), request, onEveryReply(request, reply), renderProblem),
    // Coerce nothing, and drop nothing unknown.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  })

  app.log = log
  const allowOf = allowedMethods(app)
  await deps.traces?.watch(app)
  if (config.trustedProxies.length > 0) {
    app.addHook('onRequest', (request, _reply, done) => {
      dropForwardedPorts(request)
      done()
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    onEveryReply(request, reply)
    const problem = hostProblem(request)
    if (problem) return done(problem)
    if (!request.is404) return done()
    const allow = allowOf(request)
    if (allow) {
      reply.header('allow', allow)
      return done(new Problem('method_not_allowed'))
    }
    const path = redirectOf(request)
    if (path) return reply.header('cache-control', CACHE.text).redirect(path, 308)
    // Before reading the body of a request to an unknown address.
    done(new Problem('not_found'))
  })
  if (config.purge) holdAtEdge(app, deps.clock)
  const draining = new AbortController()
  app.decorate('damper', damper)
  app.decorate('drain', (delayMs: number) => {
    draining.abort()
    return connections.drain(delayMs)
  })
  connections.closeOnStop(app)
  logRequests(app, log, config)
  deps.metrics?.watch(app)
  replyToErrors(app, renderProblem)
  acceptOnlyJson(app)
  openapi(app, links)

  const { limits, submissionsEndAt } = config
  const quoteAllowance = allowance(allowances, {
    name: 'quotesPerMinutePerIp',
    max: limits.quotesPerMinutePerIp,
    windowMs: MINUTE_MS,
    isTold: true,
  })
  const searchAllowance = allowance(allowances, {
    name: 'searchesPerMinutePerIp',
    max: SEARCHES_PER_MINUTE,
    windowMs: MINUTE_MS,
  })
  const checking = checkParts({ ...deps, limits, submissionsEndAt, fetchPage: deps.fetchPageToCheck })
  capabilitiesRoute(app, { ...deps, limits, submissionsEndAt })
  const drawn = new DrawnPictures(DRAWN_PICTURES)
  const drawAhead = deps.drawsAhead === false ? undefined : startDrawingAhead(app, { ...deps, drawn })
  const onPublished = (slug: string) => void drawAhead?.published(slug)
  publishRoute(app, { ...deps, limits, submissionsEndAt, onPublished })
  checkRoute(app, checking)
  decisionRoutes(app, deps)
  quoteRoute(app, { ...deps, quoteAllowance })
  boardRoute(app, deps)
  announceRoutes(app, deps)
  await app.register(mcpRoute, {
    ...{ ...deps, limits, submissionsEndAt, checking, quoteAllowance, searchAllowance },
  })
  if (deps.stripe) await webhookRoute(app, { ...deps, stripe: deps.stripe })
  healthRoutes(app, store, { draining: draining.signal, damper })
  await app.register(pages, { ...deps, limits, submissionsEndAt, searchAllowance, drawn })
  if (deps.sandboxPages) await app.register(deps.sandboxPages)
  return app
}
