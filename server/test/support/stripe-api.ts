import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Env } from '../../src/settings.ts'
import { type Form, fieldAt, type HeardForm, hearForm } from './form-fields.ts'
import { type StripeEvent, sessionObject, stripeEvent, stripeId, WEBHOOK_SECRET } from './stripe-events.ts'

export const SECRET_KEY = 'sk_live_of_the_tests_51Hq'

/** Like the real one, as far as this service reads it. */
type ApiSession = ReturnType<typeof newSession>

/** How requests are answered: as they should be, with a 500, not at all, with what is no JSON, with an empty object. */
type Mood = 'well' | 'broken' | 'silent' | 'babbling' | 'empty'

export interface StripeApi {
  url: string
  /** The settings of a service that asks this API. */
  env: Env
  /** Every request so far. */
  heard: readonly HeardForm[]
  mood: Mood
  /** Of the payment pages that it opens. */
  livemode: boolean
  /** Refuses to close any session, also an open one. */
  refuseExpiry: boolean
  session(id: string): ApiSession
  /** A person pays, or orders a payment that takes days. @returns the event that Stripe then sends */
  complete(id: string, about?: { paymentStatus?: 'paid' | 'unpaid'; at?: number }): StripeEvent
  /** Refuses connections from now on, until `comeBack`. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** What is said in place of an answer. */
interface Refusal {
  status: number
  type: string
  message: string
}
type Answer = { status: 200; body: unknown } | Refusal

/** A local stand-in for the API of Stripe: payment pages are opened, read and expired. */
export async function startStripeApi(): Promise<StripeApi> {
  const heard: HeardForm[] = []
  const sessions = new Map<string, ApiSession>()
  const answersByKey = new Map<string, { parameters: string; answer: Answer }>()

  const server = createServer(async (request, response) => {
    const heardForm = await hearForm(request)
    heard.push(heardForm)
    if (api.mood === 'silent') return
    if (api.mood === 'babbling') return void response.end('<p>Hello')
    if (api.mood === 'empty') return void response.end('{}')
    send(response, api.mood === 'broken' ? BROKEN : answer(heardForm))
  })
  const listen = (port: number) =>
    new Promise<void>(resolve => server.listen(port, '127.0.0.1', () => resolve()))
  const goDown = () => {
    server.closeAllConnections()
    return new Promise<void>(resolve => server.close(() => resolve()))
  }

  function answer(request: HeardForm): Answer {
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`) return WRONG_KEY
    const key = request.headers['idempotency-key']?.toString()
    const parameters = JSON.stringify([request.path, request.form])
    const before = key === undefined ? undefined : answersByKey.get(key)
    if (before) return before.parameters === parameters ? before.answer : OTHER_PARAMETERS
    const answer = act(request)
    if (key !== undefined && answer.status === 200) answersByKey.set(key, { parameters, answer })
    return answer
  }

  function act({ method, path, form }: HeardForm): Answer {
    const [, id, verb] = /^\/v1\/checkout\/sessions(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? []
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const session = { ...newSession(form), livemode: api.livemode }
      sessions.set(session.id, session)
      return { status: 200, body: { ...session } }
    }
    const session = sessions.get(id ?? '')
    if (!session) return refusal(404, `No such checkout.session: ${id}`)
    if (method === 'GET' && verb === undefined) return { status: 200, body: { ...session } }
    if (method !== 'POST' || verb !== 'expire') return refusal(404, `Unrecognized request URL (${path}).`)
    if (session.status !== 'open' || api.refuseExpiry) {
      return refusal(400, 'Only Checkout Sessions with a status in ["open"] can be expired.')
    }
    Object.assign(session, { status: 'expired', url: null })
    return { status: 200, body: { ...session } }
  }

  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const find = (id: string) => {
    const session = sessions.get(id)
    if (!session) throw new Error(`no session ${id}`)
    return session
  }
  const api: StripeApi = {
    url,
    env: {
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: url,
    },
    heard,
    mood: 'well',
    livemode: true,
    refuseExpiry: false,
    session: find,
    complete(id, { paymentStatus = 'paid', at } = {}) {
      const session = find(id)
      if (session.status !== 'open') throw new Error(`session ${id} is ${session.status}`)
      Object.assign(session, {
        status: 'complete',
        payment_status: paymentStatus,
        payment_intent: stripeId('pi'),
        url: null,
      })
      return stripeEvent('checkout.session.completed', { ...session }, at === undefined ? {} : { at })
    },
    goDown,
    comeBack: () => listen(port),
    close: () => (server.listening ? goDown() : Promise.resolve()),
  }
  return api
}

function newSession(form: Form) {
  const id = stripeId('cs')
  const price = fieldAt(form, 'line_items', '0', 'price_data') as Form
  return {
    ...sessionObject({
      id,
      amount_total: Number(price.unit_amount) * Number(fieldAt(form, 'line_items', '0', 'quantity')),
      client_reference_id: String(form.client_reference_id ?? '') || null,
      payment_intent: null,
      payment_status: 'unpaid',
    }),
    currency: String(price.currency),
    expires_at: Number(form.expires_at),
    metadata: form.metadata ?? {},
    mode: String(form.mode),
    status: 'open' as 'open' | 'complete' | 'expired',
    url: `https://checkout.stripe.com/c/pay/${id}` as string | null,
  }
}

const refusal = (status: number, message: string, type = 'invalid_request_error'): Refusal => ({
  status,
  type,
  message,
})
const BROKEN = refusal(500, 'An unknown error occurred', 'api_error')
/** The real one masks the middle, and shows the beginning and the end. */
const WRONG_KEY = refusal(401, 'Invalid API Key provided: sk_live_*********************Hq51')
const OTHER_PARAMETERS = refusal(
  400,
  'Keys for idempotent requests can only be used with the same parameters they were first used with.',
  'idempotency_error',
)

function send(response: ServerResponse, answer: Answer): void {
  const body = 'body' in answer ? answer.body : { error: { type: answer.type, message: answer.message } }
  response
    .writeHead(answer.status, { 'content-type': 'application/json', 'request-id': stripeId('req') })
    .end(JSON.stringify(body))
}
