// @module-tag slow
import type { Sandbox } from '@placard/sandbox'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SAME_SQL } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { openSandbox } from '../../support/stand-in.ts'
import { startReceiver } from './receiver.ts'

describe.each(SAME_SQL)('a shared cache in front of the service on %s', engine => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let service: TestService
  let sandbox: Sandbox

  beforeEach(async () => {
    receiver = await startReceiver()
    service = await startTestService({ engine, env: { PURGE_URL: receiver.url }, jobsEveryMs: 100 })
    sandbox = openSandbox(service)
    await told(['site'])
  })
  afterEach(async () => {
    await sandbox.close()
    await service.stop()
    await receiver.close()
  })

  /** Waits until exactly these were told, in however many requests. */
  async function told(tags: string[]): Promise<void> {
    const seen = new Set<string>()
    const look = () => {
      for (const tag of receiver.tags()) seen.add(tag)
      return [...seen].sort()
    }
    await expect.poll(look).toEqual(tags.sort())
  }

  const OF_LISTING = ['home', 'newest', 'listings', 'category-food-drink']
  const OF_MONEY = ['board-all', 'board-today', 'board-food-drink']

  async function pay(host: string) {
    const store = await service.database.openStore()
    const { checkoutId } = await openTestCheckout(store, host)
    const order = {
      clientReferenceId: checkoutId,
      description: 'Paid place',
      amountCents: 2500,
      successUrl: service.url,
      cancelUrl: service.url,
      expiresAt: service.clock.now + 3_600_000,
    }
    const { id } = sandbox.openSession({ idempotencyKey: checkoutId, parameters: '', order })
    await store.transact(trx =>
      trx.updateTable('checkout').set({ processor: 'sandbox', sessionId: id }).where('id', '=', checkoutId).execute(),
    )
    const press = (path: string, fields: Record<string, string>) =>
      fetch(service.url + path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin' },
        redirect: 'manual',
      })
    await press(`/sandbox/pay/${id}`, { act: 'pay' })
    return () => press(`/sandbox/sessions/${id}`, { act: 'refund', amount: '5.00' })
  }

  test('is told of a new listing, of what an operator does in another process, and of payments', async () => {
    const { status } = await publish(service, newCredentials(), publishBody('http://sunrise-bakery.com'))
    expect(status).toBe(201)
    await told([...OF_LISTING])
    const slug = 'sunrise-bakery-com'
    const ofAct = [...OF_LISTING, 'search', `listing-${slug}`]
    await operateHere(service.database.env, 'hide', slug, '--reason', 'Looked at')
    await told(ofAct)
    await operateHere(service.database.env, 'restore', slug, '--reason', 'Looked at')
    await told(ofAct)
    const refund = await pay('sunrise-bakery.com')
    await told([...OF_MONEY, 'home', 'listings', `listing-${slug}`])
    await refund()
    await told([...OF_MONEY, 'home', 'listings', `listing-${slug}`, 'days'])
    await operateHere(service.database.env, 'hide', slug, '--reason', 'Looked at')
    await told([...ofAct, ...OF_MONEY, 'days'])
  })

  test('is told by one of several instances, which alone drops everything when it starts', async () => {
    const { database, sites } = service
    const other = await startTestService({ engine, database, sites, env: { PURGE_URL: receiver.url } })
    expect((await publish(other, newCredentials(), publishBody('http://sunrise-bakery.com'))).status).toBe(201)
    await told([...OF_LISTING])
    await other.stop()
    const heard = receiver.heard.length
    await operateHere(database.env, 'hide', 'sunrise-bakery-com', '--reason', 'Looked at')
    await told([...OF_LISTING, 'search', 'listing-sunrise-bakery-com'])
    expect(heard).toBe(0)
  })
})
