import type { Quote } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newVisitor } from '../pages/visitor.ts'
import { ENGINES } from '../support/engines.ts'
import {
  newCredentials,
  publish,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { type StripeApi, startStripeApi } from '../support/stripe-api.ts'
import { deliver } from '../support/stripe-events.ts'

describe.each(ENGINES)('a place paid at Stripe, on %s', engine => {
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

  const board = async () => (await fetch(`${service.url}/api/v1/boards/all`)).json()

  it('leads from the quote of an agent over the payment page to the board, and no event less', async () => {
    const destination = 'http://quoted-bakery.com/'
    const { body: receipt } = await publish(service, newCredentials(), publishBody(destination))
    const ask = { destination, category: 'Food & Drink', board: 'all', targetBid: 25 }
    const { body: quoted } = await quote<Quote>(service, ask)
    const handoff = quoted.handoffUrl.replace(service.url, '')
    const fields = Object.fromEntries(new URL(quoted.handoffUrl).searchParams)

    const visitor = newVisitor(service)
    expect((await visitor.get(handoff)).html).toContain('$25.00')
    const link = receipt.ownership.privateRecoveryUrl ?? ''
    expect((await visitor.post('/promote/link', { ...fields, link })).status).toBe(303)
    const order = await visitor.post('/promote/checkout', { ...fields, amount: '2500', rules: '2026-09-06' })
    expect([order.status, order.location]).toEqual([
      303,
      expect.stringMatching(/^\/checkout\/[0-9a-f-]{36}$/),
    ])
    const orderPath = order.location ?? ''

    const [sessionId = ''] = /cs_test_\w+/.exec((await visitor.get(orderPath)).html) ?? []
    const session = stripe.session(sessionId)
    expect([session.amount_total, session.client_reference_id]).toEqual([2500, orderPath.split('/').at(-1)])
    expect((await visitor.get(`${orderPath}?returned=1`)).html).toContain('Waiting for confirmation')
    expect((await board()).entries).toEqual([])

    const paid = stripe.complete(sessionId)
    expect((await deliver(service, paid)).body).toEqual({ received: 'applied' })
    expect((await deliver(service, paid)).body).toEqual({ received: 'repeated' })
    expect((await board()).entries).toMatchObject([
      { rank: 1, totalCents: 2500, productUrl: receipt.productUrl },
    ])
    expect((await visitor.get(`${orderPath}/state`)).html).toBe('{"state":"paid"}')
    const { body: again } = await quote<Quote>(service, { ...ask, targetBid: 30 })
    expect([again.chargeAmountCents, again.estimatedRank]).toEqual([500, 1])
  })
})
