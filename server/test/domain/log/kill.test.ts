// @module-tag programs
// @module-tag slow
import { expect, it } from 'vitest'
import { logTree } from '../../../src/domain/log/tree-of-store.ts'
import { verifyLog } from '../../../src/domain/log/verify.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { logNow } from '../../support/all-logged.ts'
import { ENGINES, migratedDatabase } from '../../support/engines.ts'
import { run } from '../../support/process.ts'
import { runs } from '../../support/runs.ts'

/** The second and later kills find what an earlier one left. */
const KILLS = 1 + runs(3)

it.each(ENGINES)('a log whose writers are killed at any instant loses nothing and never forks, on %s', async engine => {
  const database = await migratedDatabase(engine)
  const store = await database.openStore()
  const { databaseUrl, dataDir } = configFrom(database.env)
  let before: { size: number; root: Buffer } = { size: 0, root: Buffer.alloc(0) }
  for (let kill = 0; kill < KILLS; kill++) {
    const processes = [1, 2].map(() =>
      run('server/test/domain/log/kill-process.ts', [JSON.stringify({ databaseUrl, dataDir })], {}),
    )
    // Each time after some more entries.
    const wanted = before.size + 150 * (kill + 1)
    await expect.poll(() => logTree(store).size()).toBeGreaterThan(wanted)
    for (const { child } of processes) child.kill('SIGKILL')
    for (const { ended } of processes) expect(await ended).toBe('SIGKILL')

    const tree = logTree(store)
    if (before.size > 0) expect(await tree.rootAt(before.size)).toEqual(before.root)
    const size = await tree.size()
    before = { size, root: await tree.rootAt(size) }
    expect((await verifyLog(store, Date.now())).fault).toBeUndefined()
  }
  await logNow(store)
  const { entries, decisions, fault } = await verifyLog(store, Date.now())
  expect(fault).toBeUndefined()
  const all = await store.db
    .selectFrom('decision')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  expect(decisions).toBe(Number(all.count))
  // One effect for twenty decisions.
  expect(entries).toBe(1 + decisions + decisions / 20)
  await database.remove()
})
