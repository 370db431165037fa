// @module-tag slow
import { BOARDS_PATH, type BoardPage, type Quote } from '@placard/contract'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import { MIGRATIONS } from '../../../src/platform/db/migrations/index.ts'
import type { Migrations } from '../../../src/platform/db/migrations/types.ts'
import { EXPORTED_TABLES } from '../../../src/platform/db/tables/index.ts'
import { logNow } from '../../support/all-logged.ts'
import { ENGINES, emptyDatabase } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
import {
  type Credentials,
  newCredentials,
  PUBLIC,
  publish,
  publishBody,
  quote,
  report,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'
import { deliver, sessionObject, stripeEvent, WEBHOOK_SECRET } from '../../support/stripe-events.ts'

const NEXT = '9001'
/** The next version has columns in every table, and a table, that this one does not know. */
const EXPANDED: Migrations = {
  ...MIGRATIONS,
  [NEXT]: {
    async up(db) {
      for (const table of EXPORTED_TABLES) {
        await sql`alter table ${sql.table(table)} add column "ofTomorrow" text`.execute(db)
        await sql`alter table ${sql.table(table)} add column "rowKind" integer default 1 not null`.execute(db)
      }
      await sql`create table note (id integer primary key)`.execute(db)
    },
  },
}
/** The one after it takes away what this one may still use. */
const CONTRACTED: Migrations = {
  ...EXPANDED,
  '9002': {
    up: async db => void (await sql`alter table listing drop column "ofTomorrow"`.execute(db)),
    contracts: { schema: NEXT, version: '98.7.0' },
  },
}

it.each(ENGINES)(
  'an older and a newer version work on one database on %s, until that is no more for the older',
  async engine => {
    const [database, sites] = [await emptyDatabase(engine), await startSites()]
    const env = { ...PUBLIC, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, SERVICE_KEY: '7'.repeat(64) }
    const start = (migrations: Migrations) => startTestService({ database, sites, env, migrations })
    const older = await start(MIGRATIONS)
    const store = await database.openStore()
    const published: { host: string; credentials: Credentials; receipt: unknown }[] = []

    async function publishAt(service: TestService, host: string): Promise<void> {
      const credentials = newCredentials()
      // Where a lock of the migration is in its way, an agent is told to repeat it, and does.
      let reply = await publish(service, credentials, publishBody(`http://${host}`))
      while (reply.status === 503) {
        reply = await publish(service, credentials, publishBody(`http://${host}`))
      }
      const { status, body } = reply
      expect([host, status, body.code]).toEqual([host, 201, undefined])
      published.push({ host, credentials, receipt: body })
    }

    async function payAt(service: TestService, host: string): Promise<void> {
      const { sessionId, checkoutId } = await openTestCheckout(store, host)
      const session = sessionObject({ id: sessionId, client_reference_id: checkoutId })
      const paid = await deliver(service, stripeEvent('checkout.session.completed', session))
      expect([host, paid.status]).toEqual([host, 200])
    }

    /** What the public sees: the board, and what a place on it costs. */
    async function shownBy(service: TestService) {
      const board = (await (await fetch(`${service.url}${BOARDS_PATH}/all`)).json()) as BoardPage
      const bid = { destination: 'https://tea.com', category: 'Games', board: 'all', targetBid: 51 }
      const { body } = await quote<Quote>(service, bid)
      return { entries: board.entries, price: [body.chargeAmountCents, body.estimatedRank] }
    }

    // The older one is at work while the newer one migrates.
    await publishAt(older, 'before.com')
    await payAt(older, 'before.com')
    const [newer] = await Promise.all([
      start(EXPANDED),
      ...Array.from({ length: 10 }, (_, nth) => publishAt(older, `during-${nth}.com`)),
    ])
    for (const [nth, service] of [older, newer, older, newer].entries()) {
      await publishAt(service, `turn-${nth}.com`)
      await payAt(service, `turn-${nth}.com`)
      await payAt(service, 'tea.com')
      expect(await shownBy(older)).toEqual(await shownBy(newer))
    }
    expect((await shownBy(older)).entries.length).toBe(6)
    expect(await report(older, 'turn-1.com')).toBe(303)
    // An older instance may also be started anew, and the operator's commands of its version work.
    const again = await start(MIGRATIONS)
    for (const service of [older, newer, again]) {
      for (const { host, credentials, receipt } of published) {
        const { status, body } = await publish(service, credentials, publishBody(`http://${host}`))
        expect([host, status, body.requestId]).toEqual([host, 200, (receipt as typeof body).requestId])
        expect(body.ownership).toEqual((receipt as typeof body).ownership)
      }
    }
    const operate = (...args: string[]) => operateHere({ ...database.env, ...env }, ...args)
    expect(await operate('hide', 'turn-0-com', '--reason', 'A test.')).toMatchObject({ code: 0 })
    expect((await operate('migrate', '--check')).output).toBe(
      `A newer version has migrated the database to schema ${NEXT}. This version can still use it.\n`,
    )
    expect((await operate('export', '-')).output).toMatch(/schema 9001, .* use the newer version/)
    expect(await reconcile(store, older.clock.now)).toMatchObject({ differences: [] })
    await logNow(store)
    expect((await verifyLog(store, older.clock.now)).fault).toBeUndefined()

    const newest = await start(CONTRACTED)
    const line =
      /^the database has been changed for Placard 98\.7\.0 and later, but this is \S+: run a later version, or restore/
    for (const service of [older, again]) expect((await service.outdated).message).toMatch(line)
    await expect(start(MIGRATIONS)).rejects.toThrow(line)
    expect((await operate('list')).output).toContain('run a later version')
    // The version between goes on.
    await publishAt(newer, 'after.com')
    expect(await shownBy(newer)).toEqual(await shownBy(newest))
    for (const service of [older, newer, again, newest]) await service.stop()
    await Promise.all([sites.close(), database.remove()])
  },
)
