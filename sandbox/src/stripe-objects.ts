import Stripe from 'stripe'
import { type EventType, type Refund, statusOfSession } from './acts.ts'
import type { Session } from './database.ts'

/** What an event is about. */
interface Happened {
  type: EventType
  /** The session after it. */
  session: Session
  /** Only for events of refunds. */
  refund?: Refund | undefined
}

interface Telling {
  /** Unix milliseconds. */
  now: number
  /** The mode that it claims. No money moves in either. */
  livemode: boolean
}

/**
 * Returns an event as Stripe sends it, as far as a shop reads it: the field names are Stripe's, times are whole
 * seconds.
 */
export function stripeEvent(id: string, happened: Happened, { now, livemode }: Telling) {
  return {
    id,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: seconds(now),
    livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: happened.type,
    data: { object: objectOf(happened, { now, livemode }) },
  } satisfies Partial<Record<keyof Stripe.Event, unknown>>
}

function objectOf({ type, session, refund }: Happened, telling: Telling) {
  if (refund) return refundObject(session, refund)
  if (type.startsWith('checkout.')) return checkoutSession(session, telling)
  return type === 'charge.refunded' ? charge(session, telling) : dispute(session, telling)
}

/** @param payUrl where a person pays; included while the session is open */
export const checkoutSession = (session: Session, { now, livemode }: Telling, payUrl: string | null = null) =>
  ({
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: session.amountCents,
    amount_total: session.amountCents,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    created: seconds(session.createdAt),
    currency: 'usd',
    expires_at: seconds(session.expiresAt),
    livemode,
    metadata: metadataOf(session),
    mode: 'payment',
    payment_intent: session.paymentId,
    payment_status: session.paymentStatus === 'paid' ? 'paid' : 'unpaid',
    status: statusOfSession(session, now),
    success_url: session.successUrl,
    url: statusOfSession(session, now) === 'open' ? payUrl : null,
  }) satisfies Partial<Stripe.Checkout.Session>

/** Returns the shop's notes: `metadata[name]` in its form. */
const metadataOf = ({ parameters }: Session): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(parameters)].flatMap(([field, value]) => {
      const [, name] = /^metadata\[([^\]]*)\]$/.exec(field) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )

const charge = (session: Session, { livemode }: Telling) =>
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
    livemode,
    metadata: {},
    paid: true,
    payment_intent: session.paymentId,
    refunded: session.refundedCents === session.amountCents,
    status: 'succeeded',
  }) satisfies Partial<Stripe.Charge>

/** Unlike other objects, a refund has no `livemode`: the event has it. */
const refundObject = (session: Session, { id, amountCents, status, createdAt }: Refund) =>
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

const dispute = (session: Session, { now, livemode }: Telling) =>
  ({
    id: session.disputeId ?? '',
    object: 'dispute',
    amount: session.disputedCents,
    charge: chargeId(session),
    created: seconds(now),
    currency: 'usd',
    is_charge_refundable: false,
    livemode,
    metadata: {},
    payment_intent: session.paymentId,
    reason: 'fraudulent',
    status: DISPUTE_STATUSES[session.disputeStatus ?? 'open'],
  }) satisfies Partial<Stripe.Dispute>

const DISPUTE_STATUSES = { open: 'needs_response', won: 'won', lost: 'lost' } as const

/** A payment has one charge here, so its id is derived. */
const chargeId = ({ paymentId }: Session) => paymentId.replace(/^pi/, 'ch')

const seconds = (timeMs: number) => Math.floor(timeMs / 1000)
