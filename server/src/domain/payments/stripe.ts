import type { Board } from '@placard/contract'
import Stripe from 'stripe'
import type { StripeConfig } from '../../platform/config/config.ts'
import { Problem } from '../../platform/http/problem.ts'
import { MINUTE_MS, nextMidnight } from '../../platform/lib/time.ts'
import { LIVEMODE } from './processors.ts'
import { HANDLED_EVENTS, readStripeEvent, verifyEvent } from './stripe-events.ts'

export interface SessionOrder {
  /** Sent as `client_reference_id`. A repeated request with it returns the same session. */
  checkoutId: string
  /** Decides, with `createdAt`, when the payment page closes. Money for `today` must arrive on that day. */
  board: Board
  /** A repeated request must send the same value. */
  createdAt: number
  amountCents: number
  /** One line on Stripe's page and receipt. */
  description: string
  /** Where the browser returns, paid or not. */
  successUrl: string
  cancelUrl: string
}

/** A payment page, as Stripe describes it. It changes no amounts here: only events do. */
export interface StripeSession {
  status: 'open' | 'complete' | 'expired'
  /** Where a person pays, while the session is open. */
  url: string | null
}

/** A person waits for each of these requests. */
const CREATE_TIMEOUT_MS = 8_000
const ANSWER_TIMEOUT_MS = 4_000
const RETRY_AFTER_SECONDS = 60

/**
 * Appended on card statements to the account's own prefix of up to ten characters. Both and the `* ` between them must
 * fit into 22. Stripe accepts no complete descriptor for cards.
 */
const STATEMENT_SUFFIX = 'PLACARD'

export type StripeAccount = ReturnType<typeof createStripe>

/**
 * Creates the connection to Stripe with its hosted payment page, the only place where anyone pays. If a request for a
 * payment page gets no answer in time, it is sent once more. Every other request is sent once, because it can be
 * repeated later. Every method that sends a request throws Problem payments_unavailable if there is no good answer.
 */
export function createStripe(config: StripeConfig, { timeoutMs = CREATE_TIMEOUT_MS } = {}) {
  const { name } = config
  const client = connect(config, timeoutMs)
  const account = { sessions: client.checkout.sessions, livemode: LIVEMODE[name] === 1 }
  const quickly = { timeout: Math.min(timeoutMs, ANSWER_TIMEOUT_MS), maxNetworkRetries: 0 }
  return {
    /** The name of its kind of money. */
    name,
    /** The name for people who are sent there. */
    label: name === 'sandbox' ? 'the sandbox' : 'Stripe',
    /**
     * Opens a payment page. A second request for the same checkout returns the same session. @returns the session's id
     */
    createSession: (order: SessionOrder) => create(account, order),
    readSession: (sessionId: string) => read(account, sessionId, quickly),
    findEvent: (id: string): Promise<{ id: string }> => client.events.retrieve(id, {}, quickly),
    /**
     * Closes a payment page, so that no one can pay there. A page already paid or closed stays as it is.
     *
     * @returns its state: `complete` if a person had already completed it
     */
    expireSession: (sessionId: string) => expire(account, sessionId, quickly),
    /**
     * Verifies and reads one webhook delivery. `rawBody` holds the exact bytes received.
     *
     * @returns undefined for event types that say nothing about money
     * @throws Problem invalid_signature if Stripe did not sign it, it was altered, or it is too old at `now`;
     * invalid_json or invalid_body if it is signed but not an event
     */
    readEvent: (rawBody: Buffer, signature: string | undefined, now: number) =>
      readStripeEvent(verifyEvent(rawBody, signature, config.webhookSecret, now), name),
  }
}

export type WebhookEndpoint = Pick<Stripe.WebhookEndpoint, 'url' | 'status' | 'enabled_events'>

/**
 * Returns where Stripe sends events, and which. Only the operator's commands ask.
 *
 * @returns `forbidden` if the key works, but may not read them
 * @throws Error in one line if there is no good answer
 */
export async function readWebhookEndpoints(config: StripeConfig): Promise<readonly WebhookEndpoint[] | 'forbidden'> {
  try {
    const { data } = await connect(config, CREATE_TIMEOUT_MS).webhookEndpoints.list({ limit: 100 })
    return data
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return 'forbidden'
    throw forOperator(error)
  }
}

/**
 * Lists the events about money that Stripe still has, of 30 days, newest first. Only the operator's commands ask.
 *
 * @throws Error in one line if there is no good answer
 */
export async function* listEvents(config: StripeConfig): AsyncGenerator<unknown, void> {
  try {
    yield* connect(config, CREATE_TIMEOUT_MS).events.list({ types: [...HANDLED_EVENTS], limit: 100 })
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw forOperator(error)
    throw new Error('STRIPE_SECRET_KEY may not read events: allow it Events, Read in the Stripe dashboard')
  }
}

/** Stripe's own messages contain the beginning and the end of a wrong key. */
const forOperator = (error: unknown): Error =>
  error instanceof Stripe.errors.StripeAuthenticationError
    ? new Error('Stripe rejected STRIPE_SECRET_KEY: copy the key again from the Stripe dashboard')
    : new Error(`Stripe does not answer (${(error as Stripe.errors.StripeError).type}): try again later`)

interface Account {
  sessions: Stripe['checkout']['sessions']
  livemode: boolean
}

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

/** Depends on the order alone, because the idempotency key requires identical parameters. */
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
    // The boards count US dollars, so no other currency is offered.
    adaptive_pricing: { enabled: false },
    // Only cards are always confirmed at once, rather than on another day.
    ...(order.board === 'today' && { allowed_payment_method_types: ['card'] }),
    expires_at: Math.floor(sessionEnd(order) / 1000),
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
  }
}

const STATUSES: readonly StripeSession['status'][] = ['open', 'complete', 'expired']

async function create(account: Account, order: SessionOrder): Promise<string> {
  const options = { idempotencyKey: order.checkoutId }
  const { id } = await answered(account, account.sessions.create(parametersFor(order), options))
  if (typeof id !== 'string') throw unavailable(new Error('Stripe gave a session without an id'))
  return id
}

async function read(account: Account, sessionId: string, options: Stripe.RequestOptions): Promise<StripeSession> {
  const session = await answered(account, account.sessions.retrieve(sessionId, {}, options))
  const status = STATUSES.find(known => known === session.status)
  if (!status) throw unavailable(new Error(`Stripe says that a session is ${session.status}`))
  return { status, url: session.url ?? null }
}

async function expire(
  account: Account,
  sessionId: string,
  options: Stripe.RequestOptions,
): Promise<'closed' | 'complete'> {
  try {
    await account.sessions.expire(sessionId, {}, options)
    return 'closed'
  } catch (error) {
    // Stripe refuses to expire a session that is complete or expired. Then its state must be read.
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError
    const { status } = isRefused ? await read(account, sessionId, options) : { status: 'open' }
    if (status === 'open') throw unavailable(error)
    return status === 'complete' ? 'complete' : 'closed'
  }
}

/**
 * Returns the session in Stripe's answer. No one is sent to a page of test money from a site with real money, or the
 * other way round.
 *
 * @throws Problem payments_unavailable if there is no good answer
 */
async function answered(
  { livemode }: Account,
  request: Promise<Stripe.Checkout.Session>,
): Promise<Stripe.Checkout.Session> {
  const session = await request.catch(error => {
    throw unavailable(error)
  })
  const isOther = session.livemode !== undefined && session.livemode !== livemode
  if (isOther) throw unavailable(new Error('the session is of another mode than the key: test or live'))
  return session
}

const unavailable = (error: unknown) =>
  new Problem('payments_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: plainError(error) })

/**
 * Returns an error that can be logged. Stripe's own contains the reply with all of its headers, and may repeat a part
 * of a wrong key.
 */
function plainError(error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError)) return error as Error
  const { type, statusCode, code, requestId, message, detail } = error
  const facts = [type, statusCode, code, requestId, (detail as { code?: string } | undefined)?.code]
  const text = `${facts.filter(Boolean).join(' ')}: ${message}`
  return new Error(text.replaceAll(/\b[sr]k_[\w*]+/g, '[secret]'))
}

const LONGEST_MS = 60 * MINUTE_MS

/** Stripe's minimum is 30 minutes from the request, by its own clock. */
const SHORTEST_MS = 31 * MINUTE_MS

/**
 * Returns when an order's payment page closes on its own: after an hour. For a day's board, at
 * the end of the day, or as soon after it as Stripe allows.
 */
export function sessionEnd({ board, createdAt }: Pick<SessionOrder, 'board' | 'createdAt'>): number {
  const latest = createdAt + LONGEST_MS
  if (board === 'all') return latest
  return Math.min(latest, Math.max(nextMidnight(createdAt), createdAt + SHORTEST_MS))
}

/** Returns whether the payment page for a day's board may stay open after that day. */
export const mayOutlastDay = (order: Pick<SessionOrder, 'board' | 'createdAt'>): boolean =>
  order.board === 'today' && sessionEnd(order) > nextMidnight(order.createdAt)
