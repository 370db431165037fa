// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOON } from '../../server/test/support/service.ts'
import { type Act, type ActName, possibleActs } from '../src/acts.ts'
import { type SandboxApp, startSandbox } from './sandbox-app.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

describe('the sandbox', () => {
  let app: SandboxApp
  beforeEach(async () => {
    app = await startSandbox()
  })
  afterEach(() => app.stop())

  const opened = (fields = {}) => app.stripe.createSession(app.order(fields))
  const act = (id: string, name: Exclude<ActName, 'refund'>, delivery: 'now' | 'soon' | 'by_hand' = 'now') =>
    app.sandbox.act(id, { name }, delivery)
  const refund = (id: string, amountCents: number | 'all') =>
    app.sandbox.act(id, { name: 'refund', amountCents }, 'now')
  const eventsOf = (id: string) => app.sandbox.eventsOf({ id })
  /** Delivers the first event of a session by hand. */
  async function deliverFirst(id: string): Promise<boolean> {
    const [event] = eventsOf(id)
    if (!event) throw new Error('there is no event')
    return app.sandbox.deliverAgain({ id }, event.eventId)
  }
  const kinds = () => app.events().map(event => event?.kind)

  describe('sessions', () => {
    test('the same order asked for again, also at once, is one session', async () => {
      const order = app.order()
      const ids = await Promise.all(Array.from({ length: 5 }, () => app.stripe.createSession(order)))
      app.clock.now += MINUTE
      ids.push(await app.stripe.createSession(order))
      expect(new Set(ids).size).toBe(1)
      expect(ids[0]).toMatch(/^cs_sandbox_[0-9a-f]{32}$/)
      expect(await opened()).not.toBe(ids[0])
    })

    test.each([
      { amountCents: 1 },
      { description: 'Another' },
      { successUrl: 'http://127.0.0.1/other' },
      { createdAt: NOON + SECOND },
    ])('a checkout that is repeated with %j is refused', async changed => {
      const order = app.order()
      await app.stripe.createSession(order)
      await expect(app.stripe.createSession({ ...order, ...changed })).rejects.toMatchObject({
        code: 'payments_unavailable',
      })
      expect(app.sandbox.newestSessions(9)).toHaveLength(1)
    })

    test('are open for an hour from the order on', async () => {
      const order = app.order()
      app.clock.now += 10 * MINUTE
      const id = await app.stripe.createSession(order)
      app.clock.now += 50 * MINUTE - 1
      expect(await app.stripe.readSession(id)).toEqual({
        status: 'open',
        url: `${app.url}/sandbox/pay/${id}`,
      })
      app.clock.now += 1
      expect(await app.stripe.readSession(id)).toEqual({ status: 'expired', url: null })
      expect(await act(id, 'pay')).toBe(false)
      expect(app.received).toEqual([])
    })

    test.each([
      ['12:00', '13:00'],
      ['23:10', '24:00'],
      ['23:29', '24:00'],
      // Stripe keeps none open for less than 30 minutes.
      ['23:30', '24:01'],
      ['23:59', '24:30'],
    ])('of today that are opened at %s are open until %s', async (from, until) => {
      const at = (time: string) => {
        const [hours = 0, minutes] = time.split(':').map(Number)
        return Date.UTC(2026, 10, 21, hours, minutes)
      }
      app.clock.now = at(from)
      const id = await app.stripe.createSession(app.order({ board: 'today' }))
      app.clock.now = at(until) - 1
      expect((await app.stripe.readSession(id)).status).toBe('open')
      app.clock.now = at(until)
      expect((await app.stripe.readSession(id)).status).toBe('expired')
    })

    test('can be closed, unless they are paid', async () => {
      const [closed, paid] = [await opened(), await opened()]
      await act(paid, 'pay')
      expect(await app.stripe.expireSession(closed)).toBe('closed')
      expect(await app.stripe.expireSession(closed)).toBe('closed')
      expect(await app.stripe.expireSession(paid)).toBe('complete')
      expect(await app.stripe.readSession(closed)).toEqual({ status: 'expired', url: null })
      expect(await app.stripe.readSession(paid)).toEqual({ status: 'complete', url: null })
      expect(await act(closed, 'pay')).toBe(false)
      expect(app.received).toHaveLength(1)
    })

    test('that do not exist cannot be read or paid', async () => {
      for (const id of [`cs_sandbox_${'0'.repeat(32)}`, 'cs_sandbox_\0', '']) {
        await expect(app.stripe.readSession(id)).rejects.toMatchObject({ code: 'payments_unavailable' })
        expect(app.sandbox.findSession(id)).toBe(undefined)
      }
      expect(await act(`cs_sandbox_${'0'.repeat(32)}`, 'pay')).toBe(false)
    })
  })

  describe('events', () => {
    test('a payment is delivered once, signed, and says what was paid', async () => {
      const order = app.order()
      const id = await app.stripe.createSession(order)
      app.clock.now += 1234
      expect(await act(id, 'pay')).toBe(true)
      const session = app.sandbox.findSession(id)
      expect(app.events()).toEqual([
        {
          processor: 'sandbox',
          eventId: expect.stringMatching(/^evt_sandbox_[0-9a-f]{32}$/),
          type: 'checkout.session.completed',
          kind: 'paid',
          livemode: 0,
          occurredAt: NOON + 1000,
          paymentId: session?.paymentId,
          sessionId: id,
          checkoutId: order.checkoutId,
          amountCents: 2500,
          currency: 'usd',
          refundId: null,
          disputeId: null,
        },
      ])
      expect(eventsOf(id)).toMatchObject([
        { deliveries: 1, deliveredAt: app.clock.now, deliverAt: null, answer: '200' },
      ])
    })

    test('one that is forged, altered or old is refused', async () => {
      await act(await opened(), 'pay')
      const [{ body, signature } = { body: Buffer.alloc(0), signature: '' }] = app.received
      const { now } = app.clock
      const refused = expect.objectContaining({ code: 'invalid_signature' })
      expect(() => app.stranger.readEvent(body, signature, now)).toThrow(refused)
      const altered = Buffer.from(body.toString().replace('2500', '9500'))
      expect(() => app.stripe.readEvent(altered, signature, now)).toThrow(refused)
      expect(() => app.stripe.readEvent(body, undefined, now)).toThrow(refused)
      expect(() => app.stripe.readEvent(body, signature, now + 6 * MINUTE)).toThrow(refused)
      expect(app.stripe.readEvent(body, signature, now)).toMatchObject({ kind: 'paid' })
    })

    test('are all about one payment, and each refund comes with the sum so far', async () => {
      const id = await opened()
      await act(id, 'pay')
      expect([await refund(id, 500), await refund(id, 1), await refund(id, 2000)]).toEqual([true, true, false])
      expect([await refund(id, 'all'), await refund(id, 'all'), await refund(id, 1)]).toEqual([true, false, false])
      const session = app.sandbox.findSession(id)
      expect(app.events()).toMatchObject([
        { kind: 'paid', amountCents: 2500 },
        { kind: 'refund_made', amountCents: 500, paymentId: session?.paymentId },
        { kind: 'refunded', amountCents: 500, paymentId: session?.paymentId },
        { kind: 'refund_made', amountCents: 1, paymentId: session?.paymentId },
        { kind: 'refunded', amountCents: 501, paymentId: session?.paymentId },
        { kind: 'refund_made', amountCents: 1999, paymentId: session?.paymentId },
        { kind: 'refunded', amountCents: 2500, paymentId: session?.paymentId },
      ])
    })

    test('a refund of nothing or less is none', async () => {
      const id = await opened()
      await act(id, 'pay')
      expect([await refund(id, 0), await refund(id, -5)]).toEqual([false, false])
      expect(kinds()).toEqual(['paid'])
    })

    test('a dispute holds what was not refunded, and can be won once', async () => {
      const id = await opened()
      await act(id, 'pay')
      await refund(id, 500)
      expect([await act(id, 'dispute'), await act(id, 'dispute')]).toEqual([true, false])
      expect(await refund(id, 100)).toBe(false)
      expect([await act(id, 'win'), await act(id, 'lose')]).toEqual([true, false])
      expect([await refund(id, 100), await act(id, 'dispute')]).toEqual([true, false])
      const [, , , disputed, won] = app.events()
      expect(disputed).toMatchObject({ kind: 'disputed', amountCents: 2000 })
      expect(won).toMatchObject({
        kind: 'dispute_won',
        disputeId: disputed?.disputeId,
        paymentId: disputed?.paymentId,
      })
      expect(disputed?.disputeId).toMatch(/^dp_sandbox_/)
      expect(app.events()[6]).toMatchObject({ kind: 'refunded', amountCents: 600 })
    })

    test('a refund fails, the newest first, and can then be made again', async () => {
      const id = await opened()
      await act(id, 'pay')
      expect(await act(id, 'fail_refund')).toBe(false)
      await refund(id, 700)
      await refund(id, 'all')
      expect([await act(id, 'fail_refund'), await act(id, 'fail_refund')]).toEqual([true, true])
      expect([await act(id, 'fail_refund'), await refund(id, 'all')]).toEqual([false, true])
      const refunds = app.events().filter(event => event?.refundId)
      const [first, second] = refunds.map(event => event?.refundId)
      expect(refunds).toMatchObject([
        { kind: 'refund_made', amountCents: 700, type: 'refund.created' },
        { kind: 'refund_made', amountCents: 1800 },
        { kind: 'refund_failed', amountCents: 1800, type: 'refund.failed', refundId: second },
        { kind: 'refund_failed', amountCents: 700, refundId: first },
        { kind: 'refund_made', amountCents: 2500 },
      ])
      expect(app.events().at(-1)).toMatchObject({ kind: 'refunded', amountCents: 2500 })
    })

    test('a dispute that is closed turns as often as the bank likes, about the same amount', async () => {
      const id = await opened()
      for (const name of ['pay', 'dispute', 'win'] as const) await act(id, name)
      await refund(id, 500)
      expect([await act(id, 'turn'), await act(id, 'turn'), await act(id, 'win')]).toEqual([true, true, false])
      const disputes = app.events().filter(event => event?.disputeId)
      expect(disputes.map(event => [event?.kind, event?.amountCents])).toEqual([
        ['disputed', 2500],
        ['dispute_won', 2500],
        ['dispute_lost', 2500],
        ['dispute_won', 2500],
      ])
      expect(new Set(disputes.map(event => event?.disputeId)).size).toBe(1)
    })

    test('after a lost dispute nothing is left to give back', async () => {
      const id = await opened()
      for (const name of ['pay', 'dispute', 'lose'] as const) expect(await act(id, name)).toBe(true)
      expect(await refund(id, 1)).toBe(false)
      expect(app.events()[2]).toMatchObject({ kind: 'dispute_lost', amountCents: 2500 })
    })

    test('money on its way arrives, or does not', async () => {
      const [lucky, unlucky] = [await opened(), await opened()]
      for (const id of [lucky, unlucky]) {
        expect(await act(id, 'pay_later')).toBe(true)
        expect(await act(id, 'pay')).toBe(false)
        expect(await refund(id, 'all')).toBe(false)
      }
      expect([await act(lucky, 'succeed'), await act(lucky, 'fail')]).toEqual([true, false])
      expect([await act(unlucky, 'fail'), await act(unlucky, 'succeed')]).toEqual([true, false])
      expect(await refund(unlucky, 'all')).toBe(false)
      expect(app.events().map(event => [event?.sessionId, event?.kind])).toEqual([
        [lucky, 'pending'],
        [unlucky, 'pending'],
        [lucky, 'paid'],
        [unlucky, 'failed'],
      ])
    })

    test.each<Act>([{ name: 'pay' }, { name: 'dispute' }, { name: 'refund', amountCents: 2500 }])(
      '$name asked for five times at once happens once',
      async what => {
        for (let round = 1; round <= 5; round++) {
          const id = await opened()
          if (what.name !== 'pay') await act(id, 'pay', 'by_hand')
          const done = await Promise.all(Array.from({ length: 5 }, () => app.sandbox.act(id, what, 'now')))
          expect(done.filter(Boolean)).toHaveLength(1)
          expect(app.received).toHaveLength(what.name === 'refund' ? 2 * round : round)
        }
      },
    )

    test('the order of everything that can happen is kept to', async () => {
      const id = await opened()
      const acts = () => {
        const session = app.sandbox.findSession(id)
        return session && possibleActs(session, app.clock.now)
      }
      expect(acts()).toEqual(['pay', 'pay_later'])
      await act(id, 'pay_later')
      expect(acts()).toEqual(['succeed', 'fail'])
      await act(id, 'succeed')
      expect(acts()).toEqual(['refund', 'dispute'])
      await act(id, 'dispute')
      expect(acts()).toEqual(['win', 'lose'])
      await act(id, 'win')
      expect(acts()).toEqual(['refund', 'turn'])
      await refund(id, 'all')
      expect(acts()).toEqual(['fail_refund', 'turn'])
      await act(id, 'turn')
      expect(acts()).toEqual(['fail_refund', 'turn'])
    })
  })

  test('forgets unpaid payment pages and events after 90 days, and keeps what was paid', async () => {
    const [paid, unpaid] = [await opened(), await opened()]
    await act(paid, 'pay')
    app.clock.now += 60 * DAY
    await refund(paid, 500)
    const left = () => [app.sandbox.newestSessions(9).map(({ id }) => id), eventsOf(paid).map(({ type }) => type)]
    app.sandbox.forgetOld()
    expect(left()).toEqual([
      expect.arrayContaining([paid, unpaid]),
      ['checkout.session.completed', 'refund.created', 'charge.refunded'],
    ])
    app.clock.now += 31 * DAY
    // As every start does.
    app.sandbox.start()
    expect(left()).toEqual([[paid], ['refund.created', 'charge.refunded']])
    expect(await refund(paid, 'all')).toBe(true)
  })

  describe('deliveries', () => {
    test('wait five seconds by the clock where that was chosen', async () => {
      await act(await opened(), 'pay', 'soon')
      app.clock.now += 5 * SECOND - 1
      await app.sandbox.deliverDue()
      expect(app.received).toEqual([])
      app.clock.now += 1
      await app.sandbox.deliverDue()
      await app.sandbox.deliverDue()
      expect(kinds()).toEqual(['paid'])
    })

    test('wait for a person where that was chosen, and so come in any order', async () => {
      const id = await opened()
      await act(id, 'pay', 'by_hand')
      await refund(id, 300)
      app.clock.now += 24 * 60 * MINUTE
      await app.sandbox.deliverDue()
      expect(app.received).toHaveLength(2)
      await deliverFirst(id)
      expect(app.received.map(({ body }) => JSON.parse(body.toString()).type)).toEqual([
        'refund.created',
        'charge.refunded',
        'checkout.session.completed',
      ])
    })

    test('are repeated with the same bytes and a new signature', async () => {
      const id = await opened()
      await act(id, 'pay')
      app.clock.now += 60 * MINUTE
      expect(await deliverFirst(id)).toBe(true)
      const [first, second, ...more] = app.received
      expect(second?.body).toEqual(first?.body)
      expect(second?.signature).not.toBe(first?.signature)
      expect(more).toEqual([])
      const read = app.stripe.readEvent(second?.body ?? Buffer.alloc(0), second?.signature, app.clock.now)
      expect(read).toMatchObject({ kind: 'paid', sessionId: id })
      expect(eventsOf(id)).toMatchObject([{ deliveries: 2, deliveredAt: app.clock.now }])
    })

    test('are made for events of the very session only', async () => {
      const [id, other] = [await opened(), await opened()]
      await act(id, 'pay')
      const [event] = eventsOf(id)
      if (!event) throw new Error('there is no event')
      for (const eventId of [event.eventId, `evt_sandbox_${'0'.repeat(32)}`, 'evt_sandbox_\0', '']) {
        expect(await app.sandbox.deliverAgain({ id: other }, eventId)).toBe(false)
      }
      expect(app.received).toHaveLength(1)
    })

    test.each([500, 400, 302, 'cut off'] as const)('are tried again after %s, at growing waits', async answer => {
      app.webhook.answer = answer
      const id = await opened()
      expect(await act(id, 'pay')).toBe(true)
      expect(app.received).toHaveLength(1)
      const waits: number[] = []
      for (;;) {
        const [event] = eventsOf(id)
        if (!event?.deliverAt) break
        waits.push((event.deliverAt - app.clock.now) / SECOND)
        app.clock.now = event.deliverAt - 1
        await app.sandbox.deliverDue()
        expect(app.received).toHaveLength(waits.length)
        app.clock.now += 1
        await app.sandbox.deliverDue()
        expect(app.received).toHaveLength(waits.length + 1)
      }
      expect(waits).toEqual([5, 15, 60, 300, 1800, 7200, 28800])
      expect(eventsOf(id)).toMatchObject([
        {
          attempts: 8,
          deliveries: 0,
          deliveredAt: null,
          answer: answer === 'cut off' ? expect.stringMatching(/^no answer/) : String(answer),
        },
      ])
    })

    test('reach a receiver that is available again, and stop there', async () => {
      app.webhook.answer = 500
      const id = await opened()
      await act(id, 'pay')
      app.webhook.answer = 200
      app.clock.now += 5 * SECOND
      await app.sandbox.deliverDue()
      app.clock.now += 24 * 60 * MINUTE
      await app.sandbox.deliverDue()
      expect(app.received).toHaveLength(2)
      expect(eventsOf(id)).toMatchObject([{ deliveries: 1, attempts: 0, deliverAt: null }])
    })

    test('that were given up are made by hand, and then tried as often again', async () => {
      app.webhook.answer = 503
      const id = await opened()
      await act(id, 'pay')
      for (let nth = 2; nth <= 8; nth++) {
        app.clock.now += 480 * MINUTE
        await app.sandbox.deliverDue()
      }
      expect(eventsOf(id)).toMatchObject([{ attempts: 8, deliverAt: null }])
      await deliverFirst(id)
      expect(eventsOf(id)).toMatchObject([{ deliveries: 0, attempts: 1, deliverAt: app.clock.now + 5 * SECOND }])
      app.webhook.answer = 200
      await deliverFirst(id)
      expect(eventsOf(id)).toMatchObject([{ deliveries: 1, attempts: 0, deliverAt: null }])
    })

    test('go on after a restart', async () => {
      const [soon, now] = [await opened(), await opened()]
      await act(soon, 'pay', 'soon')
      app.webhook.answer = 'cut off'
      await act(now, 'pay')
      await app.sandbox.close()
      app.webhook.answer = 200
      app.clock.now += 5 * SECOND
      app.received.length = 0
      app.newSandbox().start()
      await expect.poll(() => app.received.length).toBe(2)
      expect(new Set(app.events().map(event => event?.sessionId))).toEqual(new Set([soon, now]))
    })

    test('begin by themselves once they are due, and end with close', async () => {
      app.sandbox.start()
      const id = await opened()
      await act(id, 'pay', 'soon')
      app.clock.now += 5 * SECOND
      await expect.poll(() => app.received.length).toBe(1)
      await act(await opened(), 'pay', 'soon')
      await app.sandbox.close()
      app.clock.now += 5 * SECOND
      await app.sandbox.deliverDue()
      const clockReads = app.clockReads()
      await sleep(700)
      expect(app.received).toHaveLength(1)
      // And nothing looks for due deliveries: the store may be closed.
      expect(app.clockReads()).toBe(clockReads)
    })

    test('one that close interrupts is repeated after a restart, and a due one is not begun', async () => {
      app.webhook.answer = 'hold'
      const [cut, due] = [await opened(), await opened()]
      const paid = Promise.all([act(cut, 'pay'), act(due, 'pay', 'soon')])
      await expect.poll(() => app.received.length).toBe(1)
      app.clock.now += 5 * SECOND
      let isOver = false
      void app.sandbox.deliverDue().then(() => {
        isOver = true
      })
      await app.sandbox.close()
      expect(isOver).toBe(true)
      expect(await paid).toEqual([true, true])
      expect(app.received).toHaveLength(1)
      const next = app.newSandbox()
      expect(next.eventsOf({ id: cut })).toMatchObject([{ attempts: 1, answer: null }])
      expect(next.eventsOf({ id: due })).toMatchObject([{ attempts: 0, answer: null }])
      app.webhook.answer = 200
      await next.deliverDue()
      expect(app.received).toHaveLength(3)
      expect(next.eventsOf({ id: cut })).toMatchObject([{ deliveries: 1, deliverAt: null }])
      expect(next.eventsOf({ id: due })).toMatchObject([{ deliveries: 1, deliverAt: null }])
    })

    test('one whose process dies on the way is not made by another before its time', async () => {
      app.webhook.answer = 'hold'
      const paid = act(await opened(), 'pay')
      await expect.poll(() => app.received.length).toBe(1)
      const other = app.newSandbox()
      app.clock.now += 5 * SECOND - 1
      await other.deliverDue()
      expect(app.received).toHaveLength(1)
      app.clock.now += 1
      app.webhook.answer = 200
      await other.deliverDue()
      expect(app.received).toHaveLength(2)
      app.release()
      await paid
    })

    test('of two instances make each attempt once', async () => {
      const other = app.newSandbox()
      for (let nth = 0; nth < 5; nth++) await act(await opened(), 'pay', 'soon')
      app.clock.now += 5 * SECOND
      await Promise.all([app.sandbox.deliverDue(), other.deliverDue()])
      expect(app.received).toHaveLength(5)
    })

    test('requested during another one are made as well', async () => {
      app.webhook.answer = 'hold'
      const id = await opened()
      const paid = act(id, 'pay')
      await expect.poll(() => app.received.length).toBe(1)
      const again = deliverFirst(id)
      await expect.poll(() => eventsOf(id)[0]?.deliverAt).toBe(app.clock.now)
      app.release()
      await Promise.all([paid, again])
      expect(app.received).toHaveLength(2)
      expect(eventsOf(id)).toMatchObject([{ deliveries: 2, deliverAt: null }])
    })

    // Four seconds by the wall clock.
    test('that get no answer are given up for now', async () => {
      app.webhook.answer = 'hold'
      const id = await opened()
      await act(id, 'pay')
      expect(eventsOf(id)).toMatchObject([{ deliveries: 0, attempts: 1, answer: 'no answer within 4 seconds' }])
    })
  })
})
