import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { applyEvent } from '../../src/payments/apply-event.ts'
import { reconcile } from '../../src/payments/reconcile.ts'
import { up } from '../../src/storage/migrations/0007-folded-keys.ts'
import { openStore } from '../../src/storage/open.ts'
import { ENGINES, emptyDatabase } from '../support/engines.ts'
import { eventOf, openTestCheckout } from '../support/ledger.ts'
import { NOON, newCredentials, publish, publishBody, startTestService } from '../support/service.ts'

/** As they were keyed by version 1, in the order in which they were listed, and what becomes of them. */
const LISTED = [
  ['acme.com/index.html', '1:acme.com/index.html'],
  ['acme.com', '2:acme.com'],
  ['www.shop.com', '2:shop.com'],
  ['cafe.com/a%20', '2:cafe.com/a'],
  ['cafe.com/a;', '1:cafe.com/a;'],
  ['cafe.com/%C3%A9', '2:cafe.com/%C3%A9'],
  ['plain.org/x', '2:plain.org/x'],
  ['www.com', '2:www.com'],
] as const

test.each(ENGINES)('keys of version 1 are folded on %s, and no collision stops it', async engine => {
  const database = await emptyDatabase(engine)
  const store = await openStore({ databaseUrl: database.env.DATABASE_URL, dataDir: database.dataDir })
  for (const [address] of LISTED) {
    const checkout = await openTestCheckout(store, address)
    await applyEvent(store, eventOf('paid', `pi_${address}`, { checkout }), NOON)
  }
  const ordered = await openTestCheckout(store, 'plain.org/x;')
  const unlisted = await openTestCheckout(store, 'new.org/index.php')
  for (const table of ['listing', 'checkout', 'payment', 'board_total']) {
    await sql`update ${sql.table(table)} set destination_key = '1:' || substr(destination_key, 3)`.execute(
      store.db,
    )
  }
  await store.transact(trx => up(trx as unknown as Kysely<unknown>))

  const keys = async (table: 'listing' | 'payment' | 'checkout') =>
    (await store.db.selectFrom(table).select('destination_key').execute()).map(row => row.destination_key)
  const expected = LISTED.map(([, key]) => key)
  expect((await keys('listing')).sort()).toEqual([...expected].sort())
  expect((await keys('payment')).sort()).toEqual([...expected].sort())
  expect((await keys('checkout')).sort()).toEqual([...expected, '2:plain.org/x', '2:new.org'].sort())
  expect((await reconcile(store, NOON)).differences).toEqual([])

  await applyEvent(store, eventOf('paid', 'pi_ordered', { checkout: ordered }), NOON)
  await applyEvent(store, eventOf('paid', 'pi_unlisted', { checkout: unlisted }), NOON)
  const totals = await store.db
    .selectFrom('board_total')
    .select(['destination_key', 'total_cents'])
    .where('board', '=', 'all')
    .execute()
  const totalOf = (key: string) => totals.find(row => row.destination_key === key)?.total_cents
  expect(totals).toHaveLength(LISTED.length + 1)
  expect([totalOf('2:plain.org/x'), totalOf('2:new.org'), totalOf('1:acme.com/index.html')]).toEqual([
    5000, 2500, 2500,
  ])
  expect((await reconcile(store, NOON)).differences).toEqual([])

  const service = await startTestService({ engine, database })
  for (const [address] of LISTED) {
    const reply = await publish(service, newCredentials(), publishBody(`http://${address}`))
    expect([address, reply.status, reply.body.code]).toEqual([address, 409, 'destination_already_listed'])
  }
  await service.stop()
  await store.close()
  await database.remove()
})
