import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SandboxApp, startSandbox } from './sandbox-app.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const BANNER = 'Sandbox: no money moves. This page imitates a payment processor.'
const UNKNOWN = `cs_sandbox_${'0'.repeat(32)}`

const wordsOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

async function read(response: Response) {
  const html = await response.text()
  return { status: response.status, html, words: wordsOf(html) }
}

describe('the pages of the sandbox', () => {
  let app: SandboxApp
  beforeEach(async () => {
    app = await startSandbox()
  })
  afterEach(() => app.stop())

  const opened = (fields = {}) => app.stripe.createSession(app.order(fields))
  const pay = (id: string, fields: Record<string, string> = {}) =>
    app.post(`/sandbox/pay/${id}`, { act: 'pay', ...fields })
  const happen = (id: string, fields: Record<string, string>) => app.post(`/sandbox/sessions/${id}`, fields)
  const kinds = () => app.events().map(event => event?.kind)

  describe('the payment page', () => {
    test('says what is paid for, and asks for no card', async () => {
      const { status, html, words } = await read(await app.get(`/sandbox/pay/${await opened()}`))
      expect(status).toBe(200)
      expect(words).toContain(BANNER)
      expect(words).toContain('Pay $25.00')
      expect(words).toContain('For Sunrise Bakery on the all-time board')
      expect(
        html
          .split('<main')[1]
          ?.match(/<input[^>]*>/g)
          ?.every(input => input.includes('type="radio"')),
      ).toBe(true)
    })

    test('pays, delivers and leads back to the order', async () => {
      const order = app.order()
      const response = await pay(await app.stripe.createSession(order))
      expect([response.status, response.headers.get('location')]).toEqual([303, order.successUrl])
      expect(kinds()).toEqual(['paid'])
    })

    test('orders with the money on its way', async () => {
      const order = app.order()
      const response = await pay(await app.stripe.createSession(order), {
        act: 'pay_later',
        delivery: 'now',
      })
      expect([response.status, response.headers.get('location')]).toEqual([303, order.successUrl])
      expect(kinds()).toEqual(['pending'])
    })

    test('delivers later, or when told', async () => {
      await pay(await opened(), { delivery: 'soon' })
      await pay(await opened(), { delivery: 'by_hand' })
      expect(app.received).toEqual([])
      app.clock.now += 5 * SECOND
      await app.sandbox.deliverDue()
      expect(app.received).toHaveLength(1)
    })

    test('declines, and stays open', async () => {
      const id = await opened()
      const response = await pay(id, { act: 'decline' })
      expect([response.status, response.headers.get('location')]).toEqual([303, `/sandbox/pay/${id}?declined`])
      const declined = await read(await app.get(`/sandbox/pay/${id}?declined`))
      expect(declined.words).toContain('Declined. Nothing was paid, and you can try again.')
      expect(declined.words).toContain('Pay now')
      expect(app.received).toEqual([])
      expect((await pay(id)).status).toBe(303)
      const paid = await read(await app.get(`/sandbox/pay/${id}?declined`))
      expect(paid.words).not.toContain('Declined')
    })

    test('can be left without paying', async () => {
      const order = app.order()
      const { html } = await read(await app.get(`/sandbox/pay/${await app.stripe.createSession(order)}`))
      expect(html).toContain(`<a href="${order.cancelUrl}">Cancel</a>`)
    })

    test('asked to pay six times at once, pays once', async () => {
      const id = await opened()
      const pages = await Promise.all(Array.from({ length: 6 }, async () => read(await pay(id))))
      expect(pages.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409, 409, 409])
      for (const { status, words } of pages) {
        if (status === 409) expect(words).toContain('This order is already paid')
      }
      expect(app.received).toHaveLength(1)
    })

    test.each([
      ['an expired', 'This payment page has expired.'],
      ['a superseded', 'This payment page was closed, probably because a newer order replaced it.'],
    ])('of %s session says so, and leads back', async (what, reason) => {
      const order = app.order()
      const id = await app.stripe.createSession(order)
      if (what === 'an expired') app.clock.now += 60 * MINUTE
      else await app.stripe.expireSession(id)
      const shown = await read(await app.get(`/sandbox/pay/${id}`))
      const refused = await read(await pay(id))
      expect([shown.status, refused.status]).toEqual([200, 409])
      for (const { words, html } of [shown, refused]) {
        expect(words).toContain(`${reason} Nothing was paid here.`)
        expect(words).not.toContain('Pay now')
        expect(html).toContain(`href="${order.cancelUrl}"`)
      }
      expect(app.received).toEqual([])
    })

    test.each([
      ['pay', [], 'This order is already paid, and can’t be paid twice.'],
      ['pay_later', [], 'This order was already placed, and its money is on its way.'],
      ['pay_later', ['fail'], 'This order was already placed, but its money never arrived.'],
    ] as const)('after %s %s says that nothing is left to pay', async (first, next, reason) => {
      const order = app.order()
      const id = await app.stripe.createSession(order)
      for (const name of [first, ...next]) await app.sandbox.act(id, { name }, 'now')
      const { words, html } = await read(await app.get(`/sandbox/pay/${id}`))
      expect(words).toContain(reason)
      expect(html).toContain(`href="${order.successUrl}"`)
      const before = app.received.length
      expect((await pay(id)).status).toBe(409)
      expect(app.received).toHaveLength(before)
    })

    test.each([
      [{ act: 'gift' }],
      [{ act: '' }],
      [{ act: 'refund', amount: '5' }],
      [{ act: 'pay', delivery: 'never' }],
      [{ act: 'pay', delivery: '' }],
    ])('with %j changes nothing', async fields => {
      const id = await opened()
      const { status, words } = await read(await pay(id, fields as Record<string, string>))
      expect(status).toBe(400)
      expect(words).toContain('Nothing happened. Use one of the buttons on this page.')
      expect(await app.stripe.readSession(id)).toMatchObject({ status: 'open' })
    })
  })

  describe('behind the scenes', () => {
    test('a payment is refunded in part and in full, which fails; it is disputed, won and lost, and that turns', async () => {
      const [id, other] = [await opened(), await opened()]
      await pay(id)
      await pay(other)
      for (const [session, act] of [
        [id, { act: 'refund', amount: '5' }],
        [id, { act: 'refund', amount: '$0.50' }],
        [id, { act: 'dispute' }],
        [id, { act: 'win' }],
        [id, { act: 'refund_all' }],
        [id, { act: 'fail_refund' }],
        [other, { act: 'dispute' }],
        [other, { act: 'lose' }],
        [other, { act: 'turn' }],
      ] as const) {
        const response = await happen(session, act)
        expect([response.status, response.headers.get('location')]).toEqual([303, `/sandbox/sessions/${session}`])
      }
      expect(app.events().map(event => [event?.kind, event?.amountCents])).toEqual([
        ['paid', 2500],
        ['paid', 2500],
        ['refund_made', 500],
        ['refunded', 500],
        ['refund_made', 50],
        ['refunded', 550],
        ['disputed', 1950],
        ['dispute_won', 1950],
        ['refund_made', 1950],
        ['refunded', 2500],
        ['refund_failed', 1950],
        ['disputed', 2500],
        ['dispute_lost', 2500],
        ['dispute_won', 2500],
      ])
      const { words } = await read(await app.get(`/sandbox/sessions/${id}`))
      expect(words).toContain('Paid, $5.50 refunded, dispute won')
    })

    test.each([
      ['succeed', 'paid'],
      ['fail', 'failed'],
    ] as const)('money on its way: %s', async (act, kind) => {
      const id = await opened()
      await pay(id, { act: 'pay_later' })
      expect((await happen(id, { act })).status).toBe(303)
      expect((await happen(id, { act })).status).toBe(409)
      expect(kinds()).toEqual(['pending', kind])
    })

    test.each(['', '0', '0.00', '-5', '1.234', '1e3', 'NaN', 'five', '5,00', '٥', '12345678901234567890', "5'"])(
      'a refund of "%s" dollars is asked for again',
      async amount => {
        const id = await opened()
        await pay(id)
        const { status, words } = await read(await happen(id, { act: 'refund', amount, delivery: 'soon' }))
        expect(status).toBe(400)
        expect(words).toContain('Nothing happened. Enter the refund in dollars, such as 5 or 12.50.')
        expect(kinds()).toEqual(['paid'])
      },
    )

    test('a refund that is too large says how much is left, and keeps what was typed', async () => {
      const id = await opened()
      await pay(id)
      await happen(id, { act: 'refund', amount: '5.25' })
      const form = { act: 'refund', amount: '19.76', delivery: 'soon' }
      const { status, html, words } = await read(await happen(id, form))
      expect(status).toBe(400)
      expect(words).toContain('Nothing happened: only $19.75 can be refunded.')
      expect(html).toMatch(/<input[^>]*value="19.76"/)
      expect(html).toMatch(/<input[^>]*value="soon"[^>]*checked/)
      expect(kinds()).toEqual(['paid', 'refund_made', 'refunded'])
      expect((await happen(id, { ...form, amount: '19.75', delivery: 'now' })).status).toBe(303)
    })

    test.each([
      [{ act: 'win' }, 409],
      [{ act: 'succeed' }, 409],
      [{ act: 'refund_all' }, 409],
      [{ act: 'refund', amount: '1' }, 409],
      [{ act: 'pay' }, 400],
      [{ act: 'explode' }, 400],
      [{ act: 'constructor' }, 400],
      [{ delivery: 'never', act: 'win' }, 400],
    ])('%j before anything was paid changes nothing', async (fields, expected) => {
      const id = await opened()
      const { status, words } = await read(await happen(id, fields as Record<string, string>))
      expect(status).toBe(expected)
      expect(words).toContain('Nothing happened')
      expect(app.received).toEqual([])
    })

    test('events show how their delivery stands, and are delivered by hand and again', async () => {
      const id = await opened()
      const shown = async () => (await read(await app.get(`/sandbox/sessions/${id}`))).words
      expect(await shown()).toContain('Events None yet.')
      await pay(id, { delivery: 'by_hand' })
      expect(await shown()).toContain('Not sent until you deliver it. Deliver now')
      await happen(id, { act: 'refund', amount: '1', delivery: 'soon' })
      expect(await shown()).toContain('Delivery at 21 Nov 2026, 12:00:05 UTC .')
      app.webhook.answer = 503
      await happen(id, { act: 'refund', amount: '1', delivery: 'now' })
      expect(await shown()).toContain('Not accepted: 503, at attempt 1. Next attempt at 21 Nov 2026, 12:00:05 UTC .')
      app.webhook.answer = 200
      const [paid] = app.sandbox.eventsOf({ id })
      for (const times of ['Accepted once,', 'Accepted 2 times,']) {
        const response = await app.post(`/sandbox/sessions/${id}/deliver`, { event: paid?.eventId ?? '' })
        expect([response.status, response.headers.get('location')]).toEqual([303, `/sandbox/sessions/${id}`])
        expect(await shown()).toContain(`${times} last at 21 Nov 2026, 12:00:00 UTC . Deliver again`)
      }
      app.webhook.answer = 'cut off'
      await app.post(`/sandbox/sessions/${id}/deliver`, { event: paid?.eventId ?? '' })
      expect(await shown()).toMatch(/Accepted 2 times, last at [^.]*\. Not accepted this time: no answer/)
    })

    test.each(['', 'evt_sandbox_\0', `evt_sandbox_${'0'.repeat(32)}`])('there is no event "%s"', async event => {
      const id = await opened()
      const { status, words } = await read(await app.post(`/sandbox/sessions/${id}/deliver`, { event }))
      expect([status, words]).toEqual([400, expect.stringContaining('There is no such event.')])
    })
  })

  test('the newest fifty payments are listed', async () => {
    expect((await read(await app.get('/sandbox/'))).words).toContain('None yet.')
    for (let nth = 1; nth <= 51; nth++) {
      app.clock.now += SECOND
      await opened({ description: `Order number ${nth}.`, amountCents: nth })
    }
    const { status, words, html } = await read(await app.get('/sandbox/'))
    expect(status).toBe(200)
    expect(words).toContain(BANNER)
    expect([...words.matchAll(/Order number (\d+)\./g)].map(match => Number(match[1]))).toEqual(
      Array.from({ length: 50 }, (_, index) => 51 - index),
    )
    const [, newest = ''] = /href="(\/sandbox\/sessions\/[^"]+)"/.exec(html) ?? []
    expect((await read(await app.get(newest))).words).toContain('Order number 51.')
    const short = await app.get('/sandbox')
    expect([short.status, short.headers.get('location')]).toEqual([308, '/sandbox/'])
  })

  test('pages are never cached, listed or framed, and run no script', async () => {
    const id = await opened()
    for (const path of ['/sandbox/', `/sandbox/pay/${id}`, `/sandbox/sessions/${id}`, `/sandbox/pay/${UNKNOWN}`]) {
      const { headers } = await app.get(path)
      expect(headers.get('cache-control'), path).toBe('no-store')
      expect(headers.get('x-robots-tag'), path).toBe('noindex')
      expect(headers.get('content-security-policy'), path).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(headers.get('content-security-policy'), path).not.toContain('script-src')
    }
  })

  test('what does not exist is 404', async () => {
    for (const id of [UNKNOWN, 'x', '%00', 'cs_sandbox_%00', `CS_SANDBOX_${'0'.repeat(32)}`, "'--", 'a'.repeat(99)]) {
      for (const path of [`/sandbox/pay/${id}`, `/sandbox/sessions/${id}`]) {
        expect((await app.get(path)).status, path).toBe(404)
        expect((await app.post(path, { act: 'pay' })).status, path).toBe(404)
      }
      expect((await app.post(`/sandbox/sessions/${id}/deliver`, {})).status, id).toBe(404)
    }
  })

  test('forms of other origins are refused', async () => {
    const id = await opened()
    await app.sandbox.act(id, { name: 'pay' }, 'now')
    const other = await opened()
    const forms: [string, Record<string, string>][] = [
      [`/sandbox/pay/${other}`, { act: 'pay' }],
      [`/sandbox/sessions/${id}`, { act: 'refund_all' }],
      [`/sandbox/sessions/${id}/deliver`, {}],
    ]
    for (const [path, fields] of forms) {
      for (const site of ['cross-site', 'same-site', 'none']) {
        const headers = { 'sec-fetch-site': site, origin: 'https://evil.example' }
        expect((await app.post(path, fields, headers)).status).toBe(403)
      }
    }
    expect(kinds()).toEqual(['paid'])
  })

  test('hostile text is text', async () => {
    const description = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&lt;b&gt; javascript:alert(1)`
    const id = await opened({ description })
    const open = await app.get(`/sandbox/pay/${id}`)
    await pay(id)
    const amount = '"><script>alert(2)</script>'
    const pages = [
      open,
      await app.get('/sandbox/'),
      await app.get(`/sandbox/pay/${id}`),
      await app.get(`/sandbox/sessions/${id}`),
      await happen(id, { act: 'refund', amount }),
    ]
    for (const page of pages) {
      const { html } = await read(page)
      expect(html).not.toContain('<script')
      expect(html).not.toContain('<img')
    }
    const { html } = await read(await app.get(`/sandbox/pay/${id}`))
    expect(html).toContain('&amp;lt;b&amp;gt;')
  })
})
