import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hideListing } from '../../src/moderation/moderate.ts'
import { applyEvent } from '../../src/payments/apply-event.ts'
import { reconcile } from '../../src/payments/reconcile.ts'
import type { EventKind } from '../../src/storage/schema.ts'
import type { Store } from '../../src/storage/store.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase } from '../support/engines.ts'
import { clearLedger, eventOf, type OpenedCheckout, openTestCheckout } from '../support/ledger.ts'
import { operate, operateHere } from '../support/operate.ts'
import { NOON } from '../support/service.ts'

const HOUR = 3_600_000
const HOSTS = 12

describe.each(ENGINES)('reconcile on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  const checkouts: OpenedCheckout[] = []

  beforeAll(async () => {
    database = await emptyDatabase(engine)
    store = await database.openStore()
    checkouts.length = 0
    for (let index = 0; index < 40; index++) {
      checkouts.push(await openTestCheckout(store, `site-${index % HOSTS}.com`))
    }
  })
  afterAll(() => database.remove())
  beforeEach(() => clearLedger(store))

  const placard = (...args: string[]) => operateHere(database.env, ...args)

  /** Random payments, refunds and disputes, many at a time, over three days. */
  async function storm(seed: number, count: number) {
    const step = fc.record({
      kind: fc.constantFrom<EventKind>(
        'paid',
        'paid',
        'paid',
        'refunded',
        'disputed',
        'dispute_won',
        'dispute_lost',
      ),
      which: fc.nat({ max: checkouts.length - 1 }),
      amountCents: fc.oneof(fc.constantFrom(500, 2500), fc.integer({ min: 0, max: 500_000 })),
      occurredAt: fc.integer({ min: NOON - 72 * HOUR, max: NOON }),
      disputeId: fc.constantFrom('dp_1', 'dp_2'),
    })
    const steps = fc.sample(step, { seed, numRuns: count })
    const apply = ({ kind, which, ...rest }: (typeof steps)[number]) => {
      const checkout = checkouts[which]
      const about = { ...rest, currency: which % 7 === 0 ? 'jpy' : 'usd' }
      return applyEvent(
        store,
        eventOf(kind, `pi_${which}`, { ...about, ...(checkout && { checkout }) }),
        NOON,
      )
    }
    for (let from = 0; from < steps.length; from += 20) {
      await Promise.all(steps.slice(from, from + 20).map(apply))
    }
  }

  it('finds no difference after a storm of payments, refunds and disputes', {
    tags: ['programs'],
  }, async () => {
    await storm(1, 400)
    const { slug } = await store.db.selectFrom('listing').select('slug').executeTakeFirstOrThrow()
    await hideListing(store, slug, 'test', NOON)
    await storm(2, 100)
    const result = await reconcile(store, NOON)
    expect(result.differences).toEqual([])
    expect(result.payments).toBeGreaterThan(30)
    expect(result.totals).toBeGreaterThan(HOSTS)
    // In its own process, as an operator would.
    const { code, output } = await operate(database.env, 'reconcile')
    expect([code, output]).toEqual([
      0,
      `No difference: ${result.payments} payments and ${result.totals} board totals follow from the recorded events.\n`,
    ])
  })

  const tamperings: [what: string, statement: string][] = [
    ['payment', 'update payment set "paidCents" = "paidCents" + 1 where "netCents" > 0'],
    ['payment', 'delete from payment'],
    ['board total', 'update board_total set "totalCents" = "totalCents" + 100'],
    ['board total', 'update board_total set "reachedAt" = "reachedAt" - 1'],
    ['board total', 'update board_total set shown = 0'],
    ['board total', "delete from board_total where board = 'all'"],
    ['board count', 'update board_count set destinations = destinations + 1 where level = 3'],
    ['board count', 'delete from board_count where level = 5'],
    ['end of listing', 'update listing set "expiresAt" = 1'],
  ]
  it.each(tamperings)('finds a %s changed behind its back: %s', async (what, statement) => {
    const [checkout] = checkouts
    if (!checkout) throw new Error('no checkout')
    await applyEvent(store, eventOf('paid', 'pi_0', { checkout }), NOON)
    expect((await reconcile(store, NOON)).differences).toEqual([])
    await store.transact(trx => sql.raw(statement).execute(trx))
    expect((await reconcile(store, NOON)).differences.map(difference => difference.what)).toContain(what)
    const { code, output } = await placard('reconcile')
    expect([code, output.includes(`${what}: `), /Differences: \d+/.test(output)]).toEqual([1, true, true])
  })

  it('shows the operator what is credited to nobody, until it is refunded', async () => {
    expect(await placard('payments', '--unplaced')).toEqual({
      code: 0,
      output: 'Every payment is credited.\n',
    })
    await applyEvent(store, eventOf('paid', 'pi_lost', { sessionId: 'cs_of_nobody' }), NOON)
    const { code, output } = await placard('payments', '--unplaced')
    expect(code).toBe(0)
    expect(output).toBe(
      '2026-11-21 12:00  stripe  pi_lost  paid 25.00 usd  test.paid\n' +
        '    unknown_checkout: matches no checkout of this service: find it at the processor and refund it there\n',
    )
    await applyEvent(store, eventOf('refunded', 'pi_lost', { amountCents: 2500 }), NOON)
    expect((await placard('payments', '--unplaced')).output).toBe('Every payment is credited.\n')
  })

  it('puts first what somebody paid, and says that there is more', async () => {
    for (const payment of ['pi_1', 'pi_2']) await applyEvent(store, eventOf('refunded', payment), NOON + 1)
    const yen = { sessionId: 'cs_of_nobody', currency: 'jpy', amountCents: 500 }
    await applyEvent(store, eventOf('paid', 'pi_yen', yen), NOON)
    const { output } = await placard('payments', '--unplaced', '--limit', '2')
    expect(output.split('\n').filter(line => line.startsWith('2026'))).toEqual([
      '2026-11-21 12:00  stripe  pi_yen  paid 500 smallest units of jpy  test.paid',
      expect.stringMatching(/pi_[12] {2}refunded 25\.00 usd/),
    ])
    expect(output).toMatch(/\n1 more: --limit shows them\.\n$/)
  })

  it('says what is wrong with its words', async () => {
    for (const args of [
      ['payments'],
      ['reconcile', '--limit', '3'],
      ['reconcile', 'all'],
      ['list', '--unplaced'],
    ]) {
      const { code, output } = await placard(...args)
      expect([args, code, output.split('\n')[0]]).toEqual([args, 2, expect.stringMatching(/^placard: /)])
    }
  })
})
