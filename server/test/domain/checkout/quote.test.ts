import type { ErrorBody, Quote } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { clearLedger, eventOf, openTestCheckout } from '../../support/ledger.ts'
import { NOON, quote, reply, startTestService, type TestService } from '../../support/service.ts'

const MIDNIGHT = Date.UTC(2026, 10, 22)
const ask = { destination: 'https://bakery.com/', category: 'Food & Drink', board: 'all', targetBid: 25 }

describe.each(SAME_SQL)('quote on %s', engine => {
  let service: TestService
  let store: Store

  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    service.clock.now = NOON
    await clearLedger(store)
  })

  let payments = 0
  /** A verified payment of that time. */
  async function pay(host: string, cents: number, at = NOON) {
    const checkout = await openTestCheckout(store, host)
    const paid = { checkout, amountCents: cents, occurredAt: at }
    await applyEvent(store, eventOf('paid', `pi_${++payments}`, paid), at)
  }

  it('gives the whole target as the charge if nothing is paid', async () => {
    const { status, body } = await quote<Quote>(service, ask)
    expect(status).toBe(200)
    expect(body).toEqual({
      kind: 'non_binding_preview',
      currency: 'usd',
      chargeAmountCents: 2500,
      expiresAt: NOON + 5 * 60 * 1000,
      handoffUrl: `${service.url}/promote?destination=https%3A%2F%2Fbakery.com%2F&category=Food+%26+Drink&board=all&target=25`,
      humanConfirmationRequired: true,
      chargeCreated: false,
      estimatedRank: 1,
    })
  })

  it('expires at UTC midnight if that is sooner than five minutes', async () => {
    service.clock.now = MIDNIGHT - 60_000
    expect((await quote<Quote>(service, ask)).body.expiresAt).toBe(MIDNIGHT)
    service.clock.now = MIDNIGHT
    expect((await quote<Quote>(service, ask)).body.expiresAt).toBe(MIDNIGHT + 5 * 60 * 1000)
  })

  it('subtracts what is verified, per board, and ranks behind everybody already at the target', async () => {
    const yesterday = NOON - 24 * 60 * 60 * 1000
    await pay('bakery.com', 100)
    await pay('bakery.com', 900, yesterday)
    await pay('equal.com', 2500, yesterday)
    await pay('above.com', 9900, yesterday)
    await pay('below.com', 2499)
    const all = await quote<Quote>(service, ask)
    expect([all.body.chargeAmountCents, all.body.estimatedRank]).toEqual([1500, 3])
    const today = await quote<Quote>(service, { ...ask, board: 'today' })
    expect([today.body.chargeAmountCents, today.body.estimatedRank]).toEqual([2400, 1])
    service.clock.now = MIDNIGHT
    const tomorrow = await quote<Quote>(service, { ...ask, board: 'today' })
    expect([tomorrow.body.chargeAmountCents, tomorrow.body.estimatedRank]).toEqual([2500, 1])
    expect((await quote<Quote>(service, ask)).body.chargeAmountCents).toBe(1500)
  })

  it('refuses a target less than a dollar above what is paid', async () => {
    await pay('bakery.com', 2401)
    const { status, body } = await quote<ErrorBody>(service, ask)
    expect([status, body.code, body.field]).toEqual([400, 'target_not_above_current', 'targetBid'])
    expect((await quote<Quote>(service, { ...ask, targetBid: 26 })).body.chargeAmountCents).toBe(199)
  })

  it('names the field at fault, coerces nothing and drops nothing', async () => {
    const cases: [body: unknown, code: string][] = [
      [{ ...ask, targetBid: 4 }, 'invalid_target_bid'],
      [{ ...ask, targetBid: 1_000_000 }, 'invalid_target_bid'],
      [{ ...ask, targetBid: 5.5 }, 'invalid_target_bid'],
      [{ ...ask, targetBid: '25' }, 'invalid_target_bid'],
      [{ ...ask, targetBid: null }, 'invalid_target_bid'],
      [{ ...ask, targetBid: undefined }, 'invalid_target_bid'],
      [{ ...ask, board: 'week' }, 'invalid_board'],
      [{ ...ask, category: 'Nothing' }, 'unknown_category'],
      [{ ...ask, destination: 'http://user:pass@bakery.com' }, 'invalid_destination'],
      [{ ...ask, destination: 'http://127.0.0.1/' }, 'invalid_destination'],
      [{ ...ask, more: true }, 'invalid_body'],
      ['{', 'invalid_json'],
    ]
    for (const [body, code] of cases) {
      const error = await quote<ErrorBody>(service, body)
      expect([body, error.status, error.body.code, error.body.chargeCreated]).toEqual([body, 400, code, false])
    }
    expect((await quote<Quote>(service, { ...ask, targetBid: 5 })).status).toBe(200)
    expect((await quote<Quote>(service, { ...ask, targetBid: 999_999 })).status).toBe(200)
    expect((await quote<ErrorBody>(service, JSON.stringify(ask).padEnd(4097))).status).toBe(413)
    // Characters are counted as the API document counts them, not in UTF-16 units.
    const longest = `http://bakery.com/?${'🥐'.repeat(481)}`
    expect((await quote<Quote>(service, { ...ask, destination: longest })).status).toBe(200)
    expect((await quote<ErrorBody>(service, { ...ask, destination: `${longest}x` })).body).toMatchObject({
      code: 'invalid_destination',
      error: expect.stringContaining('longer than 500 characters'),
    })
  })

  it('accepts only JSON', async () => {
    const response = await fetch(`${service.url}/api/v1/agent/quote`, {
      method: 'POST',
      body: JSON.stringify(ask),
    })
    const { status, body } = await reply<ErrorBody>(response)
    expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
  })

  it('neither fetches the website nor writes anything', async () => {
    await quote(service, { ...ask, destination: 'http://quoted.com' })
    expect(service.sites.visits('quoted.com')).toBe(0)
    for (const table of ['attempt', 'listing', 'claim', 'board_total'] as const) {
      expect(await store.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })
})

describe.each(SAME_SQL)('quote without evidence on %s', engine => {
  it('answers 503 instead of guessing a price', async () => {
    const service = await startTestService({ engine })
    const store = await service.database.openStore()
    await store.db.schema.dropTable('board_total').execute()
    const { status, headers, body } = await quote<ErrorBody>(service, ask)
    expect([status, body.code, body.chargeCreated]).toEqual([503, 'payment_evidence_unavailable', false])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    await service.stop()
  })
})

describe('the quote rate', () => {
  it('is limited per address', async () => {
    const service = await startTestService({ env: { LIMIT_QUOTES_PER_MINUTE_PER_IP: '2' } })
    await quote(service, ask)
    await quote(service, ask)
    const { status, body, headers } = await quote<ErrorBody>(service, ask)
    expect([status, body.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    await service.stop()
  })
})
