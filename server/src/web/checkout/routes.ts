import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readStandings } from '../../domain/boards/standings.ts'
import {
  CachedSessions,
  type CheckoutNow,
  readCheckout,
  type WhyClosed,
  whyClosed,
} from '../../domain/checkout/order-state.ts'
import { findPromotable } from '../../domain/checkout/price.ts'
import { findProduct } from '../../domain/listings/listing.ts'
import { rowsOfOrder } from '../../domain/log/read-log.ts'
import { problemFrom } from '../../platform/http/error-reply.ts'
import { PRIVATE_HEADERS, withHeaders } from '../../platform/http/headers.ts'
import { Problem } from '../../platform/http/problem.ts'
import { allowance, refusedBy } from '../../platform/http/rate-limits/rate-limit.ts'
import { sendHtml } from '../../platform/http/send.ts'
import { TEN_MINUTES_MS, utcDay } from '../../platform/lib/time.ts'
import { readCurrentPlaces } from '../listing/share.tsx'
import type { Needs } from '../ui/page-parts.ts'
import { IF_PAID, type OrderNow } from './content.tsx'
import { renderCheckout } from './order.tsx'
import type { PaidOrder } from './paid.tsx'

type OrderRequest = FastifyRequest<{
  Params: { id: string }
  /** `returned`: from the payment page. `pay`: straight on to it. */
  Querystring: { returned?: unknown; pay?: unknown }
}>

/** The page of an order. Its address is a random id that only the buyer and the processor know. */
export async function checkoutRoutes(
  app: FastifyInstance,
  deps: Needs<'links' | 'store' | 'allowances' | 'drawListing' | 'stripe' | 'clock'>,
): Promise<void> {
  const { links, store, clock } = deps
  // If the site sells no places, earlier orders stay readable, but cannot be paid.
  const stripe = links.site.sellsPlaces ? deps.stripe : undefined
  const sessions = stripe && new CachedSessions(stripe, clock)
  const limit = allowance(deps.allowances, {
    name: 'orderLooksPerTenMinutesPerIp',
    max: ORDER_VIEWS_PER_TEN_MINUTES,
    windowMs: TEN_MINUTES_MS,
  })

  app.addHook('onRequest', withHeaders(PRIVATE_HEADERS))
  app.setErrorHandler((error: FastifyError | Problem) => {
    const problem = problemFrom(error)
    // The table's message says that nothing was charged. If the order cannot be read, that is unknown.
    if (problem.status < 500) throw problem
    const { code, retryAfterSeconds } = problem
    throw new Problem(code, {
      message: `We can’t read this order right now. ${IF_PAID}`,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      cause: problem.cause,
    })
  })

  app.get('/checkout/:id', async (request: OrderRequest, reply) => {
    const order = await orderOf(request)
    const hasNoEvent = order.state === 'open' || order.state === 'superseded'
    const closed = hasNoEvent ? await whyClosed({ store, processor: stripe?.name }, order, clock()) : undefined
    const session = hasNoEvent ? await sessionOf(order, closed, request, reply) : undefined
    const outcome = order.state === 'paid' ? await outcomeOf(order) : undefined
    const payUrl = request.query.pay !== undefined && !closed ? openPage(session) : undefined
    // The policy of the page before forbids its forms to lead to other websites, so this page forwards automatically.
    if (payUrl) reply.header('refresh', `0; url=${payUrl}`)
    const html = renderCheckout({
      order,
      closed,
      session,
      outcome,
      links,
      processorLabel: stripe?.label ?? '',
    })
    return sendHtml(reply, reply.statusCode, html)
  })

  // An open page polls this every two seconds, so this route never calls the processor.
  app.get('/checkout/:id/state', async (request: OrderRequest) => ({ state: (await orderOf(request)).state }))

  async function orderOf({ params }: OrderRequest): Promise<CheckoutNow> {
    const order = await readCheckout(store, params.id)
    if (!order) throw new Problem('not_found')
    return order
  }

  /** Asks the processor about an order without an event yet. Closes the session if the order can no longer be paid. */
  async function sessionOf(
    { checkout }: CheckoutNow,
    closed: WhyClosed | undefined,
    request: OrderRequest,
    reply: FastifyReply,
  ): Promise<OrderNow['session']> {
    const sessionId = checkout.sessionId ?? ''
    if (closed === 'other_processor' || !sessions) return undefined
    if (request.query.returned !== undefined) {
      sessions.discard(sessionId)
      return undefined
    }
    // A temporary reason closes no order, and neither does a HEAD request, which shows no page.
    const isOver = closed !== undefined && closed !== 'not_shown'
    const act = isOver && request.method === 'GET' ? 'close' : 'read'
    const isCached = sessions.has(sessionId, act)
    const seconds = isCached ? undefined : await refusedBy([limit], request, reply)
    if (seconds !== undefined) {
      reply.code(429)
      return 'not_asked'
    }
    try {
      const session = await sessions.read(sessionId, act)
      const ageMs = clock() - checkout.createdAt
      // The event usually arrives within seconds. The time of payment is unknown, so a younger order may be just paid.
      if (!isCached && session.status === 'complete' && ageMs > SILENCE_MAX_MS) {
        request.log.warn(
          { checkoutId: checkout.id, sessionId, ageMs },
          'the processor says that an order is complete, but no event of it has arrived: check its webhook',
        )
      }
      return session
    } catch (err) {
      request.log.warn({ err, checkoutId: checkout.id }, 'could not read or close the payment page of an order')
      reply.code(503).header('retry-after', String(RETRY_SECONDS))
      return 'no_answer'
    }
  }

  async function outcomeOf({ checkout, payment }: CheckoutNow): Promise<PaidOrder> {
    const now = clock()
    const [promotable, standings, rows] = await Promise.all([
      findPromotable(store.db, checkout.destinationKey, now),
      readStandings(store, checkout.destinationKey, now),
      rowsOfOrder(store, checkout.id),
    ])
    const listing = promotable.isDown ? undefined : promotable.listing
    const product = listing && (await findProduct(store, listing.slug))
    if (listing && standings.all) deps.drawListing(listing.slug)
    return {
      listing: listing && { ...listing, pictureVersion: product?.pictureVersion ?? null },
      ...(await readCurrentPlaces(store, standings, now)),
      rows,
      isDayOver: payment !== undefined && utcDay(payment.paidAt) < utcDay(now),
    }
  }
}

/** Where an open session is paid, if that is known. */
function openPage(session: OrderNow['session']): string | undefined {
  if (typeof session !== 'object' || session.status !== 'open') return undefined
  return session.url ?? undefined
}

const RETRY_SECONDS = 60
const SILENCE_MAX_MS = TEN_MINUTES_MS
/** Counts only pages that call the processor. */
export const ORDER_VIEWS_PER_TEN_MINUTES = 60
