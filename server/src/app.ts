import { BODY_MAX_BYTES } from '@placard/contract'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  LogController,
} from 'fastify'
import { boardRoute } from './boards/board-api.ts'
import { quoteRoute } from './checkout/quote.ts'
import type { Config } from './config.ts'
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
import { requestIds } from './http/request-id.ts'
import type { Traffic } from './listings/traffic.ts'
import type { CheckSiteProof } from './ownership/site-proof.ts'
import type { StripeAccount } from './payments/stripe.ts'
import { webhookRoute } from './payments/webhook.ts'
import type { AcceptDependencies } from './publishing/accept.ts'
import { capabilitiesRoute } from './publishing/capabilities.ts'
import { publishRoute } from './publishing/publish.ts'
import type { FetchPage } from './reading/page.ts'
import { redirectOf } from './web/redirects.ts'
import { pages } from './web/routes.ts'
import { renderErrorPage } from './web/ui/error.tsx'

export interface AppDependencies extends AcceptDependencies {
  config: Config
  links: Links
  stripe: StripeAccount
  /** The pages of what stands in for Stripe, if anything does. */
  sandboxPages?: FastifyPluginAsync | undefined
  /** For listings that are refreshed, so that nobody who publishes waits for them. */
  fetchPageAgain: FetchPage
  checkSiteProof: CheckSiteProof
  traffic: Traffic
}

/** A year. Neither other names of the same domain nor the lists in browsers are ours to decide about. */
const HSTS = 'max-age=31536000'

/** The whole service, composed from visible parts: every route is found from here. */
export async function buildApp(deps: AppDependencies): Promise<FastifyInstance> {
  const { config, links, store } = deps
  const nextRequestId = requestIds()
  const renderProblem = (problem: Problem) => renderErrorPage(problem, links)
  const isHttps = config.baseUrl?.startsWith('https:')
  const httpsOnly = (reply: FastifyReply) =>
    isHttps ? reply.header('strict-transport-security', HSTS) : reply
  const connections = new Connections(config.connectionsMax, () =>
    app.log.warn('LIMIT_CONNECTIONS is reached: new connections take the places of those that are quiet'),
  )
  const app: FastifyInstance = Fastify({
    logger: { level: config.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    serverFactory: handle => {
      const server = connections.createServer(handle)
      replyToClientErrors(server, connections, nextRequestId)
      return server
    },
    // Every server has its own already.
    clientErrorHandler: () => {},
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: BODY_MAX_BYTES,
    // What is under way at a stop is finished; a request that still arrives on an open connection is served, too.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendProblem(problemFrom(error), request, httpsOnly(reply), renderProblem),
    // Nothing is coerced, and nothing unknown is dropped.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  })

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    httpsOnly(reply)
    const problem = hostProblem(request)
    if (problem) return done(problem)
    if (!request.is404) return done()
    const path = redirectOf(request)
    if (path) return reply.header('cache-control', CACHE.text).redirect(path, 308)
    // Before the body of a request that leads nowhere is read.
    done(new Problem('not_found'))
  })
  connections.closeOnStop(app)
  if (config.logLevel === 'debug' || config.logLevel === 'trace') logRequests(app)
  replyToErrors(app, renderProblem)
  acceptOnlyJson(app)
  const rejectRest = rejectOtherMethods(app)
  await openapi(app, links)

  const { limits, submissionsEndAt } = config
  capabilitiesRoute(app, { ...deps, limits, submissionsEndAt })
  publishRoute(app, { ...deps, limits, submissionsEndAt })
  quoteRoute(app, { ...deps, limits })
  boardRoute(app, deps)
  await webhookRoute(app, deps)
  healthRoutes(app, store)
  await app.register(pages, { ...deps, limits, submissionsEndAt })
  if (deps.sandboxPages) await app.register(deps.sandboxPages)
  rejectRest()
  return app
}

/** The route stands in the line, not the address: a query or a claim id is nobody's business. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    request.log.debug(
      { method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime },
      'request',
    )
    done()
  })
}
