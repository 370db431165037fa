// @module-tag programs
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyDatabase } from '../../../support/engines.ts'
import { operate } from '../../../support/operate.ts'
import { startProcess } from '../../../support/process.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishAtLast,
  publishBody,
  startTestService,
} from '../../../support/service.ts'
import { startSites } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'
import { startMailServer } from '../../notifications/owner/mail-server.ts'
import { startReceiver } from '../../notifications/owner/receiver.ts'

const newHex = () => randomBytes(32).toString('hex')

describe('the key file', () => {
  it('is kept private and whole by commands that change it at once', async () => {
    const database = await emptyDatabase('sqlite')
    await (await startProcess(database.env)).end('SIGTERM')
    const file = join(database.dataDir, 'service.key')
    const first = readFileSync(file, 'utf8')
    const changes = await Promise.all([1, 2, 3].map(() => operate(database.env, 'change-key')))
    expect(changes.map(({ code }) => code)).toEqual([0, 0, 0])
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^([0-9a-f]{64}\n){4}$/)
    expect(new Set(text.split('\n')).size).toBe(5)
    expect(text.endsWith(first)).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const { output } of changes) expect(output).not.toMatch(/[0-9a-f]{64}/)
    await database.remove()
  })
})

describe('instances with different keys', () => {
  it('that start together on a new PostgreSQL database: one serves, the others refuse', async () => {
    const database = await emptyDatabase('postgres')
    const starts = await Promise.allSettled(
      Array.from({ length: 4 }, () => startProcess({ ...database.env, SERVICE_KEY: newHex() })),
    )
    const running = starts.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    expect(running).toHaveLength(1)
    for (const each of starts) {
      if (each.status === 'rejected') expect(String(each.reason)).toContain('SERVICE_KEY lacks a key')
    }
    await running[0]?.end('SIGTERM')
    await database.remove()
  })

  it('change it one after the other: first it is known to all, then the first', async () => {
    const database = await emptyDatabase('postgres')
    const sites = await startSites()
    const old = String(database.env.SERVICE_KEY)
    const begin = (key: string) => startTestService({ engine: 'postgres', database, sites, env: { SERVICE_KEY: key } })
    await (await begin(old)).stop()
    const { output } = await operate(database.env, 'change-key')
    const [last = '', before = ''] = [...output.matchAll(/^SERVICE_KEY=(\S+)$/gm)].map(match => match[1] ?? '')
    const [newest = ''] = last.split(',')
    expect([last, before]).toEqual([`${newest},${old}`, `${old},${newest}`])
    const one = await begin(before)
    const other = await begin(last)
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const credentials = newCredentials()
      const body = publishBody(`http://${from === one ? 'one' : 'other'}.com/`)
      const { body: receipt } = await publishAtLast(from, credentials, body)
      const { body: again } = await publishAtLast(to, credentials, body)
      const [origin, path = 'none'] = receipt.ownership.privateRecoveryUrl?.split('/manage/') ?? []
      expect(again.ownership.privateRecoveryUrl?.split('/manage/')[1]).toBe(path)
      // A minute later, the second instance is not restarted yet.
      for (const { clock } of [one, other]) clock.now = NOON + 60_000
      const owner = await openPrivatePage(`${origin}/manage/${path}`, to.url)
      expect((await owner.read()).html).toContain('Published')
    }
    await one.stop()
    await other.stop()
    await sites.close()
    await database.remove()
  })

  it('lose nothing if one runs on with the old key only: what needs the new one waits', async () => {
    const database = await emptyDatabase('postgres')
    const [sites, server, receiver] = [await startSites(), await startMailServer(), await startReceiver(['hooks.com'])]
    const [old, newest] = [String(database.env.SERVICE_KEY), newHex()]
    const begin = (key: string, jobsEveryMs: number) =>
      startTestService({
        database,
        jobsEveryMs,
        sites: { ...sites, connectTo: `${sites.connectTo},${receiver.connectTo}` },
        env: { SERVICE_KEY: key, BASE_URL: 'http://127.0.0.1:1', TRUSTED_PROXIES: '127.0.0.1', ...server.env },
      })
    const store = await database.openStore()
    const failed = () =>
      store.db.selectFrom('job').select('name').where('error', 'like', '%this one lacks%').orderBy('name').execute()
    const forgotten = await begin(old, 100)
    const restarted = await begin(`${newest},${old}`, 0)
    const [credentials, body] = [newCredentials(), publishBody('http://waits.com/')]
    const first = await publishAtLast(restarted, credentials, body)
    const link = first.body.ownership.privateRecoveryUrl?.replace('http://127.0.0.1:1', restarted.url) ?? ''

    const replay = await publish(forgotten, credentials, body)
    expect([replay.status, replay.body.code]).toEqual([503, 'publication_unconfirmed'])
    const owner = await openPrivatePage(link)
    await owner.act('webhook', { address: 'https://hooks.com/placard' })
    await owner.act('webhook-test')
    await owner.act('mail', { address: 'joe@example.org', ends: 'yes' })
    await expect.poll(failed).toEqual([{ name: 'mail' }, { name: 'notices' }])
    await forgotten.stop()

    // Later than the leases of what could not be delivered.
    const again = await begin(`${newest},${old}`, 100)
    again.clock.now += 10 * 60_000
    await expect.poll(() => server.to('joe@example.org').length).toBe(1)
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect((await publish(again, credentials, body)).body).toEqual(first.body)
    for (const service of [restarted, again]) await service.stop()
    await Promise.all([sites.close(), server.close(), receiver.close(), store.close()])
    await database.remove()
  })
})
