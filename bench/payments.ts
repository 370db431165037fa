import { randomUUID } from 'node:crypto'
import { CONTRACT_VERSION } from '@placard/contract'
import { NO_METADATA } from '../server/dist/domain/review/page.js'
import type { Store } from '../server/dist/platform/db/store.js'

/** An event as Stripe sends it. */
export interface StripeEvent {
  object: 'event'
  id: string
  type: string
  livemode: true
  /** Unix seconds. */
  created: number
  data: { object: object }
}

/** What is wanted of a host's order. */
export interface Order {
  host: string
  dollars: number
  refundedDollars?: number
}

/**
 * Opens checkouts, as `/promote` leaves them: the page is reviewed, and no one has paid yet.
 *
 * @returns what Stripe then sends about each: that it was paid, and refunded in part
 */
export async function openCheckouts(store: Store, orders: readonly Order[]): Promise<StripeEvent[]> {
  const opened = orders.map(order => ({ ...order, id: randomUUID() }))
  const rows = opened.map(({ id, host, dollars }) => {
    const site = { destinationKey: `2:${host}`, url: `https://${host}/`, hostname: host, category: 'Games' }
    const wanted = { board: 'all' as const, targetBid: dollars, amountCents: dollars * 100 }
    const processor = { processor: 'stripe' as const, sessionId: `cs_${id}` }
    const proof = { provedBy: 'dns_txt' as const, rulesVersion: CONTRACT_VERSION }
    const page = JSON.stringify({ ...NO_METADATA, title: host, language: 'en' })
    return { id, ...site, ...wanted, ...processor, ...proof, page, createdAt: Date.now(), supersededAt: null }
  })
  await store.transact(trx => trx.insertInto('checkout').values(rows).execute())
  return opened.flatMap(eventsOf)
}

function eventsOf({ id, dollars, refundedDollars = 0 }: Order & { id: string }): StripeEvent[] {
  const payment = { payment_intent: `pi_${id}`, currency: 'usd' }
  const reference = { id: `cs_${id}`, client_reference_id: id, mode: 'payment', payment_status: 'paid' }
  const session = { object: 'checkout.session', ...payment, ...reference, amount_total: dollars * 100 }
  const refund = { amount: dollars * 100, amount_refunded: refundedDollars * 100 }
  const charge = { object: 'charge', id: `ch_${id}`, ...payment, ...refund }
  const created = Math.floor(Date.now() / 1000)
  const event = (type: string, object: object): StripeEvent => {
    return { object: 'event', id: `evt_${type}_${id}`, type, livemode: true, created, data: { object } }
  }
  const paid = event('checkout.session.completed', session)
  return refundedDollars > 0 ? [paid, event('charge.refunded', charge)] : [paid]
}
