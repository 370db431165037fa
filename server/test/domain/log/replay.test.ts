import { parseEntry } from '@placard/contract/log'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { migrateTo } from '../../../src/platform/db/migrate.ts'
import { openUnmigrated } from '../../../src/platform/db/open.ts'
import { loadBoardOf010 } from '../../platform/db/old-board.ts'
import { logNow } from '../../support/all-logged.ts'
import { ENGINES, emptyDatabase } from '../../support/engines.ts'

/** `0018` is the schema of 0.2.0. Later ones, which no release had, also have draws. */
const FROM = ENGINES.flatMap(engine => ['0018', '0024'].map(schema => [engine, schema] as const))

it.each(FROM)('a store with history gets its log by replay, on %s from schema %s', async (engine, schema) => {
  const database = await emptyDatabase(engine)
  const { now } = await loadBoardOf010(database)
  const old = openUnmigrated(configFrom(database.env))
  await migrateTo(old.db, engine, schema)
  // As the older version chained them.
  const { rows: decisions } = await sql<{ id: string }>`select id from decision order by id`.execute(old.db)
  for (const [at, { id }] of decisions.entries()) {
    const link = sql`${at + 1}, ${id}, ${'ab'.repeat(32)}`
    await sql`insert into decision_chain (position, "decisionId", hash) values (${link})`.execute(old.db)
    await sql`update decision set position = ${at + 1} where id = ${id}`.execute(old.db)
  }
  const counts = sql<{ kind: string; decisions: number }>`
    select kind, count(*) as decisions from decision group by kind order by kind`
  const { rows: counted } = await counts.execute(old.db)
  for (const { kind, decisions } of counted) {
    await sql`insert into decision_count (month, kind, reason, decisions) values ('2020-01', ${kind}, 'x', ${decisions})`.execute(
      old.db,
    )
  }
  const { rows: listings } = await sql<{ id: number }>`select id from listing order by id limit 2`.execute(old.db)
  if (schema === '0024') {
    await sql`insert into draw (day, at, algorithm, seed, "chainPosition", candidates, "candidatesHash", pages)
      values ('2026-10-01', ${now}, 1, ${'ab'.repeat(32)}, 1, 2, 'x', 0)`.execute(old.db)
    for (const [at, { id }] of listings.entries()) {
      await sql`insert into drawn_listing (day, place, "listingId") values ('2026-10-01', ${at + 1}, ${id})`.execute(
        old.db,
      )
    }
  }
  const { rows: totals } = await sql<{ board: string }>`select board from board_total`.execute(old.db)
  await old.close()

  const store = await database.openStore()
  const expected = 1 + decisions.length + totals.length + (schema === '0024' ? 2 : 0)
  expect(await logNow(store, () => now)).toBe(expected)
  const verified = await verifyLog(store, now)
  expect(verified).toEqual({ entries: expected, decisions: decisions.length, root: expect.any(Buffer) })
  const rows = await store.db.selectFrom('log_entry').select('entry').orderBy('position').execute()
  const [began, ...rest] = rows.map(({ entry }) => parseEntry(entry))
  expect(began).toMatchObject({ kind: 'began', replayed: true })
  expect(rest.every(({ notBefore }) => notBefore === undefined)).toBe(true)
  const drawn = rest.filter(({ kind }) => kind === 'drawn')
  const both = listings.map(({ id }, at) => expect.objectContaining({ listing: Number(id), place: at + 1 }))
  expect(drawn).toEqual(schema === '0024' ? both : [])
  // Each decision is counted again, in its month.
  const again = await store.db.selectFrom('decision_count').select(['kind', 'decisions', 'month']).execute()
  for (const { kind, decisions } of counted) {
    const found = again.filter(each => each.kind === kind).reduce((sum, each) => sum + Number(each.decisions), 0)
    expect([kind, found]).toEqual([kind, Number(decisions)])
  }
  expect(again.filter(({ month }) => month === '2020-01')).toEqual([])
  // What comes later follows.
  expect(await logNow(store, () => now)).toBe(0)
  await database.remove()
})
