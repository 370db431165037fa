// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { hideListing, restoreListing } from '../../../../src/domain/moderation/moderate.ts'
import { saveMail } from '../../../../src/domain/notifications/owner/mail-address.ts'
import { addNotice } from '../../../../src/domain/notifications/owner/notice.ts'
import { saveWebhook } from '../../../../src/domain/notifications/owner/webhook.ts'
import { type Claim, findClaim, LinkReplaced } from '../../../../src/domain/ownership/claims.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { daysMs } from '../../../../src/platform/lib/time.ts'
import { startDnsServer } from '../../../support/dns-server.ts'
import { ENGINES, migratedDatabase, SQLITE_FIRST } from '../../../support/engines.ts'
import { FIXED_KEYS } from '../../../support/keys.ts'
import { operateHere } from '../../../support/operate.ts'
import { NOON, startTestService, type TestService } from '../../../support/service.ts'
import { sendHtml, startSites } from '../../../support/sites.ts'
import { openPrivatePage } from '../../../web/manage/owner.ts'
import { followListing, payingFor } from './follower.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const HOOK = 'https://hooks.com/placard?from=board'
const MINUTE_MS = 60_000

describe.each(SQLITE_FIRST)('a webhook on %s', engine => {
  let receiver: Receiver
  let service: TestService
  let other: TestService
  let store: Store
  let pay: (host: string, dollars: number) => Promise<string>
  let sites: Awaited<ReturnType<typeof startSites>>
  beforeAll(async () => {
    receiver = await startReceiver(['hooks.com', 'other-hooks.com'])
    sites = await startSites()
    const both = { ...sites, connectTo: `${sites.connectTo},${receiver.connectTo}` }
    const env = { TRUSTED_PROXIES: '127.0.0.1' }
    service = await startTestService({ engine, env, sites: both, jobsEveryMs: 100 })
    // Another instance, whose clock is the same.
    other = await startTestService({ engine, env, sites: both, database: service.database, jobsEveryMs: 100 })
    Object.defineProperty(other.clock, 'now', { get: () => service.clock.now })
    ;({ store, pay } = await payingFor(service))
  })
  afterAll(async () => {
    await store.close()
    await other.stop()
    await service.stop()
    await sites.close()
    await receiver.close()
  })

  let host = ''
  let listings = 0
  beforeEach(() => {
    service.clock.now = NOON + daysMs(100 * listings)
    host = `hooked-${++listings}.com`
    receiver.deliveries.length = 0
    receiver.answer = response => void response.writeHead(204).end()
  })

  /** A listing whose owner has added a webhook. */
  async function hooked(address = HOOK) {
    const { owner, privateLink } = await followListing(service, host)
    await owner.act('webhook', { address })
    // A visit ends after minutes, and these tests take days.
    const act = async (name: string, fields = {}) => (await openPrivatePage(privateLink)).act(name, fields)
    const html = async () => (await (await openPrivatePage(privateLink)).read()).html
    const secret = async () => /value="(whsec_[^"]+)"/.exec(await html())?.[1] ?? ''
    const text = async () => (await html()).replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')
    return { act, secret, text }
  }

  const webhook = () =>
    store.db
      .selectFrom('webhook')
      .innerJoin('listing', 'listing.id', 'webhook.listingId')
      .selectAll('webhook')
      .where('hostname', '=', host)
      .executeTakeFirst()

  const nextTry = async () => {
    const { tryAt } = await store.db
      .selectFrom('notice')
      .innerJoin('listing', 'listing.id', 'notice.listingId')
      .select('tryAt')
      .where('hostname', '=', host)
      .orderBy('notice.at', 'desc')
      .executeTakeFirstOrThrow()
    return tryAt
  }

  it('receives one signed delivery of each event, however many instances there are', async () => {
    const { act, secret, text } = await hooked()
    expect(await text()).toContain('Nothing sent yet.')
    await pay(host, 1000 * listings)
    await expect.poll(() => seen(host)).toBe(2)
    await pay(`ahead-of-${host}`, 1000 * listings + 5)
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    const events = receiver.verified(await secret())
    const listing = {
      title: `Welcome to ${host}`,
      website: `http://${host}/`,
      productUrl: expect.stringMatching(/\/product\/hooked-/),
    }
    const by = { title: `ahead-of-${host}`, productUrl: expect.stringMatching(/\/product\/ahead-of-/) }
    for (const board of ['all', 'today']) {
      expect(events).toContainEqual({
        type: 'listing.overtaken',
        timestamp: new Date(service.clock.now).toISOString(),
        data: { listing, board, from: 1, to: 2, by },
      })
    }
    expect(new Set(receiver.deliveries.map(each => each.headers['webhook-id'])).size).toBe(2)
    const [delivery] = receiver.deliveries
    expect(delivery).toMatchObject({
      url: '/placard?from=board',
      headers: { 'content-type': 'application/json', 'user-agent': expect.stringMatching(/^Placard\//) },
    })
    await expect.poll(text).toContain('status 204')
    service.clock.now += daysMs(2)
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    expect(receiver.verified(await secret()).at(-1)).toMatchObject({ type: 'test' })
  })

  /** How many places of a listing were compared. */
  const seen = async (of: string) => {
    const rows = await store.db
      .selectFrom('watched_place')
      .innerJoin('listing', 'listing.id', 'watched_place.listingId')
      .select('board')
      .where('hostname', '=', of)
      .execute()
    return rows.length
  }

  it('gets a notice of the end, and of a page that is gone', async () => {
    const { secret } = await hooked()
    sites.set(host, (_, response) => response.writeHead(500).end())
    service.clock.now += daysMs(54)
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    const failingSince = service.clock.now
    await expect
      .poll(() => store.db.selectFrom('watch').select('listingId').where('failingSince', '=', failingSince).execute())
      .toHaveLength(1)
    service.clock.now += daysMs(1)
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    expect(receiver.verified(await secret()).map(({ type, data }) => ({ type, data }))).toMatchObject([
      { type: 'listing.ends_soon', data: { expiresAt: NOON + daysMs(100 * (listings - 1) + 60) } },
      { type: 'listing.page_gone', data: { failingSince, httpStatus: 500 } },
    ])
  })

  it('gets a notice when its listing is taken down, and none afterwards', async () => {
    const { secret } = await hooked()
    service.clock.now = Math.max(service.clock.now, Date.now())
    sites.set(host, (_, response) =>
      sendHtml(response, '<title>For sale</title><p>This domain is for sale. Buy this domain.'),
    )
    const env = { ...service.database.env, FETCH_CONNECT_TO: sites.connectTo }
    const signed = await secret()
    await operateHere(env, 'review-again', host.replaceAll('.', '-'))
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect(receiver.verified(signed)).toMatchObject([{ type: 'listing.taken_down', data: { reason: 'parked_domain' } }])
  })

  it('gets a test when its owner asks, and a new secret', async () => {
    const { act, secret, text } = await hooked()
    const old = await secret()
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect(receiver.verified(old)).toMatchObject([{ type: 'test' }])
    await act('webhook-secret')
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    expect(() => receiver.verified(old)).toThrow('No matching signature')
    receiver.deliveries.shift()
    expect(receiver.verified(await secret())).toMatchObject([{ type: 'test' }])
    await act('webhook-remove')
    expect(await webhook()).toBeUndefined()
    expect(await text()).toContain('Add a webhook')
    expect(JSON.stringify(await store.db.selectFrom('webhook').selectAll().execute())).not.toContain('whsec_')
  })

  it('may have an address that is long once its letters are percent-encoded', async () => {
    const { act } = await hooked(`${HOOK}&room=${'会議'.repeat(100)}`)
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect(receiver.deliveries[0]?.url).toBe(`/placard?from=board&room=${encodeURIComponent('会議'.repeat(100))}`)
  })

  it('that is gone or off is not said to do anything, such as in another tab', async () => {
    const { act } = await hooked()
    const own = store.db.selectFrom('listing').select('id').where('hostname', '=', host)
    await store.db.updateTable('webhook').set({ offAt: service.clock.now }).where('listingId', 'in', own).execute()
    const test = await act('webhook-test')
    expect([test.status, test.html.includes('The webhook is off or removed, as you see below.')]).toEqual([409, true])
    await act('webhook-remove')
    for (const name of ['webhook-test', 'webhook-secret', 'webhook-on']) {
      const { status, html } = await act(name)
      expect([status, html.includes('The webhook is off or removed, as you see below.')]).toEqual([409, true])
    }
    expect(await store.db.selectFrom('notice').select('kind').where('listingId', 'in', own).execute()).toEqual([])
  })

  it('gets a new secret with a new private link, because anyone with the old one has seen it', async () => {
    const { owner, privateLink } = await followListing(service, host)
    await owner.act('webhook', { address: HOOK })
    const secretIn = (html: string) => /value="(whsec_[^"]+)"/.exec(html)?.[1] ?? ''
    const old = secretIn((await owner.read()).html)
    const { newLink = '', html } = await owner.act('renew', { link: privateLink, confirm: 'yes' })
    expect(html).toContain('Your webhook has a new signing secret')
    expect(html).not.toContain('whsec_')
    const again = await openPrivatePage(newLink)
    await again.act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect(() => receiver.verified(old)).toThrow('No matching signature')
    expect(receiver.verified(secretIn((await again.read()).html))).toMatchObject([{ type: 'test' }])
    // A link that an operator gives changes the secret, too.
    const { nonce, listingId = 0 } = (await webhook()) ?? {}
    const { id } = await store.db
      .selectFrom('claim')
      .select('id')
      .where('listingId', '=', listingId)
      .executeTakeFirstOrThrow()
    await followListing(service, `beside-${host}`)
    const visit = { ...((await findClaim(store.db, id)) as Claim), linkVersion: 1 }
    const env = { ...service.database.env, BASE_URL: service.url }
    const { code } = await operateHere(env, 'reissue-link', host.replaceAll('.', '-'), '--reason', 'x')
    expect([code, (await webhook())?.nonce === nonce]).toEqual([0, false])
    // A visit with the first link can set up nothing, even if it was checked before that link was replaced.
    const deps = { store, serviceKeys: FIXED_KEYS }
    const theirs = parseDestination('https://other-hooks.com/')
    await expect(saveWebhook(deps, visit, theirs, service.clock.now)).rejects.toThrow(LinkReplaced)
    const mail = { address: 'theirs@example.org', choices: [] }
    await expect(saveMail(deps, visit, mail, service.clock.now)).rejects.toThrow(LinkReplaced)
    expect((await webhook())?.url).toBe(HOOK)
  })

  it('gets events after its listing has ended, too, as the API reference says', async () => {
    const { act } = await hooked()
    service.clock.now += daysMs(61)
    expect((await act('webhook-test')).status).toBe(303)
    await expect.poll(() => receiver.deliveries.length).toBeGreaterThan(0)
    const reference = await (await fetch(`${service.url}/api`)).text()
    expect(reference.replaceAll(/<[^>]+>/g, '')).toContain(
      'While a listing is taken down or withdrawn, only listing.taken_down',
    )
  })

  it('gets nothing while its listing is hidden, and what waited once it is restored', async () => {
    const { act, text } = await hooked()
    receiver.answer = response => void response.writeHead(500).end()
    service.clock.now += daysMs(54)
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    await expect.poll(text).toContain('status 500')
    const slug = host.replaceAll('.', '-')
    await hideListing(store, slug, 'a test', service.clock.now)
    service.clock.now += MINUTE_MS
    const { status } = await act('webhook-test')
    expect(status).toBe(409)
    // Longer than the service waits between two queries.
    await new Promise(resolve => setTimeout(resolve, 2500))
    expect(receiver.deliveries.length).toBe(1)
    // What the owner of another listing does changes neither this webhook nor its pending events.
    const before = await webhook()
    const { owner: another } = await followListing(service, `another-${host}`)
    await another.act('webhook', { address: HOOK })
    for (const name of ['webhook-secret', 'webhook-on', 'webhook-remove']) await another.act(name)
    expect(await webhook()).toEqual(before)
    receiver.answer = response => void response.writeHead(204).end()
    await restoreListing(store, slug, 'a test', service.clock.now)
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
    expect(ids[0]).toBe(ids[1])
  })

  it('is retried after growing waits with the same id, and turned off after a day', async () => {
    const { act, text, secret } = await hooked()
    receiver.answer = response => void response.writeHead(500).end()
    service.clock.now += daysMs(54)
    const began = service.clock.now
    const waits: number[] = []
    for (;;) {
      await expect.poll(() => receiver.deliveries.length).toBe(waits.length + 1)
      const next = await settled()
      if (next === null) break
      waits.push(next - service.clock.now)
      service.clock.now = next
    }
    expect(service.clock.now - began).toBe(daysMs(1))
    for (const [nth, wait] of [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS].entries()) {
      expect(waits[nth]).toBeGreaterThanOrEqual(wait * 0.8)
      expect(waits[nth]).toBeLessThanOrEqual(wait * 1.2)
    }
    receiver.verified(await secret())
    expect(new Set(receiver.deliveries.map(each => each.headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.deliveries.map(each => each.headers['webhook-timestamp'])).size).toBe(waits.length + 1)
    expect(await text()).toMatch(/We turned it off on .* Every delivery failed for a day\./)
    const tries = receiver.deliveries.length
    receiver.answer = response => void response.writeHead(200).end('Thanks')
    await act('webhook-on')
    expect(await text()).toContain('Nothing sent yet.')
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(tries + 1)
    await expect.poll(text).toContain('status 200')

    /** When the delivery is tried next, once this attempt is settled and its lease is over. */
    async function settled(): Promise<number | null> {
      const isSettled = async () => {
        const { lastTriedAt = null, offAt = null } = (await webhook()) ?? {}
        return offAt !== null || lastTriedAt === service.clock.now
      }
      await expect.poll(isSettled).toBe(true)
      return nextTry()
    }
  })

  it('is not turned off by the first failure after the service was away for days', async () => {
    const { text } = await hooked()
    receiver.answer = response => void response.writeHead(500).end()
    service.clock.now += daysMs(54)
    const triedAt = async () => (await webhook())?.lastTriedAt
    await expect.poll(triedAt).toBe(service.clock.now)
    service.clock.now += daysMs(2)
    await expect.poll(triedAt).toBe(service.clock.now)
    expect((await webhook())?.offAt).toBeNull()
    expect(await nextTry()).toBeGreaterThanOrEqual(service.clock.now + 0.8 * MINUTE_MS)
    receiver.answer = response => void response.writeHead(204).end()
    service.clock.now += 2 * MINUTE_MS
    await expect.poll(text).toContain('status 204')
  })

  it('is turned off at once by 410', async () => {
    const { act, text, secret } = await hooked()
    receiver.answer = response => void response.writeHead(410).end()
    service.clock.now += daysMs(54)
    await expect.poll(text).toContain('It answered 410, which means gone.')
    // What happens while it is off is not sent later.
    const { listingId = 0 } = (await webhook()) ?? {}
    const missed = { kind: 'ends_soon', facts: { endsAt: service.clock.now } } as const
    await store.transact(trx => addNotice(trx, listingId, missed, service.clock.now))
    receiver.answer = response => void response.writeHead(200).end()
    await act('webhook-test')
    service.clock.now += daysMs(1)
    await act('webhook-on')
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    const types = receiver.verified(await secret()).map(({ type }) => type)
    expect(types).toEqual(['listing.ends_soon', 'test'])
  })

  it.each([
    ['it is turned on', 'webhook-on', {}],
    ['its address changes', 'webhook', { address: 'https://hooks.com/new' }],
  ])('is turned off when the key of its secret is lost, and gets a new secret when %s', async (_when, name, fields) => {
    const { act, text, secret } = await hooked()
    const { listingId = 0 } = (await webhook()) ?? {}
    await store.db.updateTable('webhook').set({ keyCheckValue: 'lost' }).where('listingId', '=', listingId).execute()
    await act('webhook-test')
    await expect.poll(text).toContain('We lost the key for its secret.')
    expect(receiver.deliveries).toEqual([])
    await act(name, fields)
    await act('webhook-test')
    await expect.poll(async () => receiver.deliveries.length > 0 || (await webhook())?.offAt !== null).toBe(true)
    expect(receiver.verified(await secret())).toMatchObject([{ type: 'test' }])
  })

  it('gets at a new address what was under way to the old one', async () => {
    const { act } = await hooked()
    let fail = () => {}
    receiver.answer = response => {
      fail = () => response.writeHead(500).end()
    }
    await act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    await act('webhook', { address: 'https://other-hooks.com/' })
    receiver.answer = response => void response.writeHead(204).end()
    fail()
    service.clock.now += MINUTE_MS
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
    expect([receiver.deliveries[1]?.headers.host, ids[0] === ids[1]]).toEqual(['other-hooks.com', true])
    expect(await webhook()).toMatchObject({ failingSince: null })
  })

  it('sends failed events to a new address at once, not hours later', async () => {
    const { act } = await hooked()
    receiver.answer = response => void response.writeHead(500).end()
    service.clock.now += daysMs(54)
    for (let tries = 1; ; tries++) {
      await expect.poll(async () => (await webhook())?.lastTriedAt).toBe(service.clock.now)
      expect(receiver.deliveries).toHaveLength(tries)
      if (tries === 4) break
      service.clock.now = (await nextTry()) ?? 0
    }
    expect(await nextTry()).toBeGreaterThan(service.clock.now + 20 * MINUTE_MS)
    receiver.answer = response => void response.writeHead(204).end()
    await act('webhook', { address: `${HOOK}&moved` })
    await expect.poll(() => receiver.deliveries.length).toBe(5)
    expect(receiver.deliveries.at(-1)?.url).toBe('/placard?from=board&moved')
  })

  it('is not turned off by an attempt from before its owner saved it again', async () => {
    const { act } = await hooked()
    let fail = () => {}
    receiver.answer = response => {
      fail = () => response.writeHead(500).end()
    }
    service.clock.now += daysMs(54)
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    fail()
    await expect.poll(async () => (await webhook())?.failingSince).toBe(service.clock.now)
    service.clock.now += daysMs(1)
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    await act('webhook', { address: HOOK })
    receiver.answer = response => void response.writeHead(204).end()
    fail()
    service.clock.now += MINUTE_MS
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    await expect.poll(webhook).toMatchObject({ lastStatus: 204, offAt: null, failingSince: null })
  })

  it('is not followed to another address', async () => {
    const { act, text } = await hooked()
    receiver.answer = response => void response.writeHead(307, { location: 'https://other-hooks.com/' }).end()
    await act('webhook-test')
    await expect.poll(text).toContain('status 307')
    expect(receiver.deliveries.map(each => each.headers.host)).toEqual(['hooks.com'])
    // A test that fails says nothing of the events to come.
    expect(await webhook()).toMatchObject({ lastStatus: 307, failingSince: null, offAt: null })
  })

  it('may send an endless answer, of which nothing is read', async () => {
    const { act, text } = await hooked()
    receiver.answer = response => {
      response.writeHead(200)
      const more = setInterval(() => response.write('x'.repeat(10_000)), 5)
      response.on('close', () => clearInterval(more))
    }
    await act('webhook-test')
    await expect.poll(text).toContain('status 200')
  })

  it.each([
    ['http', 'http://hooks.com/'],
    ['an address', 'https://127.0.0.1/'],
    ['an inner name', 'https://localhost/'],
    ['credentials', 'https://me:word@hooks.com/'],
    ['another port', 'https://hooks.com:8443/'],
    ['nothing', ''],
    ['words', 'my server'],
    ['a long one without TLS', `http://hooks.com/${'a'.repeat(800)}`],
    ['something too long', `https://hooks.com/${'a'.repeat(1000)}`],
  ])('cannot be %s', async (kind, address) => {
    const { owner } = await followListing(service, host)
    const { status, html } = await owner.act('webhook', { address })
    expect([status, html.includes('A webhook needs a public address')]).toEqual([400, true])
    // It stays in the field, unless it may hold a password or a private link.
    const isKept = !['credentials', 'something too long', 'nothing'].includes(kind)
    expect(html.includes(`value="${address}"`)).toBe(isKept)
    expect(await webhook()).toBeUndefined()
  })
})

it.each(ENGINES)(
  'if an instance dies during a delivery, another instance delivers when the lease ends, on %s',
  async engine => {
    const receiver = await startReceiver(['hooks.com'])
    const sites = await startSites()
    const database = await migratedDatabase(engine)
    const start = (now: number) =>
      startTestService({
        engine,
        database,
        now,
        env: { TRUSTED_PROXIES: '127.0.0.1' },
        sites: { ...sites, connectTo: `${sites.connectTo},${receiver.connectTo}` },
      })
    const dying = await start(NOON)
    const { owner, privateLink } = await followListing(dying, 'hooked.com')
    await owner.act('webhook', { address: HOOK })
    receiver.answer = () => {}
    await owner.act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    await dying.stop()
    receiver.answer = response => void response.writeHead(204).end()
    const living = await start(NOON)
    const again = await openPrivatePage(privateLink.replace(dying.url, living.url))
    await again.act('webhook-test')
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    living.clock.now += MINUTE_MS
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
    expect([ids[2] === ids[0], ids[1] === ids[0]]).toEqual([true, false])
    await living.stop()
    await database.remove()
    await sites.close()
    await receiver.close()
  },
)

it('each website gets one delivery at a time, and a slow one delays no other', async () => {
  const [receiver, sites] = [await startReceiver(['hooks.com', 'other-hooks.com']), await startSites()]
  const service = await startTestService({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    sites: { ...sites, connectTo: `${sites.connectTo},${receiver.connectTo}` },
  })
  const open: (() => void)[] = []
  receiver.answer = response => void open.push(() => response.writeHead(204).end())
  for (const address of ['https://hooks.com/1', 'https://hooks.com/2', 'https://other-hooks.com/3']) {
    const { owner } = await followListing(service, `hooked-${address.at(-1)}.com`)
    await owner.act('webhook', { address })
    await owner.act('webhook-test')
    if (address.endsWith('1')) await expect.poll(() => open.length).toBe(1)
  }
  const asked = () => receiver.deliveries.map(({ url }) => url)
  await expect.poll(asked).toEqual(['/1', '/3'])
  for (const answer of open.splice(0)) answer()
  await expect.poll(asked).toEqual(['/1', '/3', '/2'])
  await service.stop()
  await sites.close()
  await receiver.close()
})

it('is never posted to a private address, whatever its name says', async () => {
  const receiver = await startReceiver(['inner.com'])
  const port = Number(receiver.connectTo.split(':').at(-1))
  const dns = await startDnsServer(({ type }) => ({
    records: type === 'A' ? [{ type: 'A', name: 'inner.com', data: '127.0.0.1' }] : [],
  }))
  const service = await startTestService({ env: { DNS_SERVERS: dns.address, TRUSTED_PROXIES: '127.0.0.1' } })
  const { owner } = await followListing(service, 'hooked.com')
  await owner.act('webhook', { address: 'https://inner.com/' })
  await owner.act('webhook-test')
  await expect.poll(async () => (await owner.read()).html).toContain('no answer')
  expect(dns.questions.map(({ name }) => name)).toContain('inner.com')
  expect([port > 0, receiver.deliveries]).toEqual([true, []])
  await service.stop()
  await dns.close()
  await receiver.close()
})

describe.each(SQLITE_FIRST)('a service key that was replaced, on %s', engine => {
  it('still gives the feed its address and the webhook its secret', async () => {
    const database = await migratedDatabase(engine)
    const [one, two] = ['11'.repeat(32), '22'.repeat(32)]
    const env = { TRUSTED_PROXIES: '127.0.0.1' }
    const before = await startTestService({ engine, database, env: { ...env, SERVICE_KEY: one } })
    const { owner, privateLink, feed } = await followListing(before, 'hooked.com')
    await owner.act('webhook', { address: HOOK })
    const shown = (html: string) => [/\/feed\/[\w-]+/.exec(html)?.[0], /whsec_[^"]+/.exec(html)?.[0]]
    const first = shown((await owner.read()).html)
    await before.stop()
    const after = await startTestService({ engine, database, env: { ...env, SERVICE_KEY: `${two},${one}` } })
    const again = await openPrivatePage(privateLink.replace(before.url, after.url))
    expect(shown((await again.read()).html)).toEqual(first)
    expect((await fetch(feed.replace(before.url, after.url))).status).toBe(200)
    await after.stop()
    await database.remove()
  })
})
