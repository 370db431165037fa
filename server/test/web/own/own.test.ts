// @module-tag slow
import { SUBMISSIONS_PATH, type SubmissionStatus } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hidingDecision } from '../../../src/domain/decisions/record.ts'
import { decideAppeal } from '../../../src/domain/moderation/appeals/decide-appeal.ts'
import { appealDecision } from '../../../src/domain/moderation/appeals/routes.ts'
import { endListing } from '../../../src/domain/moderation/end-dates.ts'
import { settleFinding } from '../../../src/domain/moderation/findings.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { PROOF_LIFETIME_MS } from '../../../src/domain/ownership/site-proof.ts'
import { blockHost } from '../../../src/domain/review/reviewers/blocked-hosts.ts'
import { deleteDueRows } from '../../../src/ops/jobs/delete-old-rows.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { callTool } from '../../agents/mcp/messages.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { payFor } from '../../support/ledger.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openPrivatePage } from '../manage/owner.ts'
import { newVisitor, type Visitor } from '../visitor.ts'

describe.each(SAME_SQL)('the page for owners, on %s', engine => {
  let service: TestService
  let store: Store
  beforeAll(async () => {
    service = await startTestService({
      engine,
      env: { TRUSTED_PROXIES: '127.0.0.1', LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000' },
      jobsEveryMs: 0,
    })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())

  let host = ''
  let hosts = 0
  beforeEach(() => {
    host = `owned-${++hosts}.com`
    tokens.clear()
    service.sites.set(host, (_request, response) =>
      sendHtml(
        response,
        `<head>${[...tokens].map(token => `<meta name="placard-challenge" content="${token}">`).join('')}<title>Shop</title></head><p>Hello`,
      ),
    )
  })

  /** What the website shows. */
  const tokens = new Set<string>()
  const address = () => ({ address: `http://${host}/` })
  const tokenIn = (html: string) =>
    /content=(?:"|&quot;)(plc_\w{40})/.exec(html)?.[1] ?? expect.fail('there is no token')
  const linkIn = (html: string) => /<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(html)?.[1] ?? ''
  const check = (visitor: Visitor) => visitor.post('/own/check', address())

  /** A browser that has put its token on the website. */
  async function newProver(): Promise<Visitor & { token: string }> {
    const visitor = newVisitor(service)
    const { html } = await visitor.get(`/own?${new URLSearchParams(address())}`)
    const token = tokenIn(html)
    tokens.add(token)
    return { ...visitor, token }
  }

  async function listByAgent() {
    const credentials = newCredentials()
    const { body } = await publish(service, credentials, publishBody(`http://${host}/`))
    const again = async () => (await publish(service, credentials, publishBody(`http://${host}/`))).body
    async function state(): Promise<SubmissionStatus> {
      const headers = { 'x-submission-secret': credentials.secret }
      return (await fetch(`${service.url}${SUBMISSIONS_PATH}/${credentials.key}`, { headers })).json()
    }
    const slug = body.productUrl.split('/').at(-1) ?? ''
    return { link: body.ownership.privateRecoveryUrl ?? '', slug, again, state }
  }

  const opens = async (link: string) => (await openPrivatePage(link)).status === 204
  const reasons = async (slug: string) => {
    const rows = await store.db
      .selectFrom('decision')
      .innerJoin('listing', 'listing.id', 'decision.listingId')
      .select('reason')
      .where('slug', '=', slug)
      .where('kind', '=', 'prove')
      .orderBy('at')
      .orderBy('decision.id')
      .execute()
    return rows.map(({ reason }) => reason)
  }

  it('gives the private link of a listing that another person posted, whose link ends', async () => {
    const { body: another } = await publish(service, newCredentials(), publishBody('http://another.com/'))
    const posted = await listByAgent()
    const readAnother = async () => (await fetch(`${service.url}/api/v1/listings/another-com`)).json()
    const before = await readAnother()
    service.clock.now += 1000
    const prover = await newProver()
    const { status, html } = await check(prover)
    expect(status).toBe(200)
    expect(await readAnother()).toEqual(before)
    expect(html).not.toContain('Turn on mail')
    expect(html).toContain('QR code of the private link')
    const link = linkIn(html)
    expect([await opens(link), await opens(posted.link)]).toEqual([true, false])
    expect(await opens(another.ownership.privateRecoveryUrl ?? '')).toBe(true)
    const receipt = await posted.again()
    expect(receipt).toMatchObject({
      status: 'published',
      ownership: { recoveryUnavailable: true, domainOwnershipVerified: false },
      notice: expect.stringContaining('Somebody has proved that the website is theirs'),
    })
    expect(JSON.stringify(receipt)).not.toContain('#owner=')
    expect(await posted.state()).toMatchObject({ state: 'published', notice: receipt.notice })
    expect(await reasons(posted.slug)).toEqual(['claimed'])
    // The agent's replay recovers no later link either.
    const renewed = (await (await openPrivatePage(link)).act('renew', { link, confirm: 'yes' })).newLink ?? ''
    expect(await opens(renewed)).toBe(true)
    expect(JSON.stringify(await posted.again())).not.toContain('#owner=')
  })

  it('gives the same browser the same link again, as after a lost reply or in a second tab', async () => {
    await listByAgent()
    const prover = await newProver()
    const links = (await Promise.all([check(prover), check(prover)])).map(({ html }) => linkIn(html))
    expect(links[0]).toBe(links[1])
    expect(await opens(links[0] ?? '')).toBe(true)
  })

  it('counts again when the same browser proves the website after its proof was gone for a week', async () => {
    const { slug } = await listByAgent()
    const prover = await newProver()
    const link = linkIn((await check(prover)).html)
    service.clock.now += daysMs(8)
    // As the daily check does with a proof that is gone.
    await store.transact(trx => trx.deleteFrom('site_owner').execute())
    expect(linkIn((await check(prover)).html)).toBe(link)
    const data = await fetch(`${service.url}/api/v1/listings/${slug}`)
    expect(await data.json()).toMatchObject({ ownerVerifiedSince: service.clock.now })
  })

  it('gives nothing without the token on the website, and says what is there', async () => {
    const posted = await listByAgent()
    const prover = await newProver()
    tokens.clear()
    expect(await check(prover)).toMatchObject({
      status: 422,
      html: expect.stringContaining('has no placard-challenge tag'),
    })
    // Another browser's token, and one of another website.
    const other = await newProver()
    expect((await check(prover)).status).toBe(422)
    expect((await prover.post('/own/check', { address: 'http://another.com/' })).status).toBe(422)
    service.clock.now += PROOF_LIFETIME_MS
    expect(await check(other)).toMatchObject({ status: 400, html: expect.stringContaining('Your token has expired') })
    expect(await opens(posted.link)).toBe(true)
  })

  it('lets a later prover wait for three days, and then gives them the link', async () => {
    const posted = await listByAgent()
    const first = linkIn((await check(await newProver())).html)
    const later = await newProver()
    expect((await check(later)).html).toContain('Someone proved it before you')
    service.clock.now += daysMs(3) - 1
    expect((await check(later)).html).toContain('Someone proved it before you')
    expect(await opens(first)).toBe(true)
    service.clock.now += 1
    const link = linkIn((await check(later)).html)
    expect([await opens(link), await opens(first)]).toEqual([true, false])
    expect(await reasons(posted.slug)).toEqual(['claimed', 'waits', 'claimed'])
  })

  it('ends the wait of a prover who does not come back before their token expires', async () => {
    const { slug } = await listByAgent()
    const link = linkIn((await check(await newProver())).html)
    await check(await newProver())
    const clean = () => deleteDueRows({ store, clock: () => service.clock.now }, new AbortController().signal)
    const page = async () => (await (await openPrivatePage(link)).read()).html
    service.clock.now += PROOF_LIFETIME_MS
    await clean()
    expect(await page()).toContain('Someone else has proved this website, too.')
    service.clock.now += 1
    await clean()
    expect(await page()).not.toContain('Someone else has proved this website, too.')
    // The next one waits, and does not lead to the operator.
    expect((await check(await newProver())).html).toContain('Someone proved it before you')
    expect(await reasons(slug)).toEqual(['claimed', 'waits', 'waits'])
  })

  it('notifies the owner of another proof, who keeps the listing by a new proof until the operator decides', async () => {
    const { slug } = await listByAgent()
    const owner = await newProver()
    const link = linkIn((await check(owner)).html)
    const page = await openPrivatePage(link)
    await page.act('feed')
    const later = await newProver()
    await check(later)
    const feed = /\/feed\/[\w-]+\.atom/.exec((await page.read()).html)?.[0] ?? ''
    expect(await (await fetch(service.url + feed)).text()).toContain('Someone else proved that ')
    expect((await page.read()).html).toMatch(/They get the private link on .* before that\./s)
    service.clock.now += daysMs(4)
    // The other one has not come back, and the owner can still keep it.
    expect((await (await openPrivatePage(link)).read()).html).toContain(
      'They can get the private link at any moment. To keep the listing, prove the website again now.',
    )
    expect(linkIn((await check(owner)).html)).toBe(link)
    expect((await check(later)).html).toContain('The operator decides')
    expect(await opens(link)).toBe(true)
    expect(await reasons(slug)).toEqual(['claimed', 'waits', 'contested'])
    const finding = await store.db
      .selectFrom('finding')
      .innerJoin('listing', 'listing.id', 'finding.listingId')
      .select(['finding.id', 'kind'])
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
    expect(finding.kind).toBe('contested')
    await store.transact(trx => settleFinding(trx, finding.id, 'Ada knows the owner', 'Ada', service.clock.now))
    expect((await check(later)).html).toContain('Someone proved it before you')
  })

  it.each<[string, (slug: string) => Promise<unknown>]>([
    ['hidden, with an open appeal', hideAndAppeal],
    [
      'ended by the operator',
      slug => endListing(store, slug, 'too long', service.clock.now, { actor: 'operator:Ada' }),
    ],
  ])('gives the link of a listing that is %s, and does not show it again', async (how, takeDown) => {
    const { slug } = await listByAgent()
    await takeDown(slug)
    const { html } = await check(await newProver())
    expect(html).toContain('The listing is not shown right now')
    const page = await openPrivatePage(linkIn(html))
    expect(await page.act('reopen')).toMatchObject({ status: 409, html: expect.stringContaining('only an appeal') })
    const product = async () => (await fetch(`${service.url}/product/${slug}`)).status
    expect(await product()).toBe(410)
    if (!how.includes('appeal')) return
    // The appeal is about the listing, whoever has its link now.
    const id = (await hidingDecision(store.db, slug)) ?? ''
    await decideAppeal(store, id, 'reversed', { name: 'Ada', explanation: 'It is fine.' }, service.clock.now)
    expect([await product(), await opens(linkIn(html))]).toEqual([200, true])
  })

  async function hideAndAppeal(slug: string) {
    await hideListing(store, slug, 'against the rules', service.clock.now)
    await appealDecision(
      store,
      (await hidingDecision(store.db, slug)) ?? '',
      'It follows them.',
      'owner',
      service.clock.now,
    )
  }

  it('gives the link of a listing on a blocked host, which its owner can’t show again', async () => {
    const { slug } = await listByAgent()
    await blockHost(store, { host, subdomains: false }, 'Spam', { name: 'Ada' }, service.clock.now)
    const page = await openPrivatePage(linkIn((await check(await newProver())).html))
    expect((await page.act('withdraw', { confirm: 'yes' })).status).toBe(303)
    expect(await page.act('reopen')).toMatchObject({ status: 422, html: expect.stringContaining('stays down') })
    expect((await fetch(`${service.url}/product/${slug}`)).status).toBe(410)
  })

  it('is said in search, by the board, to agents and in structured data', async () => {
    const { slug } = await listByAgent()
    const search = async (filter: string) => (await newVisitor(service).get(`/search?q=shop${filter}`)).html
    const page = `/product/${slug}"`
    expect([(await search('')).includes(page), (await search('&verified=1')).includes(page)]).toEqual([true, false])
    await check(await newProver())
    const found = await search('&verified=1')
    expect([found.includes(page), found.includes('name="verified" value="1"')]).toEqual([true, true])
    const { html } = await newVisitor(service).get(`/product/${slug}`)
    expect(html).toMatch(/"disambiguatingDescription":"Owner verified in \w+ 2026"/)
    await payFor(store, host, `pi_${host}`, { amountCents: 500 })
    const board = await fetch(`${service.url}/api/v1/boards/all?limit=100`)
    const { entries } = (await board.json()) as { entries: { productUrl: string; ownerVerifiedSince: number | null }[] }
    expect(entries.find(({ productUrl }) => productUrl.endsWith(`/${slug}`))?.ownerVerifiedSince).toBe(
      service.clock.now,
    )
    const { value } = await callTool(service, '2026-07-28', 'search', { query: host, ownerVerified: true })
    expect(value).toMatchObject({ listings: [{ host, ownerVerifiedSince: service.clock.now }] })
  })

  it.runIf(engine === 'sqlite')(
    'is reached from the listing, the list page, support and the refusal of an agent',
    async () => {
      const { slug } = await listByAgent()
      const visitor = newVisitor(service)
      const own = `/own?${new URLSearchParams(address())}`
      const list = `/list?${new URLSearchParams({ ...address(), category: 'Games' })}`
      for (const path of [`/product/${slug}`, list]) expect((await visitor.get(path)).html).toContain(`href="${own}"`)
      expect((await visitor.get('/support')).html).toContain('href="/own"')
      const refused = await publish(service, newCredentials(), publishBody(`http://${host}/`))
      // A person may read it in a terminal, so it has the whole address, also in the preview of the answer.
      const error = expect.stringContaining(` in a browser, at ${service.url}/own.`)
      const { category } = publishBody(`http://${host}/`)
      const checked = await fetch(`${service.url}/api/v1/agent/check`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ destination: `http://${host}/`, category }),
      })
      expect([refused.body, await checked.json()]).toMatchObject([{ error }, { publishReply: { error } }])
    },
  )

  it('leads to the form for new listings if the website is not listed', async () => {
    const { status, html } = await check(await newProver())
    expect(status).toBe(200)
    expect(html).toContain(`/list?address=${encodeURIComponent(`http://${host}/`)}`)
  })

  it('refuses an address that is none, a form of another website, and a private link', async () => {
    const visitor = newVisitor(service)
    const { link } = await listByAgent()
    for (const typed of ['', 'x', 'http://127.0.0.1/', link]) {
      const { status, html } = await visitor.get(`/own?${new URLSearchParams({ address: typed })}`)
      expect([typed, status]).toEqual([typed, 400])
      expect(html).not.toContain('#owner=')
    }
    const prover = await newProver()
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await prover.post('/own/check', address(), foreign)).status).toBe(403)
    // A browser that comes from another website sends no cookie, which must not cost it its token.
    const { html } = await newVisitor(service).get(`/own?${new URLSearchParams(address())}`, foreign)
    expect(html).toContain('Get a token')
  })

  it('answers its script without changing anything', async () => {
    const { link } = await listByAgent()
    const prover = await newProver()
    const look = async () => JSON.parse((await prover.post('/own/look', address())).html)
    expect(await look()).toEqual({ foundBy: 'meta_tag', isOwner: false, findings: {} })
    expect(await opens(link)).toBe(true)
    await check(prover)
    expect(await look()).toEqual({ foundBy: 'meta_tag', isOwner: true, findings: {} })
    tokens.clear()
    expect(await look()).toMatchObject({
      foundBy: null,
      findings: { meta_tag: expect.stringContaining('no placard-challenge') },
    })
  })
})

it('says who has checked too often, whatever the website', async () => {
  const service = await startTestService({ env: { LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '1' }, jobsEveryMs: 0 })
  const visitor = newVisitor(service)
  for (const [host, status, says] of [
    ['one.com', 422, 'We couldn’t find your token'],
    ['other.com', 429, 'Your network has checked too often. Please wait 10 minutes'],
  ] as const) {
    const address = `http://${host}/`
    await visitor.get(`/own?${new URLSearchParams({ address })}`)
    expect(await visitor.post('/own/check', { address })).toMatchObject({ status, html: expect.stringContaining(says) })
  }
  await service.stop()
})
