import type { Board } from '@placard/contract'
import Stripe from 'stripe'
import type { StripeConfig } from '../../platform/config/config.ts'
import { Problem } from '../../platform/http/problem.ts'
import { MINUTE_MS, nextMidnight } from '../../platform/lib/time.ts'
import { LIVEMODE } from './processors.ts'
import { readStripeEvent, verifyEvent } from './stripe-events.ts'

/** What a person is going to pay for. */
export interface SessionOrder {
  /** Sent as `client_reference_id`. Repeating the request with it returns the same session. */
  checkoutId: string
  /** Decides, with `createdAt`, when the payment page closes. Money for `today` must arrive on the day. */
  board: Board
  /** Unix milliseconds. A repeat must send the same. */
  createdAt: number
  amountCents: number
  /** One line on Stripe's page and receipt. */
  description: string
  /** Where the browser returns, paid or not. */
  successUrl: string
  cancelUrl: string
}

/** A payment page, as Stripe describes it. Moves no money here: only events do. */
export interface StripeSession {
  status: 'open' | 'complete' | 'expired'
  /** Where a person pays, while the session is open. */
  url: string | null
}

/** A person waits behind each of these. */
const CREATE_TIMEOUT_MS = 8_000
const ANSWER_TIMEOUT_MS = 4_000
const RETRY_AFTER_SECONDS = 60

/**
 * What a card statement says behind the account's own prefix of up to ten characters: both and `* ` between them must
 * fit into 22. Stripe takes no whole descriptor for cards.
 */
const STATEMENT_SUFFIX = 'PLACARD'

export type StripeAccount = ReturnType<typeof createStripe>

/**
 * Stripe with its hosted payment page, the only place where anyone pays. A payment page is requested a second time if the
 * first request gets no answer in time; everything else only once, because it can be asked again later. Every method that
 * asks throws Problem payments_unavailable if there is no good answer.
 */
export function createStripe(config: StripeConfig, { timeoutMs = CREATE_TIMEOUT_MS } = {}) {
  const { name } = config
  const account = { sessions: connect(config, timeoutMs).checkout.sessions, livemode: LIVEMODE[name] === 1 }
  const quickly = { timeout: Math.min(timeoutMs, ANSWER_TIMEOUT_MS), maxNetworkRetries: 0 }
  return {
    /** The kind of its money. */
    name,
    /** Its name for people, who are sent there. */
    label: name === 'sandbox' ? 'the sandbox' : 'Stripe',
    /** Opens a payment page. Asking twice for the same checkout gives one session. @returns the session's id */
    createSession: (order: SessionOrder) => create(account, order),
    readSession: (sessionId: string) => read(account, sessionId, quickly),
    /**
     * Closes a payment page, so that nobody can pay there. One already paid or closed stays as it is.
     *
     * @returns its state: `complete` if somebody had already completed it
     */
    expireSession: (sessionId: string) => expire(account, sessionId, quickly),
    /**
     * Verifies and reads one webhook delivery. `rawBody` holds the exact bytes received.
     *
     * @returns undefined for event types that say nothing about money
     * @throws Problem invalid_signature if Stripe did not sign it, it was altered, or it is too old at `now`; invalid_json
     * or invalid_body if it is signed but not an event
     */
    readEvent: (rawBody: Buffer, signature: string | undefined, now: number) =>
      readStripeEvent(verifyEvent(rawBody, signature, config.webhookSecret, now), name),
  }
}

export type WebhookEndpoint = Pick<Stripe.WebhookEndpoint, 'url' | 'status' | 'enabled_events'>

/**
 * Where Stripe sends events, and which. For the operator; the service never asks.
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
    // Stripe's own messages show the beginning and the end of a wrong key.
    if (error instanceof Stripe.errors.StripeAuthenticationError) {
      throw new Error('Stripe does not know STRIPE_SECRET_KEY: copy it again from the dashboard')
    }
    throw new Error(`Stripe does not answer (${(error as Stripe.errors.StripeError).type}): try again later`)
  }
}

interface Account {
  sessions: Stripe['checkout']['sessions']
  /** Of the key. */
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
    // What Stripe says of a session that is complete or expired. That nobody can pay there any more must be certain.
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError
    const { status } = isRefused ? await read(account, sessionId, options) : { status: 'open' }
    if (status === 'open') throw unavailable(error)
    return status === 'complete' ? 'complete' : 'closed'
  }
}

/**
 * The session that Stripe answers with. Nobody is sent to a page of test money for a board of real money, nor the other
 * way round.
 *
 * @throws Problem payments_unavailable where that is no good answer, or none
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

const LONGEST_MS = 60 * MINUTE_MS

/** Stripe's minimum is 30 minutes from the request, by its own clock. */
const SHORTEST_MS = 31 * MINUTE_MS

/**
 * When an order's payment page closes by itself, in Unix milliseconds: after an hour. For a day's board, at the end of
 * the day, or as soon after it as Stripe allows.
 */
export function sessionEnd({ board, createdAt }: Pick<SessionOrder, 'board' | 'createdAt'>): number {
  const latest = createdAt + LONGEST_MS
  if (board === 'all') return latest
  return Math.min(latest, Math.max(nextMidnight(createdAt), createdAt + SHORTEST_MS))
}

/** Whether the payment page for a day's board may stay open after that day. */
export const mayOutlastDay = (order: Pick<SessionOrder, 'board' | 'createdAt'>): boolean =>
  order.board === 'today' && sessionEnd(order) > nextMidnight(order.createdAt)
