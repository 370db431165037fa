import { describe, expect, test } from 'vitest'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { openStore } from '../../server/src/platform/db/open.ts'
import { migratedDatabase, SAME_SQL } from '../../server/test/support/engines.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { startProcess } from '../../server/test/support/process.ts'
import { goodPage, startSites } from '../../server/test/support/sites.ts'
import { PlacardClient } from '../src/client.ts'
import type { PlacardError } from '../src/error.ts'
import { fileStore } from '../src/file-store/index.ts'
import { approved, credentialsIn, newJournal } from './real-service.ts'

describe.each(SAME_SQL)('a service on %s that is killed half-way', { tags: ['programs'] }, engine => {
  test('gives the client, which is still retrying, its receipt once it is back: one listing, one key', async () => {
    const database = await migratedDatabase(engine)
    const sites = await startSites()
    sites.set('killed.com', () => {})
    const port = String(await freePort())
    const env = { ...database.env, FETCH_CONNECT_TO: sites.connectTo, PORT: port }
    const dying = await startProcess(env)
    const journalPath = newJournal()
    const retries: PlacardError[] = []
    const client = new PlacardClient({
      service: `http://127.0.0.1:${port}`,
      store: fileStore(journalPath),
      waitBudgetMs: 60_000,
      firstBackoffMs: 50,
      onRetry: error => retries.push(error),
    })
    const publishing = client.publish(approved('killed.com'))
    await expect.poll(() => sites.visits('killed.com')).toBe(1)
    await dying.end('SIGKILL')
    // It knocks at a closed door for a while.
    await expect.poll(() => retries.length).toBeGreaterThan(1)
    expect(retries[0]).toMatchObject({ kind: 'unknown', code: 'network_error' })
    expect(retries[1]).toMatchObject({ kind: 'postponed', code: 'network_error' })

    sites.set('killed.com', goodPage)
    const store = await openStore(configFrom(database.env))
    // The lease of the dead process ends: here at once, in life after half a minute.
    await store.db.updateTable('attempt').set({ leaseUntil: 0 }).execute()
    const service = await startProcess(env)
    const { receipt, privateLink } = await publishing
    expect(receipt.status).toBe('published')
    expect((await fetch(receipt.productUrl)).status).toBe(200)

    const [submission, ...more] = credentialsIn(journalPath)
    expect(more).toEqual([])
    const attempts = await store.db.selectFrom('attempt').select(['idempotencyKey', 'requestId', 'state']).execute()
    expect(attempts).toEqual([{ idempotencyKey: submission?.key, requestId: receipt.requestId, state: 'published' }])
    expect(await store.db.selectFrom('listing').select('slug').execute()).toEqual([{ slug: 'killed-com' }])
    const again = await client.publish(approved('killed.com'))
    expect(again).toMatchObject({ replayed: true, receipt })
    expect(again.privateLink?.reveal()).toBe(privateLink?.reveal())
    await store.close()
    expect(await service.end('SIGTERM')).toBe(0)
    await sites.close()
    await database.remove()
  })
})
