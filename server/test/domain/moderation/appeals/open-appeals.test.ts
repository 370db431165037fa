import type { CompiledQuery } from 'kysely'
import { expect, it } from 'vitest'
import { listOpenAppeals } from '../../../../src/domain/moderation/appeals/decide-appeal.ts'
import { migratedDatabase } from '../../../support/engines.ts'

// PostgreSQL's plan depends on the size of the tables.
it('open appeals about some listings are found by their listings, not among all decisions about others', async () => {
  const database = await migratedDatabase('sqlite')
  const store = await database.openStore()
  const queries: CompiledQuery[] = []
  const db = store.db.withPlugin({
    transformQuery({ node, queryId }) {
      queries.push(store.db.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await listOpenAppeals({ ...store, db }, 10, [1, 2])
  const [query] = queries
  const { rows } = await store.db.executeQuery<{ detail: string }>({
    ...query,
    sql: `explain query plan ${query?.sql}`,
  } as CompiledQuery<{ detail: string }>)
  expect(rows.map(({ detail }) => detail)).toContain('SEARCH decision USING INDEX decision_of_listing (listingId=?)')
  await database.remove()
})
