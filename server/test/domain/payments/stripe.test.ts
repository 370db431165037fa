import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStripe, type SessionOrder } from '../../../src/domain/payments/stripe.ts'
import { HANDLED_EVENTS, readStripeEvent, verifyEvent } from '../../../src/domain/payments/stripe-events.ts'
import { configFrom, type StripeConfig } from '../../../src/platform/config/config.ts'
import { Problem } from '../../../src/platform/http/problem.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { anyCharacter } from '../../support/characters.ts'
import { NOON } from '../../support/service.ts'
import { SECRET_KEY, type StripeApi, startStripeApi } from '../../support/stand-in.ts'
import {
  chargeObject,
  disputeObject,
  refundObject,
  sessionObject,
  sign,
  stripeEvent,
  WEBHOOK_SECRET,
} from '../../support/stripe-events.ts'

/** Ends like the right one: the end is what Stripe repeats of a key. */
const WRONG_KEY = SECRET_KEY.replace('tests', 'other')

const orderOf = (checkoutId: string, differences: Partial<SessionOrder> = {}): SessionOrder => ({
  checkoutId,
  board: 'all',
  createdAt: NOON + 999,
  amountCents: 2500,
  description: 'Paid placement of bakery.com & co. on Placard',
  successUrl: 'https://placard.example/checkout/1?paid=1',
  cancelUrl: 'https://placard.example/checkout/1',
  ...differences,
})

describe('payment pages at Stripe', () => {
  let api: StripeApi
  beforeAll(async () => {
    api = await startStripeApi()
  })
  afterAll(() => api.close())
  beforeEach(() => {
    api.mood = 'well'
  })

  const stripe = (env: Record<string, string> = {}, timeoutMs = 60_000) =>
    createStripe(configFrom({ ...api.env, ...env }).stripe as StripeConfig, { timeoutMs })

  it('opens one for an amount in US dollars, with everything that was agreed', async () => {
    const sessionId = await stripe().createSession(orderOf('order-1'))
    const request = api.heard.at(-1)
    expect([request?.method, request?.path]).toEqual(['POST', '/v1/checkout/sessions'])
    expect(request?.headers['idempotency-key']).toBe('order-1')
    expect(request?.form).toEqual({
      mode: 'payment',
      submit_type: 'pay',
      line_items: {
        0: {
          quantity: '1',
          price_data: {
            currency: 'usd',
            unit_amount: '2500',
            product_data: { name: 'Paid placement of bakery.com & co. on Placard' },
          },
        },
      },
      client_reference_id: 'order-1',
      metadata: { checkout_id: 'order-1' },
      payment_intent_data: {
        statement_descriptor_suffix: 'PLACARD',
        metadata: { checkout_id: 'order-1' },
      },
      consent_collection: { terms_of_service: 'required' },
      adaptive_pricing: { enabled: 'false' },
      expires_at: String(NOON / 1000 + 3600),
      success_url: 'https://placard.example/checkout/1?paid=1',
      cancel_url: 'https://placard.example/checkout/1',
    })
    expect(await stripe().readSession(sessionId)).toEqual({
      status: 'open',
      url: `https://checkout.stripe.com/sandbox/pay/${sessionId}`,
    })
  })

  it('opens one for today’s board that ends with the day, without methods that confirm later', async () => {
    const createdAt = Date.UTC(2026, 10, 21, 23, 20)
    await stripe().createSession(orderOf('order-11', { board: 'today', createdAt }))
    expect(api.heard.at(-1)?.form).toMatchObject({
      allowed_payment_method_types: { 0: 'card' },
      expires_at: String(Date.UTC(2026, 10, 22) / 1000),
    })
  })

  it('opens the same one for the same checkout, however often', async () => {
    const first = await stripe().createSession(orderOf('order-2'))
    expect(await stripe().createSession(orderOf('order-2'))).toBe(first)
    expect(await stripe().createSession(orderOf('order-3'))).not.toBe(first)
  })

  it('opens none if a checkout is repeated with another amount', async () => {
    await stripe().createSession(orderOf('order-4'))
    await expect(stripe().createSession(orderOf('order-4', { amountCents: 100 }))).rejects.toMatchObject({
      code: 'payments_unavailable',
      cause: { message: expect.stringContaining('same parameters') },
    })
  })

  it('says that one is complete after it was paid, and has no address any more', async () => {
    const sessionId = await stripe().createSession(orderOf('order-5'))
    await api.complete(sessionId)
    expect(await stripe().readSession(sessionId)).toEqual({ status: 'complete', url: null })
  })

  it('closes an open one, and leaves one that is closed or paid as it is', async () => {
    const [open, paid] = [
      await stripe().createSession(orderOf('order-6')),
      await stripe().createSession(orderOf('order-7')),
    ]
    await api.complete(paid)
    for (const time of ['once', 'again']) {
      const found = [await stripe().expireSession(open), await stripe().expireSession(paid)]
      expect(found).toEqual(['closed', 'complete'])
      expect([time, (await stripe().readSession(open)).status]).toEqual([time, 'expired'])
      expect([time, (await stripe().readSession(paid)).status]).toEqual([time, 'complete'])
    }
  })

  it('tells Stripe nothing about the requests before', async () => {
    const processor = stripe()
    const sessionId = await processor.createSession(orderOf('order-9'))
    for (let requests = 0; requests < 3; requests++) await processor.readSession(sessionId)
    const telling = api.heard.filter(({ headers }) => 'x-stripe-client-telemetry' in headers)
    expect(telling).toEqual([])
  })

  it('does not call one closed that Stripe keeps open', async () => {
    const sessionId = await stripe().createSession(orderOf('order-8'))
    api.refuseExpiry = true
    await expect(stripe().expireSession(sessionId)).rejects.toMatchObject({ code: 'payments_unavailable' })
    api.refuseExpiry = false
  })

  describe('without a good answer', () => {
    let sessionId: string
    beforeAll(async () => {
      sessionId = await stripe().createSession(orderOf('order-10'))
    })

    /** The problems of all three calls. */
    async function problemsOf(processor: ReturnType<typeof stripe>): Promise<Problem[]> {
      const questions = [
        processor.createSession(orderOf(crypto.randomUUID())),
        processor.readSession(sessionId),
        processor.expireSession(sessionId),
      ]
      const outcomes = await Promise.allSettled(questions)
      return outcomes.map(outcome => (outcome as PromiseRejectedResult).reason)
    }

    const faults: [string, () => Promise<Problem[]>][] = [
      [
        'nobody listens',
        async () => {
          await api.goDown()
          return problemsOf(stripe()).finally(api.comeBack)
        },
      ],
      [
        'it answers 500',
        () => {
          api.mood = 'broken'
          return problemsOf(stripe())
        },
      ],
      [
        'it does not answer in time',
        () => {
          api.mood = 'silent'
          return problemsOf(stripe({}, 100))
        },
      ],
      [
        'it answers what is no JSON',
        () => {
          api.mood = 'babbling'
          return problemsOf(stripe())
        },
      ],
      [
        'it answers with an empty object',
        () => {
          api.mood = 'empty'
          return problemsOf(stripe()).then(problems => problems.slice(0, 2))
        },
      ],
      ['it does not know the key', () => problemsOf(stripe({ STRIPE_SECRET_KEY: WRONG_KEY }))],
    ]
    it.each(faults)('payments are unavailable for a minute when %s, and no key is revealed', async (_name, ask) => {
      for (const problem of await ask()) {
        expect(problem).toBeInstanceOf(Problem)
        expect([problem.code, problem.retryAfterSeconds]).toEqual(['payments_unavailable', 60])
        // Everything that a log could print of it.
        const printed = inspect(problem, { depth: 10, showHidden: true }) + String(problem.cause)
        expect(printed).not.toMatch(/[sr]k_live/)
        expect(printed).not.toContain('Hq51')
        expect(problem.cause).toBeInstanceOf(Error)
      }
    })

    it('payments are unavailable where a payment page is of the other mode than the key', async () => {
      const other = await startStripeApi({ livemode: false })
      const account = stripe(other.env)
      const opened = await Promise.allSettled([account.createSession(orderOf(crypto.randomUUID()))])
      const [session] = other.sandbox.newestSessions(1)
      const read = await Promise.allSettled([account.readSession(session?.id ?? '')])
      await other.close()
      for (const outcome of [...opened, ...read]) {
        const { code, cause } = (outcome as PromiseRejectedResult).reason
        expect([code, String(cause)]).toEqual(['payments_unavailable', expect.stringContaining('another mode')])
      }
    })

    it('asks twice for a payment page, and once for everything else, while it is silent', async () => {
      api.mood = 'silent'
      const before = api.heard.length
      await problemsOf(stripe({}, 100))
      const paths = api.heard.slice(before).map(({ path }) => path.replace(sessionId, 'id'))
      const all = '/v1/checkout/sessions'
      expect(paths.sort()).toEqual([all, all, `${all}/id`, `${all}/id/expire`])
    })

    it('names what happened in the cause, for the log', async () => {
      const [problem] = await problemsOf(stripe({ STRIPE_SECRET_KEY: WRONG_KEY }))
      expect(String(problem?.cause)).toMatch(
        /^Error: StripeAuthenticationError 401 req_\w+: Invalid API Key provided: \[secret\]$/,
      )
    })
  })
})

describe('events of Stripe', () => {
  const read = (type: string, object: unknown) => {
    const payload = JSON.stringify(stripeEvent(type, object, { id: 'evt_1', at: NOON - 5000 }))
    const secret = new Secret(Buffer.from(WEBHOOK_SECRET))
    return readStripeEvent(verifyEvent(Buffer.from(payload), sign(payload), secret, NOON), 'stripe')
  }
  const session = sessionObject({ id: 'cs_1', payment_intent: 'pi_1', client_reference_id: 'order-1' })
  const common = (type: string) => ({
    processor: 'stripe',
    eventId: 'evt_1',
    type,
    livemode: 1,
    occurredAt: NOON - 5000,
    paymentId: 'pi_1',
    sessionId: null,
    checkoutId: null,
    amountCents: 2500,
    currency: 'usd',
    refundId: null,
    disputeId: null,
  })
  const ofSession = { sessionId: 'cs_1', checkoutId: 'order-1' }
  const unreadable = (type: string) => ({
    ...common(type),
    kind: 'unreadable',
    paymentId: 'evt_1',
    amountCents: null,
    currency: null,
  })

  it.each([
    ['checkout.session.completed', 'paid', 'paid'],
    ['checkout.session.completed', 'unpaid', 'pending'],
    ['checkout.session.completed', 'no_payment_required', 'paid'],
    ['checkout.session.async_payment_succeeded', 'paid', 'paid'],
    ['checkout.session.async_payment_failed', 'unpaid', 'failed'],
  ])('%s with the payment status %s means %s', (type, payment_status, kind) => {
    expect(read(type, { ...session, payment_status })).toEqual({ ...common(type), ...ofSession, kind })
  })

  it('an amount and a currency are what the event says', () => {
    const type = 'checkout.session.completed'
    const object = { ...session, amount_total: 0, currency: 'EUR' }
    const event = { ...common(type), ...ofSession, kind: 'paid', amountCents: 0, currency: 'eur' }
    expect(read(type, object)).toEqual(event)
  })

  it('a payment intent may be expanded; without one the session stands for the payment', () => {
    const type = 'checkout.session.completed'
    const event = { ...common(type), ...ofSession, kind: 'paid' }
    expect(read(type, { ...session, payment_intent: { id: 'pi_1', amount: 1 } })).toEqual(event)
    expect(read(type, { ...session, payment_intent: null })).toEqual({ ...event, paymentId: 'cs_1' })
  })

  it.each([undefined, null, '', 7, 'x'.repeat(256), 'a\0b', 'Bäckerei'])(
    'a session of somebody else on the account, with the reference %j, is no checkout of ours',
    reference => {
      expect(read('checkout.session.completed', { ...session, client_reference_id: reference })).toMatchObject({
        kind: 'paid',
        sessionId: 'cs_1',
        checkoutId: null,
      })
    },
  )

  it('charge.refunded says what was refunded in all so far', () => {
    const type = 'charge.refunded'
    const event = { ...common(type), kind: 'refunded', amountCents: 700 }
    expect(read(type, chargeObject(session, 700))).toEqual(event)
    const alone = { ...chargeObject(session, 700), id: 'ch_1', payment_intent: null }
    expect(read(type, alone)).toEqual({ ...event, paymentId: 'ch_1' })
  })

  it.each([
    ['charge.dispute.created', 'needs_response', 'disputed'],
    ['charge.dispute.funds_withdrawn', 'needs_response', 'disputed'],
    ['charge.dispute.updated', 'under_review', 'disputed'],
    ['charge.dispute.funds_reinstated', 'under_review', 'disputed'],
    ['charge.dispute.funds_reinstated', 'won', 'dispute_won'],
    ['charge.dispute.closed', 'won', 'dispute_won'],
    ['charge.dispute.updated', 'won', 'dispute_won'],
    ['charge.dispute.closed', 'warning_closed', 'dispute_won'],
    ['charge.dispute.closed', 'prevented', 'dispute_won'],
    ['charge.dispute.closed', 'charge_refunded', 'dispute_won'],
    ['charge.dispute.closed', 'lost', 'dispute_lost'],
    ['charge.dispute.updated', 'lost', 'dispute_lost'],
    ['charge.dispute.updated', 'appeal_needs_response', 'disputed'],
    ['charge.dispute.updated', 'appeal_under_review', 'disputed'],
  ] as const)('%s with the status %s means %s', (type, status, kind) => {
    const event = { ...common(type), kind, disputeId: 'dp_1' }
    expect(read(type, disputeObject(session, status, 'dp_1'))).toEqual(event)
    const alone = { ...disputeObject(session, status, 'dp_1'), payment_intent: null, charge: 'ch_1' }
    expect(read(type, alone)).toEqual({ ...event, paymentId: 'ch_1' })
  })

  it('an inquiry takes no money unless its funds are withdrawn', () => {
    for (const status of ['warning_needs_response', 'warning_under_review'] as const) {
      const inquiry = disputeObject(session, status)
      expect(read('charge.dispute.created', inquiry)).toBeUndefined()
      expect(read('charge.dispute.updated', inquiry)).toBeUndefined()
      expect(read('charge.dispute.funds_withdrawn', inquiry)).toMatchObject({ kind: 'disputed' })
    }
  })

  it.each([
    ['refund.created', 'pending', 'refund_made'],
    ['refund.created', 'requires_action', 'refund_made'],
    ['refund.created', 'succeeded', 'refund_made'],
    ['refund.updated', 'succeeded', 'refund_made'],
    ['refund.updated', 'failed', 'refund_failed'],
    ['refund.updated', 'canceled', 'refund_failed'],
    ['refund.failed', 'failed', 'refund_failed'],
    ['charge.refund.updated', 'failed', 'refund_failed'],
    ['charge.refund.updated', 'succeeded', 'refund_made'],
  ] as const)('%s with the status %s means %s', (type, status, kind) => {
    const refund = refundObject(session, 700, status, 're_1')
    const event = { ...common(type), kind, amountCents: 700, refundId: 're_1' }
    expect(read(type, refund)).toEqual(event)
    expect(read(type, { ...refund, payment_intent: null, charge: 'ch_1' })).toEqual({
      ...event,
      paymentId: 'ch_1',
    })
  })

  it('a refund of no payment, as of a balance, is of no concern', () => {
    const refund = { ...refundObject(session, 700, 'succeeded'), payment_intent: null, charge: null }
    expect(read('refund.created', refund)).toBeUndefined()
  })

  it.each(['subscription', 'setup'])('others’ sessions of the mode %s on the account are of no concern', mode => {
    const theirs = { ...session, mode, client_reference_id: null }
    expect(read('checkout.session.completed', theirs)).toBeUndefined()
  })

  it.each([
    ['checkout.session.completed', { ...session, mode: 'subscription' }],
    ['checkout.session.completed', { ...session, mode: undefined }],
    ['checkout.session.completed', { ...session, id: undefined }],
    ['checkout.session.completed', { ...session, id: 'x'.repeat(256) }],
    ['checkout.session.completed', { ...session, payment_status: 'perhaps' }],
    ['checkout.session.completed', { ...session, payment_status: undefined }],
    ['checkout.session.completed', { ...session, amount_total: null }],
    ['checkout.session.completed', { ...session, amount_total: -1 }],
    ['checkout.session.completed', { ...session, amount_total: 25.5 }],
    ['checkout.session.completed', { ...session, amount_total: 2 ** 53 }],
    ['checkout.session.completed', { ...session, amount_total: '2500' }],
    ['checkout.session.completed', { ...session, currency: null }],
    ['checkout.session.completed', { ...session, currency: 'dollar' }],
    ['checkout.session.completed', { ...session, payment_intent: 'pi_\0' }],
    ['checkout.session.completed', { ...session, payment_intent: {} }],
    ['checkout.session.async_payment_succeeded', { ...session, payment_status: 'unpaid' }],
    ['charge.refunded', { ...chargeObject(session, 700), amount_refunded: undefined }],
    ['charge.refunded', { ...chargeObject(session, 700), payment_intent: null, id: null }],
    ['charge.dispute.created', { ...disputeObject(session, 'needs_response'), id: 1 }],
    ['charge.dispute.closed', { ...disputeObject(session, 'lost'), status: 'vanished' }],
    ['charge.dispute.closed', null],
    ['charge.dispute.closed', 'dp_1'],
    ['refund.updated', { ...refundObject(session, 700, 'failed'), status: 'vanished' }],
    ['refund.updated', { ...refundObject(session, 700, 'failed'), id: null }],
    ['refund.failed', null],
    ['charge.refunded', []],
    ['charge.refunded', undefined],
  ])('%s of another shape is kept as unreadable: case %#', (type, object) => {
    expect(read(type, object)).toEqual(unreadable(type))
  })

  it.each(['customer.created', 'checkout.session.expired', 'charge.succeeded', 'constructor', '__proto__'])(
    '%s says nothing about money',
    type => {
      expect(read(type, session)).toBeUndefined()
    },
  )

  it('reading an event never fails, whatever it is about, and gives only what the ledger can store', () => {
    const text = /^[\x20-\x7e]{1,255}$/
    const types = fc.constantFrom(
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.async_payment_failed',
      'charge.refunded',
      'refund.created',
      'charge.refund.updated',
      'charge.dispute.created',
      'charge.dispute.closed',
    )
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter }), fc.integer(), fc.double())
    const objects = [
      session,
      chargeObject(session, 700),
      refundObject(session, 700, 'failed'),
      disputeObject(session, 'won'),
    ]
    /** A good object of some type, with a few fields set to anything. */
    const damaged = fc
      .tuple(
        fc.constantFrom<object>(...objects),
        fc.dictionary(fc.constantFrom(...objects.flatMap(object => Object.keys(object))), value, {
          maxKeys: 3,
        }),
      )
      .map(([object, damage]) => ({ ...object, ...damage }))
    fc.assert(
      fc.property(types, fc.oneof(value, damaged), (type, object) => {
        const event = readStripeEvent({ id: 'evt_1', type, occurredAt: NOON, object }, 'stripe')
        // A refund of no payment.
        if (!event) return expect(type).toMatch(/refund\./)
        expect(event?.paymentId).toMatch(text)
        for (const field of ['sessionId', 'checkoutId', 'refundId', 'disputeId'] as const) {
          if (event?.[field] !== null) expect(event?.[field]).toMatch(text)
        }
        if (event?.kind === 'unreadable') expect([event.amountCents, event.currency]).toEqual([null, null])
        else {
          expect(Number.isSafeInteger(event?.amountCents)).toBe(true)
          expect(event?.amountCents).toBeGreaterThanOrEqual(0)
          expect(event?.currency).toMatch(/^[a-z]{3}$/)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('whatever is signed, it is an event or refused', () => {
    const secret = new Secret(Buffer.from(WEBHOOK_SECRET))
    const event = fc.oneof(
      fc.jsonValue().map(value => JSON.stringify(value)),
      fc.string({ unit: anyCharacter }),
      fc
        .record(
          {
            id: fc.anything(),
            type: fc.anything(),
            created: fc.oneof(fc.anything(), fc.integer()),
            data: fc.jsonValue(),
            object: fc.constantFrom('event', 'v2.core.event'),
          },
          { requiredKeys: [] },
        )
        .map(value => {
          try {
            return JSON.stringify(value)
          } catch {
            return '{}'
          }
        }),
    )
    fc.assert(
      fc.property(event, payload => {
        try {
          const { id, type, occurredAt } = verifyEvent(Buffer.from(payload), sign(payload), secret, NOON)
          expect([typeof id, typeof type, typeof occurredAt]).toEqual(['string', 'string', 'number'])
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect((error as Problem).status).toBe(400)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

it('the docs tell the operator to enable every event that says something to us', () => {
  const docs = readFileSync(new URL('../../../../docs/payments.md', import.meta.url), 'utf8')
  const [, list = ''] = /with these events: (.*?)\. Its signing/s.exec(docs) ?? []
  expect(list.match(/[a-z_.]+\.[a-z_.]+/g)?.sort()).toEqual([...HANDLED_EVENTS].sort())
})
