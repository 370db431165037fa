import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Order, Session } from './database.ts'
import { acceptForms, formOf } from './form.ts'
import type { Sandbox } from './sandbox.ts'
import { checkoutSession } from './stripe-objects.ts'

/** A request as the API received it. */
export interface ApiRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  form: URLSearchParams
}

/** How a request can fail: a 500, a 400, a 403, no answer at all, an answer that is not JSON, an empty object. */
export type Fault = 'broken' | 'refused' | 'forbidden' | 'silent' | 'babbling' | 'empty'

/** As Stripe describes it, in part. */
export interface WebhookEndpoint {
  url: string
  status: 'enabled' | 'disabled'
  enabled_events: string[]
}

interface ApiOptions {
  /** The key that callers must send. */
  secretKey: string
  /** 0 picks a free port. */
  port?: number
  /** For tests: the webhook endpoints that the API reports. */
  webhookEndpoints?: () => WebhookEndpoint[]
  /** For tests: sees every request, and can make it fail. */
  onRequest?: (request: ApiRequest) => Fault | undefined
}

export interface SandboxApi {
  /** Origin from which a Stripe client gets its host, port and protocol. */
  url: string
  /** Closes open connections, and refuses new ones. */
  close(): Promise<void>
}

type SessionRequest = FastifyRequest<{ Params: { id: string } }>

/** Serves, on loopback, the calls of Stripe's API that open, read and close payment pages, and that read events. */
export async function startApi(sandbox: Sandbox, options: ApiOptions): Promise<SandboxApi> {
  const app = Fastify({ forceCloseConnections: true })
  app.removeAllContentTypeParsers()
  acceptForms(app)
  sendErrorsLikeStripe(app)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('request-id', `req_${randomBytes(12).toString('hex')}`)
  })
  app.addHook('preHandler', async (request, reply) => {
    const { method, url: path, headers } = request
    const fault = options.onRequest?.({ method, path, headers, form: formOf(request.body) })
    if (fault) return failAs(fault, reply)
    if (headers.authorization !== `Bearer ${options.secretKey}`) throw wrongKey(headers.authorization)
  })

  app.post('/v1/checkout/sessions', async (request, reply) => {
    const form = formOf(request.body)
    form.sort()
    const parameters = form.toString()
    const idempotencyKey = request.headers['idempotency-key']?.toString() ?? null
    const before = idempotencyKey === null ? undefined : sandbox.sessionOfKey(idempotencyKey)
    if (before) {
      if (before.parameters !== parameters) throw new StripeError(400, OTHER_PARAMETERS, 'idempotency_error')
      reply.header('idempotent-replayed', 'true')
      return stripeSession(before)
    }
    const order = readOrder(form, sandbox.clock())
    if (typeof order === 'string') throw new StripeError(400, order)
    return stripeSession(sandbox.openSession({ idempotencyKey, parameters, order }))
  })

  app.get('/v1/checkout/sessions/:id', async ({ params }: SessionRequest) => stripeSession(find(params.id)))

  app.post('/v1/checkout/sessions/:id/expire', async ({ params }: SessionRequest) => {
    find(params.id)
    const expired = sandbox.expireSession(params.id)
    if (!expired) throw new StripeError(400, NOT_OPEN)
    return stripeSession(expired)
  })

  app.get('/v1/webhook_endpoints', async () => ({
    object: 'list',
    url: '/v1/webhook_endpoints',
    has_more: false,
    data: options.webhookEndpoints?.() ?? [],
  }))

  app.get('/v1/events', async ({ query }: FastifyRequest<{ Querystring: Record<string, string> }>) => {
    const { limit = '10', starting_after: after } = query
    const types = Object.entries(query).flatMap(([name, value]) => (name.startsWith('types') ? [value] : []))
    const { events, hasMore } = sandbox.listEvents({ types, after, limit: Number(limit) })
    return {
      object: 'list',
      url: '/v1/events',
      has_more: hasMore,
      data: events.map(({ payload }) => JSON.parse(payload)),
    }
  })

  app.get('/v1/events/:id', async ({ params }: FastifyRequest<{ Params: { id: string } }>) => {
    const payload = sandbox.findEvent(params.id)
    if (payload === undefined) throw new StripeError(404, `No such event: '${params.id}'`)
    return JSON.parse(payload)
  })

  function find(id: string): Session {
    const session = sandbox.findSession(id)
    if (!session) throw new StripeError(404, `No such checkout.session: '${id}'`)
    return session
  }
  function stripeSession(session: Session) {
    const { livemode } = sandbox
    return checkoutSession(session, { now: sandbox.clock(), livemode }, sandbox.payUrl(session))
  }

  // Its own port, even if several processes share the service's.
  const url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0, exclusive: true })
  return { url, close: () => app.close() }
}

/** An error of the API, in Stripe's words. */
class StripeError extends Error {
  readonly status: number
  readonly type: string

  constructor(status: number, message: string, type = 'invalid_request_error') {
    super(message)
    this.status = status
    this.type = type
  }
}

const NOT_OPEN = 'Only Checkout Sessions with a status in ["open"] can be expired.'
const OTHER_PARAMETERS =
  'Keys for idempotent requests can only be used with the same parameters they were first used with.'

/** Returns the error for a wrong key, which it masks as Stripe does: with its beginning and end. */
function wrongKey(authorization = ''): StripeError {
  const key = authorization.replace(/^Bearer /, '')
  return new StripeError(401, `Invalid API Key provided: ${key.slice(0, 8)}*********************${key.slice(-4)}`)
}

function sendErrorsLikeStripe(app: FastifyInstance): void {
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const known =
      error instanceof StripeError
        ? error
        : new StripeError(error.statusCode ?? 500, 'An unknown error occurred', 'api_error')
    const { status, type, message } = known
    return reply.code(status).send({ error: { type, message } })
  })
  app.setNotFoundHandler(({ method, url }) => {
    throw new StripeError(404, `Unrecognized request URL (${method}: ${url}).`)
  })
}

function failAs(fault: Fault, reply: FastifyReply): FastifyReply {
  switch (fault) {
    case 'broken':
      throw new StripeError(500, 'An unknown error occurred', 'api_error')
    case 'refused':
      throw new StripeError(400, NOT_OPEN)
    case 'forbidden':
      throw new StripeError(403, 'The provided key does not have the required permissions.')
    case 'silent':
      return reply.hijack()
    case 'babbling':
      return reply.send('<p>Hello')
    case 'empty':
      return reply.type('application/json').send('{}')
  }
}

const MINUTE_MS = 60 * 1000
const DAY_MS = 24 * 60 * MINUTE_MS

const PRICE = 'line_items[0][price_data]'

/**
 * Reads the order of a payment page from Stripe's parameters. Refuses what Stripe refuses.
 *
 * @returns a message if something is wrong
 */
function readOrder(form: URLSearchParams, now: number): Order | string {
  const text = (name: string) => form.get(name) ?? ''
  const amountCents = Number(text(`${PRICE}[unit_amount]`)) * Number(text('line_items[0][quantity]'))
  const expiresAt = form.has('expires_at') ? Number(text('expires_at')) * 1000 : now + DAY_MS
  if (text('mode') !== 'payment') return 'Invalid mode: the sandbox takes payments only.'
  if (text(`${PRICE}[currency]`) !== 'usd') return 'Invalid currency: the sandbox takes usd only.'
  if (!Number.isSafeInteger(amountCents) || amountCents < 1) return 'Invalid line_items: there is no amount.'
  for (const name of ['success_url', 'cancel_url']) {
    if (!URL.canParse(text(name))) return `Not a valid URL: ${name}.`
  }
  // In whole seconds, as Stripe counts.
  if (!(expiresAt >= Math.floor(now / 1000) * 1000 + 30 * MINUTE_MS && expiresAt <= now + DAY_MS)) {
    return 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.'
  }
  return {
    clientReferenceId: form.get('client_reference_id'),
    description: text(`${PRICE}[product_data][name]`),
    amountCents,
    successUrl: text('success_url'),
    cancelUrl: text('cancel_url'),
    expiresAt,
  }
}
