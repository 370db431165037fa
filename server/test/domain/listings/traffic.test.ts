import Fastify from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readTraffic, Traffic } from '../../../src/domain/listings/traffic.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { replyToErrors } from '../../../src/platform/http/error-reply.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { Allowances } from '../../../src/platform/http/rate-limits/counter.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { productRoutes } from '../../../src/web/listing/routes.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { listingRow } from '../../support/listing-row.ts'
import { NOON, startTestService } from '../../support/service.ts'

const PERSON = {
  accept: 'text/html,application/xhtml+xml',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

describe.each(SQLITE_FIRST)('views and clicks on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let id: number
  const clock = { now: NOON }
  let addresses = 0
  const links = new Links({ baseUrl: 'https://placard.example.org', supportUrl: undefined })

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    const { id: added } = await store.db
      .insertInto('listing')
      .values(listingRow({ slug: 'bakery', url: 'https://bakery.com/menu', title: 'Bakery' }))
      .returning('id')
      .executeTakeFirstOrThrow()
    id = added
  })
  afterAll(() => database.remove())
  beforeEach(async () => {
    clock.now = NOON
    await store.db.deleteFrom('listing_day').execute()
  })

  /** An instance of the service, only its counting. */
  async function instance() {
    const traffic = new Traffic({ store, clock: () => clock.now })
    const app = Fastify()
    replyToErrors(app, { links, renderProblem: problem => problem.message })
    productRoutes(app, {
      links,
      store,
      serviceKeys: FIXED_KEYS,
      traffic,
      allowances: new Allowances(),
      clock: () => clock.now,
    })
    /** From an address that never asked before, unless one is given. */
    const ask = (
      url: string,
      headers: Record<string, string> = {},
      { method = 'GET' as 'GET' | 'HEAD', from = `10.0.${++addresses >> 8}.${addresses & 255}` } = {},
    ) => app.inject({ url, method, headers: { ...PERSON, ...headers }, remoteAddress: from })
    return { traffic, ask }
  }

  const anotherListing = () =>
    store.db
      .insertInto('listing')
      .values(listingRow({ slug: `other-${engine}`, url: 'https://other.com/', title: 'Other' }))
      .returning(['id', 'slug'])
      .executeTakeFirstOrThrow()

  const today = async () => (await readTraffic(store, id, { days: 1, now: clock.now }))[0]

  it('count people, per UTC day, including days without any', async () => {
    const { traffic, ask } = await instance()
    const { headers } = await ask('/product/bakery')
    expect((await ask('/product/bakery', { 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
    await ask('/visit/bakery', { 'sec-fetch-dest': 'document' })
    await traffic.flush()
    clock.now += daysMs(2)
    await ask('/product/bakery')
    await traffic.flush()
    await ask('/product/bakery')
    await traffic.close()
    expect(await readTraffic(store, id, { days: 4, now: clock.now })).toEqual([
      { day: '2026-11-20', views: 0, clicks: 0 },
      { day: '2026-11-21', views: 2, clicks: 1 },
      { day: '2026-11-22', views: 0, clicks: 0 },
      { day: '2026-11-23', views: 2, clicks: 0 },
    ])
    expect(await readTraffic(store, id, { days: 1, now: clock.now })).toHaveLength(1)
  })

  it('count one address once an hour, however often it comes', async () => {
    const { traffic, ask } = await instance()
    const from = '8.8.8.8'
    const other = await anotherListing()
    for (let nth = 0; nth < 300; nth++) {
      await ask('/visit/bakery', {}, { from })
      if (nth < 30) await ask('/product/bakery', { 'user-agent': `${PERSON['user-agent']} ${nth}` }, { from })
    }
    await traffic.flush()
    expect(await today()).toMatchObject({ views: 1, clicks: 1 })

    await ask('/visit/bakery', {}, { from: '8.8.4.4' })
    await ask(`/visit/${other.slug}`, {}, { from })
    await traffic.flush()
    expect(await today()).toMatchObject({ views: 1, clicks: 2 })
    expect(await readTraffic(store, other.id, { days: 1, now: clock.now })).toMatchObject([{ clicks: 1 }])

    clock.now += 60 * 60 * 1000
    for (let nth = 0; nth < 3; nth++) await ask('/visit/bakery', {}, { from })
    await traffic.close()
    expect(await today()).toMatchObject({ views: 1, clicks: 3 })
  })

  it('count a /64 of IPv6 once an hour', async () => {
    const { traffic, ask } = await instance()
    for (const from of ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1:ffff::3', '2001:db8:0:2::1']) {
      await ask('/visit/bakery', {}, { from })
    }
    for (const from of ['::ffff:8.8.8.8', '8.8.8.8']) await ask('/visit/bakery', {}, { from })
    await traffic.close()
    expect(await today()).toMatchObject({ clicks: 3 })
  })

  it('leave out programs, prefetches, previews, anything but pages, and listings that are down', async () => {
    const { traffic, ask } = await instance()
    for (const headers of [
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      {
        'user-agent': 'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36',
      },
      { 'user-agent': 'facebookexternalhit/1.1' },
      { 'user-agent': 'WhatsApp/2.23.20.0' },
      { 'user-agent': 'curl/8.5.0' },
      { 'user-agent': '' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { accept: '*/*' },
      { 'sec-fetch-dest': 'iframe' },
    ]) {
      expect((await ask('/product/bakery', headers)).statusCode).toBe(200)
      expect((await ask('/visit/bakery', headers)).statusCode).toBe(302)
    }
    await ask('/product/bakery', {}, { method: 'HEAD' })
    await ask('/visit/bakery', {}, { method: 'HEAD' })
    clock.now += daysMs(60)
    expect((await ask('/product/bakery')).statusCode).toBe(410)
    expect((await ask('/visit/bakery')).statusCode).toBe(410)
    await traffic.close()
    expect(await store.db.selectFrom('listing_day').selectAll().execute()).toEqual([])
  })

  it('recognise browsers that sound like programs', async () => {
    const { traffic, ask } = await instance()
    const agents = [
      'Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/380.0 Mobile/15E148 Safari/604.1',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 YaBrowser/25.8 Safari/537.36',
      'Lynx/2.9.2 libwww-FM/2.14',
    ]
    for (const agent of agents) await ask('/product/bakery', { 'user-agent': agent })
    await traffic.close()
    expect(await today()).toMatchObject({ views: agents.length })
  })

  it('of two instances add up, even if both store at once', async () => {
    const both = await Promise.all([instance(), instance()])
    for (const { ask } of both) {
      for (let nth = 0; nth < 3; nth++) await ask('/visit/bakery')
    }
    await Promise.all(both.map(({ traffic }) => traffic.flush()))
    await both[0].ask('/visit/bakery')
    await Promise.all(both.map(({ traffic }) => traffic.close()))
    expect(await today()).toEqual({ day: '2026-11-21', views: 0, clicks: 7 })
  })

  it('are stored by a service at its stop', async () => {
    const service = await startTestService({ engine, database })
    await fetch(`${service.url}/product/bakery`, { headers: PERSON })
    await fetch(`${service.url}/visit/bakery`, { headers: PERSON, redirect: 'manual' })
    await service.stop()
    expect(await today()).toEqual({ day: '2026-11-21', views: 1, clicks: 1 })
  })

  it('are kept while the database is away, and stored once it is back', async () => {
    const { traffic, ask } = await instance()
    await store.db.schema.alterTable('listing_day').renameTo('listing_day_away').execute()
    await ask('/product/bakery')
    expect(await traffic.flush()).toBe(false)
    await ask('/product/bakery')
    await store.db.schema.alterTable('listing_day_away').renameTo('listing_day').execute()
    expect(await traffic.flush()).toBe(true)
    expect(await traffic.flush()).toBe(true)
    expect(await today()).toMatchObject({ views: 2 })
  })
})
