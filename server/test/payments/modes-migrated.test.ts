import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFrom } from '../../src/config.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import { openStore } from '../../src/storage/open.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase } from '../support/engines.ts'
import { NOON } from '../support/service.ts'

/** One payment in all the tables that knew of it then. */
const PAID_BEFORE = [
  { processor: 'stripe', session: 'cs_live_a', payment: 'pi_live' },
  { processor: 'stripe', session: 'cs_test_b', payment: 'pi_test' },
  { processor: 'sandbox', session: 'cs_sandbox_c', payment: 'pi_sandbox' },
]

describe.each(ENGINES)('payments from before the kinds of money were told apart, on %s', engine => {
  let database: EmptyDatabase
  beforeEach(async () => {
    database = await emptyDatabase(engine)
  })
  afterEach(() => database.remove())

  it('are of the mode that their session says, with all that was heard of them', async () => {
    const before = database.env.DATABASE_URL
      ? openPostgres(database.env.DATABASE_URL, { patient: true })
      : openSqlite(database.dataDir)
    const provider = { getMigrations: async () => migrations(engine) }
    const { error } = await new Migrator({ db: before.db, provider }).migrateTo('0004-search')
    expect(error).toBeUndefined()
    for (const paid of PAID_BEFORE) await insertAsThen(before.db as unknown as Kysely<unknown>, paid)
    await before.close()

    const store = await openStore(configFrom(database.env))
    const rowsOf = async (table: 'checkout' | 'payment' | 'processor_event') =>
      (await store.db.selectFrom(table).select('processor').orderBy('processor').execute()).map(
        row => row.processor,
      )
    const each = ['sandbox', 'stripe', 'stripe_test']
    expect(await rowsOf('checkout')).toEqual(each)
    expect(await rowsOf('payment')).toEqual(each)
    expect(await rowsOf('processor_event')).toEqual(each.flatMap(name => [name, name]))
    const events = await store.db
      .selectFrom('processor_event')
      .select(['payment_id', 'livemode'])
      .distinct()
      .orderBy('payment_id')
      .execute()
    expect(events).toEqual([
      { payment_id: 'pi_live', livemode: 1 },
      { payment_id: 'pi_sandbox', livemode: 0 },
      { payment_id: 'pi_test', livemode: 0 },
    ])
    await store.close()
  })
})

async function insertAsThen(
  db: Kysely<unknown>,
  { processor, session, payment }: (typeof PAID_BEFORE)[number],
): Promise<void> {
  await sql`
    insert into checkout (id, processor, session_id, destination_key, url, hostname, category, board, target_usd,
      amount_cents, proved_by, rules_version, created_at)
    values (${payment}, ${processor}, ${session}, '1:a.com', '', '', '', 'all', 25, 2500, 'dns_txt', '', ${NOON})
  `.execute(db)
  for (const [kind, sessionId] of [
    ['paid', session],
    ['refunded', null],
  ]) {
    await sql`
      insert into processor_event (processor, event_id, type, kind, occurred_at, received_at, payment_id, session_id)
      values (${processor}, ${`${kind} ${payment}`}, '', ${kind}, ${NOON}, ${NOON}, ${payment}, ${sessionId})
    `.execute(db)
  }
  await sql`
    insert into payment (processor, payment_id, paid_cents, refunded_cents, disputed_cents, net_cents)
    values (${processor}, ${payment}, 2500, 0, 0, 2500)
  `.execute(db)
}
