import { type LogEntry, leafHash, parseEntry, Replay, TreeBuilder } from '@placard/contract/log'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newestDay } from '../../../src/domain/boards/totals.ts'
import { recordDecisions } from '../../../src/domain/decisions/record.ts'
import { logTree } from '../../../src/domain/log/tree-of-store.ts'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import type { ProcessorEvent } from '../../../src/domain/payments/stripe-events.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs, HOUR_MS, utcDay } from '../../../src/platform/lib/time.ts'
import { logNow } from '../../support/all-logged.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { eventOf, openTestCheckout } from '../../support/ledger.ts'
import { untilWaiting } from '../../support/locks.ts'
import { NOON } from '../../support/service.ts'

const DAY = utcDay(NOON)
const NOON_TEXT = new Date(NOON).toISOString()

describe.each(ENGINES)('the log on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterEach(() => database.remove())

  const clock = () => NOON
  const faultNow = async (now = NOON) => (await verifyLog(store, now)).fault
  async function entries(): Promise<LogEntry[]> {
    const rows = await store.db.selectFrom('log_entry').select('entry').orderBy('position').execute()
    return rows.map(({ entry }) => parseEntry(entry))
  }
  const decide = (count: number, at = NOON) =>
    store.transact(trx =>
      recordDecisions(
        trx,
        Array.from({ length: count }, () => ({
          ...({ kind: 'block', ground: 'rules/operator', reason: 'test', facts: {}, actor: 'operator:Ada' } as const),
          at,
        })),
      ),
    )
  async function slugOf(host: string): Promise<string> {
    const { slug } = await store.db
      .selectFrom('listing')
      .select('slug')
      .where('hostname', '=', host)
      .executeTakeFirstOrThrow()
    return slug
  }

  it('has an entry for each effect of a payment, a refund, a dispute and a takedown', async () => {
    const checkout = await openTestCheckout(store, 'one.com', 'stripe', 'Games', 9000)
    const apply = (event: ProcessorEvent) => applyEvent(store, event, NOON)
    await apply(eventOf('paid', 'pi_1', { checkout }))
    await apply(eventOf('refunded', 'pi_1', { checkout, amountCents: 1000 }))
    await apply(eventOf('disputed', 'pi_1', { checkout, amountCents: 8000 }))
    await apply(eventOf('dispute_won', 'pi_1', { checkout, amountCents: 8000 }))
    const slug = await slugOf('one.com')
    await hideListing(store, slug, 'not so', NOON)
    await restoreListing(store, slug, 'it is', NOON)
    const paidAt = NOON - HOUR_MS
    await apply(eventOf('paid', 'pi_1', { checkout, occurredAt: paidAt }))
    await logNow(store, clock)

    const { id: listing } = await store.db.selectFrom('listing').select('id').executeTakeFirstOrThrow()
    const reachedAt = NOON_TEXT
    const of = (kind: string, changeCents: number, totalCents: number, shown = true) =>
      ['all', DAY].map(board => ({
        ...{ kind, time: NOON_TEXT, board, listing, changeCents, totalCents, shown },
        ...(totalCents > 0 && { reachedAt }),
      }))
    const [began, ...rest] = await entries()
    expect(began).toMatchObject({ index: 0, kind: 'began', origin: 'placard.test/log', replayed: false })
    const effects = rest.filter(({ board }) => board !== undefined).map(({ index: _, ...entry }) => entry)
    const inPairs = effects.toSorted((one, other) => {
      const [at, otherAt] = [one, other].map(each => Math.floor(effects.indexOf(each) / 2))
      return (at ?? 0) - (otherAt ?? 0) || (one.board === 'all' ? -1 : 1)
    })
    expect(inPairs).toEqual([
      ...of('counted', 9000, 9000),
      ...of('refunded', -1000, 8000),
      ...of('disputed', -8000, 0, false),
      ...of('won_back', 8000, 8000),
      ...of('left', 0, 8000, false),
      ...of('placed', 0, 8000),
      ...of('counted', 0, 8000).map(entry => ({ ...entry, reachedAt: new Date(paidAt).toISOString() })),
    ])
    expect(rest.flatMap(({ board, kind }) => (board === undefined ? kind : []))).toEqual([
      'listed',
      'hidden',
      'restored',
    ])
    expect(await faultNow()).toBeUndefined()
    expect(JSON.stringify(await entries())).not.toMatch(/pi_1|cs_|not so|one\.com|evt_|operator/)
  })

  it('replays to the boards, whatever happens in whatever order, and whenever the pass runs', async () => {
    const hosts = ['one.com', 'two.com', 'three.com']
    const step = fc.record({
      host: fc.constantFrom(...hosts),
      kind: fc.constantFrom('paid', 'refunded', 'disputed', 'dispute_won', 'dispute_lost', 'hide', 'restore', 'pass'),
      payment: fc.integer({ min: 1, max: 3 }),
      amountCents: fc.integer({ min: 100, max: 9000 }),
      day: fc.integer({ min: 0, max: 2 }),
    })
    let storm = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), async steps => {
        storm++
        for (const { host: name, kind, payment, amountCents, day } of steps) {
          const now = NOON + daysMs(day)
          const host = `${storm}-${name}`
          const paymentId = `${host}-${payment}`
          if (kind === 'pass') await logNow(store, clock)
          else if (kind === 'hide' || kind === 'restore') {
            const slug = await slugOf(host).catch(() => undefined)
            if (slug && kind === 'hide') await hideListing(store, slug, 'x', now)
            if (slug && kind === 'restore') await restoreListing(store, slug, 'x', now)
          } else {
            const about: Parameters<typeof eventOf>[2] = { amountCents, occurredAt: now }
            if (kind === 'paid') about.checkout = await openTestCheckout(store, host, 'stripe', 'Games', amountCents)
            await applyEvent(store, eventOf(kind, paymentId, about), now)
          }
        }
        // Effects without an entry are part of the totals, too.
        expect(await faultNow()).toBeUndefined()
      }),
      { numRuns: 12 },
    )
    await logNow(store, clock)
    expect(await faultNow()).toBeUndefined()
    expect(await newestDay(store.db)).toBeDefined()
    const replay = new Replay()
    for (const entry of await entries()) replay.add(entry)
    const all = await store.db
      .selectFrom('board_total')
      .selectAll()
      .where('board', '=', 'all')
      .where('shown', '=', 1)
      .execute()
    const shown = replay.board('all').filter(place => place.shown)
    expect(shown.map(({ listing }) => listing).toSorted()).toEqual(all.map(each => each.listingId).toSorted())
  })

  it('shows every change of what it proves', async () => {
    const checkout = await openTestCheckout(store, 'one.com', 'stripe', 'Games', 9000)
    await applyEvent(store, eventOf('paid', 'pi_1', { checkout }), NOON)
    await decide(300)
    await logNow(store, clock)
    expect(await faultNow()).toBeUndefined()
    const run = (text: string) => sql.raw(text).execute(store.db)
    const cases: [change: string, undo: string, found: RegExp][] = [
      [
        `update board_total set "totalCents" = "totalCents" + 1 where board = 'all'`,
        `update board_total set "totalCents" = "totalCents" - 1 where board = 'all'`,
        /^the listing \d+ has 9001 cents on the board all, but 9000 by the log$/,
      ],
      [
        `update board_total set "reachedAt" = "reachedAt" - 1 where board <> 'all'`,
        `update board_total set "reachedAt" = "reachedAt" + 1 where board <> 'all'`,
        /since another time than by the log$/,
      ],
      [
        `update board_total set shown = 0 where board = 'all'`,
        `update board_total set shown = 1 where board = 'all'`,
        /and is hidden, but shown by the log$/,
      ],
      [
        `update log_entry set entry = replace(entry, '"changeCents":9000', '"changeCents":9001') where position = 1`,
        `update log_entry set entry = replace(entry, '"changeCents":9001', '"changeCents":9000') where position = 1`,
        /^entry 1 of the log says that listing \d+ has 9000 cents on the board all, but it had 0, and the change is 9001$/,
      ],
      [
        `update log_entry set entry = replace(entry, 'began', 'begun') where position = 0`,
        `update log_entry set entry = replace(entry, 'begun', 'began') where position = 0`,
        /^entry 0 of the log is malformed: .*"begun"$/,
      ],
      // What has no other record is in the tree.
      [
        `update log_entry set entry = replace(entry, '"time":"2026', '"time":"2025') where position = 1`,
        `update log_entry set entry = replace(entry, '"time":"2025', '"time":"2026') where position = 1`,
        /^an entry before 256 of the log, or a hash of them, was changed$/,
      ],
      [
        `update log_node set level = 2`,
        `update log_node set level = 1`,
        /^an entry before 256 of the log, or a hash of them, was changed$/,
      ],
      [
        `update log_head set size = size + 1`,
        `update log_head set size = size - 1`,
        /^entry \d+ of the log is missing$/,
      ],
    ]
    for (const [change, undo, found] of cases) {
      await run(change)
      expect(await faultNow()).toMatch(found)
      await run(undo)
      expect(await faultNow()).toBeUndefined()
    }
    await run(`delete from board_total where board = 'all'`)
    expect(await faultNow()).toMatch(/^the listing \d+ has 9000 cents on the board all by the log, but none there$/)
  })

  it('has the tree of its entries at every size, from what is stored of it', async () => {
    const builder = new TreeBuilder()
    const roots = new Map<number, Buffer>()
    for (const count of [10, 245, 1, 700]) {
      await decide(count)
      await logNow(store, clock)
      const texts = await store.db
        .selectFrom('log_entry')
        .select('entry')
        .where('position', '>=', builder.size)
        .orderBy('position')
        .execute()
      for (const { entry } of texts) builder.add(leafHash(entry))
      const tree = logTree(store)
      expect(await tree.size()).toBe(builder.size)
      expect(await tree.rootAt(builder.size)).toEqual(builder.root())
      roots.set(builder.size, builder.root())
    }
    const tree = logTree(store)
    for (const [size, root] of roots) expect(await tree.rootAt(size)).toEqual(root)
    const { rows } = await sql<{ level: number; index: number }>`
      select level, "index" from log_node order by level, "index"`.execute(store.db)
    expect(rows.map(({ level, index }) => [level, Number(index)])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ])
    expect(await faultNow()).toBeUndefined()
    // As in a log of many more entries.
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const nodes = [one, two].map((hash, nth) => ({ level: nth + 1, index: 256, hash }))
    await store.db.insertInto('log_node').values(nodes).execute()
    expect(await tree.readTile(1, 1, 1)).toEqual(one)
  })

  it('has every effect, if there are more than it adds at once, and although it failed before', async () => {
    const checkout = await openTestCheckout(store, 'one.com', 'stripe', 'Games', 9000)
    await applyEvent(store, eventOf('paid', 'pi_1', { checkout }), NOON)
    await sql`
      insert into log_outbox (at, kind, board, "listingId", "changeCents", "totalCents", "reachedAt", shown, extra)
      with recursive n(n) as (select 1 union all select n + 1 from n where n < 300)
      select at, kind, board, "listingId", "changeCents", "totalCents", "reachedAt", shown, extra from log_outbox, n
    `.execute(store.db)
    await store.db.schema.alterTable('log_entry').renameTo('away').execute()
    await expect(logNow(store, clock)).rejects.toThrow('log_entry')
    await store.db.schema.alterTable('away').renameTo('log_entry').execute()
    expect(await logNow(store, clock)).toBe(604)
    expect((await entries()).filter(({ kind }) => kind === 'counted')).toHaveLength(602)
  })

  it('has each entry once, if several processes write at once', async () => {
    await decide(900)
    const others = await Promise.all([database.openStore(), database.openStore()])
    const added = await Promise.all([store, ...others].map(each => logNow(each, clock)))
    expect(added.reduce((sum, each) => sum + each, 0)).toBe(901)
    expect((await entries()).map(({ index }) => index)).toEqual(Array.from({ length: 901 }, (_, at) => at))
    expect(await faultNow()).toBeUndefined()
  })

  it.runIf(engine === 'postgres')('keeps the time that another process records while this one writes', async () => {
    const [other, later] = [await database.openStore(), NOON + HOUR_MS]
    await logNow(store, clock)
    await decide(1)
    const { written } = await store.transact(async trx => {
      await trx.updateTable('log_head').set({ seenAt: later }).execute()
      const written = logNow(other, () => later)
      await untilWaiting(store)
      return { written }
    })
    expect(await written).toBe(1)
    expect(await store.db.selectFrom('log_head').select('seenAt').execute()).toEqual([{ seenAt: later }])
    expect((await entries()).at(-1)).toMatchObject({ time: NOON_TEXT, notBefore: new Date(later).toISOString() })
  })
})
