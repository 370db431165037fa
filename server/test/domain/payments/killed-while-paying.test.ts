// @module-tag programs
import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { type OpenedCheckout, openTestCheckout } from '../../support/ledger.ts'
import { startProcess } from '../../support/process.ts'

const PAYMENTS = 100
const KILLS = 2
const SECRET = 'whsec_killed'

interface Delivery {
  eventId: string
  payload: string
}

/** What Stripe sends for a paid session, and for a refund of a part of it. */
function deliveriesFor({ checkoutId, sessionId }: OpenedCheckout, index: number): Delivery[] {
  const created = Math.floor(Date.now() / 1000)
  const session = {
    object: 'checkout.session',
    id: sessionId,
    mode: 'payment',
    payment_status: 'paid',
    amount_total: 2500,
    currency: 'usd',
    client_reference_id: checkoutId,
    payment_intent: `pi_${index}`,
  }
  const charge = { object: 'charge', id: `ch_${index}`, payment_intent: `pi_${index}`, currency: 'usd' }
  const event = (id: string, type: string, object: object) => ({
    eventId: id,
    payload: JSON.stringify({ object: 'event', id, created, type, data: { object } }),
  })
  return [
    event(`evt_paid_${index}`, 'checkout.session.completed', session),
    event(`evt_refund_${index}`, 'charge.refunded', { ...charge, amount: 2500, amount_refunded: 500 }),
  ]
}

/** @returns the status, or undefined where nobody answered */
async function deliver(url: string, { payload }: Delivery): Promise<number | undefined> {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET })
  try {
    const response = await fetch(`${url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: payload,
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}

describe.each(ENGINES)('a service on %s that is killed while events stream in', engine => {
  let database: EmptyDatabase
  let store: Store
  const deliveries: Delivery[] = []

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    for (let index = 0; index < PAYMENTS; index++) {
      const checkout = await openTestCheckout(store, `site-${index % 40}.com`)
      deliveries.push(...deliveriesFor(checkout, index))
    }
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  const start = () =>
    startProcess({
      ...database.env,
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: 'sk_live_nobody',
      STRIPE_WEBHOOK_SECRET: SECRET,
      LOG_LEVEL: 'info',
    })

  it('keeps every event it answered for, and boards that follow from them at every moment', async () => {
    const answered = new Set<string>()
    let next = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const service = await start()
      let isRunning = true
      let answers = 0
      const stream = async () => {
        while (isRunning) {
          const delivery = deliveries[next++ % deliveries.length]
          if (!delivery || (await deliver(service.url, delivery)) !== 200) continue
          answered.add(delivery.eventId)
          answers++
        }
      }
      const streams = [stream(), stream(), stream(), stream()]
      // Make sure that something was answered before it dies, even on a busy machine.
      await expect.poll(() => answers, { interval: 5 }).toBeGreaterThan(1)
      await sleep(50 * kill)
      await service.end('SIGKILL')
      isRunning = false
      await Promise.all(streams)
      const stored = await store.db.selectFrom('processor_event').select('eventId').execute()
      const known = new Set(stored.map(row => row.eventId))
      expect([...answered].filter(id => !known.has(id))).toEqual([])
      expect((await reconcile(store, Date.now())).differences).toEqual([])
    }
    expect(answered.size).toBeGreaterThan(KILLS)

    // Like the processor, redeliver what was not answered.
    const service = await start()
    for (let from = 0; from < deliveries.length; from += 8) {
      const some = deliveries.slice(from, from + 8)
      const answers = await Promise.all(some.map(delivery => deliver(service.url, delivery)))
      expect(answers).toEqual(some.map(() => 200))
    }
    expect(await service.end('SIGTERM')).toBe(0)
    expect((await reconcile(store, Date.now())).differences).toEqual([])
    const { total } = await store.db
      .selectFrom('board_total')
      .select(({ fn }) => fn.sum<number | string>('totalCents').as('total'))
      .where('board', '=', 'all')
      .executeTakeFirstOrThrow()
    expect(Number(total)).toBe(PAYMENTS * 2000)
  })
})
