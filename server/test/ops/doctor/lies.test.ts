// @module-tag slow
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/ops/doctor/finding.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { MINUTE_MS } from '../../../src/platform/lib/time.ts'
import { loadBoardOf010 } from '../../platform/db/old-board.ts'
import { type EmptyDatabase, emptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { startTestService } from '../../support/service.ts'

/** What the doctor says of the database, by check. */
async function examine(env: Env): Promise<Record<string, string>> {
  const { output } = await operateHere(env, 'doctor', '--json')
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  return Object.fromEntries(findings.map(({ about, state, says }) => [about, `${state}: ${says}`]))
}

describe.each(SQLITE_FIRST)('placard doctor does not say ok on %s', engine => {
  let database: EmptyDatabase
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    await (await startTestService({ database })).stop()
  })
  afterAll(() => database.remove())

  it.runIf(engine === 'postgres')('of a database that takes no writes', async () => {
    const DATABASE_URL = `${database.env.DATABASE_URL}?options=-c%20default_transaction_read_only%3Don`
    expect((await examine({ ...database.env, DATABASE_URL })).locks).toMatch(
      /^failed: the database takes no writes, so no one can publish: .*read-only transaction$/,
    )
  })

  it('of a database without tables, which it reports once', async () => {
    const empty = await emptyDatabase(engine)
    if (engine === 'sqlite') writeFileSync(join(empty.dataDir, 'placard.db'), '')
    const { schema, key, log, jobs, backup } = await examine(empty.env)
    expect(schema).toBe('failed: the database is empty: start the service, or restore a backup')
    expect([key, log, jobs, backup]).toEqual([undefined, undefined, undefined, undefined])
    expect((await operateHere(empty.env, 'list')).output).toBe(
      'placard: the database is empty: start the service, or restore a backup\n',
    )
    await empty.remove()
  })

  it('of a database of an older version, which it reports once', async () => {
    const old = await emptyDatabase(engine)
    await loadBoardOf010(old)
    const { database: itself, schema, ...others } = await examine(old.env)
    expect([itself, schema]).toEqual([
      expect.stringMatching(/^ok: /),
      expect.stringMatching(/^failed: the next start of this version changes the database \(0002, .*migrate --check$/),
    ])
    expect(Object.values(others).filter(says => /no such|does not exist/.test(says))).toEqual([])
    await old.remove()
  })

  it('of a job that fails', async () => {
    expect((await examine(database.env)).jobs).toMatch(/^ok: none of \d+ fails$/)
    const store = await database.openStore()
    const failing = { failures: 1, error: 'no such thing' }
    await store.db.updateTable('job').set(failing).where('name', '=', 'retention').execute()
    expect((await examine(database.env)).jobs).toBe(
      'warning: retention (deletes old rows) has failed 1 time, the last time with: no such thing',
    )
    const succeededAt = Date.now() - 3 * MINUTE_MS
    await store.db
      .insertInto('job')
      .values({ name: 'backup', ...failing, succeededAt })
      .execute()
    expect((await examine({ ...database.env, BACKUP_TO: tmpdir() })).backup).toBe(
      'failed: the last one succeeded 3 minutes ago, and the next one failed: no such thing',
    )
  })
})
