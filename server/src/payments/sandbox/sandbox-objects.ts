import Stripe from 'stripe'
import type { SandboxRefund, SandboxSession } from './sandbox-acts.ts'

export type SandboxEventType =
  | 'checkout.session.completed'
  | 'checkout.session.async_payment_succeeded'
  | 'checkout.session.async_payment_failed'
  | 'charge.refunded'
  | 'refund.created'
  | 'refund.failed'
  | 'charge.dispute.created'
  | 'charge.dispute.closed'

/** What an event tells of. */
interface Happened {
  type: SandboxEventType
  /** As it is after it. */
  session: SandboxSession
  /** The one that events of refunds are about. */
  refund?: SandboxRefund | undefined
}

/**
 * An event as Stripe sends it, as far as a shop reads it: the field names are theirs, times are whole seconds.
 *
 * @param now Unix milliseconds
 */
export function sandboxEvent(id: string, happened: Happened, now: number) {
  return {
    id,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: seconds(now),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: happened.type,
    data: { object: objectOf(happened, now) },
  } satisfies Partial<Record<keyof Stripe.Event, unknown>>
}

function objectOf({ type, session, refund }: Happened, now: number) {
  if (refund) return refundObject(session, refund)
  if (type.startsWith('checkout.')) return checkoutSession(session)
  return type === 'charge.refunded' ? charge(session) : dispute(session, now)
}

const checkoutSession = (session: SandboxSession) =>
  ({
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: session.amountCents,
    amount_total: session.amountCents,
    cancel_url: session.cancelUrl,
    client_reference_id: session.checkoutId,
    created: seconds(session.createdAt),
    currency: 'usd',
    expires_at: seconds(session.expiresAt),
    livemode: false,
    metadata: {},
    mode: 'payment',
    payment_intent: session.paymentId,
    payment_status: session.paymentStatus === 'paid' ? 'paid' : 'unpaid',
    status: session.status,
    success_url: session.successUrl,
    url: null,
  }) satisfies Partial<Stripe.Checkout.Session>

const charge = (session: SandboxSession) =>
  ({
    id: chargeId(session),
    object: 'charge',
    amount: session.amountCents,
    amount_captured: session.amountCents,
    amount_refunded: session.refundedCents,
    captured: true,
    created: seconds(session.createdAt),
    currency: 'usd',
    disputed: session.disputeId !== null,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: session.paymentId,
    refunded: session.refundedCents === session.amountCents,
    status: 'succeeded',
  }) satisfies Partial<Stripe.Charge>

/** Unlike the others it does not say whether it is live: the event does. */
const refundObject = (session: SandboxSession, { id, amountCents, status, createdAt }: SandboxRefund) =>
  ({
    id,
    object: 'refund',
    amount: amountCents,
    charge: chargeId(session),
    created: seconds(createdAt),
    currency: 'usd',
    ...(status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
    metadata: {},
    payment_intent: session.paymentId,
    reason: null,
    status,
  }) satisfies Partial<Stripe.Refund>

const dispute = (session: SandboxSession, now: number) =>
  ({
    id: session.disputeId ?? '',
    object: 'dispute',
    amount: session.disputedCents,
    charge: chargeId(session),
    created: seconds(now),
    currency: 'usd',
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: session.paymentId,
    reason: 'fraudulent',
    status: DISPUTE_STATUSES[session.disputeStatus ?? 'open'],
  }) satisfies Partial<Stripe.Dispute>

const DISPUTE_STATUSES = { open: 'needs_response', won: 'won', lost: 'lost' } as const

/** A payment has one charge here, so its id needs no memory of its own. */
const chargeId = ({ paymentId }: SandboxSession) => paymentId.replace(/^pi/, 'ch')

const seconds = (timeMs: number) => Math.floor(timeMs / 1000)
