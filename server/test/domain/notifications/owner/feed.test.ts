// @module-tag slow
import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { endListing } from '../../../../src/domain/moderation/end-dates.ts'
import { hideListing } from '../../../../src/domain/moderation/moderate.ts'
import { notifyOfEnd } from '../../../../src/domain/notifications/owner/notice.ts'
import { applyEvent } from '../../../../src/domain/payments/apply-event.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { daysMs } from '../../../../src/platform/lib/time.ts'
import { SAME_SQL, SQLITE_FIRST } from '../../../support/engines.ts'
import { eventOf } from '../../../support/ledger.ts'
import { NOON, startTestService, type TestService } from '../../../support/service.ts'
import { sendHtml } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'
import { followListing, payingFor, readFeed } from './follower.ts'

describe.each(SAME_SQL)('the private feed on %s', engine => {
  let service: TestService
  let store: Store
  let pay: (host: string, dollars: number) => Promise<string>
  beforeAll(async () => {
    service = await startTestService({ engine, env: { TRUSTED_PROXIES: '127.0.0.1' }, jobsEveryMs: 100 })
    ;({ store, pay } = await payingFor(service))
  })
  afterAll(async () => {
    await store.close()
    await service.stop()
  })
  let host = ''
  let listings = 0
  // Later than all before, so that no test shares its day with another.
  beforeEach(() => {
    service.clock.now = NOON + daysMs(100 * listings)
    host = `followed-${++listings}.com`
  })

  const noticesOf = () =>
    store.db
      .selectFrom('notice')
      .innerJoin('listing', 'listing.id', 'notice.listingId')
      .select(['notice.kind', 'notice.facts'])
      .where('hostname', '=', host)
      .orderBy('notice.at')
      .orderBy('notice.id')
      .execute()

  /** When the page of a followed listing is checked next. */
  const checkAtOf = async (hostname: string) => {
    const watch = store.db.selectFrom('watch').innerJoin('listing', 'listing.id', 'watch.listingId').select('checkAt')
    return (await watch.where('hostname', '=', hostname).executeTakeFirst())?.checkAt
  }

  it('names the listing that moves ahead, on each board', async () => {
    const { feed } = await followListing(service, host)
    await pay(host, 1000 * listings)
    expect((await readFeed(feed)).titles).toEqual([])
    await pay(`ahead-of-${host}`, 1000 * listings + 5)
    const { titles, summaries, status, headers } = await readFeed(feed)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    expect(titles.sort()).toEqual(['You are now No. 2 of all time (was No. 1)', 'You are now No. 2 today (was No. 1)'])
    for (const summary of summaries) expect(summary).toMatch(/^ahead-of-followed-\d+\.com \(http.* overtook you\./)
    // Nothing twice, and nothing while it climbs.
    await pay(host, 50)
    expect((await readFeed(feed)).titles).toHaveLength(2)
    await hideListing(store, `ahead-of-${host}`.replaceAll('.', '-'), 'Not so.', service.clock.now)
    const { summaries: later } = await readFeed(feed)
    for (const summary of later) expect(summary).toMatch(/^Another listing overtook you\./)
  })

  it('gets notices from the service without any reader', async () => {
    // Listed and paid for, and followed only then.
    const { owner } = await followListing(service, host)
    await owner.act('feed-off')
    await pay(host, 1000 * listings)
    await owner.act('feed')
    await pay(`ahead-of-${host}`, 1000 * listings + 5)
    await expect.poll(noticesOf).toHaveLength(2)
  })

  it('names the listing that moved ahead, not one that was ahead already and paid more', async () => {
    const { feed } = await followListing(service, host)
    await pay(`top-of-${host}`, 1000 * listings + 500)
    await pay(host, 1000 * listings)
    await readFeed(feed)
    await pay(`top-of-${host}`, 5)
    await pay(`ahead-of-${host}`, 1000 * listings + 5)
    const { summaries } = await readFeed(feed)
    expect(summaries).toHaveLength(2)
    for (const summary of summaries) expect(summary).toMatch(/^ahead-of-followed/)
  })

  it('does not compare a day with the day before', async () => {
    const { feed } = await followListing(service, host)
    await pay(host, 5)
    await readFeed(feed)
    service.clock.now += daysMs(1)
    await pay(`first-${host}`, 7)
    await pay(host, 5)
    expect((await readFeed(feed)).titles.filter(title => title.includes('today'))).toEqual([])
  })

  it('does not mention a refund of its own listing', async () => {
    const { feed } = await followListing(service, host)
    const [dollars, other] = [1000 * listings, `below-${host}`]
    const paymentId = await pay(host, dollars)
    await pay(host, 5)
    await pay(other, dollars)
    expect((await readFeed(feed)).titles).toEqual([])
    const refunded = eventOf('refunded', paymentId, { amountCents: 50_000, occurredAt: service.clock.now })
    await applyEvent(store, refunded, service.clock.now)
    expect((await readFeed(feed)).titles).toEqual([])
    // From its new place on, others count again.
    await pay(`third-${host}`, dollars)
    expect((await readFeed(feed)).titles.sort()).toEqual([
      'You are now No. 3 of all time (was No. 2)',
      'You are now No. 3 today (was No. 2)',
    ])
  })

  it('tells a week before the end, once', async () => {
    const { feed } = await followListing(service, host)
    service.clock.now += daysMs(53) - 1
    expect((await readFeed(feed)).titles).toEqual([])
    service.clock.now += 1
    const { titles } = await readFeed(feed)
    expect(titles).toEqual([expect.stringMatching(/^The listing of followed-\d+\.com ends on \d+ \w+ \d{4}$/)])
    service.clock.now += daysMs(1)
    expect((await readFeed(feed)).titles).toEqual(titles)
    // Readers of what was told write nothing, so they wait for no writer.
    const { id, expiresAt } = await store.db
      .selectFrom('listing')
      .select(['id', 'expiresAt'])
      .where('hostname', '=', host)
      .executeTakeFirstOrThrow()
    const transact = vi.spyOn(store, 'transact')
    await notifyOfEnd(store, { id, expiresAt }, service.clock.now)
    expect(transact).not.toHaveBeenCalled()
    transact.mockRestore()
  })

  it('tells of the end without a reader', async () => {
    await followListing(service, host)
    service.clock.now += daysMs(54)
    await expect.poll(noticesOf).toMatchObject([{ kind: 'ends_soon' }])
  })

  it('tells of a page that fails twice, a day apart, and again only after it was back', async () => {
    const { feed } = await followListing(service, host)
    const down = () => service.sites.set(host, (_, response) => response.writeHead(404).end())
    const up = () => service.sites.set(host, (_, response) => sendHtml(response, '<title>Up</title>'))
    const dayLater = async () => {
      const visits = service.sites.visits(host)
      service.clock.now += daysMs(1)
      await expect.poll(() => service.sites.visits(host)).toBe(visits + 1)
    }
    const watch = () =>
      store.db
        .selectFrom('watch')
        .innerJoin('listing', 'listing.id', 'watch.listingId')
        .select(['failingSince', 'goneTold'])
        .where('hostname', '=', host)
        .executeTakeFirst()
    down()
    await dayLater()
    const failingSince = service.clock.now
    await expect.poll(watch).toEqual({ failingSince, goneTold: 0 })
    up()
    await dayLater()
    await expect.poll(watch).toEqual({ failingSince: null, goneTold: 0 })
    down()
    await dayLater()
    await expect.poll(watch).toEqual({ failingSince: service.clock.now, goneTold: 0 })
    await dayLater()
    await expect.poll(watch).toMatchObject({ goneTold: 1 })
    const { titles, summaries } = await readFeed(feed)
    expect(titles).toEqual([`${host} no longer loads`])
    expect(summaries[0]).toMatch(/^Your page answered with status 404, at least twice since .* http:\/\/followed/)
    await dayLater()
    up()
    await dayLater()
    await expect.poll(watch).toEqual({ failingSince: null, goneTold: 0 })
    expect((await readFeed(feed)).titles).toHaveLength(1)
  })

  it('has a random address that can be renewed and turned off, and ends with the private link', async () => {
    const { feed: another } = await followListing(service, `another-${host}`)
    await pay(`another-${host}`, 1000 * listings)
    await readFeed(another)
    const { feed, newFeed, owner, privateLink } = await followListing(service, host)
    expect(feed).toMatch(/\/feed\/[\w-]{43}\.atom$/)
    const checkAt = await checkAtOf(host)
    await pay(`ahead-of-another-${host}`, 1000 * listings + 5)
    const renewed = await newFeed()
    // It was followed before, so its page is checked when that was due.
    expect(await checkAtOf(host)).toBe(checkAt)
    expect(renewed).not.toBe(feed)
    expect((await readFeed(renewed)).status).toBe(200)
    const wrong = `${service.url}/feed/${'A'.repeat(43)}.atom`
    const [old, unknown] = await Promise.all([readFeed(feed), readFeed(wrong)])
    expect([old.status, unknown.status]).toEqual([404, 404])
    expect(old.xml).toBe(unknown.xml)
    for (const { headers } of [old, unknown, await readFeed(renewed)]) {
      expect(headers.get('cache-control')).toMatch(/no-store/)
      expect(headers.get('x-robots-tag')).toBe('noindex')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('etag')).toBeNull()
    }
    const { newLink = '', html: linkPage } = await owner.act('renew', { link: privateLink, confirm: 'yes' })
    expect(linkPage).toContain('Your private feed has ended')
    expect((await readFeed(renewed)).status).toBe(404)
    const again = await openPrivatePage(newLink)
    expect((await again.read()).html).toContain('Get a feed')
    await again.act('feed')
    const { html } = await again.read()
    const last = /value="(http[^"]+\/feed\/[^"]+)"/.exec(html)?.[1] ?? ''
    expect((await readFeed(last)).status).toBe(200)
    await again.act('feed-off')
    expect((await readFeed(last)).status).toBe(404)
    expect((await again.read()).html).toContain('Get a feed')
    await followListing(service, `third-${host}`)
    expect(await checkAtOf(host)).toBeNull()
    expect((await readFeed(another)).titles).toHaveLength(2)
  })

  it('stores no token, and shows neither token nor private link', async () => {
    const { feed, privateLink } = await followListing(service, host)
    const token = /feed\/([\w-]+)/.exec(feed)?.[1] ?? 'none'
    const rows = await store.db.selectFrom('watch').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(token)
    const { xml } = await readFeed(feed)
    for (const secret of [token, ...privateLink.split(/\/manage\/|#owner=/).slice(1)]) {
      expect(xml).not.toContain(secret)
    }
  })

  it('does not promise that a listing which the operator ended can be shown again', async () => {
    const { feed } = await followListing(service, host)
    const actor = 'operator:Ada' as const
    await endListing(store, host.replaceAll('.', '-'), 'A secret reason', service.clock.now, { actor })
    const { titles, summaries } = await readFeed(feed)
    expect(titles[0]).toBe('Your listing has ended')
    expect(summaries[0]).toMatch(/^It ended on .*\. Your private page says why, and what you can do\.$/)
  })

  it('says that a listing has ended or was taken down', async () => {
    const { feed } = await followListing(service, host)
    service.clock.now += daysMs(60)
    expect((await readFeed(feed)).titles[0]).toBe('Your listing has ended')
    await hideListing(store, host.replaceAll('.', '-'), 'A secret reason', service.clock.now)
    const { xml, titles } = await readFeed(feed)
    expect(titles[0]).toBe('Your listing was taken down')
    expect(xml).not.toContain('secret reason')
  })

  it('is well-formed, whatever the titles', async () => {
    const hostile = `</title>]]><script>alert(1)</script>&"'\u0007\u202e`
    const name = (which: string) => (_: unknown, response: Parameters<typeof sendHtml>[0]) =>
      sendHtml(response, `<title>${hostile.replaceAll('<', '&lt;')}${which}</title><h1>Hello</h1><p>Words.</p>`)
    service.sites.set(host, name('mine'))
    const { feed } = await followListing(service, host)
    await pay(host, 1000 * listings)
    await readFeed(feed)
    await pay(`ahead-of-${host}`, 1000 * listings + 5)
    await store.db.updateTable('listing').set({ title: hostile }).where('hostname', '=', `ahead-of-${host}`).execute()
    const { xml, titles } = await readFeed(feed)
    expect(titles).toHaveLength(2)
    const tags: string[] = []
    const parser = new Parser({ onopentagname: tag => void tags.push(tag) }, { xmlMode: true })
    parser.end(xml)
    expect(new Set(tags)).toEqual(
      new Set(['feed', 'id', 'title', 'updated', 'author', 'name', 'link', 'entry', 'published', 'summary']),
    )
    expect(xml).toContain('&lt;script&gt;')
    expect(xml).not.toContain('\u0007')
  })
})

describe.each(SQLITE_FIRST)('two instances on %s', engine => {
  it('tell once', async () => {
    const service = await startTestService({ engine })
    const other = await startTestService({ engine, database: service.database, sites: service.sites })
    const { store, pay } = await payingFor(service)
    const { feed } = await followListing(service, 'followed.com')
    const onOther = feed.replace(service.url, other.url)
    await pay('followed.com', 10)
    await readFeed(feed)
    for (let nth = 1; nth <= 5; nth++) {
      await pay(`ahead-${nth}.com`, 20)
      other.clock.now = service.clock.now
      await Promise.all([feed, onOther, feed, onOther].map(readFeed))
    }
    const { titles } = await readFeed(feed)
    expect(titles.filter(title => title.includes('of all time'))).toEqual(
      [5, 4, 3, 2, 1].map(from => `You are now No. ${from + 1} of all time (was No. ${from})`),
    )
    await store.close()
    await other.stop()
    await service.stop()
  })
})
