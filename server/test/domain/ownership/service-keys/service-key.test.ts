// @module-tag slow
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Receipt } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkValueOf } from '../../../../src/domain/ownership/service-keys/service-keys.ts'
import { SESSION_COOKIE, Sessions } from '../../../../src/domain/ownership/signed-cookies.ts'
import { headerOf } from '../../../../src/ops/backup/export-file.ts'
import { Secret } from '../../../../src/platform/lib/secret.ts'
import { type EmptyDatabase, emptyDatabase, SQLITE_FIRST } from '../../../support/engines.ts'
import { serviceKeys } from '../../../support/keys.ts'
import { operate, operateHere } from '../../../support/operate.ts'
import { run } from '../../../support/process.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../../support/service.ts'
import { type Sites, startSites } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'

const newHex = () => randomBytes(32).toString('hex')
const HOUR_MS = 3_600_000

describe.each(SQLITE_FIRST)('the service key on %s', engine => {
  let database: EmptyDatabase
  let sites: Sites
  let service: TestService | undefined
  let now: number
  beforeEach(async () => {
    database = await emptyDatabase(engine)
    sites = await startSites()
    now = Date.UTC(2026, 10, 21, 12)
  })
  afterEach(async () => {
    await service?.stop()
    service = undefined
    await sites.close()
    await database.remove()
  })

  const file = () => join(database.dataDir, 'service.key')
  /** The service's keys, newest first, wherever this engine keeps them. */
  const keys = () =>
    (engine === 'postgres'
      ? String(database.env.SERVICE_KEY)
      : existsSync(file())
        ? readFileSync(file(), 'utf8').trim()
        : ''
    )
      .split(/[\n,]/)
      .filter(key => key !== '')
  function setKeys(...hex: string[]): void {
    if (engine === 'sqlite') writeFileSync(file(), `${hex.join('\n')}\n`, { mode: 0o600 })
    else database.env.SERVICE_KEY = hex.join(',')
  }

  async function start(): Promise<TestService> {
    service = await startTestService({ engine, database, sites, now, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    return service
  }
  async function stop(): Promise<void> {
    await service?.stop()
    service = undefined
  }
  /** As an operator does it: the command, then a restart. */
  async function changeKey(...args: string[]): Promise<string> {
    await stop()
    const { code, output } = await operateHere(database.env, 'change-key', ...args)
    expect([code, output]).toEqual([0, expect.any(String)])
    if (engine === 'postgres') setKeys(...(/^SERVICE_KEY=(\S+)$/m.exec(output)?.[1] ?? '').split(','))
    now += HOUR_MS
    await start()
    return output
  }

  let hosts = 0
  async function publishNew() {
    const submission = { credentials: newCredentials(), body: publishBody(`http://key-${++hosts}.com/`) }
    const { status, body } = await publish(service ?? expect.fail(), submission.credentials, submission.body)
    expect(status).toBe(201)
    return { ...submission, link: linkIn(body) }
  }
  const replay = async ({ credentials, body }: Omit<Awaited<ReturnType<typeof publishNew>>, 'link'>) => {
    const answer = await publish(service ?? expect.fail(), credentials, body)
    expect(answer.status).toBe(200)
    return answer.body
  }
  /** Without the port, which differs from start to start. */
  const linkIn = ({ ownership }: Receipt) => ownership.privateRecoveryUrl?.replace(/^http:\/\/[^/]+/, '') ?? ''
  const opened = async (link: string) => (await openPrivatePage((service?.url ?? '') + link)).status
  async function renew(link: string): Promise<string> {
    const page = await openPrivatePage((service?.url ?? '') + link)
    const { newLink = '' } = await page.act('renew', { link: (service?.url ?? '') + link, confirm: 'yes' })
    return newLink.replace(/^http:\/\/[^/]+/, '')
  }

  /** The errors of a service and an operator's command that must not start, here or as processes. */
  async function refusals({ asProcesses = false } = {}): Promise<string[]> {
    const main = asProcesses ? await failedStart() : await start().then(stop, error => `${error.message}\n`)
    const list = await (asProcesses ? operate : operateHere)(database.env, 'list')
    expect(list.code).toBe(1)
    for (const output of [main, list.output]) {
      expect(output).toMatch(/^[^\n]+\n$/)
      for (const key of keys()) expect(output).not.toContain(key)
    }
    return [String(main), list.output]
  }
  async function failedStart(): Promise<string> {
    const { ended, output } = run('server/bundled/main.js', [], { ...database.env, PORT: '0' })
    expect(await ended).toBe(1)
    return output()
  }

  it('cannot be another one than the database was used with', { tags: ['programs'] }, async () => {
    await start()
    const listing = await publishNew()
    await stop()
    const right = keys()
    setKeys(newHex())
    for (const line of await refusals({ asProcesses: true })) {
      expect(line).toMatch(
        /^(Placard cannot start|placard): \S*(service\.key|SERVICE_KEY) lacks a key that this database needs: put it back[^\n]+change-key[^\n]+lost permanently[^\n]+change-key --lost\n$/,
      )
    }
    setKeys(...right)
    await start()
    expect(linkIn(await replay(listing))).toBe(listing.link)
  })

  it('reveals nothing about itself in the database', async () => {
    await start()
    await stop()
    const store = await database.openStore()
    const rows = await store.db.selectFrom('service_key').selectAll().execute()
    await store.close()
    expect(rows.map(row => row.checkValue)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(rows[0]?.checkValue).not.toBe(keys()[0])
  })

  it('is changed by a command, and everything given out before keeps working', async () => {
    await start()
    const first = await publishNew()
    const renewedBefore = await publishNew()
    renewedBefore.link = await renew(renewedBefore.link)
    const [old = ''] = keys()

    const output = await changeKey()
    expect(output).toContain('new key')
    expect(keys()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), old])
    expect(keys()[0]).not.toBe(old)
    const second = await publishNew()
    for (const listing of [first, renewedBefore, second]) {
      expect(linkIn(await replay(listing))).toBe(listing.link)
      expect(await opened(listing.link)).toBe(204)
      // From the link of one key to the link of the next.
      listing.link = await renew(listing.link)
      expect(linkIn(await replay(listing))).toBe(listing.link)
    }

    await changeKey()
    expect(keys()).toHaveLength(3)
    for (const listing of [first, renewedBefore, second]) {
      expect(linkIn(await replay(listing))).toBe(listing.link)
      listing.link = await renew(listing.link)
      expect(linkIn(await replay(listing))).toBe(listing.link)
      expect(await opened(listing.link)).toBe(204)
    }
  })

  it('that was replaced ends no open visit, but starts no new one', async () => {
    await start()
    const { link } = await publishNew()
    const [, claimId = ''] = /manage\/([^#]+)#/.exec(link) ?? []
    const [old = ''] = keys()
    const visitBy = async (key: string, at: number) => {
      const cookie = new Sessions(serviceKeys(Secret.fromHex(key))).open({ claimId, linkVersion: 1 }, at)
      const response = await fetch(`${service?.url}/manage/${claimId}`, {
        headers: { cookie: `${SESSION_COOKIE}=${cookie}` },
      })
      return (await response.text()).includes('Published')
    }
    expect(await visitBy(old, now)).toBe(true)
    expect(await visitBy(newHex(), now)).toBe(false)
    const before = now
    await changeKey()
    // Signed before the change, like a visit still open; its time has not run out.
    if (service) service.clock.now = before + 1
    expect(await visitBy(old, before)).toBe(true)
    // An instance that is not restarted yet signs with it for a while.
    if (service) service.clock.now = now + 600_000
    expect(await visitBy(old, now + 599_999)).toBe(true)
    // Later, only a thief of the old key could do that.
    expect(await visitBy(old, now + 600_000)).toBe(false)
    expect(await visitBy(keys()[0] ?? '', now + 600_000)).toBe(true)
  })

  it('has to be all there, with the newest first', async () => {
    await start()
    const listing = await publishNew()
    await changeKey()
    await stop()
    const [newest = '', old = ''] = keys()
    for (const missing of [[newest], [old]]) {
      setKeys(...missing)
      for (const line of await refusals()) expect(line).toContain('lacks a key')
    }
    setKeys(old, newest)
    await expect(start()).rejects.toThrow(/^\S+ begins with a key that was replaced: put the newest one first[^\n]+$/)
    setKeys(newest, old)
    await start()
    expect(linkIn(await replay(listing))).toBe(listing.link)
  })

  it('that is lost permanently can be given up; a replay then never returns a dead link', async () => {
    await start()
    const listing = await publishNew()
    const [lost = ''] = keys()
    await stop()
    if (engine === 'sqlite') rmSync(file())
    else setKeys(newHex())
    await refusals()
    if (engine === 'sqlite') expect(existsSync(file())).toBe(false)
    await changeKey('--lost')
    const receipt = await replay(listing)
    expect(receipt).toMatchObject({
      status: 'published',
      notice: expect.stringContaining('cannot be given again'),
    })
    expect(receipt.ownership).toEqual({
      sensitive: true,
      domainOwnershipVerified: false,
      recoveryUnavailable: true,
      supportUrl: expect.stringMatching(/^http/),
    })
    expect(await opened(listing.link)).toBe(204)
    const store = await database.openStore()
    const warnings = () => store.db.selectFrom('warning').select('kind').execute()
    await expect.poll(warnings).toEqual([{ kind: 'key_missing' }])
    // A copy of the site does not need it, either.
    const { keys: needed } = await headerOf(store.db, engine, Date.now())
    expect(needed).toEqual([checkValueOf(Secret.fromHex(keys()[0] ?? ''))])
    await store.close()
    // No other one is lost.
    expect((await operateHere(database.env, 'change-key', '--lost')).output).toContain('no service key is missing')
    const later = await publishNew()
    expect(linkIn(await replay(later))).toBe(later.link)
    await stop()
    // It turned up in a drawer.
    const found = [...keys(), lost]
    setKeys(...found)
    await start()
    expect(linkIn(await replay(listing))).toBe(listing.link)
    expect(linkIn(await replay(later))).toBe(later.link)
    await stop()
    // From then on, it is needed again.
    setKeys(...found.slice(0, -1))
    for (const line of await refusals()) expect(line).toContain('lacks a key')
  })

  it('that is given up while it is used publishes nothing more: its receipt could not be recovered', async () => {
    const running = await start()
    if (engine === 'sqlite') rmSync(file())
    else setKeys(newHex())
    const { output } = await operateHere(database.env, 'change-key', '--lost')
    if (engine === 'postgres') setKeys(...(/^SERVICE_KEY=(\S+)$/m.exec(output)?.[1] ?? '').split(','))
    const submission = { credentials: newCredentials(), body: publishBody('http://meanwhile.com/') }
    const { status, body } = await publish(running, submission.credentials, submission.body)
    expect([status, body.code]).toEqual([503, 'publication_unconfirmed'])
    await stop()
    const first = await publish(await start(), submission.credentials, submission.body)
    expect(first.status).toBe(201)
    expect(linkIn(await replay(submission))).toBe(linkIn(first.body))
  })

  it.runIf(engine === 'postgres')(
    'is lost after it replaced another: each printed value starts an instance',
    async () => {
      await start()
      const listing = await publishNew()
      await changeKey()
      await stop()
      setKeys(keys()[1] ?? '')
      const { output } = await operateHere(database.env, 'change-key', '--lost')
      const printed = [...output.matchAll(/^SERVICE_KEY=(\S+)$/gm)].map(([, value = '']) => value.split(','))
      // The last one printed comes first.
      for (const value of printed.reverse()) {
        setKeys(...value)
        await start()
        expect(linkIn(await replay(listing))).toBe(listing.link)
        await stop()
      }
    },
  )

  it.runIf(engine === 'sqlite')('is damaged: the error says what to do', async () => {
    await start()
    await stop()
    const right = keys()
    writeFileSync(file(), 'not-a-key\n')
    for (const line of await refusals()) expect(line).toMatch(/restore it from a backup\. Without one, [^\n]+--lost\n$/)
    setKeys(...right)
  })

  it.runIf(engine === 'sqlite' && process.getuid?.() !== 0)(
    'cannot be read: the error does not call it damaged',
    async () => {
      await start()
      await stop()
      chmodSync(file(), 0)
      const { output } = await operateHere(database.env, 'list')
      chmodSync(file(), 0o600)
      expect(output).toMatch(/service\.key cannot be read \(EACCES\): it must be a file of the user[^\n]+\n$/)
    },
  )

  it.runIf(engine === 'sqlite' && process.getuid?.() === 0)(
    'still belongs to its user after root changed it',
    async () => {
      await start()
      await stop()
      chownSync(file(), 65_534, 65_534)
      await operateHere(database.env, 'change-key')
      expect(statSync(file())).toMatchObject({ uid: 65_534, gid: 65_534 })
    },
  )

  it('is not given up if none is lost', async () => {
    await start()
    await stop()
    const before = keys()
    const { code, output } = await operateHere(database.env, 'change-key', '--lost')
    expect([code, output]).toEqual([1, expect.stringMatching(/^placard: no service key is missing[^\n]+change-key\n$/)])
    expect(keys()).toEqual(before)
  })

  it('of a database from before keys were recorded is the one it is started with', async () => {
    await start()
    const listing = await publishNew()
    await stop()
    const forget = async () => {
      const store = await database.openStore()
      await store.db.deleteFrom('service_key').execute()
      await store.close()
    }
    await forget()
    await start()
    expect(linkIn(await replay(listing))).toBe(listing.link)
    // A different key would derive tokens that open nothing.
    await stop()
    await forget()
    const right = keys()
    setKeys(newHex())
    await start()
    expect((await replay(listing)).ownership).toMatchObject({ recoveryUnavailable: true })
    await stop()
    await forget()
    if (engine === 'postgres') return
    // And no new file is created.
    rmSync(file())
    for (const line of await refusals()) expect(line).toMatch(/service\.key is gone, and this database needs it/)
    setKeys(...right)
  })
})
