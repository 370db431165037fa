import { BODY_MAX_BYTES } from '@placard/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Allowances } from './allowances/allowances.ts'
import { announceRoutes } from './announce/routes.ts'
import { decisionRoutes } from './appeals/routes.ts'
import { boardRoute } from './boards/api.ts'
import type { LastGood } from './boards/last-good.ts'
import { quoteRoute } from './checkout/quote.ts'
import type { Config } from './config.ts'
import { holdAtEdge } from './edge/hold.ts'
import type { Purger } from './edge/purger.ts'
import { logRequests } from './http/access-log.ts'
import { replyToClientErrors } from './http/client-errors.ts'
import { Connections } from './http/connections.ts'
import { problemFrom, replyToErrors, sendProblem } from './http/error-reply.ts'
import { CACHE } from './http/headers.ts'
import { healthRoutes } from './http/health.ts'
import { acceptOnlyJson } from './http/json-body.ts'
import type { Links } from './http/links.ts'
import { hostProblem } from './http/one-host.ts'
import { openapi } from './http/openapi.ts'
import { rejectOtherMethods } from './http/other-methods.ts'
import { Problem } from './http/problem.ts'
import { allowance } from './http/rate-limit.ts'
import { requestIds } from './http/request-id.ts'
import { SEARCHES_PER_MINUTE } from './listings/search.ts'
import type { Traffic } from './listings/traffic.ts'
import { createLog } from './log/log.ts'
import { mcpRoute } from './mcp/route.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Traces } from './metrics/traces.ts'
import type { CheckSiteProof } from './ownership/site-proof.ts'
import type { StripeAccount } from './payments/stripe.ts'
import { webhookRoute } from './payments/webhook.ts'
import type { AcceptDependencies } from './publishing/accept.ts'
import { capabilitiesRoute } from './publishing/capabilities.ts'
import { checkParts, checkRoute } from './publishing/check.ts'
import { publishRoute } from './publishing/publish.ts'
import type { FetchPage } from './reading/page.ts'
import { redirectOf } from './web/redirects.ts'
import { pages } from './web/routes.ts'
import { renderErrorPage } from './web/ui/error.tsx'

export interface AppDependencies extends AcceptDependencies {
  config: Config
  links: Links
  allowances: Allowances
  stripe: StripeAccount
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
  /** If somebody measures. */
  metrics?: Pick<Metrics, 'watch' | 'Response'> | undefined
  /** If somebody traces. */
  traces?: Pick<Traces, 'watch'> | undefined
}

/** The log, with the id of the request on each line. */
type RequestLog = FastifyBaseLogger & { reqId?: string }

const MINUTE_MS = 60_000

/** A year. No `includeSubDomains` and no `preload`: those are not ours to decide. */
const HSTS = 'max-age=31536000'

/** Builds the whole service from its parts. Every route can be found from here. */
export async function buildApp(deps: AppDependencies): Promise<FastifyInstance> {
  const { config, links, store, allowances } = deps
  const nextRequestId = requestIds()
  const log = createLog({
    level: config.logLevel,
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
  await deps.traces?.watch(app)
  app.addHook('onRequest', (request, reply, done) => {
    onEveryReply(request, reply)
    const problem = hostProblem(request)
    if (problem) return done(problem)
    if (!request.is404) return done()
    const path = redirectOf(request)
    if (path) return reply.header('cache-control', CACHE.text).redirect(path, 308)
    // Before reading the body of a request to an unknown address.
    done(new Problem('not_found'))
  })
  if (config.purge) holdAtEdge(app, deps.clock)
  connections.closeOnStop(app)
  logRequests(app, log, config)
  deps.metrics?.watch(app)
  replyToErrors(app, renderProblem)
  acceptOnlyJson(app)
  const rejectRest = rejectOtherMethods(app)
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
  publishRoute(app, { ...deps, limits, submissionsEndAt })
  checkRoute(app, checking)
  decisionRoutes(app, deps)
  quoteRoute(app, { ...deps, quoteAllowance })
  boardRoute(app, deps)
  announceRoutes(app, deps)
  await app.register(mcpRoute, {
    ...{ ...deps, limits, submissionsEndAt, checking, quoteAllowance, searchAllowance },
  })
  await webhookRoute(app, deps)
  healthRoutes(app, store)
  await app.register(pages, { ...deps, limits, submissionsEndAt, searchAllowance })
  if (deps.sandboxPages) await app.register(deps.sandboxPages)
  rejectRest()
  return app
}
