import Fastify from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStripe } from '../../../src/domain/payments/stripe.ts'
import { webhookRoute } from '../../../src/domain/payments/webhook.ts'
import { configFrom, type StripeConfig } from '../../../src/platform/config/config.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { Damper } from '../../../src/platform/http/damper.ts'
import { replyToErrors } from '../../../src/platform/http/error-reply.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { clearLedger, ledgerOf, type OpenedCheckout, openTestCheckout } from '../../support/ledger.ts'
import { NOON, startTestService, type TestService } from '../../support/service.ts'
import { SECRET_KEY } from '../../support/stand-in.ts'
import {
  chargeObject,
  type DeliveryOptions,
  type DisputeStatus,
  deliver,
  disputeObject,
  refundObject,
  type StripeEvent,
  sessionObject,
  sign,
  stripeEvent,
  stripeId,
  WEBHOOK_SECRET,
} from '../../support/stripe-events.ts'

const SECOND = 1000
const TOLERANCE = 300 * SECOND

const ENV: Env = {
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
}

/** Makes every write of a payment fail like a full disk, until `disk_trouble` is dropped. */
const DISK_TROUBLE: Record<Engine, { begin: string[]; end: string }> = {
  sqlite: {
    begin: [`create trigger disk_trouble before insert on payment begin select raise(abort, 'disk'); end`],
    end: 'drop trigger disk_trouble',
  },
  postgres: {
    begin: [
      `create function disk_trouble() returns trigger language plpgsql as
         $$ begin raise exception 'disk' using errcode = 'disk_full'; end $$`,
      'create trigger disk_trouble before insert on payment for each row execute function disk_trouble()',
    ],
    end: 'drop function disk_trouble cascade',
  },
}

describe.each(ENGINES)('the webhook of Stripe on %s', engine => {
  let service: TestService
  let store: Store
  let bakery: OpenedCheckout
  /** A paid session of the bakery's checkout, and the event that tells of it. */
  let session: ReturnType<typeof sessionObject>
  let paid: StripeEvent

  beforeAll(async () => {
    service = await startTestService({ engine, env: ENV })
    store = await service.database.openStore()
    bakery = await openTestCheckout(store, 'bakery.com')
  })
  afterAll(async () => {
    await store.close()
    await service.stop()
  })
  beforeEach(async () => {
    await clearLedger(store)
    service.clock.now = NOON
    session = sessionObject({ id: bakery.sessionId, client_reference_id: bakery.checkoutId })
    paid = stripeEvent('checkout.session.completed', session)
  })

  const send = (event: StripeEvent | string, options?: DeliveryOptions) => deliver(service, event, options)
  const answer = async (event: StripeEvent | string, options?: DeliveryOptions) => {
    const { status, body } = await send(event, options)
    return [status, body.received ?? body.code]
  }
  const netCents = async () => (await ledgerOf(store)).payments.map(payment => payment.netCents)
  const storedEvents = () => store.db.selectFrom('processor_event').selectAll().execute()

  it('credits a payment once, and says that a repeat was applied before', async () => {
    const first = await send(paid)
    expect([first.status, first.body]).toEqual([200, { received: 'applied' }])
    expect(first.headers.get('cache-control')).toBe('no-store')
    const ledger = await ledgerOf(store)
    expect(ledger.payments).toMatchObject([{ checkoutId: bakery.checkoutId, netCents: 2500, unplaced: null }])
    expect(ledger.totals.map(total => [total.board, total.destinationKey, total.totalCents])).toEqual([
      ['2026-11-21', '2:bakery.com', 2500],
      ['all', '2:bakery.com', 2500],
    ])
    // Signed again, as Stripe does for each delivery; and a replay of the first one.
    service.clock.now = NOON + TOLERANCE
    expect(await answer(paid, { at: NOON + 60 * SECOND })).toEqual([200, 'repeated'])
    expect(await answer(paid)).toEqual([200, 'repeated'])
    expect(await ledgerOf(store)).toEqual(ledger)
  })

  it('keeps nothing about the payer', async () => {
    await send(paid)
    expect(JSON.stringify(await storedEvents())).not.toMatch(/payer/i)
  })

  it('follows a payment that takes days, and one that fails', async () => {
    const waiting = { ...session, payment_status: 'unpaid' }
    expect(await answer(stripeEvent('checkout.session.completed', waiting))).toEqual([200, 'applied'])
    expect(await netCents()).toEqual([])
    expect(await answer(stripeEvent('checkout.session.async_payment_failed', waiting))).toEqual([200, 'applied'])
    expect(await netCents()).toEqual([])
    expect(await answer(stripeEvent('checkout.session.async_payment_succeeded', session))).toEqual([200, 'applied'])
    expect(await netCents()).toEqual([2500])
  })

  it('takes refunds and disputes off, and gives back what was won, in whatever order they come', async () => {
    await send(stripeEvent('charge.refunded', chargeObject(session, 700)))
    expect(await netCents()).toEqual([0])
    await send(paid)
    expect(await netCents()).toEqual([1800])
    await send(stripeEvent('charge.dispute.created', disputeObject(session, 'needs_response', 'dp_1')))
    expect(await netCents()).toEqual([0])
    await send(stripeEvent('charge.dispute.closed', disputeObject(session, 'won', 'dp_1')))
    expect(await netCents()).toEqual([1800])
    await send(stripeEvent('charge.dispute.closed', disputeObject(session, 'lost', 'dp_2')))
    expect(await netCents()).toEqual([0])
  })

  it('counts a failed refund’s money again, in whatever order its events arrive', async () => {
    const made = refundObject(session, 700, 'pending', 're_1')
    const refund = (type: string, status: 'succeeded' | 'failed', at: number) =>
      stripeEvent(type, { ...made, status }, { at })
    const events = [
      paid,
      stripeEvent('charge.refunded', chargeObject(session, 700), { at: NOON + SECOND }),
      stripeEvent('refund.created', made, { at: NOON + SECOND }),
      refund('refund.updated', 'succeeded', NOON + 2 * SECOND),
      refund('charge.refund.updated', 'failed', NOON + 9 * SECOND),
      refund('refund.failed', 'failed', NOON + 9 * SECOND),
    ]
    for (const event of events.slice(0, 4)) await send(event)
    expect(await netCents()).toEqual([1800])
    for (const event of events.slice(4)) await send(event)
    expect(await netCents()).toEqual([2500])
    await clearLedger(store)
    for (const event of [...events].reverse()) await send(event)
    expect(await netCents()).toEqual([2500])
    // Refunded again, in another way.
    await send(stripeEvent('charge.refunded', chargeObject(session, 500), { at: NOON + 60 * SECOND }))
    expect(await netCents()).toEqual([2000])
  })

  it('follows a dispute that is decided again, in whatever order its events arrive', async () => {
    const dispute = (status: DisputeStatus, after: number, type = 'charge.dispute.closed') =>
      stripeEvent(type, disputeObject(session, status, 'dp_1'), { at: NOON + after * SECOND })
    const turns: [StripeEvent, number][] = [
      [dispute('warning_needs_response', 1, 'charge.dispute.created'), 2500],
      [dispute('needs_response', 2, 'charge.dispute.funds_withdrawn'), 0],
      [dispute('lost', 3), 0],
      [dispute('won', 4, 'charge.dispute.funds_reinstated'), 2500],
      [dispute('lost', 5, 'charge.dispute.updated'), 0],
      [dispute('appeal_under_review', 6, 'charge.dispute.updated'), 0],
      [dispute('won', 7), 2500],
    ]
    await send(paid)
    for (const [event, net] of turns) {
      await send(event)
      expect(await netCents()).toEqual([net])
    }
    // The earlier ones again, later than the last.
    for (const [{ id: _, ...event }] of turns) await send({ ...event, id: stripeId('evt') })
    expect(await netCents()).toEqual([2500])
  })

  it('ignores a type that says nothing about money', async () => {
    expect(await answer(stripeEvent('customer.created', { id: 'cus_1' }))).toEqual([200, 'ignored'])
    expect(await storedEvents()).toEqual([])
  })

  it.each([
    ['of another currency', { currency: 'eur' }, 'wrong_currency'],
    ['of nothing', { amount_total: 0, payment_status: 'no_payment_required' }, 'no_amount'],
    ['of a session we do not know', { id: 'cs_of_somebody' }, 'unknown_checkout'],
    ['with the reference of another shop', { client_reference_id: 'order 7' }, 'unknown_checkout'],
    ['that cannot be read', { amount_total: null }, 'unreadable_event'],
  ])('keeps a payment %s, and credits nothing', async (_what, about, unplaced) => {
    const event = stripeEvent('checkout.session.completed', { ...session, ...about })
    expect(await answer(event)).toEqual([200, 'applied'])
    const { payments, totals } = await ledgerOf(store)
    expect(payments).toMatchObject([{ unplaced, netCents: 0, destinationKey: null }])
    expect(totals).toEqual([])
    expect(await answer(event)).toEqual([200, 'repeated'])
  })

  describe('refuses and changes nothing by', () => {
    const other = (letter: string) => (letter === '0' ? '1' : '0')
    const header = (at = NOON) => sign(JSON.stringify(paid, null, 2), { at })
    const forgeries: [string, () => DeliveryOptions][] = [
      ['a delivery without a signature', () => ({ signature: undefined })],
      ['an empty signature', () => ({ signature: '' })],
      ['a signature that is none', () => ({ signature: 'let me in' })],
      ['a signature of nothing', () => ({ signature: `t=${NOON / 1000},v1=` })],
      ['a signature without a value', () => ({ signature: `t=${NOON / 1000},v1` })],
      ['a time alone', () => ({ signature: `t=${NOON / 1000}` })],
      ['a signature without a time', () => ({ signature: header().replace(/^t=\d+,/, '') })],
      ['a time that is no number', () => ({ signature: header().replace(/^t=\d+/, 't=now') })],
      ['another time than was signed', () => ({ signature: header().replace(/^t=\d+/, `t=${NOON / 1000 - 1}`) })],
      ['two times', () => ({ signature: `t=${NOON / 1000 - 9},${header()}` })],
      ['a header of two lines', () => ({ signature: `${header(NOON - 2 * TOLERANCE)}, ${header()}` })],
      ['an older scheme', () => ({ signature: header().replace('v1=', 'v0=') })],
      ['one digit changed', () => ({ signature: header().replace(/.$/, other) })],
      ['another secret', () => ({ secret: 'whsec_of_somebody' })],
      ['the API key as secret', () => ({ secret: SECRET_KEY })],
      ['what is a second too old', () => ({ at: NOON - TOLERANCE - SECOND })],
      ['what is a second too far in the future', () => ({ at: NOON + TOLERANCE + SECOND })],
      ['a year in the future', () => ({ at: NOON + 365 * 86_400 * SECOND })],
      [
        'a future time with another at its end',
        () => ({ signature: header(NOON + 86_400 * SECOND).replace(',', `t=${NOON / 1000},`) }),
      ],
      ['another amount', () => ({ tamper: payload => payload.replace('2500', '9500') })],
      ['a space more', () => ({ tamper: payload => `${payload} ` })],
      ['a byte less', () => ({ tamper: payload => payload.slice(0, -1) })],
      ['an empty body', () => ({ tamper: () => '' })],
    ]
    it.each(forgeries)('%s', async (_what, options) => {
      const { status, body, headers } = await send(paid, options())
      expect([status, body.code, headers.get('cache-control')]).toEqual([400, 'invalid_signature', 'no-store'])
      expect(await storedEvents()).toEqual([])
    })

    it('warns the operator only of a delivery with a signature', async () => {
      // Warnings of the deliveries above may still be on their way. After two days, they count no more.
      const later = NOON + 2 * 86_400 * SECOND
      service.clock.now = later
      await send(paid, { signature: undefined })
      service.clock.now = later + SECOND
      await send(paid, { signature: 'let me in' })
      const ofEvents = store.db.selectFrom('warning').select('at').where('kind', '=', 'event_refused')
      await expect.poll(() => ofEvents.execute()).toEqual([{ at: later + SECOND }])
    })

    it('an event with any single byte altered', async () => {
      const { length } = JSON.stringify(paid, null, 2)
      for (let index = 0; index < length; index += 37) {
        const tamper = (payload: string) => {
          const bytes = Buffer.from(payload)
          bytes[index] = (bytes[index] ?? 0) ^ 0x81
          return new Uint8Array(bytes)
        }
        expect([index, ...(await answer(paid, { tamper }))]).toEqual([index, 400, 'invalid_signature'])
      }
      expect(await storedEvents()).toEqual([])
    })

    it.each([
      ['what is no JSON', 'Hello', 'invalid_json'],
      ['JSON that is no event', '[1, 2, 3]', 'invalid_body'],
      ['null', 'null', 'invalid_body'],
      ['an event without an id', '{"object":"event","type":"charge.refunded","created":1}', 'invalid_body'],
      ['an event without a time', '{"id":"evt_1","type":"charge.refunded","created":-1}', 'invalid_body'],
      ['an event of the year 10000', '{"id":"evt_1","type":"a","created":253402300800}', 'invalid_body'],
      ['an event with a NUL in its id', '{"id":"evt_\\u0000","type":"a","created":1}', 'invalid_body'],
      ['a thin event', '{"object":"v2.core.event","id":"evt_1"}', 'invalid_body'],
    ])('%s, though signed', async (_what, payload, code) => {
      expect(await answer(payload)).toEqual([400, code])
      expect(await storedEvents()).toEqual([])
    })
  })

  it('believes a signature of up to five minutes ago or ahead', async () => {
    expect(await answer(paid, { at: NOON - TOLERANCE })).toEqual([200, 'applied'])
    expect(await answer(paid, { at: NOON + TOLERANCE })).toEqual([200, 'repeated'])
  })

  it('believes one of several signatures, as while a secret is changed', async () => {
    const payload = JSON.stringify(paid, null, 2)
    const [, old] = sign(payload, { secret: 'whsec_before' }).split(',')
    expect(await answer(paid, { signature: `${sign(payload)},${old},v0=0` })).toEqual([200, 'applied'])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'image/png'])(
    'reads an event’s bytes even if they are sent as %s',
    async mediaType => {
      expect(await answer(paid, { headers: { 'content-type': mediaType } })).toEqual([200, 'applied'])
    },
  )

  it('answers a delivery from a page of another origin by its signature alone', async () => {
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect(await answer(paid, { headers, secret: 'whsec_guess' })).toEqual([400, 'invalid_signature'])
    expect(await answer(paid, { headers })).toEqual([200, 'applied'])
  })

  it('accepts an event of a mebibyte, and nothing larger', async () => {
    const padded = (bytes: number) => {
      const { length } = JSON.stringify({ ...paid, padding: '' })
      return JSON.stringify({ ...paid, padding: 'x'.repeat(bytes - length) })
    }
    const { status, body } = await send(padded(1024 * 1024 + 1))
    expect([status, body.code]).toEqual([413, 'body_too_large'])
    expect(body.error).toContain('The limit is 1048576 bytes.')
    expect(await storedEvents()).toEqual([])
    expect(await answer(padded(1024 * 1024))).toEqual([200, 'applied'])
  })

  it('is there to post to, and for no other processor', async () => {
    const get = await fetch(`${service.url}/webhooks/stripe`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    const sandbox = await fetch(`${service.url}/webhooks/sandbox`, { method: 'POST', body: '{}' })
    expect(sandbox.status).toBe(404)
  })

  it('answers 500 while the store fails, stores nothing by halves, and applies the next delivery', async () => {
    const { begin, end } = DISK_TROUBLE[engine]
    for (const statement of begin) await sql.raw(statement).execute(store.db)
    try {
      expect(await answer(paid)).toEqual([500, 'internal_error'])
      expect(await storedEvents()).toEqual([])
    } finally {
      await sql.raw(end).execute(store.db)
    }
    expect(await answer(paid)).toEqual([200, 'applied'])
    expect(await netCents()).toEqual([2500])
  })
})

describe('the log of the webhook', () => {
  const log: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void log.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'warn', stream, hooks: { logMethod: new Damper().logMethod } } })
  let database: EmptyDatabase
  let store: Store
  let url: string

  beforeAll(async () => {
    database = await migratedDatabase('sqlite')
    store = await database.openStore()
    const stripe = createStripe(configFrom(ENV).stripe as StripeConfig)
    const links = new Links({ baseUrl: 'https://placard.example.org', supportUrl: undefined })
    replyToErrors(app, { links, renderProblem: problem => problem.message })
    await webhookRoute(app, { stripe, store, clock: () => NOON })
    url = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(async () => {
    await app.close()
    await store.close()
    await database.remove()
  })
  beforeEach(() => {
    log.length = 0
  })
  const event = stripeEvent('checkout.session.completed', sessionObject())
  /** Data about the payer, the payment or a key. */
  const PRIVATE = /payer|pi_live|cs_live|whsec|sk_live/

  it('is not filled by forged events', async () => {
    for (let nth = 0; nth < 20; nth++) await deliver({ url }, event, { signature: 'let me in' })
    expect(log).toMatchObject([{ level: 40, why: 'not one time in the header' }])
  })

  it('says why an event was refused, but nothing of what was sent', async () => {
    await deliver({ url }, event, { secret: 'whsec_of_somebody' })
    await deliver({ url }, event, { signature: undefined })
    await deliver({ url }, event, { at: NOON - TOLERANCE - SECOND })
    await deliver({ url }, event, { at: NOON + TOLERANCE + SECOND })
    await deliver({ url }, 'cs_live_1')
    await deliver({ url }, '{"object":"v2.core.event","id":"evt_cs_live_1"}')
    expect(log).toMatchObject([
      { level: 40, code: 'invalid_signature', why: expect.stringContaining('No signatures found') },
      { level: 40, code: 'invalid_signature', why: 'no Stripe-Signature header' },
      { level: 40, code: 'invalid_signature', why: 'Timestamp outside the tolerance zone' },
      { level: 40, code: 'invalid_signature', why: 'signed in the future' },
      { level: 40, code: 'invalid_json' },
      { level: 40, code: 'invalid_body', why: expect.stringContaining('Set the payload style') },
    ])
    expect(JSON.stringify(log)).not.toMatch(PRIVATE)
  })

  it('has the error of a store that fails', async () => {
    await sql.raw('alter table payment rename to payment_gone').execute(store.db)
    expect((await deliver({ url }, event)).status).toBe(500)
    expect(log).toMatchObject([{ level: 50, msg: 'internal_error' }])
    expect(JSON.stringify(log)).toContain('no such table: payment')
    // The operator is told, too.
    const warnings = () => store.db.selectFrom('warning').select('kind').orderBy('kind').execute()
    await expect.poll(warnings).toContainEqual({ kind: 'event_not_stored' })
    expect(JSON.stringify(log)).not.toMatch(PRIVATE)
  })
})
