import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readStandings } from '../../boards/standings.ts'
import { type CheckoutNow, readCheckout } from '../../checkout/checkout-state.ts'
import { findPromotable } from '../../checkout/promotable.ts'
import { SessionLooks } from '../../checkout/session-looks.ts'
import { type WhyClosed, whyClosed } from '../../checkout/why-closed.ts'
import { problemFrom } from '../../http/error-reply.ts'
import { PRIVATE_HEADERS } from '../../http/headers.ts'
import type { Links } from '../../http/links.ts'
import { Problem } from '../../http/problem.ts'
import { rateLimiter } from '../../http/rate-limit.ts'
import { sendHtml } from '../../http/send.ts'
import type { StripeAccount } from '../../payments/stripe.ts'
import type { Store } from '../../storage/store.ts'
import { TEN_MINUTES_MS, utcDay } from '../../time.ts'
import { renderCheckout } from './checkout.tsx'
import { IF_PAID, type OrderNow } from './checkout-content.tsx'
import type { PaidOrder } from './checkout-paid.tsx'

interface CheckoutPageDependencies {
  links: Links
  store: Store
  stripe: StripeAccount
  clock: () => number
}

type OrderRequest = FastifyRequest<{ Params: { id: string }; Querystring: { returned?: unknown } }>

/** The page of an order. Its address is a random id, known to whoever ordered and to the processor. */
export async function checkoutRoutes(app: FastifyInstance, deps: CheckoutPageDependencies): Promise<void> {
  const { links, store, stripe, clock } = deps
  const looks = new SessionLooks(stripe, clock)
  const limit = rateLimiter({ max: LOOKS_PER_TEN_MINUTES_PER_IP, windowMs: TEN_MINUTES_MS })

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })
  app.setErrorHandler((error: FastifyError | Problem) => {
    const problem = problemFrom(error)
    // The table says that nothing was charged. Of an order that cannot be read nobody knows.
    if (problem.status < 500) throw problem
    const { code, retryAfterSeconds } = problem
    throw new Problem(code, {
      message: `This order cannot be read just now. ${IF_PAID}`,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      cause: problem.cause,
    })
  })

  app.get('/checkout/:id', async (request: OrderRequest, reply) => {
    const order = await orderOf(request)
    const isUnheard = order.state === 'open' || order.state === 'superseded'
    const closed = isUnheard ? await whyClosed(deps, order, clock()) : undefined
    const session = isUnheard ? await sessionOf(order, closed, request, reply) : undefined
    const outcome = order.state === 'paid' ? await outcomeOf(order) : undefined
    const html = renderCheckout({ order, closed, session, outcome, links, processorLabel: stripe.label })
    return sendHtml(reply, reply.statusCode, html)
  })

  // Asked every two seconds by a page that waits, so it asks nobody else.
  app.get('/checkout/:id/state', async (request: OrderRequest) => ({ state: (await orderOf(request)).state }))

  async function orderOf({ params }: OrderRequest): Promise<CheckoutNow> {
    const order = await readCheckout(store, params.id)
    if (!order) throw new Problem('not_found')
    return order
  }

  /** What the processor says of an order that nothing was heard of; it closes one that nobody should pay for. */
  async function sessionOf(
    { checkout }: CheckoutNow,
    closed: WhyClosed | undefined,
    request: OrderRequest,
    reply: FastifyReply,
  ): Promise<OrderNow['session']> {
    const sessionId = checkout.sessionId ?? ''
    if (closed === 'other_processor') return undefined
    if (request.query.returned !== undefined) {
      looks.forget(sessionId)
      return undefined
    }
    // What may pass ends no order, and who only asks for the headers is nobody who looks at it.
    const isOver = closed !== undefined && closed !== 'not_shown'
    const act = isOver && request.method === 'GET' ? 'close' : 'read'
    const isKnown = looks.knows(sessionId, act)
    const seconds = isKnown ? undefined : limit(request)
    if (seconds !== undefined) {
      reply.code(429).header('retry-after', String(seconds))
      return 'not_asked'
    }
    try {
      const session = await looks.look(sessionId, act)
      const ageMs = clock() - checkout.createdAt
      // Its event mostly comes within seconds. When it was paid is not known, so a younger order may be just paid.
      if (!isKnown && session.status === 'complete' && ageMs > SILENCE_MAX_MS) {
        request.log.warn(
          { checkoutId: checkout.id, sessionId, ageMs },
          'the processor says that an order is complete, and no event of it was heard: look at its webhook',
        )
      }
      return session
    } catch (err) {
      request.log.warn(
        { err, checkoutId: checkout.id },
        'the payment page of an order could not be read or closed',
      )
      reply.code(503).header('retry-after', String(RETRY_SECONDS))
      return 'no_answer'
    }
  }

  async function outcomeOf({ checkout, payment }: CheckoutNow): Promise<PaidOrder> {
    const now = clock()
    const [promotable, standings] = await Promise.all([
      findPromotable(store.db, checkout.destinationKey, now),
      readStandings(store, checkout.destinationKey, now),
    ])
    return {
      listing: promotable.isDown ? undefined : promotable.listing,
      standings,
      isDayOver: payment !== undefined && utcDay(payment.paidAt) !== utcDay(now),
    }
  }
}

const RETRY_SECONDS = 60
const SILENCE_MAX_MS = TEN_MINUTES_MS
/** Of pages that have to ask the processor; all others are free. */
export const LOOKS_PER_TEN_MINUTES_PER_IP = 60
