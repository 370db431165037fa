import type { Board } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readBoard } from '../../../src/domain/boards/board.ts'
import { BoardMarks, movementSince, readMark } from '../../../src/domain/boards/movement.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { emptyBoards } from '../../support/empty-boards.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON } from '../../support/service.ts'

const HOUR = 60 * 60 * 1000

describe.each(ENGINES)('movement on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let marks: BoardMarks
  const failures: unknown[] = []

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterAll(async () => {
    await database.remove()
    expect(failures).toEqual([])
  })
  beforeEach(async () => {
    marks = new BoardMarks(store, error => failures.push(error))
    await emptyBoards(store.db)
    for (const table of ['board_mark', 'listing'] as const) await store.db.deleteFrom(table).execute()
  })

  const pay = (totals: Record<string, number>, board?: string) => placeOnBoard(store, totals, board)

  async function take(now: number, board: Board = 'all', by = marks) {
    by.take(board, now)
    await by.settled()
  }

  /** Each listing's place and movement. */
  async function movements(now: number, board: Board = 'all') {
    const mark = await readMark(store, board, now)
    const { rows: entries } = await readBoard(store, { board, limit: 200 }, now)
    return mark && entries.map(entry => [entry.slug, movementSince(mark, entry)])
  }

  test('is unknown before there is a mark', async () => {
    await pay({ a: 1000 })
    expect(await movements(NOON)).toBeUndefined()
  })

  test('says who rose, who fell, who stayed and who is new since a day ago', async () => {
    await pay({ a: 4000, b: 3000, c: 2000 })
    await take(NOON)
    await pay({ c: 3500, d: 1000 })
    await take(NOON + 23 * HOUR)
    expect(await movements(NOON + 24 * HOUR)).toEqual([
      ['a', 0],
      ['c', 1],
      ['b', -1],
      ['d', 'new'],
    ])
    // A day later, the second mark is the one to compare with.
    expect(await movements(NOON + 47 * HOUR)).toEqual(['a', 'c', 'b', 'd'].map(slug => [slug, 0]))
  })

  test('compares with the oldest mark until there is one from a day ago', async () => {
    await pay({ a: 1000 })
    await take(NOON)
    await pay({ b: 2000 })
    await take(NOON + HOUR)
    expect((await readMark(store, 'all', NOON + 2 * HOUR))?.at).toBe(NOON)
    expect(await movements(NOON + 2 * HOUR)).toEqual([
      ['b', 'new'],
      ['a', -1],
    ])
  })

  test('on today’s board compares with an hour ago, and never with yesterday', async () => {
    await pay({ a: 1000 }, '2026-11-21')
    await take(NOON, 'today')
    await pay({ b: 2000 }, '2026-11-21')
    await take(NOON + HOUR, 'today')
    await pay({ c: 3000 }, '2026-11-21')
    expect(await movements(NOON + 2 * HOUR, 'today')).toEqual([
      ['c', 'new'],
      ['b', -1],
      ['a', -1],
    ])
    const midnight = NOON + 12 * HOUR
    expect(await movements(midnight, 'today')).toBeUndefined()
    await take(midnight, 'today')
    const left = await store.db.selectFrom('board_mark').select('board').distinct().execute()
    expect(left).toEqual([{ board: '2026-11-22' }])
  })

  test('counts from the moment of the mark, whenever in its hour that was', async () => {
    await pay({ a: 1000 })
    await take(NOON + HOUR / 2)
    await pay({ b: 2000 })
    expect((await readMark(store, 'all', NOON + 2 * HOUR))?.at).toBe(NOON + HOUR / 2)
    expect(await movements(NOON + 2 * HOUR)).toEqual([
      ['b', 'new'],
      ['a', -1],
    ])
  })

  test('of an empty board is remembered too: everybody after it is new', async () => {
    await take(NOON)
    await pay({ a: 1000 })
    expect(await movements(NOON + HOUR)).toEqual([['a', 'new']])
  })

  test('is marked once an hour, by one of all requests', async () => {
    await pay({ a: 1000 })
    const other = new BoardMarks(store, error => failures.push(error))
    await Promise.all([take(NOON), take(NOON, 'all', other), take(NOON + 1)])
    await pay({ b: 2000 })
    await take(NOON + HOUR - 1, 'all', new BoardMarks(store, error => failures.push(error)))
    const rows = await store.db.selectFrom('board_mark').selectAll().orderBy('rank').execute()
    expect(rows.map(row => [row.at, row.destinationKey, row.rank])).toEqual([
      [NOON, '', 0],
      [NOON, '2:a', 1],
    ])
  })

  test('keeps the mark from a day ago and deletes older ones', async () => {
    for (const hours of [0, 2, 26, 27]) await take(NOON + hours * HOUR)
    const rows = await store.db.selectFrom('board_mark').select('at').orderBy('at').execute()
    expect(rows.map(row => (row.at - NOON) / HOUR)).toEqual([2, 26, 27])
  })

  test('remembers 100 places: a listing from below them has risen, and is not called new', async () => {
    const names = Array.from({ length: 102 }, (_, place) => `n${String(place).padStart(3, '0')}`)
    await pay(Object.fromEntries(names.map((name, place) => [name, 50_000 - 100 * place])))
    await take(NOON)
    await pay({ n101: 60_000 })
    const moved = (await movements(NOON + HOUR)) ?? []
    expect(moved.slice(0, 2)).toEqual([
      ['n101', 'entered'],
      ['n000', -1],
    ])
    expect(moved.slice(100)).toEqual([
      ['n099', -1],
      ['n100', undefined],
    ])
  })
})

test('a mark that cannot be taken does no harm, and is retried', async () => {
  const database = await migratedDatabase('sqlite')
  const store = await database.openStore()
  const failures: string[] = []
  const marks = new BoardMarks(store, error => failures.push(String(error)))
  await store.close()
  for (let count = 1; count <= 2; count++) {
    expect(() => marks.take('all', NOON)).not.toThrow()
    await marks.settled()
    expect(failures).toHaveLength(count)
  }
  await database.remove()
})
