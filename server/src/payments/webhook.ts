import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../http/problem.ts'
import type { Store } from '../storage/store.ts'
import { applyEvent } from './apply-event.ts'
import type { StripeAccount } from './stripe.ts'
import type { ProcessorEvent } from './stripe-events.ts'

interface WebhookDependencies {
  stripe: StripeAccount
  store: Store
  clock: () => number
}

export const WEBHOOK_PATH = '/webhooks/stripe'

/** Far more than any event has. */
const EVENT_MAX_BYTES = 1024 * 1024

type Delivery = FastifyRequest<{ Body: Buffer | null | undefined }>

/**
 * POST /webhooks/stripe: the only way in which money gets into the ledger. Stripe repeats a delivery until
 * the answer is 200, so that is said only of what is stored, was stored before, or is of no concern.
 *
 * Resolves when the route is there: await it before other methods are rejected.
 */
export async function webhookRoute(
  app: FastifyInstance,
  { stripe, store, clock }: WebhookDependencies,
): Promise<void> {
  await app.register(async context => {
    acceptRawBytes(context)
    context.post(WEBHOOK_PATH, { bodyLimit: EVENT_MAX_BYTES }, async (request: Delivery, reply) => {
      reply.header('cache-control', 'no-store')
      const event = readEvent(stripe, request, clock())
      return { received: event ? await apply(store, event, clock()) : 'ignored' }
    })
  })
}

/** A signature is over the bytes, so nothing may read them before it; whatever they are called. */
function acceptRawBytes(context: FastifyInstance): void {
  context.removeAllContentTypeParsers()
  context.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

function readEvent(stripe: StripeAccount, request: Delivery, now: number): ProcessorEvent | undefined {
  const signature = request.headers['stripe-signature']?.toString()
  try {
    return stripe.readEvent(request.body ?? Buffer.alloc(0), signature, now)
  } catch (error) {
    // A misconfigured secret looks like this too, so an operator must be able to see it. The body is not logged.
    if (error instanceof Problem) request.log.warn({ code: error.code, why: error.cause }, 'event refused')
    throw error
  }
}

/**
 * Elsewhere a store that fails is a 503; of a webhook it is a fault like any other. Where it is only busy it is 503 here,
 * too. Either way Stripe delivers again.
 */
async function apply(store: Store, event: ProcessorEvent, now: number): Promise<'applied' | 'repeated'> {
  try {
    return await applyEvent(store, event, now)
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Problem('internal_error', { cause })
  }
}
