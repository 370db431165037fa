import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { search } from '../../../src/domain/listings/search.ts'
import { openStore } from '../../../src/platform/db/open.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { NOON } from '../../support/service.ts'

/** A small page is found among the newest thousand, a larger one by what these promise, and the largest among all. */
const IDS = [3, 5, 30_000, 30_100, ...idsFrom(98_000, 5), ...idsFrom(99_000, 8)]
function idsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, nth) => first + 90 * nth)
}

describe.each(ENGINES)('listings with ids far apart on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await openStore({ databaseUrl: database.env.DATABASE_URL, dataDir: database.dataDir })
    const rows = IDS.map(id => ({ ...listingRow({ slug: `n${id}`, title: 'Lamp' }), id }))
    await store.transact(trx => trx.insertInto('listing').values(rows).execute())
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  test.each([2, 3, 10, 12, 24])('are found newest first, in pages of %i', async limit => {
    const found: number[] = []
    let after: { score: number; id: number } | undefined
    do {
      const page = await search(store, { words: 'lamp', now: NOON, order: 'newest', limit, after })
      found.push(...page.rows.map(({ id }) => id))
      after = page.next
    } while (after)
    expect(found).toEqual(IDS.toReversed())
  })

  test('are all ranked', async () => {
    const { counts } = await search(store, { words: 'lamp', now: NOON, limit: 3 })
    expect(counts.all).toBe(IDS.length)
  })
})
