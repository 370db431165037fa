import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { untilWaiting } from '../../support/locks.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'

describe.each(SQLITE_FIRST)('what an owner changes on %s', engine => {
  let service: TestService
  let store: Store
  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())

  /** Resolves once a transaction waits for one of our rows. SQLite can't show that: its writers wait for the one writer. */
  async function somebodyWaits() {
    if (engine === 'postgres') await untilWaiting(store)
  }

  it('does not land on a listing that is being hidden at that moment', async () => {
    const { body } = await publish(service, newCredentials(), publishBody('http://hidden-meanwhile.com/'))
    const owner = await openPrivatePage(body.ownership.privateRecoveryUrl ?? '')
    const slug = body.productUrl.split('/').at(-1) ?? ''
    const acting = await store.transact(async trx => {
      await trx.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
      const answer = owner.act('category', { category: 'Games' })
      await somebodyWaits()
      return { answer }
    })
    expect((await acting.answer).status).toBe(409)
    const listing = store.db.selectFrom('listing').select('category').where('slug', '=', slug)
    expect(await listing.executeTakeFirst()).toEqual({ category: 'Food & Drink' })
  })
})
