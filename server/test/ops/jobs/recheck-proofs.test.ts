// @module-tag slow
import { expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { DAY_MS } from '../../../src/platform/lib/time.ts'
import { readFeed } from '../../domain/notifications/owner/follower.ts'
import { dnsServerForTest, type Lie, SERVFAIL } from '../../support/dns-server.ts'
import { SAME_SQL } from '../../support/engines.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'
import { newVisitor } from '../../web/visitor.ts'

// The job's SQL differs on no engine, and `own.test.ts` writes the same table on both.
it.each(SAME_SQL)('the proof of a verified owner is looked for every day, on %s', async engine => {
  const service: TestService = await startTestService({ engine, jobsEveryMs: 100 })
  const store: Store = await service.database.openStore()
  const address = 'http://proven.com/'
  let head = ''
  service.sites.set('proven.com', (_request, response) =>
    sendHtml(response, `<head>${head}<title>Shop</title></head><p>Hello`),
  )
  const { body } = await publish(service, newCredentials(), publishBody(address))
  const slug = body.productUrl.split('/').at(-1) ?? ''
  const visitor = newVisitor(service)
  const token = /plc_\w{40}/.exec((await visitor.get(`/own?${new URLSearchParams({ address })}`)).html)?.[0]
  const tag = `<meta name="placard-challenge" content="${token}">`
  head = tag
  const given = await visitor.post('/own/check', { address })
  const link = /<pre[^>]*data-private-link[^>]*>([^<]+)/.exec(given.html)?.[1] ?? ''
  const privatePage = await openPrivatePage(link)
  await privatePage.act('feed')
  const feed = /value="(http[^"]+\/feed\/[^"]+)"/.exec((await privatePage.read()).html)?.[1] ?? ''
  const titles = async () => (await readFeed(feed)).titles
  const owner = () => store.db.selectFrom('site_owner').select(['checkAt', 'missingSince', 'place']).executeTakeFirst()
  const page = async () => (await fetch(`${service.url}/product/${slug}`)).text()
  /** Lets the days pass, and waits for the check of the last one. */
  async function pass(days: number) {
    for (let day = 0; day < days; day++) {
      // The check is scheduled again before it reads the page. One that finds the tag ends by storing where it is.
      if (head !== '') await store.db.updateTable('site_owner').set({ place: 'dns_txt' }).execute()
      service.clock.now += DAY_MS
      const { now } = service.clock
      await expect.poll(async () => ((await owner())?.checkAt ?? Number.POSITIVE_INFINITY) > now).toBe(true)
      if (head !== '') await expect.poll(async () => (await owner())?.place).toBe('meta_tag')
    }
  }
  const missing = async () => (await owner())?.missingSince
  const updatedAt = async () => (await (await fetch(`${service.url}/api/v1/listings/${slug}`)).json()).updatedAt
  const provenAt = await updatedAt()

  service.clock.now = NOON
  await pass(3)
  expect(await missing()).toBeNull()

  head = ''
  await pass(1)
  await expect.poll(missing).toBe(service.clock.now)
  expect(await titles()).toEqual([])
  await pass(1)
  await expect.poll(titles).toEqual([expect.stringMatching(/^We no longer find your proof on \S+$/)])

  // It is back in time, and may be gone again later.
  head = tag
  await pass(1)
  await expect.poll(missing).toBeNull()
  head = ''
  await pass(1)
  await expect.poll(missing).toBe(service.clock.now)
  // The service is down for weeks. Its owner is notified all the same, and has six days left.
  service.clock.now += 20 * DAY_MS
  await expect.poll(missing).toBe(service.clock.now - DAY_MS)
  expect(await titles()).toHaveLength(2)
  await pass(5)
  expect(await page()).toContain('Verified in')
  // Nothing that visitors or mirrors see has changed.
  expect(await updatedAt()).toBe(provenAt)
  service.clock.now += DAY_MS
  await expect.poll(owner).toBeUndefined()
  expect(await page()).toContain('<dt>Owner</dt><dd>Not verified</dd>')
  const asData = await fetch(`${service.url}/api/v1/listings/${slug}`)
  expect(await asData.json()).toMatchObject({ ownerVerifiedSince: null, updatedAt: service.clock.now })
  // The log has one kind for both, so its page must not say that the second was another proof.
  const rows = async () => (await fetch(`${service.url}/proof?${new URLSearchParams({ row: address })}`)).text()
  await expect.poll(async () => (await rows()).match(/is theirs[^<]*, or that proof is gone, </g)?.length).toBe(2)
  await service.stop()
})

it.each(SAME_SQL)('a proof in the DNS is not lost while one of two resolvers fails, on %s', async engine => {
  const address = 'http://proven.com/'
  let data = ''
  let second: Lie = { code: SERVFAIL }
  const record = (): Lie => ({ records: [{ name: '_placard-challenge.proven.com', type: 'TXT', ttl: 1, data }] })
  const good = await dnsServerForTest(record)
  const other = await dnsServerForTest(() => second)
  const env = { DNS_SERVERS: `${good.address},${other.address}` }
  const service = await startTestService({ engine, jobsEveryMs: 100, env })
  const store = await service.database.openStore()
  let head = ''
  service.sites.set('proven.com', (_request, response) => sendHtml(response, `<head>${head}<title>Shop</title></head>`))
  await publish(service, newCredentials(), publishBody(address))
  const visitor = newVisitor(service)
  const [token = ''] = /plc_\w{40}/.exec((await visitor.get(`/own?${new URLSearchParams({ address })}`)).html) ?? []
  head = `<meta name="placard-challenge" content="${token}">`
  await visitor.post('/own/check', { address })
  const owner = () => store.db.selectFrom('site_owner').select(['checkAt', 'missingSince', 'place']).executeTakeFirst()
  expect(await owner()).toMatchObject({ place: 'meta_tag', missingSince: null })

  head = ''
  data = token
  for (let day = 1; day <= 10; day++) {
    service.clock.now += DAY_MS
    await expect.poll(async () => (await owner())?.checkAt).toBe(service.clock.now + DAY_MS)
    await expect.poll(() => other.questions.length).toBe(day)
  }
  second = record()
  service.clock.now += DAY_MS
  await expect.poll(owner).toMatchObject({ place: 'dns_txt', missingSince: null })
  second = { code: SERVFAIL }
  data = 'gone'
  service.clock.now += DAY_MS
  await expect.poll(async () => (await owner())?.missingSince).toBe(service.clock.now)
  await service.stop()
})
