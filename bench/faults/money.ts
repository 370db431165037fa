import { createHmac, randomUUID } from 'node:crypto'
import type { Store } from '../../server/dist/platform/db/store.js'

const WEBHOOK_SECRET = 'whsec_of_faults'
/** Payments by Stripe, whose events these scripts play. Its API is never asked. */
export const STRIPE_ENV = {
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_nobody',
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
}

const PAID_CENTS = 2500
const REFUNDED_CENTS = 500
/** Stripe delivers again after either: docs/payments.md. */
const AGAIN = new Set([500, 503])
const REST_ROUNDS = 10
const REST_LANES = 8

interface Delivery {
  id: string
  payload: string
}

/** Orders that wait to be paid, and what Stripe sends about each: paid, and partly refunded. */
export class Money {
  readonly deliveries: Delivery[] = []
  readonly #answered = new Set<string>()
  readonly #expected = new Map<string, number>()
  readonly #odd = new Set<number>()
  #next = 0

  async open(store: Store, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const host = `paid-${index % 40}.com`
      const checkoutId = await openCheckout(store, host)
      this.deliveries.push(...eventsOf(checkoutId))
      this.#expected.set(host, (this.#expected.get(host) ?? 0) + PAID_CENTS - REFUNDED_CENTS)
    }
  }

  /** Delivers the next event, in turns without end. @returns the status; undefined if nobody answered */
  deliverNext(url: string): Promise<number | undefined> {
    return this.#deliver(url, this.deliveries[this.#next++ % this.deliveries.length] as Delivery)
  }

  /** What Stripe does in the days after: delivers whatever was not answered, until it is. */
  async deliverRest(url: string): Promise<void> {
    for (let rounds = 0; rounds < REST_ROUNDS; rounds++) {
      const rest = this.deliveries.filter(({ id }) => !this.#answered.has(id))
      const lane = async () => {
        for (let next = rest.shift(); next; next = rest.shift()) await this.#deliver(url, next)
      }
      await Promise.all(Array.from({ length: REST_LANES }, lane))
    }
  }

  get answered(): number {
    return this.#answered.size
  }

  /** Events whose answer was lost again, and totals that are not what was paid. */
  async faults({ db }: Store): Promise<string[]> {
    const stored = await db.selectFrom('processor_event').select('eventId').execute()
    const known = new Set(stored.map(({ eventId }) => eventId))
    const lost = this.deliveries.filter(({ id }) => !known.has(id))
    const totals = await db
      .selectFrom('board_total')
      .select(['destinationKey', 'totalCents'])
      .where('board', '=', 'all')
      .execute()
    const total = new Map(totals.map(each => [each.destinationKey.split(':')[1], Number(each.totalCents)]))
    const wrong = [...this.#expected].filter(([host, cents]) => total.get(host) !== cents)
    return [
      ...lost.map(({ id }) => `event ${id} is lost`),
      ...[...this.#odd].map(status => `a webhook was answered ${status}`),
      ...wrong.map(([host, cents]) => `${host} has ${total.get(host)} cents instead of ${cents}`),
    ]
  }

  async #deliver(url: string, { id, payload }: Delivery): Promise<number | undefined> {
    const time = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${payload}`).digest('hex')
    try {
      const response = await fetch(`${url}/webhooks/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` },
        body: payload,
        signal: AbortSignal.timeout(40_000),
      })
      await response.arrayBuffer()
      if (response.status === 200) this.#answered.add(id)
      else if (!AGAIN.has(response.status)) this.#odd.add(response.status)
      return response.status
    } catch {
      return undefined
    }
  }
}

/** As `/promote` leaves it: the page is reviewed, and nobody has paid yet. */
async function openCheckout(store: Store, host: string): Promise<string> {
  const id = randomUUID()
  const page = { title: host, description: '', siteName: '', language: 'en', imageUrl: null }
  // In a transaction, which waits while the service writes.
  await store.transact(trx =>
    trx
      .insertInto('checkout')
      .values({
        id,
        processor: 'stripe',
        sessionId: `cs_${id}`,
        destinationKey: `2:${host}`,
        url: `http://${host}/`,
        hostname: host,
        category: 'Games',
        board: 'all',
        targetBid: 25,
        amountCents: PAID_CENTS,
        page: JSON.stringify(page),
        provedBy: 'dns_txt',
        rulesVersion: '2026-09-06',
        createdAt: Date.now(),
        supersededAt: null,
      })
      .execute(),
  )
  return id
}

function eventsOf(checkoutId: string): Delivery[] {
  const payment = { payment_intent: `pi_${checkoutId}`, currency: 'usd' }
  const session = {
    object: 'checkout.session',
    id: `cs_${checkoutId}`,
    client_reference_id: checkoutId,
    mode: 'payment',
    ...payment,
    payment_status: 'paid',
    amount_total: PAID_CENTS,
  }
  const charge = {
    object: 'charge',
    id: `ch_${checkoutId}`,
    ...payment,
    amount: PAID_CENTS,
    amount_refunded: REFUNDED_CENTS,
  }
  const event = (id: string, type: string, object: object): Delivery => {
    const about = { object: 'event', id, type, livemode: true, created: Math.floor(Date.now() / 1000) }
    return { id, payload: JSON.stringify({ ...about, data: { object } }) }
  }
  return [
    event(`evt_paid_${checkoutId}`, 'checkout.session.completed', session),
    event(`evt_refunded_${checkoutId}`, 'charge.refunded', charge),
  ]
}
