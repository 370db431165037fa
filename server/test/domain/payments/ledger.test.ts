import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openFindings } from '../../../src/domain/moderation/findings.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { allWaiting } from '../../../src/domain/notifications/operator/waiting.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import type { ProcessorEvent } from '../../../src/domain/payments/stripe-events.ts'
import { settlePayment } from '../../../src/domain/payments/unplaced.ts'
import { blockHost, unblockHost } from '../../../src/domain/review/reviewers/blocked-hosts.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { EventKind } from '../../../src/platform/db/tables/payments.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { clearLedger, eventOf, ledgerOf, type OpenedCheckout, openTestCheckout } from '../../support/ledger.ts'
import { runs } from '../../support/runs.ts'
import { NOON } from '../../support/service.ts'

const MINUTE = 60_000
const DAY = '2026-11-21'

describe.each(ENGINES)('the payments ledger on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  /** Another instance of the service on the same database. */
  let other: Store
  let bakery: OpenedCheckout
  let again: OpenedCheckout
  let tools: OpenedCheckout

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    other = await database.openStore()
    bakery = await openTestCheckout(store, 'bakery.com')
    again = await openTestCheckout(store, 'bakery.com')
    tools = await openTestCheckout(store, 'tools.dev')
  })
  afterAll(() => database.remove())
  beforeEach(() => clearLedger(store))

  const apply = (event: ProcessorEvent, at = store) => applyEvent(at, event, NOON)
  async function applyAll(events: readonly ProcessorEvent[]) {
    for (const event of events) await apply(event)
  }
  const totals = async () => (await ledgerOf(store)).totals.map(row => [row.board, row.destinationKey, row.totalCents])
  const paymentNow = async () => (await ledgerOf(store)).payments[0]

  it('credits a paid checkout on both boards, and lists its destination without an end', async () => {
    expect(await apply(eventOf('paid', 'pi_1', { checkout: bakery }))).toBe('applied')
    expect(await totals()).toEqual([
      [DAY, '2:bakery.com', 2500],
      ['all', '2:bakery.com', 2500],
    ])
    const listing = await store.db.selectFrom('listing').selectAll().executeTakeFirstOrThrow()
    expect([listing.url, listing.category, listing.expiresAt]).toEqual(['https://bakery.com/', 'Games', null])
  })

  it('counts the largest amount that an event can have, so that the boards can still be proved', async () => {
    const amountCents = Number.MAX_SAFE_INTEGER
    const checkout = await openTestCheckout(store, 'whale.com', 'stripe', 'Games', amountCents)
    await apply(eventOf('paid', 'pi_1', { checkout }))
    expect(await totals()).toEqual([
      [DAY, '2:whale.com', amountCents],
      ['all', '2:whale.com', amountCents],
    ])
    expect((await reconcile(store, NOON)).differences).toEqual([])
  })

  it('lists a destination that was ordered when pages had fewer fields', async () => {
    const old = await openTestCheckout(store, 'old.dev')
    await store.db
      .updateTable('checkout')
      .set({ page: JSON.stringify({ title: 'Old', description: 'Ordered before an upgrade.' }) })
      .where('id', '=', old.checkoutId)
      .execute()
    await apply(eventOf('paid', 'pi_1', { checkout: old }))
    const listing = await store.db.selectFrom('listing').selectAll().executeTakeFirstOrThrow()
    expect([listing.title, listing.siteName, listing.imageUrl]).toEqual(['Old', '', null])
  })

  it('applies an event once, however often it comes, also to two instances at the same moment', async () => {
    const event = eventOf('paid', 'pi_1', { checkout: bakery })
    const outcomes = await Promise.all([store, other, store, other, store, other].map(at => apply(event, at)))
    expect(outcomes.filter(outcome => outcome === 'applied')).toHaveLength(1)
    expect(outcomes.filter(outcome => outcome === 'repeated')).toHaveLength(5)
    expect(await totals()).toEqual([
      [DAY, '2:bakery.com', 2500],
      ['all', '2:bakery.com', 2500],
    ])
  })

  it('counts a payment once, whichever event types describe it', async () => {
    await applyAll([
      eventOf('paid', 'pi_1', { checkout: bakery, type: 'checkout.session.completed' }),
      eventOf('paid', 'pi_1', { checkout: bakery, type: 'checkout.session.async_payment_succeeded' }),
      eventOf('pending', 'pi_1', { checkout: bakery }),
      eventOf('failed', 'pi_1', { checkout: bakery }),
    ])
    expect((await totals())[1]).toEqual(['all', '2:bakery.com', 2500])
  })

  it('moves nothing while the money is on its way, or when it does not come', async () => {
    await applyAll([eventOf('pending', 'pi_1', { checkout: bakery }), eventOf('failed', 'pi_1', { checkout: bakery })])
    expect(await ledgerOf(store)).toEqual({ payments: [], totals: [], counts: [], withoutEnd: [] })
  })

  it('counts two checkouts of one destination that are paid at once', async () => {
    await Promise.all([
      apply(eventOf('paid', 'pi_1', { checkout: bakery })),
      apply(eventOf('paid', 'pi_2', { checkout: again, occurredAt: NOON + MINUTE }), other),
    ])
    const { totals: rows } = await ledgerOf(store)
    expect(rows.map(row => [row.board, row.totalCents, row.reachedAt])).toEqual([
      [DAY, 5000, NOON + MINUTE],
      ['all', 5000, NOON + MINUTE],
    ])
    expect(await store.db.selectFrom('listing').select('slug').execute()).toHaveLength(1)
  })

  it('subtracts refunds and disputes, in absolute amounts, and adds a won dispute back', async () => {
    const all = async () => (await totals()).find(([board]) => board === 'all')?.[2] ?? 0
    await apply(eventOf('paid', 'pi_1', { checkout: bakery }))
    await apply(eventOf('refunded', 'pi_1', { amountCents: 500 }))
    expect(await all()).toBe(2000)
    await apply(eventOf('refunded', 'pi_1', { amountCents: 900 }))
    expect(await all()).toBe(1600)
    await apply(eventOf('disputed', 'pi_1', { amountCents: 1600, disputeId: 'dp_1' }))
    expect(await all()).toBe(0)
    await apply(eventOf('dispute_won', 'pi_1', { amountCents: 1600, disputeId: 'dp_1' }))
    expect(await all()).toBe(1600)
    await apply(eventOf('disputed', 'pi_1', { amountCents: 1000, disputeId: 'dp_2' }))
    await apply(eventOf('dispute_lost', 'pi_1', { amountCents: 1000, disputeId: 'dp_2' }))
    expect(await all()).toBe(600)
    expect(await paymentNow()).toMatchObject({
      paidCents: 2500,
      refundedCents: 900,
      disputedCents: 1000,
      netCents: 600,
    })
  })

  it('never falls below zero if a refunded payment is also disputed', async () => {
    await applyAll([
      eventOf('paid', 'pi_1', { checkout: bakery }),
      eventOf('refunded', 'pi_1', { amountCents: 2500 }),
      eventOf('disputed', 'pi_1', { amountCents: 2500 }),
      eventOf('paid', 'pi_2', { checkout: again }),
    ])
    expect((await totals()).find(([board]) => board === 'all')).toEqual(['all', '2:bakery.com', 2500])
  })

  it('gives a listing an end again when all of its money is gone, and no other listing', async () => {
    const ends = async () => {
      const listings = await store.db.selectFrom('listing').selectAll().orderBy('hostname').execute()
      return listings.map(({ hostname, publishedAt, expiresAt }) => [hostname, expiresAt && expiresAt - publishedAt])
    }
    const freeEnd = 60 * 24 * 60 * MINUTE
    await applyAll([eventOf('paid', 'pi_1', { checkout: bakery }), eventOf('paid', 'pi_2', { checkout: tools })])
    await apply(eventOf('refunded', 'pi_1', { amountCents: 2500 }))
    expect((await totals()).map(([, destination]) => destination)).toEqual(['2:tools.dev', '2:tools.dev'])
    expect(await ends()).toEqual([
      ['bakery.com', freeEnd],
      ['tools.dev', null],
    ])
    await applyAll([eventOf('refunded', 'pi_2', { amountCents: 2500 }), eventOf('paid', 'pi_3', { checkout: again })])
    expect(await ends()).toEqual([
      ['bakery.com', null],
      ['tools.dev', freeEnd],
    ])
  })

  it('puts the money of a UTC day on that day’s board, by the processor’s time', async () => {
    const midnight = Date.UTC(2026, 10, 22)
    await applyAll([
      eventOf('paid', 'pi_1', { checkout: bakery, occurredAt: midnight - 1 }),
      eventOf('paid', 'pi_2', { checkout: again, occurredAt: midnight }),
      eventOf('paid', 'pi_3', { checkout: tools, occurredAt: midnight + 1, amountCents: 700 }),
    ])
    expect(await totals()).toEqual([
      ['2026-11-21', '2:bakery.com', 2500],
      ['2026-11-22', '2:bakery.com', 2500],
      ['2026-11-22', '2:tools.dev', 700],
      ['all', '2:bakery.com', 5000],
      ['all', '2:tools.dev', 700],
    ])
    await apply(eventOf('refunded', 'pi_1', { amountCents: 2500, occurredAt: midnight + 5 * MINUTE }))
    expect((await totals()).map(([board]) => board)).toEqual(['2026-11-22', '2026-11-22', 'all', 'all'])
  })

  const unplaced: [name: string, reason: string, event: () => ProcessorEvent][] = [
    ['another currency', 'wrong_currency', () => eventOf('paid', 'pi_1', { checkout: bakery, currency: 'eur' })],
    ['no amount', 'no_amount', () => eventOf('paid', 'pi_1', { checkout: bakery, amountCents: 0 })],
    ['an unknown session', 'unknown_checkout', () => eventOf('paid', 'pi_1', { sessionId: 'cs_other' })],
    [
      'a session that is not the one of its checkout',
      'unknown_checkout',
      () => eventOf('paid', 'pi_1', { checkout: { ...bakery, sessionId: 'cs_payment_link' } }),
    ],
    ['a refund of nothing we know', 'not_paid_yet', () => eventOf('refunded', 'pi_1')],
    ['an event that cannot be read', 'unreadable_event', () => eventOf('unreadable', 'pi_1')],
  ]
  it.each(unplaced)('keeps %s for the operator and credits no listing', async (_name, reason, event) => {
    expect(await apply(event())).toBe('applied')
    expect(await paymentNow()).toMatchObject({ unplaced: reason, netCents: 0, destinationKey: null })
    expect(await totals()).toEqual([])
  })

  it('takes a whole payment off for a dispute in another currency, and counts it again once that is won', async () => {
    const dispute = { disputeId: 'dp_1', amountCents: 4, currency: 'eur' }
    await apply(eventOf('paid', 'pi_1', { checkout: bakery }))
    await apply(eventOf('disputed', 'pi_1', dispute))
    expect(await paymentNow()).toMatchObject({ unplaced: null, disputedCents: 2500, netCents: 0 })
    expect(await totals()).toEqual([])
    await apply(eventOf('dispute_won', 'pi_1', dispute))
    expect(await paymentNow()).toMatchObject({ disputedCents: 0, netCents: 2500 })
    await apply(eventOf('refunded', 'pi_1', { amountCents: 500, currency: 'jpy' }))
    expect(await paymentNow()).toMatchObject({ refundedCents: 2500, netCents: 0 })
  })

  it('waits for the operator since its first event, whatever follows, until it is settled', async () => {
    const hear = (kind: EventKind, at: number) =>
      applyEvent(store, eventOf(kind, 'pi_1', { checkout: bakery, currency: 'eur', occurredAt: at }), at)
    const since = async () => (await allWaiting(store.db)).map(({ kind, oldestAt }) => [kind, oldestAt])
    await hear('paid', NOON)
    await hear('disputed', NOON + MINUTE)
    expect(await since()).toEqual([['payment', NOON]])
    await settlePayment(store, 'pi_1', 'Answered the dispute', 'ann', NOON + 2 * MINUTE)
    expect(await since()).toEqual([])
    await hear('dispute_won', NOON + 3 * MINUTE)
    await hear('dispute_lost', NOON + 4 * MINUTE)
    expect(await since()).toEqual([['payment', NOON + 3 * MINUTE]])
  })

  it('credits a payment whose refund came first as soon as it is known', async () => {
    await apply(eventOf('refunded', 'pi_1', { amountCents: 1000 }))
    await apply(eventOf('paid', 'pi_1', { checkout: bakery }))
    expect(await paymentNow()).toMatchObject({ unplaced: null, netCents: 1500 })
  })

  it('does not un-hide a listing by paying, and remembers its money while it is hidden', async () => {
    await apply(eventOf('paid', 'pi_1', { checkout: bakery }))
    const { slug } = await store.db.selectFrom('listing').select('slug').executeTakeFirstOrThrow()
    await hideListing(store, slug, 'test', NOON)
    const shown = async () => (await ledgerOf(store)).totals.map(row => [row.board, row.totalCents, row.shown])
    expect(await shown()).toEqual([
      [DAY, 2500, 0],
      ['all', 2500, 0],
    ])
    expect((await ledgerOf(store)).counts).toEqual([])
    await apply(eventOf('paid', 'pi_2', { checkout: again }))
    expect(await shown()).toEqual([
      [DAY, 5000, 0],
      ['all', 5000, 0],
    ])
    await restoreListing(store, slug, 'test', NOON)
    expect(await shown()).toEqual([
      [DAY, 5000, 1],
      ['all', 5000, 1],
    ])
    expect((await ledgerOf(store)).counts).not.toEqual([])
  })

  it('hides what it lists if the host was blocked after the order, and tells the operator', async () => {
    const blocked = await openTestCheckout(store, 'shop.cheats.example')
    await blockHost(store, { host: 'cheats.example', subdomains: true }, 'It cheats', { name: 'ann' }, NOON)
    await apply(eventOf('paid', 'pi_1', { checkout: blocked }))
    const listing = await store.db.selectFrom('listing').selectAll().executeTakeFirstOrThrow()
    expect(listing).toMatchObject({ hiddenAt: NOON, hiddenBy: 'automatic', expiresAt: null })
    const { totals, counts, payments } = await ledgerOf(store)
    expect(payments).toMatchObject([{ destinationKey: listing.destinationKey, unplaced: null, netCents: 2500 }])
    expect(totals.map(({ totalCents, shown }) => [totalCents, shown])).toEqual([
      [2500, 0],
      [2500, 0],
    ])
    expect(counts).toEqual([])
    const decisions = await store.db.selectFrom('decision').selectAll().where('listingId', '=', listing.id).execute()
    expect(decisions).toMatchObject([{ kind: 'hide', reason: 'blocklisted', actor: 'automatic' }])
    expect(await openFindings(store, 10)).toMatchObject([
      { slug: listing.slug, kind: 'flagged_by:blocked-hosts', evidence: { listed: 'cheats.example' } },
    ])
    await unblockHost(store, 'cheats.example', 'No more', 'ann', NOON)
    await apply(eventOf('refunded', 'pi_1', { amountCents: 2500 }))
    expect((await ledgerOf(store)).payments).toMatchObject([{ netCents: 0 }])
    expect((await reconcile(store, NOON)).differences).toEqual([])
  })

  it('adds a new payment without reading earlier ones, and recomputes all when one changes', async () => {
    await apply(eventOf('paid', 'pi_1', { checkout: bakery }))
    await store.db.updateTable('payment').set({ netCents: 1 }).execute()
    await apply(eventOf('paid', 'pi_2', { checkout: again }))
    expect((await totals())[1]).toEqual(['all', '2:bakery.com', 5000])
    await apply(eventOf('refunded', 'pi_2', { amountCents: 500 }))
    expect((await totals())[1]).toEqual(['all', '2:bakery.com', 2001])
  })

  it('gives the same result for every order of the events, repeated or not', async () => {
    // Often the same second, too.
    const times = fc.oneof(fc.integer({ min: NOON - 36 * 60 * MINUTE, max: NOON }), fc.constant(NOON))
    const amount = fc.integer({ min: 0, max: 4000 })
    const event = fc
      .record({
        kind: fc.constantFrom(
          'paid',
          'refunded',
          'refund_made',
          'refund_failed',
          'disputed',
          'dispute_won',
          'dispute_lost',
          'pending',
          'failed',
        ),
        payment: fc.constantFrom('pi_1', 'pi_2', 'pi_3', 'pi_4'),
        occurredAt: times,
        amountCents: amount,
        currency: fc.constantFrom('usd', 'usd', 'usd', 'eur'),
        refundId: fc.constantFrom('re_1', 're_2'),
        disputeId: fc.constantFrom('dp_1', 'dp_2'),
      })
      .map(({ kind, payment, ...rest }) =>
        eventOf(kind as 'paid', payment, {
          ...rest,
          // Two events of one payment can name two orders: the earlier one counts.
          checkout:
            payment === 'pi_1' ? bakery : payment === 'pi_2' ? again : rest.refundId === 're_1' ? tools : bakery,
        }),
      )
    const storm = fc.array(event, { minLength: 2, maxLength: 9 }).chain(events =>
      fc.record({
        events: fc.constant(events),
        order: fc.shuffledSubarray([...events, ...events], {
          minLength: events.length,
          maxLength: 2 * events.length,
        }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(storm, async ({ events, order }) => {
        await clearLedger(store)
        await applyAll(events)
        const expected = await ledgerOf(store)
        const { differences } = await reconcile(store, NOON)
        // Events have any amount, whatever was ordered.
        expect(differences.filter(({ what }) => what !== 'order amount')).toEqual([])
        await clearLedger(store)
        await applyAll(order)
        await applyAll(events)
        expect(await ledgerOf(store)).toEqual(expected)
      }),
      { numRuns: runs(engine === 'sqlite' ? 150 : 40) },
    )
  })
})
