import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import {
  check,
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MIDNIGHT = NOON + DAY_MS / 2

const ask = (destination: string, category = 'Food & Drink') => ({ destination, category })

describe.each(SQLITE_FIRST)('check on %s', engine => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ engine })
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    service.clock.now = NOON
  })

  it('says that it would publish, and what the listing would show', async () => {
    const { status, headers, body } = await check(service, ask('http://Bakery.com/menu?x=1#y'))
    expect(status).toBe(200)
    expect(body).toEqual({
      wouldPublish: true,
      destination: 'http://bakery.com/menu',
      publishReply: { status: 201 },
      listing: { title: 'Welcome to bakery.com', description: 'A small site with something to say.' },
      remaining: {
        newAttemptsPerDayPerIp: 100_000,
        newAttemptsPerDayPerHost: 100_000,
        newAttemptsPerDayGlobal: 100_000,
        checksPerDayPerIp: 99_999,
        // One more is kept for other networks.
        checksPerDayPerHost: 99_998,
      },
      remainingUntil: MIDNIGHT,
      chargeCreated: false,
      notice: expect.stringContaining('Nothing was published'),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('names the website before it says what was found there', async () => {
    service.sites.set('circle.com', ({ url }, response) => void response.writeHead(302, { location: url }).end())
    const error =
      'The destination did not pass review. The address does not lead to an HTML page. The website redirects in a circle, perhaps because it needs a cookie. Let it show the page without one.'
    expect((await check(service, ask('http://circle.com/'))).body.publishReply).toMatchObject({ status: 422, error })
    expect((await publish(service, newCredentials(), publishBody('http://circle.com/'))).body).toMatchObject({ error })
  })

  it('names the picture of the page, and the listing that has the destination already', async () => {
    // The picture is fetched in the background, at any time.
    let visits = 0
    service.sites.set('pictured.com', ({ url }, response) => {
      if (url === '/') visits++
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<title>Art</title><meta property=og:image content=/a.png><p>Look')
    })
    const before = await check(service, ask('http://pictured.com/'))
    expect(before.body.listing?.imageUrl).toBe('http://pictured.com/a.png')
    const { body: receipt } = await publish(service, newCredentials(), publishBody('http://pictured.com/'))
    const visitsBefore = visits
    const after = await check(service, ask('https://www.pictured.com'))
    expect(after.body).toMatchObject({
      wouldPublish: false,
      publishReply: { status: 409, code: 'destination_already_listed' },
      alreadyListed: { status: 'published', productUrl: receipt.productUrl },
    })
    expect(after.body).not.toHaveProperty('listing')
    expect(visits).toBe(visitsBefore)
    service.clock.now += 61 * DAY_MS
    expect((await check(service, ask('http://pictured.com/'))).body.alreadyListed).toEqual({
      status: 'expired',
    })
  })

  it('leaves the database as it was, byte for byte, whatever it says', async () => {
    // A service of its own without jobs: a job would write its pictures, its decisions' places and the lease of the job.
    const quiet = await startTestService({ engine, jobsEveryMs: 0 })
    const store = await quiet.database.openStore()
    quiet.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    quiet.sites.set('ill.com', (_request, response) => response.writeHead(500).end())
    await publish(quiet, newCredentials(), publishBody('http://taken.com/'))
    const before = await everything(quiet, store)
    const codes: unknown[] = []
    for (const host of ['fresh.com', 'taken.com', 'gone.com', 'ill.com', 'localhost']) {
      const { status, body } = await check(quiet, ask(`http://${host}/`))
      codes.push([status, body.publishReply?.status ?? body.code])
    }
    expect(codes).toEqual([
      [200, 201],
      [200, 409],
      [200, 422],
      [503, 'review_unavailable'],
      [400, 'invalid_destination'],
    ])
    expect(await everything(quiet, store)).toEqual(before)
    // The comparison sees a write: a publish changes what a check does not.
    await publish(quiet, newCredentials(), publishBody('http://fresh.com/'))
    expect(await everything(quiet, store)).not.toEqual(before)
    await quiet.stop()
  })

  /** Every row of every table, and on SQLite the bytes of the database and of its log. */
  async function everything({ database }: TestService, store: Store): Promise<unknown> {
    const tables = await store.db.introspection.getTables({ withInternalKyselyTables: true })
    const rows: [string, unknown][] = []
    for (const { name } of tables) {
      // An index that SQLite cannot scan. The tables beneath it hold all there is.
      if (name === 'search_word_part' && engine === 'sqlite') continue
      // Instances share the counts of requests there, of checks as of all others.
      if (name === 'allowance_window') continue
      const { rows: all } = await sql`select * from ${sql.table(name)}`.execute(store.db)
      rows.push([name, all.map(row => JSON.stringify(row)).sort()])
    }
    expect(rows.map(([name]) => name)).toContain('attempt')
    if (engine === 'postgres') return rows
    const bytesOf = (name: string) => readFileSync(join(database.dataDir, name)).toString('base64')
    return [rows, bytesOf('placard.db'), bytesOf('placard.db-wal')]
  }

  it('says what is left of the quotas of publishing, and uses none of them', async () => {
    const env = {
      LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '3',
      LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '3',
      LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '4',
    }
    const narrow = await startTestService({ engine, env })
    const left = async (host: string) => {
      const { body } = await check(narrow, ask(`http://${host}/${Math.random()}`))
      const { newAttemptsPerDayPerIp, newAttemptsPerDayPerHost, newAttemptsPerDayGlobal } = body.remaining
      return [newAttemptsPerDayPerIp, newAttemptsPerDayPerHost, newAttemptsPerDayGlobal, body.publishReply.code]
    }
    expect(await left('one.com')).toEqual([3, 3, 4, undefined])
    expect(await left('one.com')).toEqual([3, 3, 4, undefined])
    await publish(narrow, newCredentials(), publishBody('http://www.one.com/a'))
    expect(await left('one.com')).toEqual([2, 1, 3, undefined])
    await publish(narrow, newCredentials(), publishBody('http://one.com/b'))
    expect(await left('one.com')).toEqual([1, 0, 2, 'quota_host'])
    expect(await left('two.com')).toEqual([1, 3, 2, undefined])
    await publish(narrow, newCredentials(), publishBody('http://two.com/a'))
    const { body } = await check(narrow, ask('http://two.com/b'))
    const refused = await publish(narrow, newCredentials(), publishBody('http://two.com/b'))
    expect(body.publishReply).toEqual({
      status: 429,
      code: 'quota_ip',
      error: refused.body.error,
      retryAfterSeconds: Number(refused.headers.get('retry-after')),
    })
    expect(refused.body.error).toMatch(
      /^New submissions left today: 0 of 3 for this address, 0 of 3 for its network, 1 of 3 for this website, 1 of 4 in all\. This address/,
    )
    narrow.clock.now = MIDNIGHT
    expect(await left('one.com')).toEqual([3, 3, 4, undefined])
    await narrow.stop()
  })
})

describe('a check', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it('refuses what publish refuses for its form, with the same errors', async () => {
    const good = ask('http://form.com/')
    const cases: [body: unknown, headers?: Record<string, string>][] = [
      ['{'],
      [[]],
      [{ ...good, extra: 1 }],
      [{ ...good, destination: 'ftp://form.com' }],
      [{ ...good, destination: 'form.com' }],
      [{ ...good, destination: undefined }],
      [{ ...good, category: 'food & drink' }],
      [' '.repeat(4097)],
      [good, { 'content-type': 'text/plain' }],
    ]
    for (const [body, headers] of cases) {
      const checked = await check(service, body, headers)
      const { approval } = publishBody('')
      const isFields = typeof body === 'object' && !Array.isArray(body)
      const sent = isFields ? { ...(body as object), approval } : body
      const published = await publish(service, newCredentials(), sent, headers)
      expect([body, checked.status, checked.body]).toEqual([body, published.status, published.body])
      expect(checked.status).toBeGreaterThanOrEqual(400)
    }
    const withApproval = await check(service, publishBody('http://form.com/'))
    expect([withApproval.status, withApproval.body.code]).toEqual([400, 'invalid_body'])
    expect(service.sites.visits('form.com')).toBe(0)
  })

  it('says that submissions are closed, without a visit', async () => {
    const closed = await startTestService({ env: { SUBMISSIONS_END_AT: new Date(NOON).toISOString() } })
    const { status, body } = await check(closed, ask('http://late.com/'))
    expect([status, body.wouldPublish, body.publishReply.status]).toEqual([200, false, 410])
    expect(body.publishReply.code).toBe('submissions_closed')
    expect(closed.sites.visits('late.com')).toBe(0)
    await closed.stop()
  })
})

describe('the limits of checks', () => {
  const env = {
    TRUSTED_PROXIES: '127.0.0.1/32',
    LIMIT_CHECKS_PER_DAY_PER_IP: '3',
    LIMIT_CHECKS_PER_DAY_PER_HOST: '2',
    LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1',
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('count a website with and without www from everybody, and a client by its address or /64', async () => {
    const service = await startTestService({ env })
    const asked = async (host: string, address: string) => {
      const { status, body } = await check(service, ask(`http://${host}/${Math.random()}`), from(address))
      return body.code ?? status
    }
    expect(await asked('one.com', '2001:db8:1:2::1')).toBe(200)
    expect(await asked('www.one.com', '198.51.100.1')).toBe(200)
    expect(await asked('one.com', '198.51.100.2')).toBe('check_quota_host')
    expect(service.sites.visits('one.com')).toBe(1)
    expect(await asked('two.com', '2001:db8:1:2::2')).toBe(200)
    expect(await asked('three.com', '2001:db8:1:2:3::')).toBe(200)
    expect(await asked('four.com', '2001:db8:1:2::1')).toBe('check_quota_ip')
    expect(await asked('four.com', '2001:db8:1:3::1')).toBe(200)
    // A refused check is not counted: the website has its second one left.
    expect(await asked('four.com', '198.51.100.1')).toBe(200)
    service.clock.now = MIDNIGHT
    expect(await asked('one.com', '2001:db8:1:2::1')).toBe(200)
    await service.stop()
  })

  it('are apart from those of publishing, and count only what reads a page', async () => {
    const service = await startTestService({ env })
    for (let count = 0; count < 3; count++) await check(service, ask(`http://apart-${count}.com/`))
    const over = await check(service, ask('http://apart.com/'))
    expect([over.status, over.body.code]).toEqual([429, 'check_quota_ip'])
    expect(over.headers.get('retry-after')).toBe(String(DAY_MS / 2 / 1000))
    expect((await publish(service, newCredentials(), publishBody('http://apart.com/'))).status).toBe(201)
    // What needs no visit is still answered: this one is listed, and publishing has nothing left.
    const listed = await check(service, ask('http://apart.com/'))
    expect(listed.body.publishReply.code).toBe('destination_already_listed')
    const used = await check(service, ask('http://apart-9.com/'))
    expect(used.body.publishReply.code).toBe('quota_ip')
    expect(used.body.remaining.checksPerDayPerIp).toBe(0)
    expect(service.sites.visits('apart-9.com')).toBe(0)
    await service.stop()
  })

  it('are reset at midnight once, also for a check that is running then', async () => {
    const service = await startTestService({ env })
    service.clock.now = MIDNIGHT - 1000
    let answer = () => {}
    service.sites.set('late.com', (request, response) => {
      answer = () => goodPage(request, response)
    })
    const late = check(service, ask('http://late.com/'))
    await expect.poll(() => service.sites.visits('late.com')).toBe(1)
    service.clock.now = MIDNIGHT
    const left = async (host: string) => (await check(service, ask(`http://${host}/`))).body.remaining.checksPerDayPerIp
    expect(await left('early-1.com')).toBe(2)
    answer()
    expect((await late).status).toBe(200)
    expect(await left('early-2.com')).toBe(1)
    await service.stop()
  })

  it('include the rate of requests, counted apart from publish', async () => {
    const service = await startTestService({ env: { LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '2' } })
    await check(service, '{')
    await check(service, '{')
    const third = await check(service, ask('http://often.com/'))
    expect([third.status, third.body.code]).toEqual([429, 'rate_limited'])
    expect((await publish(service, newCredentials(), publishBody('http://often.com/'))).status).toBe(201)
    await service.stop()
  })
})
