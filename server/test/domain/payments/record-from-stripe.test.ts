import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAME_SQL } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { type StripeApi, startStripeApi } from '../../support/stand-in.ts'
import { deliver } from '../../support/stripe-events.ts'

/** More than Stripe lists in one reply. */
const PAYMENTS = 120

describe.each(SAME_SQL)('reconcile --from-stripe on %s', engine => {
  let stripe: StripeApi
  let service: TestService

  beforeAll(async () => {
    stripe = await startStripeApi()
    service = await startTestService({ engine, env: stripe.env })
  })
  afterAll(async () => {
    await service.stop()
    await stripe.close()
  })

  const placard = (...args: string[]) => operateHere({ ...service.database.env, ...stripe.env }, ...args)
  const totals = async () => {
    const board = await (await fetch(`${service.url}/api/v1/boards/all`)).json()
    return (board.entries as { totalCents: number }[]).map(({ totalCents }) => totalCents)
  }
  /** An order with a payment page, as the service opens it. */
  async function order(host: string) {
    const store = await service.database.openStore()
    const { checkoutId } = await openTestCheckout(store, host)
    const page = { description: host, amountCents: 2500, successUrl: service.url, cancelUrl: service.url }
    const { id } = stripe.sandbox.openSession({
      idempotencyKey: checkoutId,
      parameters: '',
      order: { ...page, clientReferenceId: checkoutId, expiresAt: service.clock.now + 3_600_000 },
    })
    await store.transact(trx =>
      trx.updateTable('checkout').set({ sessionId: id }).where('id', '=', checkoutId).execute(),
    )
    await store.close()
    return id
  }

  it('records what the ledger lacks, once, in whatever order it comes', async () => {
    const sessions = await Promise.all(Array.from({ length: PAYMENTS }, (_, nth) => order(`paid-${nth % 40}.com`)))
    const events = []
    for (const id of sessions) events.push(await stripe.complete(id))
    // One arrived as usual, and one was refunded since.
    const [known] = events
    if (known) await deliver(service, known)
    await stripe.sandbox.act(sessions[1] ?? '', { name: 'refund', amountCents: 500 }, 'by_hand')
    expect(await totals()).toEqual([2500])

    const all = stripe.sandbox.listEvents({ types: [], after: undefined, limit: 1000 }).events.length
    const { code, output } = await placard('reconcile', '--from-stripe')
    expect(output).toContain(`Recorded ${all - 1} of ${all} events that Stripe lists.`)
    expect([code, output]).toEqual([0, expect.stringContaining('No difference: 120 payments')])
    expect((await totals()).sort()).toEqual([7000, ...Array(39).fill(7500)])

    const again = await placard('reconcile', '--from-stripe', '--json')
    expect(JSON.parse(again.output.split('\n')[0] ?? '')).toEqual({ listed: all, recorded: 0, unplaced: 0 })
  })

  it('says which payments fit no order, because the order itself was lost', async () => {
    const id = await order('lost-order.com')
    await stripe.complete(id)
    const store = await service.database.openStore()
    await store.db.deleteFrom('checkout').where('sessionId', '=', id).execute()
    await store.close()
    const { output } = await placard('reconcile', '--from-stripe')
    expect(output).toContain('Recorded 1 of')
    expect(output).toContain('Unmatched payments: 1.')
  })

  it('says in one line why Stripe gives no list', async () => {
    stripe.mood = 'broken'
    const failed = await placard('reconcile', '--from-stripe')
    stripe.mood = 'well'
    expect([failed.code, failed.output]).toEqual([1, expect.stringContaining('Stripe does not answer')])
    const other = await operateHere(
      { ...service.database.env, ...stripe.env, STRIPE_SECRET_KEY: 'sk_live_of_another' },
      'reconcile',
      '--from-stripe',
    )
    expect([other.code, other.output]).toEqual([1, expect.stringContaining('Stripe rejected STRIPE_SECRET_KEY')])
    expect(other.output).not.toContain('sk_live')
    const none = await operateHere({ ...service.database.env, PAYMENTS: 'none' }, 'reconcile', '--from-stripe')
    expect([none.code, none.output]).toEqual([1, expect.stringContaining('needs PAYMENTS=stripe')])
  })
})
