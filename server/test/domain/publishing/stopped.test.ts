// @module-tag postgres
// @module-tag programs
import { expect, it } from 'vitest'
import { startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishBody, startTestService } from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'

/** Longer than a lease on an attempt. */
const LEASE_OVER_MS = 31_000

it('a publish that a stopped process had begun is continued by another, and happens once', async () => {
  const env = { BASE_URL: 'http://127.0.0.1:1' }
  const other = await startTestService({ engine: 'postgres', now: Date.now(), env })
  const { database, sites } = other
  const stopped = await startProcess({ ...database.env, ...env, FETCH_CONNECT_TO: sites.connectTo })
  const [credentials, body] = [newCredentials(), publishBody('http://held.com/')]
  try {
    let release = () => {}
    sites.set('held.com', (request, response) => {
      release = () => goodPage(request, response)
    })
    const begun = publish(stopped, credentials, body)
    await expect.poll(() => sites.visits('held.com')).toBe(1)
    stopped.child.kill('SIGSTOP')
    release()
    sites.set('held.com', goodPage)
    other.clock.now = Date.now() + LEASE_OVER_MS
    const taken = await publish(other, credentials, body)
    expect(taken.status).toBe(201)

    // It finds that its lease is lost, and writes nothing. If it stood still for long, it says that it can't know.
    stopped.child.kill('SIGCONT')
    expect([200, 503]).toContain((await begun).status)
    const again = await publish(stopped, credentials, body)
    expect([again.status, again.body]).toEqual([200, taken.body])
    const store = await database.openStore()
    for (const table of ['listing', 'claim', 'decision'] as const) {
      expect(await store.db.selectFrom(table).selectAll().execute()).toHaveLength(1)
    }
  } finally {
    await stopped.end('SIGKILL')
    await other.stop()
  }
})
