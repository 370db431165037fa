import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeliveryDependencies,
  deliverDueEvents,
  noticeEvents,
} from '../../../../src/domain/notifications/owner/deliver.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../../support/engines.ts'
import { listingRow } from '../../../support/listing-row.ts'

const WELL = { failingSince: null, offAt: null, offBecause: null, lastTriedAt: null, lastStatus: null }

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
    await store.transact(trx => trx.deleteFrom('notice').execute())
  })

  it('has retries last, so that no one at a shared host waits for an address that hangs', async () => {
    const now = Date.now()
    const webhooks = [
      { slug: 'hangs', host: 'hooks.net', failingSince: now - 9, dues: [1, 2, 3] },
      { slug: 'works', host: 'hooks.net', failingSince: null, dues: [7, 8] },
      { slug: 'hangs-elsewhere', host: 'hangs.net', failingSince: now - 9, dues: [4] },
      { slug: 'hangs-too', host: 'hooks.net', failingSince: now - 9, dues: [0] },
      { slug: 'works-elsewhere', host: 'works.net', failingSince: null, dues: [9] },
    ]
    for (const { slug, host, failingSince, dues } of webhooks) {
      await store.transact(async trx => {
        const listing = await trx
          .insertInto('listing')
          .values(listingRow({ slug }))
          .returning('id as listingId')
          .executeTakeFirstOrThrow()
        const hook = { url: `https://${slug}.${host}/`, host, nonce: 'n', keyCheckValue: 'k', ...WELL, failingSince }
        await trx
          .insertInto('webhook')
          .values({ ...listing, ...hook })
          .execute()
        const notices = dues.map(nth => ({ id: `${slug} ${nth}`, ...listing, at: now, tryAt: now + nth }))
        await trx
          .insertInto('notice')
          .values(notices.map(notice => ({ ...notice, kind: 'overtaken' as const, facts: '{}' })))
          .execute()
      })
    }
    const delivered: string[][] = []
    for (;;) {
      const next = await noticeEvents.next(store, { now: now + 10 })
      if (next.length === 0) break
      delivered.push(next.map(({ id }) => id))
      const ids = next.map(({ id }) => id)
      await store.transact(trx => trx.updateTable('notice').set({ tryAt: null }).where('id', 'in', ids).execute())
    }
    expect(delivered).toEqual([
      ['works 7', 'works-elsewhere 9', 'hangs-elsewhere 4'],
      ['works 8'],
      ['hangs-too 0'],
      ['hangs 1'],
      ['hangs 2'],
      ['hangs 3'],
    ])
  })

  it('are read once for hundreds of hosts, because each read looks at all that are due', async () => {
    const now = Date.now()
    const hosts = Array.from({ length: 200 }, (_, nth) => `many${nth}.net`)
    await store.transact(async trx => {
      await trx.deleteFrom('notice').execute()
      const listings = await trx
        .insertInto('listing')
        .values(hosts.map(slug => listingRow({ slug })))
        .returning(['id as listingId', 'slug as host'])
        .execute()
      const hook = { url: 'https://many.net/', nonce: 'n', keyCheckValue: 'k', ...WELL }
      await trx
        .insertInto('webhook')
        .values(listings.map(listing => ({ ...listing, ...hook })))
        .execute()
      const due = { kind: 'overtaken' as const, facts: '{}', at: now, tryAt: now }
      await trx
        .insertInto('notice')
        .values(listings.map(({ listingId, host }) => ({ id: host, listingId, ...due })))
        .execute()
    })
    let reads = 0
    const source: typeof noticeEvents = {
      ...noticeEvents,
      next: (...given) => {
        reads++
        return noticeEvents.next(...given)
      },
      // As if another process had delivered it.
      lease: async ({ store }, { id }) =>
        void (await store.transact(trx =>
          trx.updateTable('notice').set({ tryAt: null }).where('id', '=', id).execute(),
        )),
    }
    const deps = { store, clock: () => now } as DeliveryDependencies
    await deliverDueEvents(source, deps, new AbortController().signal)
    expect(await noticeEvents.count(store, now)).toBe(0)
    // The second finds that none is left. One more follows each second that this takes.
    expect(reads).toBeLessThan(10)
  })
})
