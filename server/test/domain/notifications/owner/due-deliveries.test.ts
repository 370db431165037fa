import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noticeEvents } from '../../../../src/domain/notifications/owner/deliver-notices.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../../support/engines.ts'
import { listingRow } from '../../../support/listing-row.ts'

describe.each(ENGINES)('the count of due deliveries on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterAll(() => database.remove())

  it('has that a hidden listing was taken down, and none of its other notices', async () => {
    const now = Date.now()
    await store.transact(async trx => {
      const { id } = await trx
        .insertInto('listing')
        .values({ ...listingRow({ slug: 'hidden' }), hiddenAt: now })
        .returning('id')
        .executeTakeFirstOrThrow()
      const hook = { url: 'https://hooks.com/', host: 'hooks.com', nonce: 'n', keyCheckValue: 'k' }
      await trx
        .insertInto('webhook')
        .values({
          listingId: id,
          ...hook,
          failingSince: null,
          offAt: null,
          offBecause: null,
          lastTriedAt: null,
          lastStatus: null,
        })
        .execute()
      const due = { listingId: id, facts: '{}', at: now, tryAt: now }
      await trx
        .insertInto('notice')
        .values([
          { id: '1', kind: 'taken_down', ...due },
          { id: '2', kind: 'overtaken', ...due },
        ])
        .execute()
    })
    expect(await noticeEvents.count(store, now)).toBe(1)
    await store.transact(trx => trx.updateTable('listing').set({ hiddenAt: null }).execute())
    expect(await noticeEvents.count(store, now)).toBe(2)
  })
})
