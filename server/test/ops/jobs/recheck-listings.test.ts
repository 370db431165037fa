// @module-tag slow
import { BOARDS_PATH, DECISION_HEADER, DECISIONS_PATH } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decideAppeal } from '../../../src/domain/moderation/appeals/decide-appeal.ts'
import { raiseFindings, settleFinding } from '../../../src/domain/moderation/findings.ts'
import { restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { blockHost, unblockHost } from '../../../src/domain/review/reviewers/blocked-hosts.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { followListing, readFeed } from '../../domain/notifications/owner/follower.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { payFor } from '../../support/ledger.ts'
import { operateHere } from '../../support/operate.ts'
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

const HOUR_MS = 60 * 60 * 1000

const BAKERY = {
  title: 'Rye and Barley Bakery',
  text: 'Sourdough loaves, seeded rolls and cinnamon buns from a wood oven. Order until evening and collect before breakfast.',
}
const CASINO = {
  title: 'Lucky Fjord Casino',
  text: 'Play online slots for real money. No deposit bonus, free spins, live casino, sports betting and instant payouts. Claim your welcome bonus now.',
}
const PLUMBER = {
  title: 'Northside Plumbing',
  text: 'Boilers serviced, radiators bled, taps mended. Emergency callouts at weekends, quotes within hours.',
}
const COMMENT = 'mine said verify your account with your recovery phrase, card number and cvv, and your email password'
const PARKED = {
  title: 'bakery-domain.com',
  text: 'This domain is for sale. Buy this domain today.',
}

describe.each(SAME_SQL)('a listed page, looked at again, on %s,', engine => {
  let service: TestService
  let store: Store
  beforeAll(async () => {
    service = await startTestService({ engine, env: { LOOKS_PER_HOUR: '1000' }, jobsEveryMs: 100 })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())

  let host = ''
  let listings = 0
  beforeEach(() => {
    service.clock.now = NOON + daysMs(100 * listings)
    host = `bakery-${++listings}.com`
    show(BAKERY)
  })

  function show({ title, text }: { title: string; text: string }, at = host) {
    service.sites.set(at, (_, response) =>
      sendHtml(response, `<!doctype html><html lang=en><title>${title}</title><h1>${title}</h1><p>${text}`),
    )
  }
  const send = (to: string) =>
    service.sites.set(host, (_, response) => void response.writeHead(301, { location: to }).end())

  const slugOfHost = () => host.replaceAll('.', '-')

  /** A listing, and what its agent learns of it. */
  async function listed() {
    const credentials = newCredentials()
    const receipt = async () =>
      (await publish(service, credentials, publishBody(`http://${host}/`))).body as {
        status: string
        productUrl: string
        ownership: { privateRecoveryUrl?: string }
      }
    expect(await receipt()).toMatchObject({ status: 'published' })
    return {
      status: async () => (await receipt()).status,
      page: async () => (await fetch((await receipt()).productUrl)).text(),
      link: async () => (await receipt()).ownership.privateRecoveryUrl ?? '',
    }
  }
  const seenPage = () =>
    store.db
      .selectFrom('seen_page')
      .innerJoin('listing', 'listing.id', 'seen_page.listingId')
      .selectAll('seen_page')
      .where('hostname', '=', host)
      .executeTakeFirstOrThrow()
  /** Waits until no look is due or in progress. The lease is a quarter of an hour; every plan is later than that. */
  const lookEnded = () =>
    expect
      .poll(async () => (await seenPage()).lookAt, { interval: 20 })
      .toBeGreaterThan(service.clock.now + 15 * 60_000)
  /** Lets time pass until the next look, and waits for that. */
  async function nextLook() {
    const { lookAt } = await seenPage()
    service.clock.now = Math.max(service.clock.now, lookAt)
    await lookEnded()
  }
  const findings = async () => {
    const { output } = await operateHere(service.database.env, 'findings', '--json')
    const all = output
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line))
    return all.filter(({ slug }) => slug === slugOfHost())
  }
  const decisions = () =>
    store.db
      .selectFrom('decision')
      .innerJoin('listing', 'listing.id', 'decision.listingId')
      .select(['kind', 'decision.ground', 'reason', 'actor', 'facts'])
      .where('hostname', '=', host)
      .where('kind', 'in', ['hide', 'refresh'])
      .orderBy('at')
      .execute()

  it('is kept as it was when it was listed, and left alone while it stays so', async () => {
    const { status } = await listed()
    const { snapshot, lookAt } = await seenPage()
    expect(JSON.parse(snapshot ?? '')).toMatchObject({
      domain: host,
      title: BAKERY.title,
      language: 'en',
      certificate: null,
    })
    expect(lookAt).toBe(service.clock.now + daysMs(1))
    await nextLook()
    expect(await status()).toBe('published')
    expect(await findings()).toEqual([])
    // One look is one visit by us and one as a browser.
    expect(service.sites.visits(host)).toBe(3)
  })

  it('is hidden at once if a casino took it over, and owner and operator are notified', async () => {
    const { feed, productUrl } = await followListing(service, host)
    show(CASINO)
    await nextLook()
    expect((await fetch(productUrl)).status).toBe(410)
    expect(await decisions()).toMatchObject([
      { kind: 'hide', ground: 'rules/content@1', reason: 'policy', actor: 'automatic' },
    ])
    expect(JSON.parse((await decisions())[0]?.facts ?? '')).toMatchObject({
      explanation: expect.stringContaining('not what was listed'),
      fetched: { url: `http://${host}/` },
      change: { titleBefore: BAKERY.title, title: CASINO.title },
      verdicts: expect.any(Array),
    })
    expect(await findings()).toMatchObject([{ kind: 'taken_over', evidence: { reason: 'policy' } }])
    expect((await readFeed(feed)).titles).toEqual(['Your listing was taken down'])
  })

  it('is looked at as soon as a payment shows it again after its end', async () => {
    const listing = await listed()
    service.clock.now += daysMs(61)
    await lookEnded()
    expect(await listing.status()).toBe('expired')
    const another = await publish(service, newCredentials(), publishBody(`http://another-${host}/`))
    show(CASINO)
    await payFor(store, host, `pi_${host}`, { amountCents: 2500, at: service.clock.now })
    await expect.poll(listing.status, { interval: 50 }).toBe('unavailable')
    expect([another.status, service.sites.visits(`another-${host}`)]).toEqual([201, 1])
  })

  it('is hidden also if its owner proves it while it is read, and gets its link', async () => {
    const { status } = await listed()
    const owner = newVisitor(service)
    const website = { address: `http://${host}/` }
    const token = /plc_\w{40}/.exec((await owner.get(`/own?${new URLSearchParams(website)}`)).html)?.[0]
    const [read, proven] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let visits = 0
    service.sites.set(host, async (_, response) => {
      read.resolve()
      if (++visits === 1) await proven.promise
      const head = `<title>${CASINO.title}</title><meta name="placard-challenge" content="${token}">`
      sendHtml(response, `<!doctype html><html lang=en>${head}<h1>${CASINO.title}</h1><p>${CASINO.text}`)
    })
    service.clock.now = (await seenPage()).lookAt
    await read.promise
    const { html } = await owner.post('/own/check', website)
    proven.resolve()
    await expect.poll(status).toBe('unavailable')
    const link = /<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(html)?.[1] ?? ''
    expect((await openPrivatePage(link)).status).toBe(204)
  })

  it('is hidden where it is parked', async () => {
    const { status } = await listed()
    show(PARKED)
    await nextLook()
    expect(await status()).toBe('unavailable')
    expect(await decisions()).toMatchObject([{ kind: 'hide', reason: 'parked_domain' }])
  })

  it('is hidden where it leads to another owner’s domain, also if that links back and proves the website', async () => {
    const { status } = await listed()
    show({ ...PLUMBER, text: `${PLUMBER.text}<a href="http://${host}/">More</a>` }, 'plumbers-elsewhere.com')
    send('http://plumbers-elsewhere.com/')
    // Whoever took over a domain can add a record to its DNS.
    const { listingId } = await seenPage()
    const proof = { place: 'dns_txt' as const, tokenHash: 'a'.repeat(64), provenAt: service.clock.now }
    const proven = { listingId, ...proof, checkAt: service.clock.now + daysMs(9), missingSince: null }
    await store.db.insertInto('site_owner').values(proven).execute()
    await nextLook()
    expect(await status()).toBe('unavailable')
    expect(await decisions()).toMatchObject([{ kind: 'hide', reason: 'redirects_elsewhere' }])
  })

  it.each([
    [
      'published',
      '한빛 빵집',
      '한빛 빵집에 오신 것을 환영합니다! 호밀빵과 단팥빵을 굽고 식빵도 팝니다. 마포구 매장에서 만나요.',
    ],
    ['unavailable', '정우 설비', '보일러 수리, 배관 청소를 합니다. 주말 출장도 가능합니다. 해운대구에 있습니다.'],
  ])('in Korean, is %s where its domain leads to another one with “%s”', async (outcome, title, text) => {
    const before = '매일 아침 갓 구운 빵을 팝니다. 식빵, 호밀빵, 단팥빵이 있습니다. 오전에 찾아가세요. 마포구에 있어요.'
    show({ title: '한빛 빵집', text: before })
    const { status } = await listed()
    show({ title, text }, `new-${host}`)
    send(`http://new-${host}/`)
    await nextLook()
    expect(await status()).toBe(outcome)
  })

  it('stays published if a visitor wrote on it, with its paid place, and the operator is notified at once', async () => {
    show({ ...BAKERY, title: `${BAKERY.title} ${engine}` })
    const { page } = await listed()
    await payFor(store, host, `pay-${host}`, { amountCents: 900_000, at: service.clock.now })
    const first = async () => {
      const board = await fetch(`${service.url}${BOARDS_PATH}/all`)
      return ((await board.json()) as { entries: { productUrl: string }[] }).entries[0]?.productUrl
    }
    await expect.poll(first).toContain(`/product/${slugOfHost()}`)
    // A payment causes a look at once.
    await lookEnded()
    const text = `${BAKERY.text}<p>${COMMENT}`
    show({ title: `${BAKERY.title} ${engine}`, text })
    await nextLook()
    expect(await page()).toContain(BAKERY.title)
    expect(await first()).toContain(`/product/${slugOfHost()}`)
    expect(await decisions()).toEqual([])
    expect(await findings()).toMatchObject([
      { kind: 'fails_review', evidence: { reason: 'malicious', reviewer: 'phrases' } },
    ])
  })

  describe('whose refusal an appeal reversed,', () => {
    const PHISHER = {
      title: 'Wallet sync',
      text: 'Connect your wallet now.<form action="http://collect-here.net/"><input type=password></form>',
    }
    const QUOTER = {
      title: 'Letters we were sent',
      text: `A diary of strange mail, kept by two retired postmen in a harbour town. Parcels from emperors, invoices for
        submarines, a marriage proposal with the stamp upside down. ${COMMENT} Then came the flood, and letters dried on
        washing lines between chimneys.`,
    }

    async function listedAfterAppeal(page = QUOTER) {
      show(page)
      const credentials = newCredentials()
      const send = () => publish(service, credentials, publishBody(`http://${host}/`))
      const refused = await send()
      expect([refused.status, refused.body.reason]).toEqual([422, 'malicious'])
      const id = refused.headers.get(DECISION_HEADER) ?? ''
      await reverse(id, credentials.secret)
      const accepted = await send()
      expect(accepted.status).toBe(201)
      const { privateRecoveryUrl: link = '' } = accepted.body.ownership
      return { link, status: async () => (await send()).body.status }
    }
    async function reverse(id: string, secret: string) {
      const appealed = await fetch(`${service.url}${DECISIONS_PATH}/${id}/appeal`, {
        method: 'POST',
        headers: { 'x-submission-secret': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ statement: 'They are quotes.' }),
      })
      expect(appealed.status).toBe(200)
      const by = { name: 'ann', explanation: 'They are.' }
      expect(await decideAppeal(store, id, 'reversed', by, service.clock.now)).toMatchObject({
        changed: true,
      })
    }

    it('raises nothing while unchanged, and a finding when it says more', async () => {
      const { status } = await listedAfterAppeal()
      await nextLook()
      expect(await findings()).toEqual([])
      show({ ...QUOTER, text: `${QUOTER.text} Confirm your card! Your seed phrase!` })
      await nextLook()
      expect(await status()).toBe('published')
      expect(await findings()).toMatchObject([{ kind: 'fails_review', evidence: { reviewer: 'phrases' } }])
    })

    it('raises nothing also if the refusal names the website to which it sends passwords', async () => {
      await listedAfterAppeal({ ...PHISHER, title: 'Members of the rowing club' })
      expect(await findings()).toEqual([])
      await nextLook()
      expect(await findings()).toEqual([])
    })

    it('can be refreshed by its owner, unless it says more', async () => {
      const { link } = await listedAfterAppeal()
      const owner = await openPrivatePage(link)
      expect((await owner.act('refresh')).status).toBe(303)
      expect(await findings()).toEqual([])
      show({ ...QUOTER, text: `${QUOTER.text} Confirm your card! Your seed phrase!` })
      expect((await owner.act('refresh')).status).toBe(422)
    })

    it('is hidden once it is a phishing form', async () => {
      const { status } = await listedAfterAppeal()
      show(PHISHER)
      await nextLook()
      expect(await status()).toBe('unavailable')
      expect(await decisions()).toMatchObject([{ kind: 'hide', reason: 'malicious' }])
    })

    it('is hidden once another page uses the very words that were judged', async () => {
      const { status } = await listedAfterAppeal()
      show({ title: 'Sign in', text: COMMENT })
      await nextLook()
      expect(await status()).toBe('unavailable')
    })

    it('can be refreshed also if that refusal had taken it down, unless it says more', async () => {
      const credentials = newCredentials()
      const { body } = await publish(service, credentials, publishBody(`http://${host}/`))
      show({ title: 'Sign in', text: COMMENT })
      await nextLook()
      const hidden = await fetch(body.productUrl)
      expect(hidden.status).toBe(410)
      await reverse(hidden.headers.get(DECISION_HEADER) ?? '', credentials.secret)
      expect((await fetch(body.productUrl)).status).toBe(200)
      const owner = await openPrivatePage(body.ownership.privateRecoveryUrl ?? '')
      expect((await owner.act('refresh')).status).toBe(303)
      expect(await (await fetch(body.productUrl)).text()).toContain('Sign in')
      show({ title: 'Sign in', text: `${COMMENT} Confirm your card! Your seed phrase!` })
      expect((await owner.act('refresh')).status).toBe(422)
    })

    it('becomes a finding when its host is blocked, and again if it says more after that was settled', async () => {
      const { status } = await listedAfterAppeal()
      await blockHost(store, { host, subdomains: false }, 'x', { name: 'ann' }, service.clock.now)
      await nextLook()
      const [finding, ...others] = await findings()
      expect([finding, others]).toMatchObject([
        { kind: 'fails_review', evidence: { reviewer: 'blocked-hosts', listed: host } },
        [],
      ])
      await store.transact(trx => settleFinding(trx, finding.id, 'It may stay.', 'ann', service.clock.now))
      await nextLook()
      expect(await findings()).toEqual([])
      await unblockHost(store, host, 'x', 'ann', service.clock.now)
      show({ ...QUOTER, text: `${QUOTER.text} Confirm your card! Your seed phrase!` })
      await nextLook()
      expect(await findings()).toMatchObject([{ kind: 'fails_review', evidence: { reviewer: 'phrases' } }])
      expect(await status()).toBe('published')
    })
  })

  it('is not hidden again for the same, once a person has brought it back, but for anything new', async () => {
    const { status, page } = await listed()
    show(CASINO)
    await nextLook()
    expect(await status()).toBe('unavailable')
    await restoreListing(store, slugOfHost(), 'It is theirs', service.clock.now)
    await expect.poll(async () => (await seenPage()).tries).toBe(1)
    expect(await status()).toBe('published')
    // From then on it is compared with the page that was brought back.
    const [finding] = await findings()
    await store.transact(trx => settleFinding(trx, finding.id, 'It is theirs.', 'ann', service.clock.now))
    show({ ...CASINO, text: `${CASINO.text} Open daily.` })
    await nextLook()
    expect([await status(), await findings()]).toEqual(['published', []])
    expect(await page()).toContain(CASINO.title)
    show({ title: 'Other slots', text: COMMENT })
    await nextLook()
    expect(await status()).toBe('unavailable')
  })

  it('stays listed through an outage, and the operator hears of it only if that lasts', async () => {
    const { status } = await listed()
    await publish(service, newCredentials(), publishBody(`http://another-${host}/`))
    service.sites.set(host, (_, response) => void response.writeHead(502).end())
    const waits: number[] = []
    for (let tries = 1; tries <= 4; tries++) {
      expect(await findings()).toEqual([])
      await nextLook()
      waits.push((await seenPage()).lookAt - service.clock.now)
    }
    expect(waits.slice(0, 3)).toEqual([HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS])
    expect(await status()).toBe('published')
    const [gone, ...others] = await findings()
    expect([gone, others]).toMatchObject([{ kind: 'gone', evidence: { why: 'HTTP status 502' } }, []])

    // Once the page is back, what else was open about this listing is settled, and nothing else is.
    const now = service.clock.now
    await store.transact(trx => settleFinding(trx, gone.id, 'They move', 'Ann', now))
    const ids = await store.db.selectFrom('listing').select('id').where('hostname', 'like', `%${host}`).execute()
    const twoFaces = [{ kind: 'two_faces' as const, evidence: {} }]
    await store.transact(async trx => {
      for (const { id } of ids) await raiseFindings(trx, id, twoFaces, { since: now, now })
    })
    show(BAKERY)
    await nextLook()
    const all = store.db.selectFrom('finding').innerJoin('listing', 'listing.id', 'listingId').orderBy('finding.id')
    const rows = await all.select(['hostname', 'kind', 'settledBy']).where('hostname', 'like', `%${host}`).execute()
    expect(rows).toEqual([
      { hostname: host, kind: 'gone', settledBy: 'Ann' },
      { hostname: host, kind: 'two_faces', settledBy: 'automatic' },
      { hostname: `another-${host}`, kind: 'two_faces', settledBy: null },
    ])
  })

  it('stays listed when its whole text is another one, and the operator says whether that is right', async () => {
    const { status, page } = await listed()
    show(PLUMBER)
    for (let tries = 1; tries <= 4; tries++) await nextLook()
    expect(await status()).toBe('published')
    const [finding] = await findings()
    expect(finding).toMatchObject({
      kind: 'rewritten',
      evidence: { titleBefore: BAKERY.title, title: PLUMBER.title },
    })
    await nextLook()
    expect(await page()).toContain(BAKERY.title)

    const settled = await operateHere(
      service.database.env,
      'settle-finding',
      String(finding.id),
      '--reason',
      'Sold the shop',
      '--as',
      'Ann',
    )
    expect(settled).toEqual({ code: 0, output: expect.stringContaining('is settled') })
    await nextLook()
    expect(await page()).toContain(PLUMBER.title)
    expect(await findings()).toEqual([])
  })

  it('has its new title taken over after review', async () => {
    const { page } = await listed()
    show({ ...BAKERY, title: 'Rye and Barley: bakery and café' })
    await nextLook()
    expect(await page()).toContain('Rye and Barley: bakery and café')
    expect(await decisions()).toMatchObject([{ kind: 'refresh', actor: 'automatic' }])
    const asData = await fetch(`${service.url}/api/v1/listings/${slugOfHost()}`)
    expect(await asData.json()).toMatchObject({ title: expect.stringContaining('Rye'), updatedAt: service.clock.now })
  })

  it('keeps what its owner refreshed while it was read', async () => {
    const { page, link } = await listed()
    const privateLink = await link()
    const [read, refreshed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let title = 'Rye and Barley: bakery and café'
    service.sites.set(host, async (request, response) => {
      const shown = `<!doctype html><html lang=en><title>${title}</title><h1>${title}</h1><p>${BAKERY.text}`
      if (request.headers['user-agent']?.startsWith('Mozilla/')) {
        read.resolve()
        await refreshed.promise
      }
      sendHtml(response, shown)
    })
    service.clock.now = (await seenPage()).lookAt
    await read.promise
    title = 'Rye and Barley: now open on Sundays'
    const owner = await openPrivatePage(privateLink)
    expect((await owner.act('refresh')).status).toBe(303)
    refreshed.resolve()
    await lookEnded()
    expect(await page()).toContain(title)
  })

  it('that shows browsers something else is a finding, and not hidden', async () => {
    const { status } = await listed()
    service.sites.set(host, (request, response) => {
      const { title, text } = request.headers['user-agent']?.startsWith('Mozilla/') ? CASINO : BAKERY
      sendHtml(response, `<html lang=en><title>${title}</title><p>${text}`)
    })
    for (let tries = 1; tries <= 4; tries++) await nextLook()
    expect(await status()).toBe('published')
    expect(await findings()).toMatchObject([
      { kind: 'two_faces', evidence: { titleToUs: BAKERY.title, titleToBrowsers: CASINO.title } },
    ])
  })

  it('is looked at now on command', async () => {
    // The command's own time. To a service far ahead of it, the command's lease would be over at once.
    service.clock.now = Date.now()
    const { status } = await listed()
    show(CASINO)
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const { code, output } = await operateHere(env, 'review-again', slugOfHost(), '--json')
    expect({ code, looked: JSON.parse(output) }).toMatchObject({
      code: 0,
      looked: { slug: slugOfHost(), verdict: 'taken_over', hidden: true, findings: [{ kind: 'taken_over' }] },
    })
    expect(await status()).toBe('unavailable')
    expect((await operateHere(env, 'review-again', slugOfHost())).output).toContain('is not shown')
    expect((await operateHere(env, 'review-again', 'nobody-com')).output).toContain('there is no listing')
  })

  it('is looked at with all others, those that waited longest first', async () => {
    await listed()
    const first = host
    host = `second-${first}`
    show(BAKERY)
    await listed()
    const env = { ...service.database.env, FETCH_CONNECT_TO: service.sites.connectTo }
    const { output } = await operateHere(env, 'review-again', '--all', '--limit', '1')
    expect(output).toContain('rechecked 1 page\n')
    const all = await operateHere(env, 'review-again', '--all', '--json')
    expect(all.output).toContain(`"slug":"${slugOfHost()}","verdict":"same"`)
  })
})
