import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count, countBefore, type Place } from '../../../src/domain/boards/rank.ts'
import { readPrice } from '../../../src/domain/checkout/price.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs, utcDay } from '../../../src/platform/lib/time.ts'
import { emptyBoards } from '../../support/empty-boards.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { runs } from '../../support/runs.ts'
import { NOON } from '../../support/service.ts'

interface Standing extends Place {
  key: string
}

describe.each(ENGINES)('rank on %s', engine => {
  let database: EmptyDatabase
  let store: Store

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterAll(() => database.remove())

  async function fill(board: string, standings: readonly Standing[]) {
    await store.transact(async trx => {
      await emptyBoards(trx)
      for (const { key, totalCents, reachedAt } of standings) {
        await trx
          .insertInto('board_total')
          .values({
            board,
            destinationKey: key,
            totalCents,
            reachedAt,
            listingId: 1,
          })
          .execute()
        await count(trx, [{ board, place: { totalCents, reachedAt }, by: 1 }])
      }
    })
  }

  /** How many others are ahead of a target. */
  async function countAtLeast(board: 'all' | 'today', targetBid: number): Promise<number> {
    const { estimatedRank } = await readPrice(store, { destinationKey: '2:new.com', board, targetBid }, NOON)
    return estimatedRank - 1
  }

  // Few amounts and times, so that ties are common, and some far apart, to use every level of the tree.
  const cents = fc.oneof(fc.constantFrom(500, 501, 599, 600, 2500), fc.integer({ min: 1, max: 250_000_000 }))
  const time = fc.oneof(
    fc.constantFrom(NOON, NOON + 1, NOON + 299_999, NOON + 300_000),
    fc.integer({ min: NOON - 10 ** 11, max: NOON + 10 ** 11 }),
  )
  const standings = fc
    .array(fc.record({ totalCents: cents, reachedAt: time }), { minLength: 1, maxLength: 40 })
    .map(places => places.map((place, index): Standing => ({ ...place, key: `2:site-${index}.com` })))

  it('is the place in the order of the board, whatever the totals and times', async () => {
    await fc.assert(
      fc.asyncProperty(standings, async all => {
        await fill('all', all)
        const inOrder = [...all].sort(
          (a, b) => b.totalCents - a.totalCents || a.reachedAt - b.reachedAt || (a.key < b.key ? -1 : 1),
        )
        for (const [index, standing] of inOrder.entries()) {
          expect(await countBefore(store, { board: 'all', ...standing, destinationKey: standing.key })).toBe(index)
        }
      }),
      { numRuns: runs(engine === 'sqlite' ? 60 : 15) },
    )
  })

  it('counts everybody with at least a target, in whole dollars', async () => {
    const target = fc.oneof(fc.constantFrom(5, 6, 25), fc.integer({ min: 5, max: 999_999 }))
    await fc.assert(
      fc.asyncProperty(standings, fc.array(target, { minLength: 5, maxLength: 5 }), async (all, targets) => {
        await fill('all', all)
        for (const dollars of targets) {
          const expected = all.filter(({ totalCents }) => totalCents >= dollars * 100).length
          expect(await countAtLeast('all', dollars)).toBe(expected)
        }
      }),
      { numRuns: runs(engine === 'sqlite' ? 60 : 15) },
    )
  })

  it('keeps boards apart, and forgets who has left', async () => {
    await fill('2026-11-21', [{ key: '2:a.com', totalCents: 700, reachedAt: NOON }])
    expect(await countAtLeast('all', 5)).toBe(0)
    expect(await countAtLeast('today', 5)).toBe(1)
    await store.transact(trx =>
      count(trx, [{ board: '2026-11-21', place: { totalCents: 700, reachedAt: NOON }, by: -1 }]),
    )
    expect(await countAtLeast('today', 5)).toBe(0)
  })

  it('handles a move on more boards than fit into one statement', async () => {
    await fill('all', [])
    const days = Array.from({ length: 1200 }, (_, day) => utcDay(NOON - daysMs(day)))
    const moves = (by: 1 | -1) => days.map(board => ({ board, place: { totalCents: 700, reachedAt: NOON }, by }))
    await store.transact(trx => count(trx, moves(1)))
    expect(await countAtLeast('today', 5)).toBe(1)
    await store.transact(trx => count(trx, moves(-1)))
    const left = await store.db.selectFrom('board_count').select('board').where('destinations', '<>', 0).execute()
    expect(left).toEqual([])
  })

  // PostgreSQL's choice depends on the size of the tables.
  it.runIf(engine === 'sqlite')('reads a handful of rows by their key, and never the board', async () => {
    const read = () =>
      countBefore(store, { board: 'all', totalCents: 2500, reachedAt: NOON, destinationKey: '2:a.com' })
    // The first one counts by whole dollar.
    await read()
    const plans: string[] = []
    const executeQuery = store.executeQuery.bind(store)
    store.executeQuery = async query => {
      const { rows } = await executeQuery<{ detail: string }>({
        ...query,
        sql: `explain query plan ${query.sql}`,
      } as never)
      plans.push(...rows.map(({ detail }) => detail))
      return executeQuery(query)
    }
    await read()
    store.executeQuery = executeQuery
    const onTables = plans.filter(detail => /board_(count|total)/.test(detail))
    expect(onTables).toHaveLength(5)
    for (const detail of onTables)
      expect(detail).toMatch(/^SEARCH board_(count|total) USING .*(level=\?|totalCents=\?)/)
  })
})
