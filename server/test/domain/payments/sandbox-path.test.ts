import { BOARDS_PATH, type BoardPage } from '@placard/contract'
import type { Sandbox } from '@placard/sandbox'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SAME_SQL } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { openSandbox } from '../../support/stand-in.ts'

const SECOND = 1000

describe.each(SAME_SQL)('paid at the sandbox of the service on %s, the board', engine => {
  let service: TestService
  let sandbox: Sandbox
  let id: string
  let path: string
  let behind: string

  beforeEach(async () => {
    service = await startTestService({ engine })
    sandbox = openSandbox(service)
    const store = await service.database.openStore()
    const { checkoutId, host } = await openTestCheckout(store, 'sunrise-bakery.com')
    // Opened beside the service, which does everything else.
    const order = {
      clientReferenceId: checkoutId,
      description: `Paid place for ${host}`,
      amountCents: 2500,
      successUrl: `${service.url}/checkout/${checkoutId}`,
      cancelUrl: service.url,
      expiresAt: service.clock.now + 60 * 60 * SECOND,
    }
    id = sandbox.openSession({ idempotencyKey: checkoutId, parameters: '', order }).id
    await store.transact(trx =>
      trx.updateTable('checkout').set({ processor: 'sandbox', sessionId: id }).where('id', '=', checkoutId).execute(),
    )
    await store.close()
    path = `/sandbox/pay/${id}`
    behind = `/sandbox/sessions/${id}`
  })
  afterEach(async () => {
    await sandbox.close()
    await service.stop()
  })

  async function press(address: string, fields: Record<string, string>): Promise<void> {
    const response = await fetch(service.url + address, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    })
    expect(response.status).toBe(303)
  }
  async function totals(): Promise<number[]> {
    const page = (await (await fetch(`${service.url}${BOARDS_PATH}/all`)).json()) as BoardPage
    return page.entries.map(entry => entry.totalCents)
  }

  test('changes with a payment, its refund and its dispute, however they turn, and is right after every repeat', async () => {
    await press(path, { act: 'decline' })
    expect(await totals()).toEqual([])
    await press(path, { act: 'pay_later' })
    expect(await totals()).toEqual([])
    await press(behind, { act: 'succeed' })
    expect(await totals()).toEqual([2500])
    await press(behind, { act: 'refund', amount: '5.50' })
    expect(await totals()).toEqual([1950])
    await press(behind, { act: 'dispute' })
    expect(await totals()).toEqual([])
    await press(behind, { act: 'win' })
    expect(await totals()).toEqual([1950])
    // A bank takes days for it, and events have their time in seconds.
    service.clock.now += SECOND
    await press(behind, { act: 'turn' })
    expect(await totals()).toEqual([])
    service.clock.now += SECOND
    await press(behind, { act: 'turn' })
    expect(await totals()).toEqual([1950])
    await press(behind, { act: 'fail_refund' })
    expect(await totals()).toEqual([2500])
    const events = sandbox.eventsOf({ id })
    expect(events).toHaveLength(9)
    for (const { eventId } of events.reverse()) await press(`${behind}/deliver`, { event: eventId })
    expect(await totals()).toEqual([2500])
    const delivered = sandbox.eventsOf({ id }).map(({ deliveries, answer }) => ({ deliveries, answer }))
    expect(delivered).toEqual(Array(9).fill({ deliveries: 2, answer: '200' }))
  })

  test('gets a refund before its payment, and five seconds late', async () => {
    await press(path, { act: 'pay', delivery: 'soon' })
    await press(behind, { act: 'refund', amount: '1' })
    expect(await totals()).toEqual([])
    service.clock.now += 5 * SECOND
    await expect.poll(totals).toEqual([2400])
  })
})
