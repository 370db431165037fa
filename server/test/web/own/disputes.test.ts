// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { endsWithLink } from '../../../src/domain/notifications/owner/new-owner.ts'
import { reissueLink } from '../../../src/domain/ownership/renew-link.ts'
import { keyText } from '../../../src/domain/ownership/service-keys/service-keys.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Secret } from '../../../src/platform/lib/secret.ts'
import { daysMs, HOUR_MS } from '../../../src/platform/lib/time.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../manage/owner.ts'
import type { Visitor } from '../visitor.ts'
import { listedWebsite, openIn, opens } from './provers.ts'

describe.each(SAME_SQL)('people who want another person’s listing, on %s', engine => {
  let service: TestService
  let store: Store
  let site: Awaited<ReturnType<typeof listedWebsite>>
  beforeAll(async () => {
    service = await startTestService({
      engine,
      env: {
        TRUSTED_PROXIES: '127.0.0.1',
        LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000',
        SERVICE_KEY: keyText(FIXED_KEYS.newest.secret),
      },
      jobsEveryMs: 0,
    })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    site = await listedWebsite(service)
  })

  /** A holder of the private link proves the website in a browser of its own. */
  async function verifiedHolder() {
    const holder = await site.newProver()
    const page = await openIn(service, holder, site.link)
    expect((await holder.post(`${page}/prove`, {})).location).toContain('done=prove')
    return holder
  }

  it('do not get it from another spelling of its address, which somebody else may serve', async () => {
    const prover = await site.newProver()
    site.tokens.clear()
    service.sites.set(`www.${site.host}`, (_request, response) =>
      sendHtml(response, `<head><meta name="placard-challenge" content="${prover.token}"></head>`),
    )
    const address = `http://www.${site.host}/`
    expect((await site.check(prover, address)).status).toBe(422)
    expect(JSON.parse((await prover.post('/own/look', { address })).html).foundBy).toBe(null)
    const { html } = await prover.get(`/own?${new URLSearchParams({ address })}`)
    expect(html).toContain(`http://${site.host}/.well-known/placard.txt`)
    expect(await opens(site.link)).toBe(true)
  })

  it('do not get it by waiting after its owner has proved it again, with or without the private page', async () => {
    const owner = await verifiedHolder()
    const later = await site.newProver()
    expect((await site.check(later)).heading).toBe('Someone proved it before you')
    const privatePage = async (link: string) => (await (await openPrivatePage(link)).read()).html
    expect(await privatePage(site.link)).toContain('They get the private link on')
    expect(await privatePage((await listedWebsite(service)).link)).not.toContain('get the private link')
    const link = (await site.check(owner)).link
    expect(await privatePage(link)).not.toContain('get the private link')
    expect((await site.check(later)).heading).toBe('The operator decides')
    service.clock.now += daysMs(4)
    expect((await site.check(later)).heading).toBe('The operator decides')
    expect(await opens(link)).toBe(true)
  })

  it('do not wait any more once they hold its private link, and the operator is not asked', async () => {
    await verifiedHolder()
    const later = await site.newProver()
    expect((await site.check(later)).heading).toBe('Someone proved it before you')
    const page = await openIn(service, later, site.link)
    expect((await later.post(`${page}/prove`, {})).location).toContain('done=prove')
    const { id } = await site.listing(store)
    for (const table of ['waiting_owner', 'finding'] as const)
      expect(await store.db.selectFrom(table).selectAll().where('listingId', '=', id).execute()).toEqual([])
  })

  it('do not keep it by renewing its link as often as it can be', async () => {
    const { id } = await site.listing(store)
    await store.db.updateTable('claim').set({ linkVersion: 100 }).where('listingId', '=', id).execute()
    const link = (await site.check(await site.newProver())).link
    expect([await opens(link), await opens(site.link)]).toEqual([true, false])
    const { newLink = '' } = await (await openPrivatePage(link)).act('renew', { link, confirm: 'yes' })
    expect(await opens(newLink)).toBe(true)
  })

  it('do not become its owner with a visit that a new link has ended', async () => {
    const thief = await site.newProver()
    const page = await openIn(service, thief, site.link)
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    service.sites.set(site.host, async (_request, response) => {
      asked.resolve()
      await answered.promise
      sendHtml(response, `<head><meta name="placard-challenge" content="${thief.token}"></head>`)
    })
    const proving = thief.post(`${page}/prove`, {})
    await asked.promise
    const owner = await openPrivatePage(site.link)
    const { newLink = '' } = await owner.act('renew', { link: site.link, confirm: 'yes' })
    answered.resolve()
    expect((await proving).status).toBe(403)
    const { id } = await site.listing(store)
    expect(await store.db.selectFrom('site_owner').selectAll().where('listingId', '=', id).execute()).toEqual([])
    expect(await opens(newLink)).toBe(true)
  })

  it.each([0, 1])(
    'do not take it back after the operator has given it to somebody else, %i hours back',
    async hours => {
      const other = await listedWebsite(service)
      const owner = await other.newProver()
      const { link } = await other.check(owner)
      await (await openPrivatePage(link)).act('renew', { link, confirm: 'yes' })
      const before = await other.listing(store)
      service.clock.now += 1000
      const loser = await site.newProver()
      const first = (await site.check(loser)).link
      expect(await other.listing(store)).toEqual(before)
      const now = service.clock.now - hours * HOUR_MS
      const newest = { secret: new Secret(Buffer.alloc(32)), checkValue: 'x' }
      const by = { name: 'Ada', explanation: 'Has the trade mark' }
      const reissued = await reissueLink(store, site.slug, newest, by, now, async () => {})
      expect(reissued).toHaveProperty('link')
      expect(await opens(first)).toBe(false)
      expect((await site.check(loser)).heading).toBe('Someone proved it before you')
      // Neither that nor renewing the link ends what the owner of another website has proved.
      expect(await opens((await other.check(owner)).link)).toBe(true)
    },
  )

  it('do not get the link of the other person from their agent’s receipt, once the operator has decided', async () => {
    const [loser, winner] = [await verifiedHolder(), await site.newProver()]
    const { id } = await site.listing(store)
    const page = await openPrivatePage(site.link)
    await page.act('webhook', { address: 'https://loser.com/' })
    await site.check(winner)
    await loser.post(`${new URL(site.link).pathname}/prove`, {})
    expect((await site.check(winner)).heading).toBe('The operator decides')
    const { newest } = FIXED_KEYS
    const by = { name: 'Ada', explanation: 'Has the trade mark' }
    const reissued = await reissueLink(store, site.slug, newest, by, service.clock.now, endsWithLink({ newest }))
    expect(reissued).toHaveProperty('link')
    const { status, ownership, notice } = await site.again()
    expect([status, ownership.privateRecoveryUrl, ownership.recoveryUnavailable]).toEqual([
      'published',
      undefined,
      true,
    ])
    expect(notice).toContain('Somebody has proved that the website is theirs')
    const webhooks = store.db.selectFrom('webhook').select('url').where('listingId', '=', id)
    expect(await webhooks.execute()).toEqual([])
    await hideListing(store, site.slug, 'Only for the new owner', service.clock.now)
    expect(await site.decision()).toBe(null)
  })

  it('get it after the wait, even if their token was a week old when they began to wait', async () => {
    const sites = [site, await listedWebsite(service)]
    for (const each of sites) await each.check(await each.newProver())
    const later = await Promise.all(sites.map(async each => ({ each, prover: await each.newProver() })))
    service.clock.now += daysMs(7) - 1
    for (const { each, prover } of later) {
      expect((await each.check(prover)).heading).toBe('Someone proved it before you')
    }
    // An owner who proves a website again, or the end of one wait, changes nothing for those of other websites.
    const contested = await listedWebsite(service)
    const provers = [await contested.newProver(), await contested.newProver()] as const
    for (const prover of [...provers, provers[0]]) await contested.check(prover)
    expect((await contested.check(provers[1])).heading).toBe('The operator decides')
    service.clock.now += daysMs(3)
    for (const { each, prover } of later) expect(await opens((await each.check(prover)).link)).toBe(true)
  })

  it.runIf(engine === 'sqlite')('do not keep its owner from the proof by looking for theirs', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const look = async (visitor: Visitor, address: string) =>
      (await visitor.post('/own/look', { address: site.url }, from(address))).status
    const attacker = await site.newProver()
    site.tokens.clear()
    const seen = new Set<number>()
    for (let time = 0; time < 50; time++) {
      const addresses = [1, 2, 3].map(last => `192.0.2.${last}`)
      for (const status of await Promise.all(addresses.map(address => look(attacker, address)))) seen.add(status)
    }
    expect(seen).toEqual(new Set([200, 429]))
    const owner = await site.newProver()
    site.tokens.clear()
    expect(await look(owner, '198.51.100.1')).toBe(200)
    expect((await site.check(owner, site.url, from('198.51.100.1'))).status).toBe(422)
  })

  it('get it or not, whatever the owner does to the link at that moment', async () => {
    for (let round = 0; round < 5; round++) {
      site = await listedWebsite(service)
      const prover = await site.newProver()
      const page = await openPrivatePage(site.link)
      const [proved, renewed] = await Promise.all([
        site.check(prover),
        page.act('renew', { link: site.link, confirm: 'yes' }),
      ])
      expect(proved.status).toBe(200)
      expect([200, 403]).toContain(renewed.status)
      expect(await opens(proved.link)).toBe(true)
      expect(await opens(renewed.newLink ?? site.link)).toBe(false)
    }
  })
})
