import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Links } from '../http/links.ts'
import { Problem } from '../http/problem.ts'
import { type CheckoutNow, readCheckout } from '../placement/checkout-state.ts'
import type { Processor } from '../placement/processors/processor.ts'
import { findPromotable } from '../placement/promotable.ts'
import { readStandings } from '../placement/standings.ts'
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

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PRIVATE_HEADERS)
  })

  app.get('/checkout/:id', async (request: OrderRequest, reply) => {
    const order = await orderOf(request)
    const asksProcessor = order.state === 'open' && request.query.returned === undefined
    const session = asksProcessor ? await askProcessor(order, request.log) : undefined
    const outcome = order.state === 'paid' ? await outcomeOf(order) : undefined
    if (session === 'no_answer') reply.code(503).header('retry-after', String(RETRY_SECONDS))
    return reply
      .type(HTML)
      .send(renderCheckout({ order, session, outcome, links, processorLabel: processor.label }))
  })

  // Asked every two seconds by a page that waits, so it asks nobody else.
  app.get('/checkout/:id/state', async (request: OrderRequest) => ({ state: (await orderOf(request)).state }))

  async function orderOf({ params }: OrderRequest): Promise<CheckoutNow> {
    const order = await readCheckout(store, params.id)
    if (!order) throw new Problem('not_found')
    return order
  }

  async function askProcessor(
    { checkout }: CheckoutNow,
    log: FastifyBaseLogger,
  ): Promise<OrderNow['session']> {
    try {
      return await processor.readSession(checkout.session_id ?? '')
    } catch (err) {
      log.warn({ err, checkoutId: checkout.id }, 'the payment page of an order could not be read')
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
