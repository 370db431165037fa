import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addToVocabulary } from '../../../src/domain/search/vocabulary.ts'
import { mergeIndexes } from '../../../src/ops/jobs/search-index.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'

let database: EmptyDatabase
let store: Store
beforeAll(async () => {
  database = await migratedDatabase('sqlite')
  store = await database.openStore()
})
afterAll(() => database.remove())

async function partsOf(index: string): Promise<number> {
  const { rows } = await sql<{ parts: number }>`
    select count(distinct segid) as parts from ${sql.table(`${index}_idx`)}`.execute(store.db)
  return rows[0]?.parts ?? 0
}

it('merges the parts of the search indexes, while listings are added', async () => {
  const add = (slug: string) =>
    store.transact(async trx => {
      await trx
        .insertInto('listing')
        .values(listingRow({ slug, title: `Loaf ${slug}` }))
        .execute()
      await addToVocabulary(trx, `loaf word${slug}`)
    })
  for (let nth = 0; nth < 30; nth++) await add(`first-${nth}`)
  expect(await partsOf('listing_search')).toBeGreaterThan(1)
  const merging = mergeIndexes(store)
  await add('meanwhile')
  await merging
  await mergeIndexes(store)
  expect([await partsOf('listing_search'), await partsOf('search_word_part')]).toEqual([1, 1])
  const { rows } = await sql<{ listings: number }>`
    select count(*) as listings from listing_search where listing_search match '"¶loaf"'`.execute(store.db)
  expect(rows[0]?.listings).toBe(31)
  // Nothing is left to do.
  await mergeIndexes(store)
})
