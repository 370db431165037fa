import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readCheckout } from '../../../src/domain/checkout/order-state.ts'
import { type CheckoutDependencies, type Order, openCheckout } from '../../../src/domain/checkout/place-order.ts'
import { type Destination, parseDestination } from '../../../src/domain/destinations/destination.ts'
import { addListing } from '../../../src/domain/listings/add-listing.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { createStripe } from '../../../src/domain/payments/stripe.ts'
import { createPageFetcher } from '../../../src/domain/review/fetcher/fetch-page.ts'
import { createGuardedFetcher } from '../../../src/domain/review/fetcher/guarded-fetcher.ts'
import { NO_METADATA } from '../../../src/domain/review/page.ts'
import { pageRules } from '../../../src/domain/review/reviewers/page-rules.ts'
import { Reviewers } from '../../../src/domain/review/reviewers/reviewers.ts'
import { configFrom, type StripeConfig } from '../../../src/platform/config/config.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { EventKind } from '../../../src/platform/db/tables/payments.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { fieldAt } from '../../support/form-fields.ts'
import { clearLedger, eventOf } from '../../support/ledger.ts'
import { readers } from '../../support/readers.ts'
import { NOON } from '../../support/service.ts'
import { goodPage, type Sites, sendHtml, startSites } from '../../support/sites.ts'
import { type StripeApi, startStripeApi } from '../../support/stand-in.ts'

const bakery = parseDestination('http://bakery.com/')

describe.each(ENGINES)('a checkout on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let sites: Sites
  let api: StripeApi
  let deps: CheckoutDependencies
  let links: Links
  const clock = { now: NOON }
  const warnings: unknown[] = []
  const log = { warn: (facts: unknown) => void warnings.push(facts) }

  const stripeFor = (timeoutMs: number) => createStripe(configFrom(api.env).stripe as StripeConfig, { timeoutMs })
  beforeAll(async () => {
    ;[database, sites, api] = await Promise.all([
      migratedDatabase(engine),
      startSites(),
      startStripeApi({ clock: () => clock.now }),
    ])
    store = await database.openStore()
    links = new Links({ baseUrl: 'https://placard.example', supportUrl: undefined })
    const { connectTo } = configFrom({ FETCH_CONNECT_TO: sites.connectTo })
    const fetcher = createGuardedFetcher({ dnsServers: [], connectTo, links, version: 'test' })
    deps = {
      links,
      store,
      stripe: stripeFor(60_000),
      fetchPage: createPageFetcher(fetcher, readers),
      reviewers: new Reviewers([{ reviewer: pageRules, decides: true }]),
      clock: () => clock.now,
    }
  })
  afterAll(async () => {
    await Promise.all([api.close(), sites.close()])
    await database.remove()
  })
  beforeEach(async () => {
    await clearLedger(store)
    await store.transact(trx => trx.deleteFrom('checkout').execute())
    warnings.length = 0
  })
  afterEach(() => {
    clock.now = NOON
    sites.set('bakery.com', goodPage)
  })

  const orderOf = (about: Partial<Order> = {}): Order => ({
    destination: bakery,
    category: 'Food & Drink',
    board: 'all',
    targetBid: 25,
    amountCents: 2500,
    provedBy: 'meta_tag',
    rulesVersion: '2026-09-06',
    networks: [],
    ...about,
  })
  const open = (about: Partial<Order> = {}) => openCheckout(deps, orderOf(about), log)

  /** Opens a valid order. */
  async function opened(about: Partial<Order> = {}) {
    const opening = await open(about)
    if ('refused' in opening) throw new Error(opening.refused)
    const row = await store.db
      .selectFrom('checkout')
      .selectAll()
      .where('id', '=', opening.checkoutId)
      .executeTakeFirstOrThrow()
    return row
  }
  type Opened = Awaited<ReturnType<typeof opened>>

  const apply = (kind: EventKind, { id, sessionId, hostname }: Opened, about: Parameters<typeof eventOf>[2] = {}) => {
    const checkout = { checkoutId: id, sessionId: sessionId ?? '', host: hostname }
    return applyEvent(store, eventOf(kind, `pi_${id}`, { checkout, ...about }), clock.now)
  }
  const pageOf = ({ sessionId }: Pick<Opened, 'sessionId'>) => api.session(sessionId ?? '')
  /** The processor's pages of all tests so far. */
  const allPages = () => api.sandbox.newestSessions(10_000)
  const madeSince = (before: { id: string }[]) => {
    const known = new Set(before.map(({ id }) => id))
    return allPages().filter(({ id }) => !known.has(id))
  }
  const stateOf = async ({ id }: { id: string }) => (await readCheckout(store, id))?.state
  const checkouts = () => store.db.selectFrom('checkout').selectAll().execute()
  const list = (destination: Destination = bakery) => {
    const page = { ...NO_METADATA, title: 'Bakery', language: 'en' }
    return store.transact(trx => addListing(trx, destination, 'Games', page, NOON))
  }

  describe('that is opened', () => {
    it('is a payment page of exactly that order, and a record of what was agreed to', async () => {
      const row = await opened({ board: 'today', targetBid: 30, amountCents: 3000 })
      expect(row).toMatchObject({
        processor: 'stripe',
        destinationKey: '2:bakery.com',
        url: 'http://bakery.com/',
        category: 'Food & Drink',
        board: 'today',
        targetBid: 30,
        amountCents: 3000,
        provedBy: 'meta_tag',
        rulesVersion: '2026-09-06',
        createdAt: NOON,
        supersededAt: null,
      })
      const form = api.heard.at(-1)?.form ?? {}
      const { amountCents, clientReferenceId } = pageOf(row)
      const currency = fieldAt(form, 'line_items', '0', 'price_data', 'currency')
      expect([amountCents, currency, clientReferenceId]).toEqual([3000, 'usd', row.id])
      expect(fieldAt(form, 'line_items', '0', 'price_data', 'product_data', 'name')).toBe(
        'Paid place on Placard for bakery.com, on today’s board, which ends at midnight UTC',
      )
      expect(form.success_url).toBe(`https://placard.example/checkout/${row.id}?returned=1`)
      expect(form.cancel_url).toBe(
        'https://placard.example/promote?destination=http%3A%2F%2Fbakery.com%2F&category=Food+%26+Drink&board=today&target=30',
      )
    })

    it('keeps the reviewed page of a website that is not listed, and lists it once it is paid', async () => {
      const checkout = await opened()
      expect(JSON.parse(checkout.page ?? '')).toMatchObject({ title: 'Welcome to bakery.com' })
      expect(await store.db.selectFrom('listing').selectAll().execute()).toEqual([])
      await apply('paid', checkout)
      const listing = await store.db.selectFrom('listing').selectAll().executeTakeFirstOrThrow()
      expect([listing.title, listing.category]).toEqual(['Welcome to bakery.com', 'Food & Drink'])
    })

    it('costs what its own website has to pay for its own board', async () => {
      await apply('paid', await opened(), { occurredAt: NOON - daysMs(1) })
      await opened({ board: 'today' })
      await opened({ destination: parseDestination('http://bakery.com/menu') })
      await opened({ targetBid: 40, amountCents: 1500 })
    })

    it('does not visit a website that is listed', async () => {
      const listed = parseDestination('http://listed-bakery.com/')
      await list(listed)
      const checkout = await opened({ destination: listed })
      expect([checkout.page, sites.visits('listed-bakery.com')]).toEqual([null, 0])
    })
  })

  describe('is not opened, and asks no money,', () => {
    let asked = 0
    beforeEach(() => {
      asked = api.heard.length
    })

    /** No order, and no payment page. */
    const expectNothing = async () => expect([await checkouts(), api.heard.length - asked]).toEqual([[], 0])

    it('for a website that review refuses', async () => {
      sites.set('bakery.com', (_request, response) =>
        sendHtml(response, '<title>Adult</title><meta name="rating" content="adult">'),
      )
      await expect(open()).rejects.toMatchObject({ code: 'review_rejected', reason: 'adult_content' })
      await expectNothing()
    })

    it('for a website that cannot be reviewed just now', async () => {
      sites.set('bakery.com', (_request, response) => response.writeHead(503).end())
      await expect(open()).rejects.toMatchObject({ code: 'review_unavailable', retryAfterSeconds: 30 })
      await expectNothing()
    })

    it('for a listing that is hidden or has ended', async () => {
      const listing = await list()
      clock.now = NOON + daysMs(60)
      expect(await open()).toEqual({ refused: 'not_shown' })
      clock.now = NOON
      await hideListing(store, listing?.slug ?? '', 'test', NOON)
      expect(await open()).toEqual({ refused: 'not_shown' })
      await expectNothing()
    })

    it('at another price than the one that is due', async () => {
      for (const amountCents of [2499, 2501, 0, -2500, Number.NaN]) {
        expect(await open({ amountCents })).toEqual({ refused: 'price_changed' })
      }
      await expectNothing()
    })

    it('for less than a dollar, nor for what is already paid', async () => {
      const first = await opened()
      await apply('paid', first, { amountCents: 2450 })
      expect(await open({ amountCents: 50 })).toEqual({ refused: 'price_changed' })
      expect(await open({ targetBid: 20, amountCents: -450 })).toEqual({ refused: 'price_changed' })
      expect(await checkouts()).toHaveLength(1)
    })

    it('when a payment arrives while the website is reviewed', async () => {
      const first = await opened()
      sites.set('bakery.com', (request, response) => {
        void apply('paid', first).then(() => goodPage(request, response))
      })
      expect(await open()).toEqual({ refused: 'price_changed' })
      expect(await checkouts()).toHaveLength(1)
    })

    it('while the ledger cannot be read', async () => {
      const broken: Store = { ...store, executeQuery: () => Promise.reject(new Error('disk')) }
      const opening = openCheckout({ ...deps, store: broken }, orderOf(), log)
      await expect(opening).rejects.toMatchObject({ code: 'payment_evidence_unavailable' })
      await expectNothing()
    })

    it.each(['broken', 'babbling', 'silent', 'empty'] as const)(
      'by a processor that is %s, and works again later',
      async mood => {
        api.mood = mood
        const stripe = stripeFor(mood === 'silent' ? 100 : 60_000)
        const opening = openCheckout({ ...deps, stripe }, orderOf(), log)
        await expect(opening).rejects.toMatchObject({ code: 'payments_unavailable' })
        api.mood = 'well'
        const [checkout] = await checkouts()
        expect([checkout?.sessionId, await stateOf(checkout ?? { id: '' })]).toEqual([null, 'unopened'])
        expect(await stateOf(await opened())).toBe('open')
      },
    )
  })

  describe('that a newer one follows', () => {
    it('is superseded, and its payment page is closed', async () => {
      const first = await opened()
      clock.now += 1000
      const second = await opened({ targetBid: 40, amountCents: 4000 })
      expect([await stateOf(first), await stateOf(second)]).toEqual(['superseded', 'open'])
      expect([pageOf(first).status, pageOf(second).status]).toEqual(['expired', 'open'])
      clock.now += 1000
      await opened()
      expect((await readCheckout(store, first.id))?.checkout.supersededAt).toBe(NOON + 1000)
    })

    it('stays as it is when it belongs to another website', async () => {
      const first = await opened()
      const other = await opened({ destination: parseDestination('http://bakery.com/menu') })
      expect([await stateOf(first), pageOf(first).status]).toEqual(['open', 'open'])
      await apply('pending', other)
      expect(await stateOf(await opened())).toBe('open')
    })

    it('is refused while the money of the older one is on its way to the same board', async () => {
      await list()
      const first = await opened()
      await apply('pending', first)
      const pending = { id: first.id, board: 'all', amountCents: 2500, createdAt: NOON }
      const asked = api.heard.length
      expect(await open()).toEqual({ refused: 'order_pending', pending })
      expect([await open({ targetBid: 40, amountCents: 4000 }), api.heard.length]).toEqual([
        { refused: 'order_pending', pending },
        asked,
      ])
      expect(await stateOf(await opened({ board: 'today' }))).toBe('open')
      expect(await stateOf(first)).toBe('pending')
      await apply('failed', first)
      expect(await stateOf(await opened())).toBe('open')
    })

    it('is refused although the older one was superseded before its money was on its way', async () => {
      await list()
      const first = await opened()
      api.refuseExpiry = true
      await opened({ targetBid: 40, amountCents: 4000 })
      api.refuseExpiry = false
      await apply('pending', first)
      expect(await open()).toMatchObject({ refused: 'order_pending', pending: { id: first.id } })
    })

    it('is possible again two weeks after a transfer that never came and never failed', async () => {
      await list()
      const first = await opened()
      await apply('pending', first)
      clock.now = NOON + daysMs(14) - 1
      expect(await open()).toMatchObject({ refused: 'order_pending' })
      clock.now = NOON + daysMs(14)
      expect(await stateOf(await opened())).toBe('open')
    })

    it.each(['paid', 'pending'] as const)(
      'is refused, with its page closed, if the older one is %s while the page is made',
      async kind => {
        await list()
        const first = await opened()
        const before = allPages()
        const meanwhile: CheckoutDependencies = {
          ...deps,
          stripe: {
            ...deps.stripe,
            async createSession(order) {
              const sessionId = await deps.stripe.createSession(order)
              await apply(kind, first)
              return sessionId
            },
          },
        }
        const opening = await openCheckout(meanwhile, orderOf(), log)
        expect(opening).toMatchObject({ refused: kind === 'paid' ? 'price_changed' : 'order_pending' })
        expect((await checkouts()).map(({ id }) => id)).toEqual([first.id])
        expect(madeSince(before).map(({ status }) => status)).toEqual(['expired'])
      },
    )

    it('is one at most of many at once, by two instances, while the older one is paid', async () => {
      await list()
      const before = allPages()
      const other = engine === 'postgres' ? await database.openStore() : store
      for (let round = 1; round <= 5; round++) {
        const targetBid = 25 * round
        const first = await opened({ targetBid })
        await api.complete(first.sessionId ?? '')
        const opening = await Promise.all([
          apply('paid', first),
          ...[store, other, store, other].map(each =>
            openCheckout({ ...deps, store: each }, orderOf({ targetBid }), log),
          ),
        ])
        expect(opening.filter(each => typeof each === 'object' && 'checkoutId' in each)).toEqual([])
        expect(madeSince(before).filter(({ status }) => status === 'open')).toEqual([])
      }
      if (other !== store) await other.close()
    })

    it.each([
      ['paid', 1500],
      ['failed', 2500],
    ] as const)('stays %s when it was gone through with', async (kind, amountCents) => {
      const first = await opened({ targetBid: 10, amountCents: 1000 })
      await apply(kind, first, { amountCents: 1000 })
      await opened({ amountCents })
      expect(await stateOf(first)).toBe(kind)
      expect((await checkouts()).map(({ supersededAt }) => supersededAt)).toEqual([null, null])
    })

    it('is superseded even if its payment page cannot be closed, and counts if it is paid after all', async () => {
      const first = await opened()
      api.refuseExpiry = true
      const second = await opened()
      api.refuseExpiry = false
      expect(warnings).toMatchObject([{ sessionId: first.sessionId }])
      await apply('paid', first)
      expect([await stateOf(first), await stateOf(second)]).toEqual(['paid', 'open'])
    })

    it('is not refused after the event of an older one that was paid because its page could not be closed', async () => {
      await list()
      const first = await opened()
      api.refuseExpiry = true
      await opened()
      api.refuseExpiry = false
      await api.complete(first.sessionId ?? '')
      await apply('paid', first)
      expect(await stateOf(await opened({ targetBid: 50 }))).toBe('open')
    })

    it('is refused while the older one is paid and its event is late', async () => {
      await list()
      const first = await opened()
      await api.complete(first.sessionId ?? '')
      const refused = { refused: 'payment_waiting', waitingId: first.id }
      expect(await open()).toEqual(refused)
      expect(await Promise.all([open(), open()])).toEqual([refused, refused])
      const newer = (await checkouts()).filter(({ id }) => id !== first.id)
      expect(newer.map(order => pageOf(order).status)).toEqual(Array(3).fill('expired'))
      expect(await Promise.all([first, ...newer].map(stateOf))).toEqual(['open', ...Array(3).fill('superseded')])
    })

    it('stays as it is when the newer one gets no payment page', async () => {
      const first = await opened()
      api.mood = 'broken'
      await expect(open()).rejects.toMatchObject({ code: 'payments_unavailable' })
      api.mood = 'well'
      expect([await stateOf(first), pageOf(first).status]).toEqual(['open', 'open'])
    })

    it('leaves one open of five at once', async () => {
      await list()
      const orders = await Promise.all(Array.from({ length: 5 }, () => opened()))
      const states = await Promise.all(orders.map(stateOf))
      expect(states.sort()).toEqual(['open', 'superseded', 'superseded', 'superseded', 'superseded'])
      for (const order of orders) {
        const isOpen = (await stateOf(order)) === 'open'
        expect(pageOf(order).status).toBe(isOpen ? 'open' : 'expired')
      }
    })
  })

  describe('where it stands', () => {
    it('is open, then pending, then paid, whatever else events say', async () => {
      const checkout = await opened()
      expect(await stateOf(checkout)).toBe('open')
      await apply('pending', checkout)
      expect(await stateOf(checkout)).toBe('pending')
      await apply('paid', checkout)
      await apply('failed', checkout)
      expect(await stateOf(checkout)).toBe('paid')
    })

    it('is failed if the money never came, even if that event comes first', async () => {
      const checkout = await opened()
      await apply('failed', checkout)
      await apply('pending', checkout)
      expect(await stateOf(checkout)).toBe('failed')
    })

    it('tells what was given back and what still counts', async () => {
      const checkout = await opened()
      await apply('paid', checkout)
      const amounts = async () => (await readCheckout(store, checkout.id))?.payment
      expect(await amounts()).toEqual({
        paidCents: 2500,
        refundedCents: 0,
        disputedCents: 0,
        lostCents: 0,
        netCents: 2500,
        paidAt: NOON,
      })
      await apply('refunded', checkout, { sessionId: null, checkoutId: null, amountCents: 500 })
      await apply('disputed', checkout, { sessionId: null, checkoutId: null, amountCents: 700 })
      expect(await amounts()).toEqual({
        paidCents: 2500,
        refundedCents: 500,
        disputedCents: 700,
        lostCents: 0,
        netCents: 1300,
        paidAt: NOON,
      })
    })

    it('is lost as a whole in a dispute in another currency', async () => {
      const checkout = await opened()
      await apply('paid', checkout)
      const ofCharge = { sessionId: null, checkoutId: null, disputeId: 'dp_euro', currency: 'eur' }
      await apply('dispute_lost', checkout, { ...ofCharge, amountCents: 4 })
      const lost = { disputedCents: 0, lostCents: 2500, netCents: 0 }
      expect((await readCheckout(store, checkout.id))?.payment).toMatchObject(lost)
    })

    it('tells what was lost in a dispute from what is in one', async () => {
      const checkout = await opened()
      await apply('paid', checkout)
      const ofCharge = { sessionId: null, checkoutId: null }
      await apply('disputed', checkout, { ...ofCharge, amountCents: 700 })
      await apply('disputed', checkout, { ...ofCharge, amountCents: 900, disputeId: 'dp_2' })
      await apply('dispute_lost', checkout, { ...ofCharge, amountCents: 700 })
      const lost = { disputedCents: 900, lostCents: 700, netCents: 900 }
      expect((await readCheckout(store, checkout.id))?.payment).toMatchObject(lost)
      const [later, latest] = [NOON + 1000, NOON + 2000]
      await apply('dispute_won', checkout, { ...ofCharge, amountCents: 700, occurredAt: later })
      const won = { disputedCents: 900, netCents: 1600 }
      expect((await readCheckout(store, checkout.id))?.payment).toMatchObject(won)
      await apply('dispute_lost', checkout, { ...ofCharge, amountCents: 700, occurredAt: latest })
      expect((await readCheckout(store, checkout.id))?.payment).toMatchObject(lost)
    })

    it.each([
      ['in another currency', { currency: 'eur' }],
      ['with no amount', { amountCents: 0 }],
      ['for another order', { checkoutId: randomUUID() }],
      ['for no order', { checkoutId: null }],
    ])('is held when the payment came %s', async (_, about) => {
      const checkout = await opened()
      await apply('paid', checkout, about)
      expect(await stateOf(checkout)).toBe('held')
    })

    it('is refunded if a held payment was refunded in full', async () => {
      const checkout = await opened()
      const about = { currency: 'eur' }
      await apply('paid', checkout, about)
      await apply('refunded', checkout, { ...about, sessionId: null, checkoutId: null, amountCents: 2499 })
      expect(await stateOf(checkout)).toBe('held')
      await apply('refunded', checkout, { ...about, sessionId: null, checkoutId: null })
      expect(await stateOf(checkout)).toBe('refunded')
    })

    it('ignores what another payment page says about it', async () => {
      const checkout = await opened()
      await apply('paid', checkout, { sessionId: 'cs_elsewhere' })
      expect(await stateOf(checkout)).toBe('open')
    })

    it('does not exist without an order', async () => {
      for (const id of [randomUUID(), '', 'x', '\0', (await opened()).id.toUpperCase(), 'a'.repeat(5000)]) {
        expect(await readCheckout(store, id)).toBeUndefined()
      }
    })
  })
})
