// @module-tag postgres
// @module-tag programs
// @module-tag slow
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Env } from '../../../src/platform/config/settings.ts'
import type { Engine } from '../../../src/platform/db/tables/index.ts'
import { type EmptyDatabase, emptyDatabase } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'
import { frontDoor, liveIn, SAME_KEY } from './lived-in.ts'

let sites: Sites
const databases: EmptyDatabase[] = []
beforeAll(async () => {
  sites = await startSites()
})
afterAll(async () => {
  await sites.close()
  for (const database of databases) await database.remove()
})

async function another(engine: Engine): Promise<EmptyDatabase> {
  const database = await emptyDatabase(engine)
  databases.push(database)
  return { ...database, env: { ...database.env, ...SAME_KEY } }
}

it('a site moves from SQLite to PostgreSQL and back, and visitors notice nothing', async () => {
  const first = await another('sqlite')
  const start = (database: EmptyDatabase, now?: number) =>
    startTestService({ database, sites, env: SAME_KEY, ...(now !== undefined && { now }) })
  const service = await start(first)
  const livedIn = await liveIn(service)
  const before = await frontDoor(service, livedIn)
  const { now } = service.clock
  await service.stop()
  expect(before).toMatchObject({
    receipts: [
      { status: 200, receipt: { status: 'published' } },
      { status: 200, receipt: { status: 'published' } },
      { status: 200, receipt: { status: 'unavailable' } },
      { status: 200, receipt: { status: 'published' } },
    ],
    links: [204, 204, 204],
    oldLinks: [404],
    boards: [
      { entries: [{ totalCents: 4000 }, { totalCents: 3500 }, { totalCents: 3000 }] },
      { entries: [{ totalCents: 4000 }, { totalCents: 3500 }, { totalCents: 3000 }] },
    ],
    pages: [200, 200, 410, 200, 200],
    found: [['bakery-one-com'], ['bakery-one-com'], ['renewed-one-com']],
  })

  let from = first
  for (const [engine, name] of [
    ['postgres', 'a.jsonl.zst'],
    ['sqlite', 'b.jsonl.gz'],
    ['sqlite', 'c.jsonl'],
  ] as const) {
    const to = await another(engine)
    await move(from.env, to.env, join(first.dataDir, name))
    const moved = await start(to, now)
    expect(await frontDoor(moved, livedIn), engine).toEqual(before)
    // New rows get numbers of their own.
    const host = `new-on-${name.replaceAll('.', '-')}.com`
    expect((await publish(moved, newCredentials(), publishBody(`http://${host}/`))).status).toBe(201)
    // The new one gets its entry a moment later.
    const audit = async () => (await operateHere(to.env, 'audit', 'verify')).output
    await expect.poll(audit).toContain('log whole')
    await moved.stop()
    expect((await operateHere(to.env, 'reconcile')).code).toBe(0)
    from = to
  }
})

async function move(from: Env, to: Env, file: string): Promise<void> {
  for (const [env, command] of [
    [from, 'export'],
    [to, 'import'],
  ] as const) {
    const { code, output } = await operateHere(env, command, file)
    expect(output).toContain('Every row was copied.')
    expect(output).toContain('No difference: 4 payments')
    expect(code).toBe(0)
  }
}
