import { expect, it } from 'vitest'
import { listOpenAppeals } from '../../../../src/domain/moderation/appeals/decide-appeal.ts'
import { migratedDatabase } from '../../../support/engines.ts'
import { noteQueries, planOf } from '../../../support/plans.ts'

it('open appeals about some listings are found by their listings, not among all decisions about others', async () => {
  const database = await migratedDatabase('sqlite')
  const store = await database.openStore()
  const { plugin, queries } = noteQueries(store.db)
  await listOpenAppeals({ ...store, db: store.db.withPlugin(plugin) }, 10, [1, 2])
  const plan = await planOf(store.db, queries[0])
  expect(plan).toContain('SEARCH decision USING INDEX decision_of_listing (listingId=?)')
  await database.remove()
})
