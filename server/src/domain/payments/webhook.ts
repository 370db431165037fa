import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { tagsOfPayment } from '../../platform/cdn/changes.ts'
import type { Purger } from '../../platform/cdn/purger.ts'
import type { StripeConfig } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { clientNetworks } from '../../platform/http/client-address.ts'
import { Problem } from '../../platform/http/problem.ts'
import { entered, refusedEvent } from '../../platform/lib/diagnostics.ts'
import { createSlots, type Slots } from '../../platform/lib/slots.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { warn } from '../notifications/operator/warnings.ts'
import { applyEvent } from './apply-event.ts'
import { listEvents, type StripeAccount } from './stripe.ts'
import { type ProcessorEvent, readEventOf, readStripeEvent } from './stripe-events.ts'

interface WebhookDependencies {
  stripe: StripeAccount
  store: Store
  clock: () => number
  /** Set if a shared cache must purge what changed. */
  purger?: Pick<Purger, 'add'> | undefined
}

export const WEBHOOK_PATH = '/webhooks/stripe'

/** Far more than any event needs. */
const EVENT_MAX_BYTES = 1024 * 1024

type Delivery = FastifyRequest<{ Body: Buffer | null | undefined }>

/**
 * Adds POST /webhooks/stripe, the only way for money to enter the ledger. Stripe repeats a delivery until it gets 200,
 * so the reply is 200 only if the event is stored, was stored before, or is irrelevant.
 *
 * Resolves when the route exists. Await it before rejecting other methods.
 */
export async function webhookRoute(
  app: FastifyInstance,
  { stripe, store, clock, purger }: WebhookDependencies,
): Promise<void> {
  const checks = createSlots(CHECK_LIMITS)
  await app.register(async context => {
    acceptRawBytes(context)
    context.post(WEBHOOK_PATH, { bodyLimit: EVENT_MAX_BYTES }, async (request: Delivery, reply) => {
      reply.header('cache-control', 'no-store')
      const event = readEvent({ stripe, store, checks }, request, clock())
      if (!event) return { received: 'ignored' }
      const received = await apply(store, event, clock())
      if (received === 'applied') {
        entered.publish(event)
        // The reply does not wait for the purge: cached pages expire after a minute at most.
        if (purger) {
          tagsOfPayment(store, event, clock()).then(
            tags => purger.add(tags),
            err => request.log.info({ err }, 'could not purge the pages that a payment changed'),
          )
        }
      }
      return { received }
    })
  })
}

/** The signature covers the raw bytes, so nothing may parse them first, whatever their media type. */
function acceptRawBytes(context: FastifyInstance): void {
  context.removeAllContentTypeParsers()
  context.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

interface Reading extends Pick<WebhookDependencies, 'stripe' | 'store'> {
  checks: Slots
}

function readEvent({ stripe, store, checks }: Reading, request: Delivery, now: number): ProcessorEvent | undefined {
  const signature = request.headers['stripe-signature']?.toString()
  try {
    return stripe.readEvent(request.body ?? Buffer.alloc(0), signature, now)
  } catch (error) {
    // A wrong secret causes this, too, so the operator must see it. Never log the body.
    if (error instanceof Problem) {
      const { code, cause: why = code } = error
      request.log.warn({ code, why, err: error }, `event refused: ${why}`)
      // A request without a signature can come from any robot.
      if (signature !== undefined) {
        void warn(store, 'event_refused', now)
        void countIfSent({ stripe, store, checks }, request, error)
      }
    }
    throw error
  }
}

/** Limits the requests to the processor about refused events, because anyone with an order here can forge an event. */
const CHECK_LIMITS = { atOnceMax: 1, waitersMax: 100, waitMs: MINUTE_MS }

/**
 * Counts a refused event that the processor sent: one with a valid signature, or one about an order or payment of ours
 * that the processor has. If the key must not read events (403), a forged one counts, too. Never throws.
 */
async function countIfSent({ stripe, store: { db }, checks }: Reading, request: Delivery, { code }: Problem) {
  try {
    if (code !== 'invalid_signature') return refusedEvent.publish({})
    const { name } = stripe
    const event = readStripeEvent(readEventOf(JSON.parse(String(request.body))), name)
    if (!event) return
    const { rows } = await sql`
      select 1 from checkout where processor = ${name} and "sessionId" = ${event.sessionId ?? ''}
      union all select 1 from payment where processor = ${name} and "paymentId" = ${event.paymentId}`.execute(db)
    const release = rows.length > 0 && (await checks.acquire({ networks: clientNetworks(request) }))
    if (!release) return
    const found = await stripe
      .findEvent(event.eventId)
      .catch(error => error.statusCode === 403 && { id: event.eventId })
      .finally(release)
    if (found && found.id === event.eventId) refusedEvent.publish({})
  } catch {
    // It is no event, or the database is unreachable, which has an alert of its own.
  }
}

/**
 * If the database fails, other routes reply 503. A webhook gets 500, and 503 only if the database is busy. Stripe
 * delivers again in both cases.
 */
async function apply(store: Store, event: ProcessorEvent, now: number): Promise<'applied' | 'repeated'> {
  try {
    return await applyEvent(store, event, now)
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    void warn(store, 'event_not_stored', now)
    throw new Problem('internal_error', { cause })
  }
}

/** What Stripe listed, and how many events the ledger did not have. */
export interface RecordedFromStripe {
  listed: number
  recorded: number
}

/**
 * Records every event about money that Stripe still has, and that the ledger does not, in the order in which they
 * happened. Each goes through the same function as a webhook delivery, so a repeat changes nothing.
 *
 * @throws Error in one line if Stripe gives no good answer; what was recorded stays
 */
export async function recordFromStripe(
  store: Store,
  config: StripeConfig,
  clock: () => number,
): Promise<RecordedFromStripe> {
  // Stripe lists the newest first. Only what the ledger keeps is held in memory, because events are large.
  const events: ProcessorEvent[] = []
  for await (const listed of listEvents(config)) {
    const event = readStripeEvent(readEventOf(listed), config.name)
    if (event) events.push(event)
  }
  let recorded = 0
  for (const event of events.reverse()) if ((await applyEvent(store, event, clock())) === 'applied') recorded++
  return { listed: events.length, recorded }
}
