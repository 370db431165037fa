import { createHmac } from 'node:crypto'
import { openCheckouts, type StripeEvent } from '../../bench/payments.ts'
import { post, type Sent } from '../../bench/requests.ts'
import type { Store } from '../../server/dist/platform/db/store.js'
import { inLanes, send } from './history.ts'

const WEBHOOK_SECRET = 'whsec_of_the_faults'
/** Payments by Stripe, whose events are made here. Its API is never asked. */
export const STRIPE_ENV = {
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_nobody',
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
}

const [PAYMENTS, HOSTS, DOLLARS, REFUNDED_DOLLARS] = [120, 40, 25, 5]
const TOTAL_CENTS = (PAYMENTS / HOSTS) * (DOLLARS - REFUNDED_DOLLARS) * 100
/** Stripe delivers again after either: docs/payments.md. */
const AGAIN = new Set([500, 503])

/** Orders that wait to be paid, and what Stripe sends about each: paid, and partly refunded. */
export class Money {
  readonly answered = new Set<string>()
  readonly #odd = new Set<number>()
  #events: StripeEvent[] = []
  #next = 0

  async open(store: Store): Promise<void> {
    const amounts = { dollars: DOLLARS, refundedDollars: REFUNDED_DOLLARS }
    const orders = Array.from({ length: PAYMENTS }, (_, nth) => ({
      host: `paid-${nth % HOSTS}.com`,
      ...amounts,
    }))
    this.#events = await openCheckouts(store, orders)
  }

  /** Delivers the next event, in turns without end. @returns the status; undefined without an answer */
  deliverNext(url: string): Promise<number | undefined> {
    return this.#deliver(url, this.#events[this.#next++ % this.#events.length] as StripeEvent)
  }

  /** What Stripe does in the days after: delivers whatever was not answered, until it is. */
  async deliverRest(url: string): Promise<void> {
    for (let round = 0; round < 10; round++) {
      const rest = this.#events.filter(({ id }) => !this.answered.has(id))
      await inLanes(8, rest, event => this.#deliver(url, event))
    }
  }

  /** The events that were acknowledged, in the order in which they are delivered. */
  get sent(): StripeEvent[] {
    return this.#events.filter(({ id }) => this.answered.has(id))
  }

  /** Acknowledged events that the database does not have. */
  async missing({ db }: Store): Promise<StripeEvent[]> {
    const stored = await db.selectFrom('processor_event').select('eventId').execute()
    const known = new Set(stored.map(({ eventId }) => eventId))
    return this.sent.filter(({ id }) => !known.has(id))
  }

  /** Events whose answer was lost again, and totals that are not what was paid. */
  async faults({ db }: Store): Promise<string[]> {
    const stored = await db.selectFrom('processor_event').select('eventId').execute()
    const known = new Set(stored.map(({ eventId }) => eventId))
    const totals = await db.selectFrom('board_total').selectAll().where('board', '=', 'all').execute()
    const right = totals.filter(({ totalCents }) => Number(totalCents) === TOTAL_CENTS)
    return [
      ...this.#events.flatMap(({ id }) => (known.has(id) ? [] : [`event ${id} is lost`])),
      ...[...this.#odd].map(status => `a webhook was answered ${status}`),
      ...(right.length === HOSTS ? [] : [`${right.length} of ${HOSTS} hosts have the right total`]),
    ]
  }

  async #deliver(url: string, event: StripeEvent): Promise<number | undefined> {
    const { status } = (await send(url, delivery(event))) ?? {}
    if (status === 200) this.answered.add(event.id)
    else if (status !== undefined && !AGAIN.has(status)) this.#odd.add(status)
    return status
  }
}

/** A delivery of an event, signed now. */
function delivery(event: StripeEvent): Sent {
  const delivered = post('/webhooks/stripe', event)
  const time = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${delivered.body}`).digest('hex')
  return { ...delivered, headers: { ...delivered.headers, 'stripe-signature': `t=${time},v1=${signature}` } }
}
