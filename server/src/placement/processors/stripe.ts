import Stripe from 'stripe'
import type { StripeConfig } from '../../config.ts'
import { Problem } from '../../http/problem.ts'
import type { Processor, ProcessorSession, SessionOrder } from './processor.ts'
import { sessionEnd } from './session-end.ts'
import { readStripeEvent, verifyEvent } from './stripe-events.ts'

/** A person waits behind each of these. */
const CREATE_TIMEOUT_MS = 8_000
const ANSWER_TIMEOUT_MS = 4_000
const RETRY_AFTER_SECONDS = 60

/**
 * What a card statement says behind the account's own prefix of up to ten characters: both and `* ` between them must
 * fit into 22. Stripe takes no whole descriptor for cards.
 */
const STATEMENT_SUFFIX = 'PLACARD'

/**
 * Stripe, through its hosted payment page. A payment page is asked for twice where the first question gets no answer in
 * time; everything else once, as it can be asked again later.
 */
export function createStripe(config: StripeConfig, { timeoutMs = CREATE_TIMEOUT_MS } = {}): Processor {
  const { sessions } = connect(config, timeoutMs).checkout
  const quickly = { timeout: Math.min(timeoutMs, ANSWER_TIMEOUT_MS), maxNetworkRetries: 0 }
  return {
    name: 'stripe',
    label: 'Stripe',
    createSession: order => create(sessions, order),
    readSession: sessionId => read(sessions, sessionId, quickly),
    expireSession: sessionId => expire(sessions, sessionId, quickly),
    readEvent: (rawBody, signature, now) =>
      readStripeEvent(verifyEvent(rawBody, signature, config.webhookSecret, now), 'stripe'),
  }
}

type Sessions = Stripe['checkout']['sessions']

function connect({ secretKey, apiUrl }: StripeConfig, timeout: number): Stripe {
  return new Stripe(secretKey.reveal().toString(), {
    ...(apiUrl !== undefined && addressOf(new URL(apiUrl))),
    timeout,
    maxNetworkRetries: 1,
    telemetry: false,
  })
}

function addressOf({ protocol, hostname, port }: URL) {
  const isPlain = protocol === 'http:'
  return {
    protocol: isPlain ? 'http' : 'https',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port || (isPlain ? 80 : 443),
  } as const
}

/** Depends on the order alone: the idempotency key takes a repeat only with the very same parameters. */
function parametersFor(order: SessionOrder): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    submit_type: 'pay',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: order.amountCents,
          product_data: { name: order.description },
        },
      },
    ],
    client_reference_id: order.checkoutId,
    metadata: { checkout_id: order.checkoutId },
    payment_intent_data: {
      statement_descriptor_suffix: STATEMENT_SUFFIX,
      metadata: { checkout_id: order.checkoutId },
    },
    consent_collection: { terms_of_service: 'required' },
    // The boards count US dollars: nobody is offered another currency.
    adaptive_pricing: { enabled: false },
    // Of all ways to pay a card alone is certain to be confirmed at once, and not on another day.
    ...(order.board === 'today' && { allowed_payment_method_types: ['card'] }),
    expires_at: Math.floor(sessionEnd(order) / 1000),
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
  }
}

const STATUSES: readonly ProcessorSession['status'][] = ['open', 'complete', 'expired']

async function create(sessions: Sessions, order: SessionOrder): Promise<string> {
  const { id } = await answered(sessions.create(parametersFor(order), { idempotencyKey: order.checkoutId }))
  if (typeof id !== 'string') throw unavailable(new Error('Stripe gave a session without an id'))
  return id
}

async function read(
  sessions: Sessions,
  sessionId: string,
  options: Stripe.RequestOptions,
): Promise<ProcessorSession> {
  const session = await answered(sessions.retrieve(sessionId, {}, options))
  const status = STATUSES.find(known => known === session.status)
  if (!status) throw unavailable(new Error(`Stripe says that a session is ${session.status}`))
  return { status, url: session.url ?? null }
}

async function expire(
  sessions: Sessions,
  sessionId: string,
  options: Stripe.RequestOptions,
): Promise<'closed' | 'complete'> {
  try {
    await sessions.expire(sessionId, {}, options)
    return 'closed'
  } catch (error) {
    // What Stripe says of a session that is complete or expired. That nobody can pay there any more must be certain.
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError
    const { status } = isRefused ? await read(sessions, sessionId, options) : { status: 'open' }
    if (status === 'open') throw unavailable(error)
    return status === 'complete' ? 'complete' : 'closed'
  }
}

/** What Stripe answers. @throws Problem payments_unavailable where that is no good answer, or none */
async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw unavailable(error)
  }
}

const unavailable = (error: unknown) =>
  new Problem('payments_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: plainError(error) })

/**
 * An error that can be logged: Stripe's own holds the reply with all of its headers, and may repeat a part of the key
 * that it did not accept.
 */
function plainError(error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError)) return error as Error
  const { type, statusCode, code, requestId, message, detail } = error
  const facts = [type, statusCode, code, requestId, (detail as { code?: string } | undefined)?.code]
  const text = `${facts.filter(Boolean).join(' ')}: ${message}`
  return new Error(text.replaceAll(/\b[sr]k_[\w*]+/g, '[secret]'))
}
