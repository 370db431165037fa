import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { rateLimit } from '../http/rate-limit.ts'
import { refusalBy } from '../http/refusal-by.ts'
import { type CheckoutNow, readCheckout } from '../placement/checkout-state.ts'
import type { Processor } from '../placement/processors/processor.ts'
import { findPromotable } from '../placement/promotable.ts'
import { SessionLooks } from '../placement/session-looks.ts'
import { readStandings } from '../placement/standings.ts'
import { type WhyClosed, whyClosed } from '../placement/why-closed.ts'
import type { Store } from '../storage/store.ts'
import { renderCheckout } from './checkout.tsx'
import type { OrderNow } from './checkout-content.tsx'
import type { Outcome } from './checkout-paid.tsx'
import { PRIVATE_HEADERS } from './headers.ts'
import { HTML } from './send.ts'

interface CheckoutPageDependencies {
  links: Links
  store: Store
  processor: Processor
  clock: () => number
}

type OrderRequest = FastifyRequest<{ Params: { id: string }; Querystring: { returned?: unknown } }>

/** The page of an order. Its address is a random id, known to whoever ordered and to the processor. */
export async function checkoutRoutes(app: FastifyInstance, deps: CheckoutPageDependencies): Promise<void> {
  const { links, store, processor, clock } = deps
  const looks = new SessionLooks(processor, clock)
  const limit = rateLimit({ max: LOOKS_PER_TEN_MINUTES_PER_IP, windowMs: TEN_MINUTES_MS })

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })

  app.get('/checkout/:id', async (request: OrderRequest, reply) => {
    const order = await orderOf(request)
    const isUnheard = order.state === 'open' || order.state === 'superseded'
    const closed = isUnheard ? await whyClosed(deps, order, clock()) : undefined
    const session = isUnheard ? await sessionOf(order, closed, request, reply) : undefined
    const outcome = order.state === 'paid' ? await outcomeOf(order) : undefined
    return reply
      .type(HTML)
      .send(renderCheckout({ order, closed, session, outcome, links, processorLabel: processor.label }))
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
    const sessionId = checkout.session_id ?? ''
    if (closed === 'other_processor') return undefined
    if (request.query.returned !== undefined) {
      looks.forget(sessionId)
      return undefined
    }
    const act = closed ? 'close' : 'read'
    const past = looks.knows(sessionId, act) ? undefined : await refusalBy(limit, app, request, reply)
    if (past) {
      reply.code(429).header('retry-after', String(past.retryAfterSeconds))
      return 'not_asked'
    }
    try {
      return await looks.look(sessionId, act)
    } catch (err) {
      request.log.warn(
        { err, checkoutId: checkout.id },
        'the payment page of an order could not be read or closed',
      )
      reply.code(503).header('retry-after', String(RETRY_SECONDS))
      return 'no_answer'
    }
  }

  async function outcomeOf({ checkout }: CheckoutNow): Promise<Outcome> {
    const [promotable, standings] = await Promise.all([
      findPromotable(store.db, checkout.destination_key, clock()),
      readStandings(store, checkout.destination_key, clock()),
    ])
    return { listing: promotable.isDown ? undefined : promotable.listing, standings }
  }
}

const RETRY_SECONDS = 60
const TEN_MINUTES_MS = 10 * 60 * 1000
/** Of pages that have to ask the processor; all others are free. */
export const LOOKS_PER_TEN_MINUTES_PER_IP = 60
