import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { reconcile, reconcileIn } from '../../../src/domain/payments/reconcile.ts'
import { reconcileNightly } from '../../../src/ops/jobs/reconcile-nightly.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { EventKind } from '../../../src/platform/db/tables/payments.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { clearLedger, eventOf, type OpenedCheckout, openTestCheckout } from '../../support/ledger.ts'
import { operate, operateHere } from '../../support/operate.ts'
import { noteQueries, planOf } from '../../support/plans.ts'
import { NOON } from '../../support/service.ts'

const HOUR = 3_600_000
const HOSTS = 12
const ORDERED_CENTS = 250_000

describe.each(ENGINES)('reconcile on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  const checkouts: OpenedCheckout[] = []

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    checkouts.length = 0
    for (let index = 0; index < 40; index++) {
      checkouts.push(await openTestCheckout(store, `site-${index % HOSTS}.com`, 'stripe', 'Games', ORDERED_CENTS))
    }
  })
  afterAll(() => database.remove())
  beforeEach(async () => {
    await clearLedger(store)
    await store.db.updateTable('checkout').set({ amountCents: ORDERED_CENTS }).execute()
  })

  /** Runs a command at the time of the tests' payments: places taken are compared for a week. */
  async function placard(...args: string[]) {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    try {
      return await operateHere(database.env, ...args)
    } finally {
      vi.useRealTimers()
    }
  }

  /** Random payments, refunds and disputes, many at a time, over three days. */
  async function storm(seed: number, count: number) {
    const step = fc.record({
      kind: fc.constantFrom<EventKind>('paid', 'paid', 'paid', 'refunded', 'disputed', 'dispute_won', 'dispute_lost'),
      which: fc.nat({ max: checkouts.length - 1 }),
      amountCents: fc.oneof(fc.constantFrom(500, 2500), fc.integer({ min: 0, max: 500_000 })),
      occurredAt: fc.integer({ min: NOON - 72 * HOUR, max: NOON }),
      disputeId: fc.constantFrom('dp_1', 'dp_2'),
    })
    const steps = fc.sample(step, { seed, numRuns: count })
    const apply = ({ kind, which, ...rest }: (typeof steps)[number]) => {
      const checkout = checkouts[which]
      const about = {
        ...rest,
        currency: which % 7 === 0 ? 'jpy' : 'usd',
        // What was ordered is what is charged.
        ...(kind === 'paid' && { amountCents: ORDERED_CENTS }),
      }
      return applyEvent(store, eventOf(kind, `pi_${which}`, { ...about, ...(checkout && { checkout }) }), NOON)
    }
    for (let from = 0; from < steps.length; from += 20) {
      await Promise.all(steps.slice(from, from + 20).map(apply))
    }
  }

  it('finds no difference after a storm of payments, refunds and disputes', {
    tags: ['programs'],
  }, async () => {
    // PostgreSQL waits for its locks and its disk; SQLite shows the rarer cases.
    await storm(1, engine === 'sqlite' ? 400 : 150)
    const { slug } = await store.db.selectFrom('listing').select('slug').executeTakeFirstOrThrow()
    await hideListing(store, slug, 'test', NOON)
    await storm(2, engine === 'sqlite' ? 100 : 40)
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
    ['order amount', 'update checkout set "amountCents" = 2400'],
    ['order amount', 'update processor_event set "amountCents" = "amountCents" + 1'],
    ['place taken', 'update place_taken set rank = 2'],
    ['place taken', 'update place_taken set "totalCents" = "totalCents" + 1'],
    ['place taken', 'update place_taken set at = at - 1'],
    ['place taken', "delete from place_taken where board = 'all'"],
    ['board change', "update board_change set moves = replace(moves, '2500,1', '2600,1')"],
    ['board change', "update board_change set moves = 'nonsense' where moves <> '[]'"],
    ['board change', "update board_change set moves = '5' where moves <> '[]'"],
    ['board change', "update board_change set moves = '[[\"all\"]]' where moves <> '[]'"],
    ['board change', 'update board_change set token = null'],
    ['board change', 'update board_change set "countsSum" = "countsSum" + 1'],
    ['board change', 'delete from board_change'],
    ['board change', 'delete from board_change where version = (select max(version) from board_change)'],
    ['board change', 'delete from board_change where version = (select max(version) - 1 from board_change)'],
    ['board change', 'delete from board_change where version < (select max(version) from board_change)'],
    ['board change', "update board_change set version = version + 5 where moves <> '[]'"],
    ['board change', 'update board_count set destinations = destinations + 1 where level = 3'],
  ]
  it.each(tamperings)('finds a %s changed behind its back: %s', async (what, statement) => {
    const [checkout] = checkouts
    if (!checkout) throw new Error('no checkout')
    await applyEvent(store, eventOf('paid', 'pi_0', { checkout }), NOON)
    await applyEvent(store, eventOf('paid', 'pi_1', { checkout: checkouts[1] as OpenedCheckout }), NOON)
    expect((await reconcile(store, NOON)).differences).toEqual([])
    await store.transact(trx => sql.raw(statement).execute(trx))
    expect((await reconcile(store, NOON)).differences.map(difference => difference.what)).toContain(what)
    const { code, output } = await placard('reconcile')
    expect([code, output.includes(`${what}: `), /Differences: \d+/.test(output)]).toEqual([1, true, true])
    // A person reads it.
    expect(output).not.toMatch(/[{}"]|\[\[/)
  })

  it.runIf(engine === 'sqlite')(
    'finds the orders of some payments without reading all orders of a processor',
    async () => {
      await storm(1, 10)
      const { plugin, queries } = noteQueries(store.db)
      await reconcileIn(store.db.withPlugin(plugin), NOON)
      const plans = await Promise.all(queries.map(query => planOf(store.db, query)))
      const ofOrders = plans.flat().filter(step => /^(SEARCH|SCAN) checkout\b/.test(step))
      expect(ofOrders).toContain('SEARCH checkout USING INDEX sqlite_autoindex_checkout_1 (id=?)')
      // The one that compares amounts reads all orders, once.
      expect(ofOrders.filter(step => !step.includes('(id=?)'))).toEqual(['SCAN checkout'])
    },
  )

  it('runs automatically once a night, and notifies the operator of differences', async () => {
    const [checkout] = checkouts
    if (!checkout) throw new Error('no checkout')
    await applyEvent(store, eventOf('paid', 'pi_0', { checkout }), NOON)
    const lines: [object, string][] = []
    const keep = (about: object, line: string) => void lines.push([about, line])
    const log = { debug: keep, info: keep, warn: keep, error: keep } as never
    const clock = { now: NOON }
    const night = reconcileNightly.start({
      config: configFrom(database.env),
      clock: () => clock.now,
      log,
    })
    const run = async () => {
      await night({ store, signal: new AbortController().signal, isFirst: false })
      return lines.splice(0).map(([about, line]) => ({ ...about, line }))
    }
    const warnings = () => store.db.selectFrom('warning').select('kind').execute()
    expect(await run()).toEqual([])
    clock.now = NOON + 16 * HOUR
    expect(await run()).toEqual([{ payments: 1, totals: 2, line: 'reconcile found no difference' }])
    expect(await run()).toEqual([])
    expect(await warnings()).toEqual([])

    await store.db.updateTable('place_taken').set({ rank: 7 }).execute()
    clock.now += 24 * HOUR
    expect(await run()).toEqual([
      {
        count: 2,
        differences: expect.arrayContaining([{ what: 'place taken', detail: expect.stringContaining('rank 7') }]),
        line: expect.stringContaining('reconcile found differences'),
      },
    ])
    expect(await warnings()).toEqual([{ kind: 'boards_differ' }])
    // What cannot be proved is tried again.
    const elsewhere = reconcileNightly.start({
      config: { ...configFrom(database.env), databaseUrl: 'postgres://127.0.0.1:1/nothing' },
      clock: () => clock.now,
      log,
    })
    await expect(elsewhere({ store, signal: new AbortController().signal, isFirst: false })).rejects.toThrow(
      'reconcile failed',
    )
    await store.db.deleteFrom('warning').execute()
  })

  it('shows the operator unmatched payments until they are refunded', async () => {
    expect(await placard('payments', '--unplaced')).toEqual({
      code: 0,
      output: 'There are no unmatched payments.\n',
    })
    await applyEvent(store, eventOf('paid', 'pi_lost', { sessionId: 'cs_of_nobody' }), NOON)
    const { code, output } = await placard('payments', '--unplaced')
    expect(code).toBe(0)
    expect(output).toBe(
      '2026-11-21 12:00  stripe  pi_lost  paid $25.00  test.paid\n' +
        '    unknown_checkout: It matches no order. Find it at the processor, and refund it there.\n',
    )
    await applyEvent(store, eventOf('refunded', 'pi_lost', { amountCents: 2500 }), NOON)
    expect((await placard('payments', '--unplaced')).output).toBe('There are no unmatched payments.\n')
  })

  it('lists paid ones first, and says that there are more', async () => {
    for (const payment of ['pi_1', 'pi_2']) await applyEvent(store, eventOf('refunded', payment), NOON + 1)
    const yen = { sessionId: 'cs_of_nobody', currency: 'jpy', amountCents: 500 }
    await applyEvent(store, eventOf('paid', 'pi_yen', yen), NOON)
    const { output } = await placard('payments', '--unplaced', '--limit', '2')
    expect(output.split('\n').filter(line => line.startsWith('2026'))).toEqual([
      '2026-11-21 12:00  stripe  pi_yen  paid 500 in the smallest unit of JPY  test.paid',
      expect.stringMatching(/pi_[12] {2}refunded \$25\.00/),
    ])
    expect(output).toMatch(/\n1 more: --limit shows them\.\n$/)
  })

  it('says what is wrong with its words', async () => {
    for (const args of [['payments'], ['reconcile', '--limit', '3'], ['reconcile', 'all'], ['list', '--unplaced']]) {
      const { code, output } = await placard(...args)
      expect([args, code, output.split('\n')[0]]).toEqual([args, 2, expect.stringMatching(/^placard: /)])
    }
  })
})
