import { CONTRACT_VERSION } from '@placard/contract'
import type { FastifyRequest } from 'fastify'
import { type CheckoutDependencies, type Opening, type Order, openCheckout } from '../../checkout/checkout.ts'
import { Problem } from '../../http/problem.ts'
import type { Chosen } from './promote-view.ts'

/** Why no order was placed, in words for the buyer. There is nothing to pay. */
interface NoOrder {
  status: number
  message: string
  /** A link after the message. */
  link?: { href: string; text: string }
  retryAfterSeconds?: number | undefined
}

/** Places the order of a checkout form: checks ownership, consent and the shown price. */
export async function orderFrom(
  deps: CheckoutDependencies,
  { choice }: Chosen,
  provedBy: Order['provedBy'] | undefined,
  request: FastifyRequest,
): Promise<{ checkoutId: string } | NoOrder> {
  const { rules, amount } = request.body as { rules?: unknown; amount?: unknown }
  if (!provedBy) return { status: 403, message: NO_PASS }
  if (rules !== CONTRACT_VERSION) return { status: 400, message: NO_CONSENT }
  // A malformed amount becomes 0, which is never the amount due.
  const amountCents = typeof amount === 'string' && /^[1-9]\d{0,8}$/.test(amount) ? Number(amount) : 0
  const order: Order = { ...choice, amountCents, provedBy, rulesVersion: rules }
  try {
    const opening = await openCheckout(deps, order, request.log)
    if ('refused' in opening) return refusedOpening(opening)
    request.log.info({ checkoutId: opening.checkoutId, board: order.board, amountCents }, 'checkout opened')
    return opening
  } catch (error) {
    return noOrder(error, request)
  }
}

function refusedOpening(opening: Exclude<Opening, { checkoutId: string }>): NoOrder {
  if (opening.refused !== 'payment_waiting') return { status: 409, message: PRICE_CHANGED }
  // `returned` discards the cached answer, as when the payer comes back from the payment page.
  const link = { href: `/checkout/${opening.waitingId}?returned=1`, text: 'See that order' }
  return { status: 409, message: PAYMENT_WAITING, link }
}

function noOrder(error: unknown, request: FastifyRequest): NoOrder {
  const message = error instanceof Problem && messageOf(error)
  if (!(error instanceof Problem) || !message) throw error
  request.log[error.status === 503 ? 'warn' : 'info'](
    { err: error.cause ?? error, reason: error.reason },
    error.code,
  )
  return { status: error.status, message, retryAfterSeconds: error.retryAfterSeconds }
}

/** An API error in words for the buyer; undefined for those with an error page of their own. */
function messageOf({ code, message }: Problem): string | undefined {
  if (code === 'review_rejected') return `${message} Nothing was charged.`
  if (code === 'review_unavailable') return REVIEW_UNAVAILABLE
  return code === 'payments_unavailable' ? message : undefined
}

const NO_PASS =
  'Nothing was ordered. Please prove below, once more, that the website is yours: we remember it for an hour, for one website at a time.'
const NO_CONSENT = 'Nothing was ordered. Please tick the box to agree to the rules.'
const PRICE_CHANGED = 'Nothing was ordered: the price has changed since you saw it. Please check it again.'
const PAYMENT_WAITING =
  'Nothing was ordered: a payment for this website is waiting for confirmation and will change the price.'
const REVIEW_UNAVAILABLE =
  'We couldn’t read your website right now, and we review it before you pay. Nothing was charged. Please try again in a minute.'
