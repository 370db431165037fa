import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sharedStatement, statementOfRows } from '../../../src/platform/db/statement.ts'
import type { Runner, Store, Trx } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'

const put = (trx: Trx, key: string, totalCents: number) =>
  sql`insert into board_total (board, "destinationKey", "totalCents", "reachedAt", "listingId")
    values ('all', ${key}, ${totalCents}, 1, 1)
    on conflict (board, "destinationKey") do update set "totalCents" = excluded."totalCents"`.execute(trx)

const statements: number[] = []
const totalOf = sharedStatement({ key: 'text', plus: 'bigint' }, requests => {
  statements.push(requests.length)
  const asked = requests.map(({ key, plus }, nth) => sql`(${sql.lit(nth)}, ${key}, ${plus})`)
  return sql<{ total: number }>`
    with asked (nth, key, plus) as (values ${sql.join(asked)})
    select plus + coalesce((
      select "totalCents" from board_total where board = 'all' and "destinationKey" = asked.key
    ), 0) as total from asked order by nth`
})

describe.each(ENGINES)('reads that come together on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let other: Store
  beforeEach(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    other = await database.openStore()
  })
  afterEach(() => database.remove())

  const asked = async (on: Store, key: string, plus = 0) => (await totalOf(on, { key, plus }))[0]?.total

  it('share a statement, and each gets its own row', async () => {
    await store.transact(async trx => {
      for (let nth = 0; nth < 40; nth++) await put(trx, `k${nth}`, nth)
    })
    const keys = Array.from({ length: 100 }, (_, nth) => nth)
    expect(await Promise.all(keys.map(nth => asked(store, `k${nth}`, 1000)))).toEqual(
      keys.map(nth => 1000 + (nth < 40 ? nth : 0)),
    )
    expect(await asked(store, 'k7')).toBe(7)
    expect(Math.max(...statements)).toBe(32)
  })

  it('see all that was committed before they were asked for, by whichever process', async () => {
    for (const [nth, by] of [store, other, store, other].entries()) {
      const early = asked(store, 'tea')
      await by.transact(trx => put(trx, 'tea', nth + 1))
      const late = asked(store, 'tea')
      expect([await late, await asked(other, 'tea')]).toEqual([nth + 1, nth + 1])
      expect([nth, nth + 1]).toContain(await early)
    }
  })

  it('fail together, and the next ones do not', async () => {
    await store.transact(trx => put(trx, 'tea', 5))
    const broken = { ...store, executeQuery: () => Promise.reject(new Error('unreachable')) }
    const failed = await Promise.allSettled([asked(broken, 'tea'), asked(broken, 'tea'), asked(store, 'tea')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(await asked(store, 'tea')).toBe(5)
  })
})

it('a statement that was built for many numbers of rows takes little memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  const heapUsed = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const listingsOf = statementOfRows(
    { id: 'bigint' },
    rows => sql`select id from listing where id in (${sql.join(rows.map(({ id }) => id))})`,
  )
  // A driver needs the text in one piece.
  const runner = { engine: 'sqlite', executeQuery: async ({ sql }) => ({ rows: [sql.charCodeAt(0)] }) } as Runner
  const before = heapUsed()
  let values = 0
  for (let count = 1; count <= 300; count++) {
    await listingsOf(
      runner,
      Array.from({ length: count }, (_, id) => ({ id })),
    )
    values += count
  }
  expect((heapUsed() - before) / values).toBeLessThan(200)
  expect(await listingsOf(runner, [{ id: 1 }])).toHaveLength(1)
})
