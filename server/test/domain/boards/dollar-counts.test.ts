import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CHANGES_KEPT, readWithAbove } from '../../../src/domain/boards/counts.ts'
import { count } from '../../../src/domain/boards/rank.ts'
import { readPrice } from '../../../src/domain/checkout/price.ts'
import { deleteOldChanges } from '../../../src/ops/jobs/delete-old-rows.ts'
import { recount } from '../../../src/ops/jobs/reconcile-nightly.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { emptyBoards } from '../../support/empty-boards.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { runs } from '../../support/runs.ts'
import { NOON } from '../../support/service.ts'

const BOARDS = { all: 'all', today: '2026-11-21' } as const
type Name = keyof typeof BOARDS

describe.each(ENGINES)('counts in memory on %s', engine => {
  let database: EmptyDatabase
  /** Two instances on one database. */
  let stores: [Store, Store]

  beforeEach(async () => {
    database = await migratedDatabase(engine)
    stores = [await database.openStore(), await database.openStore()]
  })
  afterEach(() => database.remove())

  const move = (store: Store, board: Name, dollars: number, by: 1 | -1, fail = false) =>
    store.transact(async trx => {
      const place = { totalCents: dollars * 100, reachedAt: NOON }
      await count(trx, [{ board: BOARDS[board], place, by }])
      if (fail) throw new Error('undone')
    })

  async function rankAt(store: Store, board: Name, targetBid: number): Promise<number> {
    const bid = { destinationKey: '2:new.com', board, targetBid }
    return (await readPrice(store, bid, NOON)).estimatedRank
  }

  it('are those of the ledger at once, whichever instance moved whom, and without what was undone', async () => {
    const dollars = fc.oneof(
      fc.constantFrom(4, 5, 6, 999_998, 999_999, 1_048_575, 1_048_576, 20_000_000),
      fc.integer({ min: 1, max: 1_100_000 }),
    )
    const one = fc.record({
      writer: fc.constantFrom(0, 1),
      reader: fc.constantFrom(0, 1, undefined),
      board: fc.constantFrom<Name>('all', 'today'),
      dollars,
      targetBid: fc.oneof(fc.constantFrom(5, 6, 999_999), fc.integer({ min: 5, max: 999_999 })),
      isUndone: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 25 }), async steps => {
        await emptyBoards(stores[0].db)
        const standing = { all: [] as number[], today: [] as number[] }
        for (const { writer, reader, board, dollars, targetBid, isUndone } of steps) {
          const moving = move(stores[writer as 0 | 1], board, dollars, 1, isUndone)
          if (isUndone) await expect(moving).rejects.toThrow('undone')
          else standing[board].push(dollars)
          await moving.catch(() => {})
          if (reader === undefined) continue
          const ahead = standing[board].filter(other => other >= targetBid).length
          expect(await rankAt(stores[reader as 0 | 1], board, targetBid)).toBe(ahead + 1)
        }
      }),
      { numRuns: runs(engine === 'sqlite' ? 60 : 15) },
    )
  })

  it('agree with the total read beside them while another instance moves it', async () => {
    const [reader, writer] = stores
    await writer.db
      .insertInto('board_total')
      .values({ board: 'all', destinationKey: '2:new.com', totalCents: 0, reachedAt: NOON, listingId: 1 })
      .execute()
    let isOver = false
    const reading = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const bid = { destinationKey: '2:new.com', board: 'all' as const, targetBid: 5 }
        const { totalCents, estimatedRank } = await readPrice(reader, bid, NOON)
        // Below, its total says how many have moved.
        expect(estimatedRank - 1).toBe(totalCents)
        await new Promise(setImmediate)
      }
    })
    try {
      for (let moved = 1; moved <= 100; moved++) {
        await writer.transact(async trx => {
          await count(trx, [{ board: 'all', place: { totalCents: 700, reachedAt: NOON }, by: 1 }])
          await trx.updateTable('board_total').set({ totalCents: moved }).execute()
        })
      }
    } finally {
      isOver = true
      await Promise.all(reading)
    }
    expect(await rankAt(reader, 'all', 5)).toBe(101)
  })

  it('are counted again when changes are missing, however few are kept', async () => {
    const [asked, other] = stores
    expect(await rankAt(asked, 'all', 5)).toBe(1)
    await move(other, 'all', 7, 1)
    expect(await rankAt(asked, 'all', 5)).toBe(2)
    for (let done = 0; done < CHANGES_KEPT + 5; done++) await move(other, 'all', 7, done % 2 === 0 ? 1 : -1)
    const versions = () => other.db.selectFrom('board_change').select('version').orderBy('version').execute()
    expect(await versions()).toHaveLength(CHANGES_KEPT + 6)
    expect(await deleteOldChanges(other)).toBe(6)
    expect(await versions()).toHaveLength(CHANGES_KEPT)
    expect((await versions()).at(-1)?.version).toBe(CHANGES_KEPT + 6)
    expect(await rankAt(asked, 'all', 5)).toBe(3)
    expect(await rankAt(other, 'all', 5)).toBe(3)
  })

  it('go back with the database, as when a backup is restored', async () => {
    const [asked, other] = stores
    await move(other, 'all', 7, 1)
    await move(other, 'all', 7, 1)
    expect(await rankAt(asked, 'all', 5)).toBe(3)
    await other.transact(async trx => {
      await trx.deleteFrom('board_change').where('version', '=', 2).execute()
      await trx.updateTable('board_count').set({ destinations: 1 }).execute()
    })
    expect(await rankAt(asked, 'all', 5)).toBe(2)
  })

  it('are compared with the database, and reported and counted again if they differ', async () => {
    const [asked, other] = stores
    const logged: unknown[] = []
    const warn = (about: unknown) => void logged.push(about)
    const log = { debug: warn, info: warn, warn, error: warn }
    const compared = async () => {
      await recount(asked, { clock: () => NOON, log })
      const warnings = await other.db.selectFrom('warning').select('kind').execute()
      return { logged: logged.splice(0), warnings: warnings.map(({ kind }) => kind) }
    }
    for (const dollars of [7, 7, 30_000_000]) await move(other, 'all', dollars, 1)
    expect(await rankAt(asked, 'all', 5)).toBe(4)
    expect(await rankAt(asked, 'today', 5)).toBe(1)
    expect(await compared()).toEqual({ logged: [], warnings: [] })
    // What it has not followed yet is no difference.
    await move(other, 'all', 8, 1)
    await move(other, 'all', 30_000_000, -1)
    expect(await compared()).toEqual({ logged: [], warnings: [] })
    expect(await rankAt(asked, 'all', 5)).toBe(4)

    await sql`update board_count set destinations = 5 where level = 3 and amount = 8`.execute(other.db)
    expect(await rankAt(asked, 'all', 5)).toBe(4)
    expect(await compared()).toEqual({ logged: [{ boards: ['all'] }], warnings: ['counts_differed'] })
    expect(await rankAt(asked, 'all', 5)).toBe(8)
    expect((await compared()).logged).toEqual([])
  })

  it('are counted again for each read while changes have no token, as from an older version', async () => {
    const [asked, other] = stores
    await move(other, 'all', 7, 1)
    expect(await rankAt(asked, 'all', 5)).toBe(2)
    await other.db.updateTable('board_change').set({ token: null }).execute()
    expect(await rankAt(asked, 'all', 5)).toBe(2)
    await sql`update board_count set destinations = 2`.execute(other.db)
    expect(await rankAt(asked, 'all', 5)).toBe(3)
    await move(other, 'all', 7, 1)
    expect(await rankAt(asked, 'all', 5)).toBe(4)
  })

  it('are refused where two histories answer in turns', async () => {
    const [asked, other] = stores
    await move(other, 'all', 7, 1)
    let reading = 0
    const read = async () => [{ version: `1 history-${reading++}` }]
    await expect(readWithAbove(asked, { board: 'all', dollars: 4 }, read)).rejects.toThrow('more than one database')
  })
})
