import Stripe from 'stripe'
import type { ProcessorName } from '../../platform/config/outside-services.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { EventKind } from '../../platform/db/tables/payments.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Secret } from '../../platform/lib/secret.ts'
import { LIVEMODE } from './processors.ts'
import {
  asFields,
  disputeKind,
  type Fields,
  idOf,
  isAmount,
  isCurrency,
  isMereInquiry,
  isSecond,
  isText,
  refundKind,
} from './stripe-fields.ts'

/** How far the time in a signature may differ from ours, either way. */
const SIGNATURE_TOLERANCE_SECONDS = 300

/** A verified event in the ledger's terms. */
export type ProcessorEvent = Omit<Database['processor_event'], 'receivedAt' | 'took'>

/** The fields common to all events that Stripe signs. */
export interface VerifiedEvent {
  id: string
  type: string
  occurredAt: number
  /** Whether it is about real money, if it says so. */
  livemode?: unknown
  /** The subject of the event. It may not have the shape that its type promises. */
  object: unknown
}

/**
 * Verifies a webhook delivery over its exact bytes, and that it was signed within five minutes of `now`.
 *
 * @throws Problem invalid_signature; invalid_json or invalid_body if it is signed but not an event. Such a delivery has
 * no id to store it under, so it is refused, too. The processor then shows it as failing and sends it again.
 */
export function verifyEvent(rawBody: Buffer, header: string | undefined, secret: Secret, now: number): VerifiedEvent {
  if (header === undefined) throw new Problem('invalid_signature', { cause: 'no Stripe-Signature header' })
  refuseFuture(header, now)
  return readEventOf(construct(rawBody, header, secret, now))
}

/** Reads an event as Stripe delivers or lists it. @throws Problem invalid_body if it is not one */
export function readEventOf(event: unknown): VerifiedEvent {
  const { id, type, created, livemode, data } = asFields(event)
  if (!isText(id) || !isText(type) || !isSecond(created)) {
    throw new Problem('invalid_body', { detail: 'An event has an id, a type and a time.' })
  }
  return { id, type, occurredAt: created * 1000, livemode, object: asFields(data).object }
}

/** The SDK refuses old signatures but accepts any future time: such an event could be replayed until then. */
function refuseFuture(header: string, now: number): void {
  const times = header.split(',').filter(item => item.trimStart().startsWith('t='))
  // Exactly one time is allowed. Otherwise, the SDK may read another one.
  const [, seconds] = (times.length === 1 && /^t=(\d{1,12})$/.exec(times[0] ?? '')) || []
  if (seconds === undefined) throw new Problem('invalid_signature', { cause: 'not one time in the header' })
  if (Number(seconds) - Math.floor(now / 1000) > SIGNATURE_TOLERANCE_SECONDS) {
    throw new Problem('invalid_signature', { cause: 'signed in the future' })
  }
}

function construct(rawBody: Buffer, header: string, secret: Secret, now: number): unknown {
  try {
    return Stripe.webhooks.constructEvent(
      rawBody,
      header,
      secret.reveal().toString(),
      SIGNATURE_TOLERANCE_SECONDS,
      undefined,
      now,
    )
  } catch (error) {
    // The SDK's errors contain the whole body, and the parser's message a part of it: log neither.
    if (error instanceof SyntaxError) throw new Problem('invalid_json')
    const [cause] = (error as Error).message.split('\n', 1)
    // After the signature, the SDK checks only for this. Such an event has no content: it must be fetched.
    if (cause?.includes('thin event')) throw new Problem('invalid_body', { cause: THIN, detail: THIN })
    throw new Problem('invalid_signature', { cause })
  }
}

const THIN = 'This is a thin event. Set the payload style of the event destination at Stripe to snapshot.'

/** An event's content except its id, type and time. */
type Content = Omit<ProcessorEvent, 'processor' | 'eventId' | 'type' | 'livemode' | 'occurredAt'>

/**
 * Translates a verified event into the ledger's terms. Never throws: an event about money without its type's shape
 * becomes a payment of kind `unreadable`, so that the operator sees it.
 *
 * @returns undefined for events that say nothing about our money
 */
export function readStripeEvent(event: VerifiedEvent, processor: ProcessorName): ProcessorEvent | undefined {
  const read = READERS.get(event.type)
  const object = asFields(event.object)
  if (!read || isOfNoConcern(event.type, object)) return undefined
  const { id, type, occurredAt } = event
  const livemode = livemodeOf(event, object, LIVEMODE[processor])
  const content = read(object) ?? unreadable(id)
  return { processor, eventId: id, type, livemode, occurredAt, ...content }
}

/** Some objects have no `livemode`. If the object and its event disagree, neither is used. */
function livemodeOf({ livemode }: VerifiedEvent, object: Fields, expected: 0 | 1): 0 | 1 {
  const isOther = (said: unknown) => said !== undefined && said !== (expected === 1)
  if (!isOther(livemode) && !isOther(object.livemode)) return expected
  return expected === 1 ? 0 : 1
}

/**
 * An inquiry that took no money, a refund of no payment, or another use of the account, such as subscriptions, whose
 * sessions carry none of our references.
 */
function isOfNoConcern(type: string, object: Fields): boolean {
  if (type.startsWith('checkout.session.')) {
    return (object.mode === 'subscription' || object.mode === 'setup') && !object.client_reference_id
  }
  if (type.startsWith('charge.dispute.')) return isMereInquiry(type, object)
  return REFUND_TYPE.test(type) && object.payment_intent === null && object.charge === null
}

const REFUND_TYPE = /^(charge\.)?refund\./

/** Reads an event's object. Returns undefined if it does not have the shape of its type. */
type Reader = (object: Fields) => Content | undefined

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['checkout.session.completed', session => readSession(PAID_KINDS.get(session.payment_status), session)],
  [
    'checkout.session.async_payment_succeeded',
    session => readSession(session.payment_status === 'paid' ? 'paid' : undefined, session),
  ],
  ['checkout.session.async_payment_failed', session => readSession('failed', session)],
  ['charge.refunded', readRefunds],
  // The status of a refund or dispute decides, because one event type covers several outcomes.
  ['refund.created', readRefund],
  ['refund.updated', readRefund],
  ['refund.failed', readRefund],
  ['charge.refund.updated', readRefund],
  ['charge.dispute.created', readDispute],
  ['charge.dispute.updated', readDispute],
  ['charge.dispute.funds_withdrawn', readDispute],
  ['charge.dispute.funds_reinstated', readDispute],
  ['charge.dispute.closed', readDispute],
])

/** Every type of event that says something about money: what the operator must enable at Stripe. */
export const HANDLED_EVENTS: readonly string[] = [...READERS.keys()]

/** By the payment status of a completed session. */
const PAID_KINDS: ReadonlyMap<unknown, EventKind> = new Map<unknown, EventKind>([
  ['paid', 'paid'],
  ['unpaid', 'pending'],
  // Nothing to pay: it is stored with an amount of zero, which the ledger reports.
  ['no_payment_required', 'paid'],
])

function readSession(kind: EventKind | undefined, session: Fields): Content | undefined {
  const paymentId = idOf(session.payment_intent, session.id)
  const reference = session.client_reference_id
  if (session.mode !== 'payment' || !isText(session.id)) return undefined
  return content(kind, paymentId, session.amount_total, session.currency, {
    sessionId: session.id,
    // Other sessions of the same account may have any value here, or none.
    checkoutId: isText(reference) ? reference : null,
  })
}

function readRefunds(charge: Fields): Content | undefined {
  const paymentId = idOf(charge.payment_intent, charge.id)
  return content('refunded', paymentId, charge.amount_refunded, charge.currency)
}

function readRefund(refund: Fields): Content | undefined {
  const paymentId = idOf(refund.payment_intent, refund.charge)
  if (!isText(refund.id)) return undefined
  return content(refundKind(refund), paymentId, refund.amount, refund.currency, { refundId: refund.id })
}

function readDispute(dispute: Fields): Content | undefined {
  const paymentId = idOf(dispute.payment_intent, dispute.charge)
  if (!isText(dispute.id)) return undefined
  return content(disputeKind(dispute), paymentId, dispute.amount, dispute.currency, {
    disputeId: dispute.id,
  })
}

function content(
  kind: EventKind | undefined,
  paymentId: string | undefined,
  amount: unknown,
  currency: unknown,
  ids: Partial<Content> = {},
): Content | undefined {
  if (!kind || !paymentId || !isAmount(amount) || !isCurrency(currency)) return undefined
  return {
    kind,
    paymentId,
    amountCents: amount,
    currency: currency.toLowerCase(),
    ...NO_IDS,
    ...ids,
  }
}

const NO_IDS = { sessionId: null, checkoutId: null, refundId: null, disputeId: null }

const unreadable = (eventId: string): Content => ({
  kind: 'unreadable',
  paymentId: eventId,
  amountCents: null,
  currency: null,
  ...NO_IDS,
})
