import { CONTRACT_VERSION } from '@placard/contract'
import type { FastifyRequest } from 'fastify'
import { type CheckoutDependencies, type Opening, type Order, openCheckout } from '../../checkout/checkout.ts'
import { Problem } from '../../http/problem.ts'
import type { Chosen } from './promote-view.ts'

/** Why there is no order, for the person who wanted it. Nothing can be paid then. */
interface NoOrder {
  status: number
  message: string
  /** Where to look, behind the message. */
  link?: { href: string; text: string }
  retryAfterSeconds?: number | undefined
}

/** Places the order of a checkout form: what was chosen, at the price that was shown, by somebody who may. */
export async function orderFrom(
  deps: CheckoutDependencies,
  { choice }: Chosen,
  provedBy: Order['provedBy'] | undefined,
  request: FastifyRequest,
): Promise<{ checkoutId: string } | NoOrder> {
  const { rules, amount } = request.body as { rules?: unknown; amount?: unknown }
  if (!provedBy) return { status: 403, message: NO_PASS }
  if (rules !== CONTRACT_VERSION) return { status: 400, message: NO_CONSENT }
  // What is no amount is not the one that is due.
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
  // As who comes back from the payment page does: what was known of it before is not believed.
  const link = { href: `/checkout/${opening.waitingId}?returned=1`, text: 'Look at it' }
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

/** What the codes of the API mean to a person here; undefined for those that have a page of their own. */
function messageOf({ code, message }: Problem): string | undefined {
  if (code === 'review_rejected') return `${message} Nothing was charged.`
  if (code === 'review_unavailable') return REVIEW_UNAVAILABLE
  return code === 'payments_unavailable' ? message : undefined
}

const NO_PASS =
  'Nothing was ordered: please show again, below, that the website is yours. It is remembered for an hour, for one website at a time.'
const NO_CONSENT = 'Nothing was ordered: please tick the box to agree to the rules.'
const PRICE_CHANGED =
  'Nothing was ordered: the price has changed since it was shown to you. Please look at it again.'
const PAYMENT_WAITING =
  'Nothing was ordered: a payment for this website is waiting for confirmation, and changes the price.'
const REVIEW_UNAVAILABLE =
  'Your website could not be read just now, and it is reviewed before anything is paid. Nothing was charged. Please try again in a minute.'
