import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Quote } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStripe } from '../../../src/domain/payments/stripe.ts'
import { configFrom, type StripeConfig } from '../../../src/platform/config/config.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { startProcess } from '../../support/process.ts'
import {
  newCredentials,
  publishAtLast,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { type StripeApi, startStripeApi } from '../../support/stand-in.ts'
import { deliver } from '../../support/stripe-events.ts'
import { newVisitor } from '../../web/visitor.ts'

describe.each(SQLITE_FIRST)('a place paid at Stripe, on %s', engine => {
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

  it('leads from an agent’s quote through the payment page to the board, without skipping an event', async () => {
    const destination = 'http://quoted-bakery.com/'
    const { body: receipt } = await publishAtLast(service, newCredentials(), publishBody(destination))
    const ask = { destination, category: 'Food & Drink', board: 'all', targetBid: 25 }
    const { body: quoted } = await quote<Quote>(service, ask)
    const handoff = quoted.handoffUrl.replace(service.url, '')
    const fields = Object.fromEntries(new URL(quoted.handoffUrl).searchParams)

    const visitor = newVisitor(service)
    expect((await visitor.get(handoff)).html).toContain('$25.00')
    const link = receipt.ownership.privateRecoveryUrl ?? ''
    expect((await visitor.post('/promote/link', { ...fields, link })).status).toBe(303)
    const order = await visitor.post('/promote/checkout', { ...fields, amount: '2500', rules: '2026-09-06' })
    expect([order.status, order.location]).toEqual([303, expect.stringMatching(/^\/checkout\/[0-9a-f-]{36}\?pay=1$/)])
    const orderPath = order.location?.replace('?pay=1', '') ?? ''

    const [sessionId = ''] = /cs_sandbox_\w+/.exec((await visitor.get(orderPath)).html) ?? []
    const session = stripe.session(sessionId)
    expect([session.amountCents, session.clientReferenceId]).toEqual([2500, orderPath.split('/').at(-1)])
    expect((await visitor.get(`${orderPath}?returned=1`)).html).toContain('Waiting for confirmation')
    expect((await board()).entries).toEqual([])

    const paid = await stripe.complete(sessionId)
    expect((await deliver(service, paid)).body).toEqual({ received: 'applied' })
    expect((await deliver(service, paid)).body).toEqual({ received: 'repeated' })
    expect((await board()).entries).toMatchObject([{ rank: 1, totalCents: 2500, productUrl: receipt.productUrl }])
    expect((await visitor.get(`${orderPath}/state`)).html).toBe('{"state":"paid"}')
    const { body: again } = await quote<Quote>(service, { ...ask, targetBid: 30 })
    expect([again.chargeAmountCents, again.estimatedRank]).toEqual([500, 1])
  })
})

it('warns at each look at a payment made long ago without an event', { tags: ['programs'] }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-silence-'))
  const stripe = await startStripeApi({ clock: Date.now })
  const service = await startProcess({ DATA_DIR: dataDir, ...stripe.env })
  const store = await openStore(configFrom({ DATA_DIR: dataDir }))
  const processor = createStripe(configFrom(stripe.env).stripe as StripeConfig)
  const look = (id: string) => newVisitor(service).get(`/checkout/${id}`)
  const warnings = () => service.output().match(/"level":40[^\n]*no event of it has arrived/g) ?? []

  const orders: string[] = []
  for (const [host, ageMinutes] of [
    ['old-bakery.com', 11],
    ['new-bakery.com', 9],
  ] as const) {
    const createdAt = Date.now() - ageMinutes * 60_000
    const { checkoutId } = await openTestCheckout(store, host)
    const about = { board: 'all', createdAt, amountCents: 2500, description: host } as const
    const urls = { successUrl: 'https://placard.example/', cancelUrl: 'https://placard.example/' }
    const sessionId = await processor.createSession({ checkoutId, ...about, ...urls })
    await stripe.complete(sessionId)
    await store.transact(trx =>
      trx.updateTable('checkout').set({ sessionId, createdAt }).where('id', '=', checkoutId).execute(),
    )
    orders.push(checkoutId)
  }
  const [old = '', young = ''] = orders
  for (const id of [old, old, young]) {
    expect((await look(id)).html).toContain('<h1>Waiting for confirmation</h1>')
  }
  expect(await service.end('SIGTERM')).toBe(0)
  expect(warnings()).toEqual([expect.stringContaining(old)])
  await Promise.all([store.close(), stripe.close()])
  rmSync(dataDir, { recursive: true, force: true })
})
