import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { search } from '../../../src/domain/listings/search.ts'
import { matchAll, type SearchRunner } from '../../../src/domain/listings/search-index.ts'
import { exactly, relaxedWord, wordsOf } from '../../../src/domain/search/query.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { NOON } from '../../support/service.ts'
import { HELD_OUT } from './held-out.ts'
import { QUERIES } from './queries.ts'
import { listSeed } from './seeded-store.ts'

const FIRST = 5
const answers: Record<(typeof ENGINES)[number], string[][]> = { sqlite: [], postgres: [] }

describe.each(ENGINES)('search on the seeded board, on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await openStore({ databaseUrl: database.env.DATABASE_URL, dataDir: database.dataDir })
    await listSeed(store)
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  test.each([
    ['tuned', QUERIES],
    ['held-out', HELD_OUT],
  ] as const)('finds what people mean, and little else, among the first five: %s queries', async (name, queries) => {
    const found: string[][] = []
    for (const [words] of queries) {
      const { rows } = await search(store, { words, now: NOON, limit: FIRST })
      found.push(rows.map(({ hostname }) => hostname))
    }
    const { recall, precision } = measure(queries, found)
    console.log(
      `${engine}: ${queries.length} ${name} queries, of the first five: ` +
        `recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}`,
    )
    answers[engine].push(...found)
    expect(recall).toBeGreaterThanOrEqual(0.9)
    expect(precision).toBeGreaterThanOrEqual(0.8)
  })

  test('finds the same in what it has read as in the index', async () => {
    let statements = 0
    const executeQuery: SearchRunner['executeQuery'] = query => {
      statements++
      return store.executeQuery(query)
    }
    const idsOf = async (runner: SearchRunner, words: string[]) => {
      const exact = words.map(word => exactly(word))
      return (await matchAll(runner, { now: NOON }, exact, 'anywhere', 200)).map(({ id }) => id)
    }
    let found = 0
    for (const [typed] of QUERIES) {
      const [first = '', ...others] = wordsOf(typed)
      const runner: SearchRunner = { engine, executeQuery, earlier: [], rare: new Set() }
      await matchAll(runner, { now: NOON }, [relaxedWord(first, [])], 'anywhere', 200)
      statements = 0
      const remembered = await idsOf(runner, [...others, first])
      expect(statements).toBe(0)
      expect(remembered).toEqual(await idsOf(store, [...others, first]))
      found += remembered.length
    }
    expect(found).toBeGreaterThan(0)
  })

  test.each([
    ['agents', 'crewbench.dev'],
    ['agent', 'waechter.agency'],
    ['developer tools', 'hexlantern.io'],
    ['invoices', 'invoicely-nordic.se'],
    ['photography', 'yukitanaka.jp'],
    ['recipes', 'ricettario.it'],
    ['bread', 'sourdoughtimer.com'],
    ['sourdoh', 'sourdoughtimer.com'],
    ['lantern', 'hexlantern.io'],
    ['카페', 'repaircafe-leeds.org.uk'],
    ['ことば', 'kotoba.jp'],
    ['حكايات', 'hikayat.net'],
  ])('“%s” finds %s', async (words, host) => {
    const { rows } = await search(store, { words, now: NOON, limit: 24 })
    expect(rows.map(({ hostname }) => hostname)).toContain(host)
  })
})

test.runIf(ENGINES.length > 1)('both engines find the same, in the same order', () => {
  expect(answers.sqlite).toHaveLength(QUERIES.length + HELD_OUT.length)
  expect(answers.sqlite).toEqual(answers.postgres)
})

/** The mean over the queries: of those that mean something, how much of it came; of those that found, how much was meant. */
function measure(queries: typeof QUERIES, found: string[][]): { recall: number; precision: number } {
  const counts = queries.map(([, meant], place) => {
    const hosts = found[place] ?? []
    return {
      meant: meant.length,
      found: hosts.length,
      hits: hosts.filter(host => meant.includes(host)).length,
    }
  })
  return {
    recall: mean(counts.filter(each => each.meant > 0).map(each => each.hits / Math.min(FIRST, each.meant))),
    // A search that should have found something and did not has no precision to speak of: it counts as none.
    precision: mean(
      counts.filter(each => each.found + each.meant > 0).map(each => (each.found ? each.hits / each.found : 0)),
    ),
  }
}

const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length
