import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOON } from '../../server/test/support/service.ts'
import { type SandboxApp, startSandbox } from './sandbox-app.ts'

const SESSIONS = '/v1/checkout/sessions'
const SECOND = 1000

const PARAMETERS = {
  mode: 'payment',
  'line_items[0][quantity]': '2',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][unit_amount]': '1250',
  'line_items[0][price_data][product_data][name]': 'A place',
  client_reference_id: 'order-1',
  'metadata[checkout_id]': 'order-1',
  expires_at: String(NOON / SECOND + 3600),
  success_url: 'http://127.0.0.1/paid',
  cancel_url: 'http://127.0.0.1/',
}

describe('the API of the sandbox', () => {
  let app: SandboxApp
  beforeEach(async () => {
    app = await startSandbox()
  })
  afterEach(() => app.stop())

  const formOf = (changed: Record<string, string>) => String(new URLSearchParams({ ...PARAMETERS, ...changed }))
  async function open(changed: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const response = await app.ask(SESSIONS, { method: 'POST', body: formOf(changed), headers })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  async function errorOf(response: Response) {
    const { error } = (await response.json()) as { error: { type: string; message: string } }
    expect(response.headers.get('request-id')).toMatch(/^req_/)
    return [response.status, error.type, error.message]
  }

  test('tells of a payment page as Stripe does', async () => {
    const { status, body } = await open()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      object: 'checkout.session',
      amount_total: 2500,
      client_reference_id: 'order-1',
      currency: 'usd',
      expires_at: NOON / SECOND + 3600,
      livemode: false,
      metadata: { checkout_id: 'order-1' },
      mode: 'payment',
      payment_status: 'unpaid',
      status: 'open',
      success_url: 'http://127.0.0.1/paid',
      url: `${app.url}/sandbox/pay/${body.id}`,
    })
    expect(await (await app.ask(`${SESSIONS}/${body.id}`)).json()).toEqual(body)
    const closed = await app.ask(`${SESSIONS}/${body.id}/expire`, { method: 'POST' })
    expect(await closed.json()).toEqual({ ...body, status: 'expired', url: null })
  })

  test('takes a key for one request and its repeats, whatever the order of its fields', async () => {
    const key = { 'idempotency-key': 'k' }
    const first = await open({}, key)
    expect(first.headers.get('idempotent-replayed')).toBe(null)
    // So late that it could not be opened any more.
    app.clock.now += 3500 * SECOND
    const body = formOf({}).split('&').reverse().join('&')
    const again = await app.ask(SESSIONS, { method: 'POST', body, headers: key })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.json()).toEqual(first.body)
    const other = await open({ client_reference_id: 'order-2' }, key)
    expect([other.status, other.body.error.type]).toEqual([400, 'idempotency_error'])
    expect((await open({ expires_at: String(app.clock.now / SECOND + 3600) })).body.id).not.toBe(first.body.id)
  })

  test.each([
    [{ mode: 'subscription' }],
    [{ 'line_items[0][price_data][currency]': 'eur' }],
    [{ 'line_items[0][price_data][unit_amount]': '0' }],
    [{ 'line_items[0][price_data][unit_amount]': '1.5', 'line_items[0][quantity]': '1' }],
    [{ 'line_items[0][price_data][unit_amount]': 'x' }],
    [{ success_url: 'paid' }],
    [{ cancel_url: '' }],
    [{ expires_at: String(NOON / SECOND + 1799) }],
    [{ expires_at: String(NOON / SECOND + 24 * 3600 + 1) }],
    [{ expires_at: 'soon' }],
  ])('refuses what Stripe refuses: %j', async changed => {
    const { status, body } = await open(changed as Record<string, string>)
    expect([status, body.error.type]).toEqual([400, 'invalid_request_error'])
    expect(app.sandbox.newestSessions(1)).toEqual([])
  })

  test('keeps a payment page open for a day where nothing is said', async () => {
    const body = formOf({}).replace(/&expires_at=\d+/, '')
    const response = await app.ask(SESSIONS, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ expires_at: NOON / SECOND + 24 * 3600 })
  })

  test('is for the right key only, and repeats none', async () => {
    for (const path of [SESSIONS, `${SESSIONS}/cs_sandbox_1`]) {
      expect(await errorOf(await app.ask(path, { key: 'sk_test_of_somebody_else' }))).toEqual([
        401,
        'invalid_request_error',
        'Invalid API Key provided: sk_test_*********************else',
      ])
    }
  })

  test('answers errors as Stripe does', async () => {
    const type = 'invalid_request_error'
    expect(await errorOf(await app.ask(`${SESSIONS}/cs_none`))).toEqual([
      404,
      type,
      "No such checkout.session: 'cs_none'",
    ])
    const unknown = await app.ask('/v1/charges')
    expect(await errorOf(unknown)).toEqual([404, type, 'Unrecognized request URL (GET: /v1/charges).'])
    const { body } = await open()
    const expire = () => app.ask(`${SESSIONS}/${body.id}/expire`, { method: 'POST' })
    expect((await expire()).status).toBe(200)
    expect(await errorOf(await expire())).toEqual([
      400,
      type,
      'Only Checkout Sessions with a status in ["open"] can be expired.',
    ])
  })
})
