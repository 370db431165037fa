// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decideAppeal } from '../../../../src/domain/moderation/appeals/decide-appeal.ts'
import { endListing } from '../../../../src/domain/moderation/end-dates.ts'
import { hideListing, restoreListing } from '../../../../src/domain/moderation/moderate.ts'
import { notifyFollower } from '../../../../src/domain/notifications/owner/notice.ts'
import { applyEvent } from '../../../../src/domain/payments/apply-event.ts'
import type { Store } from '../../../../src/platform/db/store.ts'
import { daysMs } from '../../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../../support/engines.ts'
import { eventOf } from '../../../support/ledger.ts'
import { NOON, startTestService, type TestService } from '../../../support/service.ts'
import { sendHtml } from '../../../support/sites.ts'
import { payingFor } from './follower.ts'
import { linkIn, type MailServer, startMailServer } from './mail-server.ts'
import { listed, mailed } from './mailed.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe.each(SQLITE_FIRST)('a mail to an owner on %s', engine => {
  let server: MailServer
  let service: TestService
  let store: Store
  let pay: (host: string, dollars: number) => Promise<string>
  beforeAll(async () => {
    server = await startMailServer()
    const env = { ...server.env, TRUSTED_PROXIES: '127.0.0.1' }
    service = await startTestService({ engine, env, jobsEveryMs: 100 })
    ;({ store, pay } = await payingFor(service))
  })
  afterAll(async () => {
    await store.close()
    await service.stop()
    await server.close()
  })

  let host = ''
  let address = ''
  let listings = 0
  beforeEach(() => {
    // Each a Saturday.
    service.clock.now = NOON + daysMs(98 * listings)
    host = `told-${++listings}.com`
    address = `joe-${listings}@example.org`
    server.mails.length = 0
    server.refuses = () => undefined
    server.beforeAnswer = async () => undefined
  })

  /** Waits for a number of mails, without the one that confirmed the address. @returns the last */
  async function mailsAre(count: number) {
    await expect.poll(() => server.to(address).length - 1).toBe(count)
    return server.to(address).at(-1)
  }
  const pending = async () => {
    const rows = await store.db
      .selectFrom('outgoing_mail')
      .innerJoin('listing', 'listing.id', 'outgoing_mail.listingId')
      .select(['kind', 'sendAt', 'attempts'])
      .where('hostname', '=', host)
      .orderBy('sendAt')
      .execute()
    return rows.map(({ sendAt, ...row }) => ({ ...row, sendAt: Number(sendAt) }))
  }
  const seen = async () => {
    const rows = await store.db
      .selectFrom('watched_place')
      .innerJoin('listing', 'listing.id', 'watched_place.listingId')
      .select('rank')
      .where('hostname', '=', host)
      .execute()
    return rows.map(({ rank }) => Number(rank))
  }
  const subjects = () => server.to(address).map(({ headers }) => headers.get('subject'))

  it('tells at most once in six hours of all listings that moved ahead', async () => {
    await mailed(service, server, host, address)
    const base = 1000 * listings
    await pay(host, base)
    service.clock.now += 10 * MINUTE_MS
    await expect.poll(seen).toEqual([1, 1])
    await pay(`ahead-${host}`, base + 5)
    service.clock.now += 10 * MINUTE_MS
    await expect.poll(seen).toEqual([2, 2])
    // Both boards are in one mail, which waits a minute for more.
    expect(await pending()).toEqual([{ kind: 'overtaken', attempts: 0, sendAt: service.clock.now + MINUTE_MS }])
    service.clock.now += MINUTE_MS
    const mail = await mailsAre(1)
    expect(mail?.headers.get('subject')).toBe(`${host} is now No. 2 of all time`)
    // A name, not the address of a machine without a domain.
    expect(mail?.greeting).toMatch(/^[\w-]+(\.[\w-]+)+$/)
    expect(mail?.text).toMatch(/“ahead-told[^”]+” moved ahead of it:/)
    for (const board of ['of all time', 'today']) {
      expect(mail?.text).toMatch(new RegExp(`No\\. 2 +${board}, was No\\. 1 +“ahead-told`))
    }
    expect(mail?.text).toMatch(/\n\nPaid placement\.\n\n“/)
    expect(mail?.html).toContain('Paid placement')
    await expect.poll(pending).toEqual([])
    const sentAt = service.clock.now

    for (let nth = 1; nth <= 2; nth++) {
      await pay(`more-${nth}-${host}`, base + 5 + nth)
      service.clock.now += 10 * MINUTE_MS
      await expect.poll(seen).toEqual([2 + nth, 2 + nth])
    }
    expect(await pending()).toEqual([{ kind: 'overtaken', attempts: 0, sendAt: sentAt + 6 * HOUR_MS }])
    service.clock.now = sentAt + 6 * HOUR_MS
    const second = await mailsAre(2)
    expect(second?.text).toMatch(/No\. 3 +of all time, was No\. 2[\s\S]+No\. 4 +of all time, was No\. 3/)
    await expect.poll(pending).toEqual([])
  })

  /** Pays for the listing and then for another, which moves ahead on both boards. @returns the payments */
  async function overtake(): Promise<{ own: string; other: string; cents: number }> {
    const dollars = 1000 * listings
    const own = await pay(host, dollars)
    service.clock.now += 10 * MINUTE_MS
    await expect.poll(seen).toEqual([1, 1])
    const other = await pay(`ahead-${host}`, dollars + 5)
    service.clock.now += 10 * MINUTE_MS
    await expect.poll(seen).toEqual([2, 2])
    await expect.poll(pending).toHaveLength(1)
    return { own, other, cents: dollars * 100 }
  }

  it('tells once in six hours of places, too, after a mail server refused the first of two mails', async () => {
    await mailed(service, server, host, address)
    await overtake()
    server.refuses = () => '451 4.7.1 Try again later'
    service.clock.now += MINUTE_MS
    // Not only leased: the refusal is recorded.
    await expect
      .poll(async () => (await pending())[0])
      .toMatchObject({ attempts: 1, sendAt: service.clock.now + MINUTE_MS })
    await pay(`more-${host}`, 1000 * listings + 10)
    service.clock.now += 10 * MINUTE_MS
    await expect.poll(seen).toEqual([3, 3])
    expect(await pending()).toHaveLength(2)
    server.refuses = () => undefined
    service.clock.now += HOUR_MS
    await expect.poll(pending).toMatchObject([{ attempts: 0 }])
    service.clock.now += 6 * HOUR_MS - MINUTE_MS
    await mailed(service, server, `other-${host}`, `other-${address}`)
    expect(await pending()).toHaveLength(1)
    await mailsAre(1)
    service.clock.now += MINUTE_MS
    expect((await mailsAre(2))?.text).toMatch(/No\. 3 +of all time, was No\. 2/)
  })

  it('tells of places also after the clock was set back', async () => {
    await mailed(service, server, host, address, { overtaken: 'yes' })
    await overtake()
    service.clock.now += MINUTE_MS
    await mailsAre(1)
    await expect.poll(pending).toEqual([])
    service.clock.now -= daysMs(30)
    await pay(`more-${host}`, 1000 * listings + 10)
    service.clock.now += 10 * MINUTE_MS
    await expect.poll(async () => (await seen())[0]).toBe(3)
    service.clock.now += 2 * MINUTE_MS
    expect((await mailsAre(2))?.text).toMatch(/No\. 3 +of all time, was No\. 2/)
  })

  it.each(['own', 'other'] as const)(
    'tells of no place that a refund has changed since: the %s payment',
    async whose => {
      await mailed(service, server, host, address)
      const { cents, ...payments } = await overtake()
      const about = { amountCents: cents + 500, occurredAt: service.clock.now }
      await applyEvent(store, eventOf('refunded', payments[whose], about), service.clock.now)
      service.clock.now += MINUTE_MS
      await expect.poll(pending).toEqual([])
      expect(server.to(address)).toHaveLength(1)
    },
  )

  it('tells of no board whose day is over', async () => {
    await mailed(service, server, host, address)
    service.clock.now += 12 * HOUR_MS - 25 * MINUTE_MS
    await overtake()
    service.clock.now += 10 * MINUTE_MS
    const mail = await mailsAre(1)
    expect(mail?.text).toMatch(/No\. 2 +of all time, was No\. 1/)
    expect(mail?.text).not.toMatch(/No\. \d+ +today/)
  })

  it('is sent a week and a day before the end, unless the end has changed', async () => {
    await mailed(service, server, host, address, { ends: 'yes' })
    service.clock.now += daysMs(53) + HOUR_MS
    const week = await mailsAre(1)
    expect(week?.headers.get('subject')).toMatch(/^The listing of told-\d+\.com ends on \d+ \w+ \d{4}$/)
    expect(week?.text).toContain('nothing renews on its own')
    service.clock.now += daysMs(5.97)
    expect((await mailsAre(2))?.text).toContain('With a paid place, it has no scheduled end.')

    host = `later-${host}`
    address = `later-${address}`
    await mailed(service, server, host, address, { ends: 'yes' })
    service.clock.now += daysMs(54)
    await mailsAre(1)
    await store.transact(trx =>
      trx.updateTable('listing').set({ expiresAt: null }).where('hostname', '=', host).execute(),
    )
    await expect.poll(pending).toMatchObject([{ kind: 'ends_tomorrow' }])
    service.clock.now += daysMs(5.5)
    await expect.poll(pending).toEqual([])
    expect(server.to(address)).toHaveLength(2)
  })

  it('has the reasons for a decision, and the way to appeal', async () => {
    const { act, slug } = await mailed(service, server, host, address)
    const operator = { actor: 'operator:ann' } as const
    await hideListing(store, slug, 'It sells <b>nothing</b>.', service.clock.now, operator)
    const hidden = await mailsAre(1)
    expect(hidden?.headers.get('subject')).toBe(`${host}: the listing was taken down`)
    expect(hidden?.text).toContain('Reason: It sells <b>nothing</b>.')
    expect(hidden?.html).toContain('It sells &lt;b&gt;nothing&lt;/b&gt;.')
    expect(hidden?.text).toContain('You can appeal once, until')
    expect(hidden?.text).toContain('A person decided.')
    // Only an address is longer than a line of a terminal.
    expect(hidden?.lines.filter(line => line.length > 73 && line.includes(' ', 1))).toEqual([])
    expect(hidden?.lines.filter(line => line.includes('/mail/off/'))).toEqual([
      `${service.url}${linkIn(hidden, 'off')}`,
    ])
    expect((await act('appeal', { statement: 'It does.' })).status).toBe(303)
    const [{ id }] = (await store.db
      .selectFrom('decision')
      .innerJoin('listing', 'listing.id', 'decision.listingId')
      .select('decision.id')
      .where('hostname', '=', host)
      .where('kind', '=', 'hide')
      .execute()) as [{ id: string }]
    await decideAppeal(store, id, 'reversed', { name: 'ann', explanation: 'It does sell.' }, service.clock.now)
    const decided = await mailsAre(2)
    expect(decided?.text).toContain('The decision is reversed')
    expect(decided?.text).toContain('It does sell.')
    expect(decided?.text).toContain('The listing is shown again.')
    expect(decided?.text).not.toContain('nothing to appeal')

    await hideListing(store, slug, 'Again.', service.clock.now, operator)
    await mailsAre(3)
    await restoreListing(store, slug, 'A mistake.', service.clock.now, operator)
    expect((await mailsAre(4))?.headers.get('subject')).toBe(`${host}: the listing is shown again`)
    await endListing(store, slug, 'Over.', service.clock.now, operator)
    expect((await mailsAre(5))?.headers.get('subject')).toBe(`${host}: the listing was ended before its time`)
  })

  /** Lets the page of the listing fail twice, a day apart. */
  async function failPage() {
    service.sites.set(host, (_, response) => response.writeHead(500).end())
    for (let day = 0; day < 2; day++) {
      service.clock.now += daysMs(1)
      const now = service.clock.now
      await expect
        .poll(() =>
          store.db
            .selectFrom('watch')
            .innerJoin('listing', 'listing.id', 'watch.listingId')
            .select('checkAt')
            .where('hostname', '=', host)
            .where('checkAt', '>', now)
            .where('failingSince', 'is not', null)
            .execute(),
        )
        .toHaveLength(1)
    }
  }

  it('tells that the page is gone', async () => {
    await mailed(service, server, host, address, { page_gone: 'yes' })
    await failPage()
    const mail = await mailsAre(1)
    expect(mail?.headers.get('subject')).toBe(`${host} no longer loads`)
    expect(mail?.text).toContain('Your page answered with status 500, at least twice since')
  })

  it('does not tell of a page that is back by then', async () => {
    await mailed(service, server, host, address, { page_gone: 'yes' })
    server.refuses = () => '451 4.7.1 Try again later'
    await failPage()
    await expect.poll(pending).toMatchObject([{ attempts: 1, sendAt: service.clock.now + MINUTE_MS }])
    service.sites.set(host, (_, response) => sendHtml(response, '<title>Up</title>'))
    server.refuses = () => undefined
    service.clock.now += MINUTE_MS
    await expect.poll(pending).toEqual([])
    expect(subjects()).toHaveLength(1)

    // The next time it fails for a day, the owner hears of it.
    await failPage()
    expect((await mailsAre(1))?.headers.get('subject')).toBe(`${host} no longer loads`)
  })

  it('is not sent about a proof or another owner that is settled by then', async () => {
    const { slug } = await mailed(service, server, host, address)
    const { id: listingId } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
    const until = service.clock.now + daysMs(3)
    const proof = { listingId, place: 'well_known', tokenHash: '00', provenAt: service.clock.now } as const
    const owner = { ...proof, checkAt: until, missingSince: service.clock.now }
    const waiting = { ...proof, effectiveAt: until }
    const tell = () =>
      store.transact(async trx => {
        await notifyFollower(trx, listingId, { kind: 'claim_waits', facts: { until } }, service.clock.now)
        await notifyFollower(trx, listingId, { kind: 'proof_missing', facts: { until } }, service.clock.now)
      })
    await store.db.insertInto('site_owner').values(owner).execute()
    await store.db.insertInto('waiting_owner').values(waiting).execute()
    server.refuses = () => '451 4.7.1 Try again later'
    await tell()
    const refused = { attempts: 1, sendAt: service.clock.now + MINUTE_MS }
    await expect.poll(pending).toMatchObject([refused, refused])
    await store.db.updateTable('site_owner').set({ missingSince: null }).execute()
    await store.db.updateTable('waiting_owner').set({ contestedAt: service.clock.now }).execute()
    server.refuses = () => undefined
    service.clock.now += MINUTE_MS
    await expect.poll(pending).toEqual([])
    expect(subjects()).toHaveLength(1)

    await store.db.updateTable('site_owner').set({ missingSince: service.clock.now }).execute()
    await store.db.updateTable('waiting_owner').set({ contestedAt: null }).execute()
    await tell()
    await mailsAre(2)
    const missing = server.to(address).find(({ text }) => text.includes('\n\nFrom '))
    // Mailboxes in one file would show such a line as a quotation.
    expect(missing?.raw).not.toMatch(/^From /m)
    await store.db.deleteFrom('waiting_owner').execute()
  })

  it('sums up each week on Monday, from 7:00 UTC on, for each owner', async () => {
    await mailed(service, server, host, address)
    const other = `too-${host}`
    await mailed(service, server, other, `too-${address}`)
    const { id } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('hostname', '=', host)
      .executeTakeFirstOrThrow()
    const monday = service.clock.now + daysMs(2) - 12 * HOUR_MS
    const day = (ago: number) => new Date(monday - daysMs(ago)).toISOString().slice(0, 10)
    await store.transact(trx =>
      trx
        .insertInto('listing_day')
        .values([
          { listingId: id, day: day(14), views: 9, clicks: 5 },
          { listingId: id, day: day(8), views: 1, clicks: 0 },
          { listingId: id, day: day(7), views: 100, clicks: 1 },
          { listingId: id, day: day(4), views: 1_114, clicks: 0 },
          { listingId: id, day: day(0), views: 7_000, clicks: 7_000 },
        ])
        .execute(),
    )
    await pay(host, 1000 * listings)
    service.clock.now = monday + 7 * HOUR_MS - 1
    expect(await pending()).toEqual([])
    service.clock.now = monday + 7 * HOUR_MS
    const mail = await mailsAre(1)
    expect(mail?.headers.get('subject')).toBe(`${host}: 1,214 views, 1 click last week`)
    expect(mail?.text).toMatch(/Views +1,214 +1,204 more than the week before/)
    expect(mail?.text).toMatch(/Clicks +1 +4 fewer than the week before/)
    expect(mail?.text).toMatch(/Best day +Thursday +1,114 views/)
    expect(mail?.text).toMatch(/All time +No\. 1\n/)
    const others = () => server.to(`too-${address}`).map(({ headers }) => headers.get('subject'))
    await expect.poll(others).toContain(`${other}: 0 views, 0 clicks last week`)

    await pay(`ahead-${host}`, 1000 * listings + 1)
    service.clock.now = monday + daysMs(7) + 8 * HOUR_MS
    await expect.poll(subjects).toContain(`${host}: 7,000 views, 7,000 clicks last week`)
    const next = server.to(address).find(({ text }) => text.includes('7,000 visitors'))
    expect(next?.text).toMatch(/All time +No\. 2 +was No\. 1 in the last summary/)
    expect(subjects().filter(subject => subject?.includes('1,214'))).toHaveLength(1)

    service.clock.now = monday + daysMs(14) + 8 * HOUR_MS
    await expect.poll(subjects).toContain(`${host}: 0 views, 0 clicks last week`)
    expect(server.to(address).find(({ text }) => text.includes('no views'))?.text).toMatch(
      /All time +No\. 2 +as in the last summary/,
    )
  })

  it('shows nothing of a hostile title but its words', async () => {
    service.sites.set(host, (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          '<title>"&gt;&lt;img src=x onerror=a()&gt;\u202e Go to evil.example/now&#13;&#10;Bcc: eve@evil.example</title><p>Words enough to be read and listed here.',
        ),
    )
    const { slug } = await mailed(service, server, host, address)
    await hideListing(store, slug, 'Bad.', service.clock.now, { actor: 'operator:ann' })
    const mail = await mailsAre(1)
    expect(mail?.html).toContain(
      '<bdi>“&gt;&lt;img src=x onerror=a()&gt; Go to evil[.]example/now Bcc: eve[at]evil[.]example”</bdi>',
    )
    expect(mail?.html).not.toContain('<img')
    expect(mail?.raw).not.toContain('\u202e')
    expect(mail?.headers.has('bcc')).toBe(false)
    // Nothing is loaded, and all links are ours.
    expect(mail?.html).not.toMatch(/src=["']|url\(|@import/)
    const links = [...(mail?.html ?? '').matchAll(/(?:href|action)="([^"]+)"/g)].map(([, href]) => href ?? '')
    expect(links).toEqual(expect.arrayContaining([`${service.url}/rules`, `${service.url}/product/${slug}`]))
    expect(links.filter(href => !href.startsWith(`${service.url}`))).toEqual([])
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
  })

  it('ends after three that its server refused, but not if that refuses everybody', async () => {
    const { act, slug, page } = await mailed(service, server, host, address)
    const tell = (explanation: string) =>
      hideListing(store, slug, explanation, service.clock.now, { actor: 'operator:ann' }).then(() =>
        restoreListing(store, slug, explanation, service.clock.now, { actor: 'operator:ann' }),
      )
    const address_ = () =>
      store.db
        .selectFrom('owner_mail')
        .innerJoin('listing', 'listing.id', 'owner_mail.listingId')
        .select('refusals')
        .where('hostname', '=', host)
        .execute()
    const ofServer = [
      '554 5.7.1 Relaying denied',
      '550 relay not permitted',
      '550 Sender verify failed',
      '550 5.1.8 <mail@placard.example>: Sender address rejected: Domain not found',
      '550 5.1.0 <mail@placard.example> sender rejected',
      '504 5.5.2 <placard>: Helo command rejected: need fully-qualified hostname',
    ]
    server.refuses = () => ofServer[0]
    await tell('Once.')
    for (const [nth, minutes] of [1, 5, 15, 60, 60, 60].entries()) {
      const refused = { attempts: nth + 1, sendAt: service.clock.now + minutes * MINUTE_MS }
      await expect.poll(pending).toMatchObject([refused, refused])
      expect(await address_(), ofServer[nth]).toEqual([{ refusals: 0 }])
      server.refuses = () => ofServer[nth + 1] ?? `550 5.1.1 <${address}> has no mailbox here`
      service.clock.now = refused.sendAt
    }
    await expect.poll(pending).toEqual([])
    expect(await address_()).toEqual([{ refusals: 2 }])
    expect(await page()).toContain('The last mail was refused')
    // One that arrives starts the count again.
    server.refuses = () => undefined
    await act('mail', { address: '', decided: 'yes' })
    await tell('Twice.')
    await mailsAre(2)
    await expect.poll(address_).toEqual([{ refusals: 0 }])
    server.refuses = () => '550 No such user'
    await tell('Thrice.')
    await expect.poll(address_).toEqual([{ refusals: 2 }])
    await hideListing(store, slug, 'Last.', service.clock.now, { actor: 'operator:ann' })
    await expect.poll(address_).toEqual([])
    await expect.poll(pending).toEqual([])
  })

  it('delays nothing else while the mail server stalls', async () => {
    const { slug } = await mailed(service, server, host, address)
    const { promise: stalled, resolve: fail } = Promise.withResolvers<Error>()
    // The weekly mails of earlier listings would wait first, until they are given up.
    server.beforeAnswer = async to => (to === address ? stalled : undefined)
    await hideListing(store, slug, 'Slow.', service.clock.now, { actor: 'operator:ann' })
    const first = await mailsAre(1)
    // The service publishes, and its other jobs run on.
    await listed(service, `meanwhile-${host}`)
    const unlogged = () => store.db.selectFrom('decision').select('decision.id').where('position', 'is', null).execute()
    await expect.poll(unlogged).toEqual([])
    expect(server.to(address)).toHaveLength(2)
    fail(new Error('Busy'))
    await expect.poll(async () => (await pending())[0]?.sendAt).toBe(service.clock.now + MINUTE_MS)
    server.beforeAnswer = async () => undefined
    service.clock.now += MINUTE_MS
    const second = await mailsAre(2)
    expect(second?.headers.get('message-id')).toBe(first?.headers.get('message-id'))
    expect(second?.headers.get('date')).toBe(first?.headers.get('date'))
    expect(linkIn(second, 'off')).toBe(linkIn(first, 'off'))
    await expect.poll(pending).toEqual([])
  })
})

it('a mail about a board of play money says so', async () => {
  const server = await startMailServer()
  const env = {
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_nobody',
    STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
    ALLOW_TEST_MONEY: '1',
  }
  const service = await startTestService({ env: { ...server.env, ...env }, jobsEveryMs: 100 })
  const { store, pay } = await payingFor(service)
  await mailed(service, server, 'played.com', 'joe@example.org')
  await pay('played.com', 10)
  service.clock.now += 10 * MINUTE_MS
  const seen = () => store.db.selectFrom('watched_place').select('rank').execute()
  await expect.poll(seen).toHaveLength(2)
  await pay('ahead.com', 15)
  service.clock.now += 10 * MINUTE_MS
  await expect.poll(() => store.db.selectFrom('outgoing_mail').select('id').execute()).toHaveLength(1)
  service.clock.now += MINUTE_MS
  await expect.poll(() => server.to('joe@example.org')).toHaveLength(2)
  const mail = server.to('joe@example.org')[1]
  for (const part of [mail?.text, mail?.html]) {
    expect(part).toContain('Paid with play money')
    expect(part).toContain('It uses play money, and no one is charged.')
    expect(part).not.toContain('Paid placement')
  }
  await store.close()
  await service.stop()
  await server.close()
})

it('a mail is not sent about a page that could not be loaded only because the service stops', async () => {
  const server = await startMailServer()
  const service = await startTestService({ env: server.env, jobsEveryMs: 100 })
  await mailed(service, server, 'stopped.com', 'joe@example.org')
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  service.sites.set('stopped.com', () => ask())
  const { store } = await payingFor(service)
  const facts = { failingSince: service.clock.now - daysMs(1), httpStatus: 500 }
  const { id } = await store.db.selectFrom('listing').select('id').executeTakeFirstOrThrow()
  await store.transact(trx => notifyFollower(trx, id, { kind: 'page_gone', facts }, service.clock.now))
  await asked
  await service.stop()
  expect(server.to('joe@example.org')).toHaveLength(1)
  expect(await store.db.selectFrom('outgoing_mail').select('kind').execute()).toEqual([{ kind: 'page_gone' }])
  await store.close()
  await server.close()
})
