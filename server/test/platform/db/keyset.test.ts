import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Keyset, pageOf } from '../../../src/platform/db/keyset.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'

interface Row {
  a: number
  b: number
  c: string
}

const row = fc.record({ a: fc.nat(2), b: fc.nat(2), c: fc.constantFrom('A', 'a', 'b', '~') })
const direction = fc.constantFrom('asc' as const, 'desc' as const)
const directions = fc.record({ a: direction, b: direction, c: direction })

describe('pageOf', () => {
  it('leads on only if there is an extra row', () => {
    expect(pageOf([1, 2, 3], 2)).toEqual({ rows: [1, 2], next: 2 })
    expect(pageOf([1, 2], 2)).toEqual({ rows: [1, 2], next: undefined })
    expect(pageOf([], 2)).toEqual({ rows: [], next: undefined })
  })
})

describe.each(ENGINES)('an order on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`
    await sql`create table keyset_row (a bigint not null, b bigint not null, c ${text} not null)`.execute(store.db)
  })
  afterAll(() => database.remove())

  it('pages, counts and compares as sorting all rows would, in any directions and after any position', async () => {
    const rowsOf = fc.uniqueArray(row, { maxLength: 20, selector: ({ a, b, c }) => `${a} ${b} ${c}` })
    const limits = fc.integer({ min: 1, max: 6 })
    await fc.assert(
      fc.asyncProperty(rowsOf, directions, row, limits, fc.boolean(), async (all, columns, at, limit, orAt) => {
        await sql`delete from keyset_row`.execute(store.db)
        if (all.length > 0) {
          const values = sql.join(all.map(({ a, b, c }) => sql`(${sql.lit(a)}, ${sql.lit(b)}, ${sql.lit(c)})`))
          await sql`insert into keyset_row (a, b, c) values ${values}`.execute(store.db)
        }
        const order = new Keyset(columns)
        const source = sql`select a, b, c from keyset_row where 1 = 1`
        const sorted = all.toSorted((one, other) => compare(one, other, columns))
        const ahead = sorted.filter(each => compare(each, at, columns) < 0)
        const after = sorted.filter(each => compare(each, at, columns) > 0)

        const read = async (page: ReturnType<typeof order.page>) => (await page.execute(store.db)).rows
        expect(await read(order.page(source, limit))).toEqual(sorted.slice(0, limit))
        expect(await read(order.page(source, limit, at))).toEqual(after.slice(0, limit))
        expect(await read(order.reversed().page(source, limit, at))).toEqual(ahead.toReversed().slice(0, limit))
        expect(await read(sql`${source} and ${order.isRowAhead(at)} ${order.orderBy('keyset_row')}`)).toEqual(ahead)
        expect(sorted.filter(each => order.isAhead(each, at))).toEqual(ahead)
        const counted = sql<{ n: number }>`select ${order.countAhead(source, at, { max: 100, orAt })} as n`
        expect((await counted.execute(store.db)).rows).toEqual([
          { n: orAt ? sorted.length - after.length : ahead.length },
        ])
      }),
      { numRuns: engine === 'sqlite' ? 100 : 30 },
    )
  })
})

/** The plainest comparison, to check the others by. */
function compare(one: Row, other: Row, columns: Record<keyof Row, 'asc' | 'desc'>): number {
  for (const column of ['a', 'b', 'c'] as const) {
    if (one[column] === other[column]) continue
    return one[column] < other[column] === (columns[column] === 'asc') ? -1 : 1
  }
  return 0
}
