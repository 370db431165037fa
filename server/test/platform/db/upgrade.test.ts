// @module-tag programs
// @module-tag slow
import { BOARDS_PATH, type BoardPage, DRAWS_PATH } from '@placard/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { newestSchema, schemaOf } from '../../../src/platform/db/migrate.ts'
import { MIGRATIONS } from '../../../src/platform/db/migrations/index.ts'
import { openUnmigrated } from '../../../src/platform/db/open.ts'
import { DAY_MS, utcDay } from '../../../src/platform/lib/time.ts'
import { logNow } from '../../support/all-logged.ts'
import { type EmptyDatabase, ENGINES, emptyDatabase } from '../../support/engines.ts'
import { run } from '../../support/process.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { loadBoardOf010 } from './old-board.ts'

describe.each(ENGINES)('a board of 0.1.0 on %s', engine => {
  const databases: EmptyDatabase[] = []
  afterEach(() => Promise.all(databases.splice(0).map(database => database.remove())))

  async function oldBoard() {
    const database = await emptyDatabase(engine)
    databases.push(database)
    return { database, ...(await loadBoardOf010(database)) }
  }

  it('is upgraded, and every receipt replays as before', async () => {
    const { database, env, now: lastWritten, replays } = await oldBoard()
    const now = lastWritten + DAY_MS
    const service = await startTestService({ database, env, now, draws: true })
    for (const { credentials, body, status, receipt } of replays) {
      const again = await publish(service, credentials, body)
      expect([body.destination, again.status]).toEqual([body.destination, status])
      expect(again.body).toMatchObject(receipt)
    }
    expect(new Set(replays.map(({ receipt, status }) => receipt.status ?? status))).toEqual(
      new Set(['published', 'unavailable', 422]),
    )
    expect((await publish(service, newCredentials(), publishBody('http://after.com'))).status).toBe(201)
    const board = (await (await fetch(`${service.url}${BOARDS_PATH}/all`)).json()) as BoardPage
    expect(board.entries.map(({ totalCents }) => totalCents)).toEqual([90_000, 6200, 5000, 2500])
    const store = await database.openStore()
    expect(await reconcile(store, now)).toMatchObject({ differences: [], payments: 5 })
    // An instance of 0.1.0 that still runs would write this, and must not.
    const ofOlder = { board: 'all', level: 2, amount: 1, time: 0, destinations: 1 }
    await expect(store.db.insertInto('board_count').values(ofOlder).execute()).rejects.toThrow(/0[._]1[._]0/)
    // The seed is the root of the history, which the log gets first.
    const draw = `${service.url}${DRAWS_PATH}/${utcDay(now)}`
    await expect.poll(async () => (await fetch(draw)).status).toBe(200)
    await logNow(store)
    expect((await verifyLog(store, now)).fault).toBeUndefined()
    await service.stop()
  })

  it('is upgraded in the end, whichever migration an upgrade was killed in', async () => {
    const all = Object.keys(MIGRATIONS).slice(1)
    // A migration takes seven times longer on PostgreSQL. There, all that ran before the last one was rolled back, too.
    const names = engine === 'sqlite' ? all : [all[0], all.at(-1)].map(String)
    const boards = await Promise.all(names.map(async name => [name, await oldBoard()] as const))
    const settings = boards.map(([name, { database }]) => [name, configFrom(database.env)] as const)
    const upgrade = run(
      'server/test/platform/db/upgrade-process.ts',
      [
        JSON.stringify(
          Object.fromEntries(settings.map(([name, { databaseUrl, dataDir }]) => [name, { databaseUrl, dataDir }])),
        ),
      ],
      {},
    )
    await expect.poll(() => upgrade.output().trim().split('\n').sort()).toEqual(names)
    upgrade.child.kill('SIGKILL')
    expect(await upgrade.ended).toBe('SIGKILL')
    for (const [name, { database }] of boards) {
      expect([name, await schemaIn(database)]).toEqual([name, '0001'])
      const { db } = await database.openStore()
      const { listings } = await db
        .selectFrom('listing')
        .select(({ fn }) => fn.countAll().as('listings'))
        .executeTakeFirstOrThrow()
      expect([name, await schemaIn(database), Number(listings)]).toEqual([name, newestSchema(), 9])
    }
  })
})

async function schemaIn(database: EmptyDatabase): Promise<string | undefined> {
  const store = openUnmigrated(configFrom(database.env))
  try {
    return await schemaOf(store.db, store.engine)
  } finally {
    await store.close()
  }
}
