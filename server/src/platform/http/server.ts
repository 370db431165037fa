import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { AjvCompiler, type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import { BODY_MAX_BYTES } from '@placard/contract'
import build from 'fast-json-stringify'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { keepInCdn } from '../cdn/tags.ts'
import type { Config } from '../config/config.ts'
import { lazily } from '../lib/lazily.ts'
import { createLog } from '../lib/log.ts'
import { dropForwardedPorts } from './client-address.ts'
import { Connections } from './connections.ts'
import { Damper } from './damper.ts'
import { type ErrorForms, problemFrom, replyToClientErrors, replyToErrors, sendProblem } from './error-reply.ts'
import { CACHE } from './headers.ts'
import { isAllowedPreflight, openToAll, sendPreflight } from './open-routes.ts'
import { acceptOnlyJson, hostProblem, knownAddresses, wrongMethod } from './request-checks.ts'
import { type ConvertPage, cachedMarkdown, dropMarkdownSuffix } from './send.ts'

interface ServerDependencies extends ErrorForms {
  config: Config
  clock: () => number
  convertPage: ConvertPage
  /** Returns the redirect target of an unknown address, if there is one. */
  redirectOf: (request: FastifyRequest) => string | undefined
  /** Called when the database is found to be damaged. */
  onDamage: () => void
  /** Undefined unless requests are measured. */
  metrics?: { watch(app: FastifyInstance): void } | undefined
  /** Undefined unless requests are traced. */
  traces?: { watch(app: FastifyInstance): Promise<void> } | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers `/readyz` with 503 and ends idle connections; closes the port after a delay. Then close the app. */
    drain(delayMs: number): Promise<void>
    /** Aborted as soon as `drain` is called. */
    draining: AbortSignal
    damper: Damper
  }
}

/** A year. The operator decides about `includeSubDomains` and `preload`. */
const HSTS = 'max-age=31536000'

/**
 * Creates the HTTP server: its log, connections, checks of every request, and replies to errors. It has no routes yet.
 */
export async function createServer(deps: ServerDependencies): Promise<FastifyInstance> {
  const { config, links } = deps
  const nextRequestId = requestIds()
  const damper = new Damper(deps.onDamage)
  const log = createLog({ level: config.logLevel, hooks: { logMethod: damper.logMethod } })
  const isHttps = config.baseUrl?.startsWith('https:')
  const onEveryReply = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    return isHttps ? reply.header('strict-transport-security', HSTS) : reply
  }
  const connections = new Connections(config.connectionsMax, () =>
    log.warn('LIMIT_CONNECTIONS is reached: new connections replace those idle longest'),
  )
  const app: FastifyInstance = Fastify({
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    serverFactory: handle => {
      const answer: RequestListener = (request, response) => {
        dropMarkdownSuffix(request, url => app.hasRoute({ method: 'GET', url }))
        handle(request, response)
      }
      const server = connections.createServer(answer)
      replyToClientErrors(server, connections, links, nextRequestId)
      return server
    },
    // `replyToClientErrors` has already attached its own.
    clientErrorHandler: () => {},
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    bodyLimit: BODY_MAX_BYTES,
    // A stop finishes running requests, and still serves one that arrives on an open connection.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      sendProblem(problemFrom(error), request, onEveryReply(request, reply), deps),
    // Changes no types, and drops no unknown fields. Our schemas are checked with the API document, not at each start.
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, validateSchema: false },
    },
    schemaController: { compilersFactory: { buildValidator: validatorsFor } },
  })

  app.log = log
  openToAll(app)
  app.setSerializerCompiler<{ schema: object }>(serializerFor)
  const { methodsOf, unknownAddress } = knownAddresses(app)
  await deps.traces?.watch(app)
  if (config.trustedProxies.length > 0) {
    app.addHook('onRequest', (request, _reply, done) => {
      dropForwardedPorts(request)
      done()
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    onEveryReply(request, reply)
    request.log = reply.log = log.child({ reqId: request.id })
    const problem = hostProblem(request)
    if (problem) return done(problem)
    if (!request.is404) {
      // `/errors/` matches `/errors/:code`, without a code.
      const isUnnamed = Object.values(request.params ?? {}).at(-1) === ''
      const path = isUnnamed ? deps.redirectOf(request) : undefined
      return path ? lead(reply, path) : done()
    }
    // All replies to addresses without a route are sent before the body is read.
    const methods = methodsOf(request)
    if (methods && isAllowedPreflight(request, methods.open)) return void sendPreflight(reply, methods.open)
    if (methods) {
      reply.header('allow', methods.all.join(', '))
      return done(wrongMethod(request))
    }
    const path = deps.redirectOf(request)
    if (path) return lead(reply, path)
    done(unknownAddress(request))
  })
  if (config.purge) keepInCdn(app, config.purge.api, deps.clock)
  const draining = new AbortController()
  app.decorate('damper', damper)
  app.decorate('markdownOf', cachedMarkdown(deps.convertPage))
  app.decorate('draining', draining.signal)
  app.decorate('drain', (delayMs: number) => {
    draining.abort()
    return connections.drain(delayMs)
  })
  connections.closeOnStop(app)
  logRequests(app, log, config)
  deps.metrics?.watch(app)
  replyToErrors(app, deps)
  acceptOnlyJson(app)
  return app
}

const lead = (reply: FastifyReply, path: string): FastifyReply =>
  reply.header('cache-control', CACHE.text).redirect(path, 308)

/**
 * Logs a line for each request: if requested, and on the levels debug and trace. It contains the route instead of the
 * address, because queries and claim ids must not be in a log. Call it before any route exists.
 */
function logRequests(
  app: FastifyInstance,
  log: Logger,
  { accessLog, logLevel }: Pick<Config, 'accessLog' | 'logLevel'>,
): void {
  const isWanted = accessLog !== 'off'
  if (!isWanted && logLevel !== 'debug' && logLevel !== 'trace') return
  // If these lines are requested, they are logged at every level.
  const lines = isWanted ? log.child({}, { level: 'info' }) : log
  const level = isWanted ? 'info' : 'debug'
  app.addHook('onResponse', (request, reply, done) => {
    const { id: reqId, method, routeOptions, ip } = request
    const line = { reqId, method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime }
    lines[level](accessLog === 'with-address' ? { ...line, address: ip } : line, 'request')
    done()
  })
}

/**
 * Returns a source of ids for X-Request-Id and the log: random per process, counted within it. A random id for every
 * request would cost a fifth of a small reply, and these need not be secret.
 */
function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url')
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}

const compilersFor = AjvCompiler()

/** Compiles the check of a schema for the first value that it is for: compiling all takes a tenth of a start. */
const validatorsFor: BuildCompilerFromPool = (schemas, options) => {
  const compile = lazily(() => compilersFor(schemas, options))
  return route => {
    const compiled = lazily(() => compile()(route))
    const validate = (value: unknown) => compiled()(value)
    return Object.defineProperty(validate as ReturnType<typeof compiled>, 'errors', { get: () => compiled().errors })
  }
}

/**
 * Returns a function that writes replies as JSON by their schema. It is built for the first such reply: building those
 * of all operations takes a third of the CPU time of a start.
 */
function serializerFor({ schema }: { schema: object }): (reply: unknown) => string {
  const serialize = lazily(() => build(schema))
  return reply => serialize()(reply)
}
