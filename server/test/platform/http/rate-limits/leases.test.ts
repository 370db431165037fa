import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deleteDueRows } from '../../../../src/ops/jobs/delete-old-rows.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { Allowances, type Counted, type Counter } from '../../../../src/platform/http/rate-limits/counter.ts'
import {
  type Ask,
  type Lease,
  type LeaseStore,
  MemoryLeaseStore,
} from '../../../../src/platform/http/rate-limits/lease-store.ts'
import { DatabaseLeaseStore } from '../../../../src/platform/http/rate-limits/shared-counters.ts'
import { Secret } from '../../../../src/platform/lib/secret.ts'
import { daysMs, MINUTE_MS } from '../../../../src/platform/lib/time.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../../support/engines.ts'
import { untilWaiting } from '../../../support/locks.ts'

const LIMIT = { name: 'quotes', max: 120, windowMs: 60_000 }

for (const engine of ENGINES) {
  describe(`what processes let through together (${engine})`, () => {
    let database: EmptyDatabase
    let store: Store
    let leases: LeaseStore & { asked: Ask[][] }
    beforeEach(async () => {
      database = await migratedDatabase(engine)
      store = await database.openStore()
      const shared =
        engine === 'sqlite' ? new MemoryLeaseStore() : new DatabaseLeaseStore(store, new Secret(randomBytes(32)))
      const asked: Ask[][] = []
      leases = {
        asked,
        lease: asks => {
          asked.push([...asks])
          return shared.lease(asks)
        },
      }
    })
    afterEach(() => database.remove())

    /** One counter of the same limit per process. On a busy machine, an answer takes more than half a second. */
    const counters = (processes: number, limit = LIMIT) =>
      Array.from({ length: processes }, () =>
        new Allowances({ leases, processes, answerTimeoutMs: MINUTE_MS }).of(limit),
      )
    const accepted = (counted: readonly Counted[]) => counted.filter(({ isRefused }) => !isRefused).length

    it.each([1, 9])('is the whole allowance of a client that goes to %i in turns', async processes => {
      const all = counters(processes)
      const counted: Counted[] = []
      for (let n = 0; n < 150; n++) counted.push(await (all[n % processes] as Counter).count('client'))
      expect(accepted(counted)).toBe(120)
      expect(accepted(counted.slice(0, 115))).toBeGreaterThanOrEqual(114)
    })

    it.each([2, 9])('is at most 5 % less for one that leaves all but one of %i', async processes => {
      const all = counters(processes)
      const counted: Counted[] = []
      for (const counter of all.slice(1)) counted.push(await counter.count('client'))
      for (let n = 0; n < 130; n++) counted.push(await (all[0] as Counter).count('client'))
      expect(accepted(counted)).toBeGreaterThanOrEqual(114)
      expect(accepted(counted)).toBeLessThanOrEqual(120)
    })

    it('is never more, with all asking at once', async () => {
      const all = counters(4)
      const counted = await Promise.all(Array.from({ length: 400 }, (_, n) => (all[n % 4] as Counter).count('client')))
      expect(accepted(counted)).toBeGreaterThanOrEqual(114)
      expect(accepted(counted)).toBeLessThanOrEqual(120)
    })

    it('is exact for an allowance too small to hold anything in spare', async () => {
      const all = counters(3, { ...LIMIT, max: 5 })
      const counted: Counted[] = []
      for (let n = 0; n < 9; n++) counted.push(await (all[n % 3] as Counter).count('client'))
      expect(counted.map(({ isRefused }) => isRefused)).toEqual([...Array(5).fill(false), ...Array(4).fill(true)])
    })

    it('asks for several clients at once, seldom for one, and no more for one that used up its window', async () => {
      const [counter] = counters(1) as [Counter]
      await Promise.all(Array.from({ length: 300 }, (_, n) => counter.count(`client ${n}`)))
      expect(leases.asked.map(asks => asks.length)).toEqual([300])
      for (let n = 0; n < 121; n++) await counter.count('client')
      expect(leases.asked.length - 1).toBeLessThanOrEqual(120 / 3)
      const before = leases.asked.length
      const refused = counter.count('client')
      expect(refused).toMatchObject({ isRefused: true, left: 0 })
      expect(leases.asked.length).toBe(before)
    })

    it('begins again when the window has ended, and not before', async () => {
      const [one, other] = counters(2, { ...LIMIT, max: 2, windowMs: 6000 }) as [Counter, Counter]
      expect(accepted([await one.count('client'), await other.count('client')])).toBe(2)
      const refused = await one.count('client')
      expect(refused.isRefused).toBe(true)
      expect(refused.endsAt).toBeLessThanOrEqual(performance.now() + 6000)
      await expect.poll(async () => (await one.count('client')).isRefused).toBe(false)
      expect(performance.now()).toBeGreaterThanOrEqual(refused.endsAt)
      expect(accepted([await other.count('client'), await other.count('client')])).toBe(1)
    })

    it.runIf(engine === 'postgres')("begins again after the database's clock was set back", async () => {
      const [before, after] = counters(2) as [Counter, Counter]
      for (let n = 0; n < 120; n++) await before.count('client')
      expect((await after.count('client')).isRefused).toBe(true)
      await sql`update allowance_window set "endsAt" = "endsAt" + 3600000`.execute(store.db)
      const [another] = counters(1) as [Counter]
      expect((await another.count('client')).isRefused).toBe(false)
    })

    it.runIf(engine === 'postgres')('is one window for two that begin it at the same moment', async () => {
      const [first, second] = counters(2) as [Counter, Counter]
      await first.count('client')
      const end = (endsAt: unknown, granted: number) =>
        sql`update allowance_window set "endsAt" = ${endsAt}, granted = ${granted}, spare = 0`
      await end(0, 0).execute(store.db)
      const counted = await store.transact(async trx => {
        await trx.selectFrom('allowance_window').select('key').forUpdate().execute()
        const counting = second.count('client')
        await untilWaiting(store)
        // Another process, which asked a moment later, was first.
        await end(sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint + ${LIMIT.windowMs}`, 120).execute(
          trx,
        )
        return { counting }
      })
      expect(await counted.counting).toMatchObject({ isRefused: true })
    })

    it('holds nothing of a window that ended, for a process that stood still meanwhile', async () => {
      const [stopped] = counters(2, { ...LIMIT, windowMs: 1500 }) as [Counter]
      const { endsAt } = await stopped.count('client')
      await expect.poll(() => performance.now()).toBeGreaterThan(endsAt)
      const before = leases.asked.length
      expect((await stopped.count('client')).endsAt).toBeGreaterThan(endsAt)
      expect(leases.asked.length).toBe(before + 1)
    })

    it.runIf(engine === 'postgres')('are windows that retention deletes once they ended', async () => {
      const [counter] = counters(1) as [Counter]
      await counter.count('client')
      const row = await store.db.selectFrom('allowance_window').selectAll().executeTakeFirstOrThrow()
      expect(row).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{32}$/), granted: 4, spare: 3 })
      const deleteAt = (now: number) =>
        deleteDueRows({ store, clock: () => now + daysMs(1 / 24) }, new AbortController().signal)
      expect(await deleteAt(row.endsAt)).toEqual({})
      expect(await deleteAt(row.endsAt + 1)).toEqual({ allowance_window: 1 })
      // What the process holds is its own; then the client begins again.
      for (let n = 0; n < 4; n++) expect((await counter.count('client')).isRefused).toBe(false)
      expect((await store.db.selectFrom('allowance_window').selectAll().execute()).length).toBe(1)
    })
  })
}

it('a process also asks for those that came while it asked, and tells what is left without counting', async () => {
  const memory = new MemoryLeaseStore()
  const later: (Counted | Promise<Counted>)[] = []
  const lease = (asks: readonly Ask[]) => {
    if (later.length === 0) later.push(...Array.from({ length: 30 }, () => counter.count('client')))
    return memory.lease(asks)
  }
  const allowances = new Allowances({ leases: { lease }, answerTimeoutMs: MINUTE_MS })
  const counter = allowances.of(LIMIT)
  expect(await counter.count('client')).toMatchObject({ isRefused: false })
  expect((await Promise.all(later)).filter(({ isRefused }) => isRefused)).toEqual([])
  expect(await counter.left('client')).toBe(89)
  expect(await allowances.of({ ...LIMIT, name: 'searches', max: 5 }).left('client')).toBe(5)
})

it('a window ends with that of the counter, which began when the client asked another process', async () => {
  const leases: LeaseStore = {
    lease: async asks => asks.map(() => ({ granted: 1, spare: 0, left: 9, endsInMs: 1000 })),
  }
  const { endsAt } = await new Allowances({ leases, answerTimeoutMs: MINUTE_MS }).of(LIMIT).count('client')
  expect(endsAt).toBeLessThanOrEqual(performance.now() + 1000)
})

describe('a process that cannot reach the counter', () => {
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  beforeEach(() => {
    warnings.length = 0
  })

  /** Lets through what there is until it is refused. */
  async function useUp(counter: Counter, client = 'client') {
    let count = 0
    while (!(await counter.count(client)).isRefused) count++
    return count
  }

  it.each([
    ['fails', () => Promise.reject(new Error('gone'))],
    ['hangs', () => new Promise<Lease[]>(() => {})],
  ])('because it %s lets its part of the allowance through, and warns once', async (_, lease) => {
    const allowances = new Allowances({ leases: { lease }, processes: 4, log })
    const [counter, other] = [allowances.of(LIMIT), allowances.of({ ...LIMIT, name: 'searches', max: 2 })]
    expect(await useUp(counter)).toBe(30)
    expect(await useUp(counter, 'another client')).toBe(30)
    expect(await useUp(other)).toBe(1)
    expect(warnings.length).toBe(1)
    allowances.close()
  })

  it('keeps what it had of a window, and asks again when the counter is back', async () => {
    const memory = new MemoryLeaseStore()
    let isAway = false
    const leases: LeaseStore = {
      lease: asks => (isAway ? Promise.reject(new Error('away')) : memory.lease(asks)),
    }
    const allowances = new Allowances({ leases, processes: 2, log })
    const counter = allowances.of(LIMIT)
    for (let n = 0; n < 100; n++) expect((await counter.count('client')).isRefused).toBe(false)
    expect(await useUp(new Allowances({ leases: memory }).of(LIMIT), 'spent client')).toBe(120)
    expect(await useUp(counter, 'spent client')).toBe(0)
    isAway = true
    expect(await useUp(counter)).toBeLessThanOrEqual(4)
    expect(await useUp(counter, 'spent client')).toBe(0)
    expect(await useUp(counter, 'another client')).toBe(60)
    isAway = false
    let client = 0
    await expect.poll(() => useUp(counter, `client ${client++}`)).toBe(120)
    allowances.close()
  })
})
