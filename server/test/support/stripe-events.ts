import { randomBytes } from 'node:crypto'
import Stripe from 'stripe'
import { NOON, type Reply, reply } from './service.ts'

export const WEBHOOK_SECRET = 'whsec_of_the_tests'

export const stripeId = (prefix: string): string => `${prefix}_live_${randomBytes(12).toString('hex')}`

/** What the events of a test are about: a payment page, paid or not. */
export interface PaidSession {
  id: string
  payment_intent: string | null
  client_reference_id: string | null
  amount_total: number
}

/** Any event, as Stripe sends it. `at` is Unix milliseconds. */
export const stripeEvent = (
  type: string,
  object: unknown,
  { id = stripeId('evt'), at = NOON, livemode = true } = {},
) => ({
  id,
  object: 'event',
  api_version: Stripe.API_VERSION,
  created: Math.floor(at / 1000),
  data: { object },
  livemode,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
})
export type StripeEvent = ReturnType<typeof stripeEvent>

/** The object of `checkout.session.*` events. `about` gives what differs from a session of 25 dollars that is paid. */
export const sessionObject = (about: Partial<PaidSession> & Record<string, unknown> = {}) => ({
  id: stripeId('cs'),
  object: 'checkout.session',
  adaptive_pricing: { enabled: false },
  amount_subtotal: about.amount_total ?? 2500,
  amount_total: 2500,
  client_reference_id: null,
  consent: { promotions: null, terms_of_service: 'accepted' },
  currency: 'usd',
  customer: null,
  customer_details: { email: 'payer@example.com', name: 'A. Payer', phone: null },
  livemode: true,
  metadata: {},
  mode: 'payment',
  payment_intent: stripeId('pi'),
  payment_method_types: ['card'],
  payment_status: 'paid',
  status: 'complete',
  url: null,
  ...about,
})

/** The object of `charge.refunded`. */
export const chargeObject = (session: Pick<PaidSession, 'payment_intent' | 'amount_total'>, refundedCents: number) => ({
  id: stripeId('ch'),
  object: 'charge',
  amount: session.amount_total,
  amount_captured: session.amount_total,
  amount_refunded: refundedCents,
  billing_details: { email: 'payer@example.com', name: 'A. Payer', phone: null },
  captured: true,
  currency: 'usd',
  disputed: false,
  metadata: {},
  paid: true,
  payment_intent: session.payment_intent,
  refunded: refundedCents === session.amount_total,
  status: 'succeeded',
})

export type DisputeStatus =
  | 'warning_needs_response'
  | 'warning_under_review'
  | 'warning_closed'
  | 'needs_response'
  | 'under_review'
  | 'appeal_needs_response'
  | 'appeal_under_review'
  | 'won'
  | 'lost'
  | 'prevented'
  | 'charge_refunded'

/** The object of `refund.*` and `charge.refund.updated`. It does not say whether it is live. */
export const refundObject = (
  session: Pick<PaidSession, 'payment_intent'>,
  amount: number,
  status: 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled',
  id = stripeId('re'),
) => ({
  id,
  object: 'refund',
  amount,
  charge: stripeId('ch'),
  currency: 'usd',
  destination_details: { card: { type: 'refund' }, type: 'card' },
  metadata: {},
  payment_intent: session.payment_intent,
  reason: null,
  status,
})

/** The object of `charge.dispute.*`. */
export const disputeObject = (
  session: Pick<PaidSession, 'payment_intent' | 'amount_total'>,
  status: DisputeStatus,
  id = stripeId('dp'),
) => ({
  id,
  object: 'dispute',
  amount: session.amount_total,
  charge: stripeId('ch'),
  currency: 'usd',
  evidence: {},
  is_charge_refundable: false,
  metadata: {},
  payment_intent: session.payment_intent,
  reason: 'fraudulent',
  status,
})

/** Signs a delivery the way Stripe does. `at` is Unix milliseconds. */
export const sign = (payload: string, { secret = WEBHOOK_SECRET, at = NOON } = {}): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1000) })

export interface DeliveryOptions {
  secret?: string
  /** When it is signed, in Unix milliseconds. */
  at?: number
  /** Alters the payload after signing. */
  tamper?: (payload: string) => string | Uint8Array<ArrayBuffer>
  /** Undefined: no such header. */
  signature?: string | undefined
  headers?: Record<string, string>
}

/** Delivers an event, or any text, to the webhook of a service. */
export async function deliver(
  service: { url: string },
  event: StripeEvent | string,
  options: DeliveryOptions = {},
): Promise<Reply<{ received?: string; code?: string; error?: string }>> {
  const payload = typeof event === 'string' ? event : JSON.stringify(event, null, 2)
  const signature = 'signature' in options ? options.signature : sign(payload, options)
  const response = await fetch(`${service.url}/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature !== undefined && { 'stripe-signature': signature }),
      ...options.headers,
    },
    body: options.tamper?.(payload) ?? payload,
  })
  return reply(response)
}
