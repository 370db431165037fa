// @module-tag slow
import { CONTRACT_VERSION } from '@placard/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { undecided } from '../../../src/web/list/self-routes.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import {
  check,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml, startSites } from '../../support/sites.ts'
import { openPrivatePage } from '../manage/owner.ts'
import { newVisitor, type Visitor } from '../visitor.ts'

/** More than any other test here makes. */
const CHECKS_OF_CLIENT = 8

describe.each(SAME_SQL)('listing a website without an agent, on %s', engine => {
  let service: TestService
  let store: Store
  beforeAll(async () => {
    const sites = await startSites()
    service = await startTestService({
      engine,
      sites,
      jobsEveryMs: 0,
      env: {
        // No website has HTTPS.
        FETCH_CONNECT_TO: `${sites.connectTo},:443:127.0.0.1:1`,
        TRUSTED_PROXIES: '127.0.0.1',
        LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000',
        LIMIT_CHECKS_PER_DAY_PER_IP: String(CHECKS_OF_CLIENT),
        LIMIT_CHECKS_PER_DAY_PER_HOST: '4',
        LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '3',
        LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100000',
      },
    })
    store = await service.database.openStore()
  })
  afterAll(async () => {
    await service.stop()
    await service.sites.close()
  })

  let host = ''
  let hosts = 0
  let head = ''
  let visitor: Visitor
  let from: Record<string, string>
  beforeEach(() => {
    host = `self-listed-${engine}-${++hosts}.com`
    head = ''
    visitor = newVisitor(service)
    from = { 'x-forwarded-for': `10.${hosts}.1.1` }
    service.sites.set(host, (_request, response) =>
      sendHtml(response, `<head>${head}<title>Rye and Barley</title></head><p>Hello`),
    )
  })
  afterEach(async () => {
    for (const html of visitor.pages) expect(await htmlFaults(html)).toEqual([])
  })

  const fields = () => ({ address: `http://${host}/`, category: 'Food & Drink' })
  const preview = () => visitor.post('/list/self', fields(), from)
  const fieldIn = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  const linkIn = (html: string) => /<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(html)?.[1] ?? ''
  /** Puts the token of the page on the website. @returns the number of this page's submission */
  function putToken(html: string): string {
    head = `<meta name="placard-challenge" content="${/plc_\w{40}/.exec(html)?.[0]}">`
    return fieldIn(html, 'attempt')
  }
  const send = (attempt: string, rules = CONTRACT_VERSION) =>
    visitor.post('/list/self/publish', { ...fields(), attempt, rules }, from)
  const listed = () => store.db.selectFrom('listing').select(['id', 'category']).where('hostname', '=', host).execute()

  it('shows a preview, takes a proof, and gives the private link', async () => {
    const { status, html } = await preview()
    expect(status).toBe(200)
    expect(html).toContain('<dd dir="auto">Rye and Barley</dd>')
    expect(await listed()).toEqual([])
    const attempt = putToken(html)
    const answer = await send(attempt)
    expect([answer.status, answer.html.includes('It’s public')]).toEqual([200, true])
    const link = linkIn(answer.html)
    expect((await openPrivatePage(link)).status).toBe(204)
    expect(await listed()).toMatchObject([{ category: 'Food & Drink' }])
    expect((await openPrivatePage(link)).status).toBe(204)
    const page = await (await fetch(`${service.url}/product/${host.replaceAll('.', '-')}`)).text()
    expect(page).toContain('Verified in')
    // The same page, sent again, as after a lost reply.
    expect(linkIn((await send(attempt)).html)).toBe(link)
    const attempts = await store.db
      .selectFrom('attempt')
      .innerJoin('claim', 'claim.requestId', 'attempt.requestId')
      .select(['state', 'approvalScope', 'rulesVersion'])
      .where('hostname', '=', host)
      .execute()
    const approved = { approvalScope: 'owner_proof', rulesVersion: CONTRACT_VERSION }
    expect(attempts).toEqual([{ state: 'published', ...approved }])
    // As after days without the proof.
    await store.db.deleteFrom('site_owner').execute()
    const unproved = await (await fetch(`${service.url}/product/${host.replaceAll('.', '-')}`)).text()
    expect(unproved).toContain('A person posted this after proof of control of the website.')
    const shown = await operateHere(service.database.env, 'show', `https://${host}`)
    expect(shown.output).toContain('by its owner without an agent, submission')
  })

  it('says why the website could not be read, and how to name one without HTTPS', async () => {
    service.sites.set(host, (_request, response) => response.writeHead(500).end())
    const { status, html } = await preview()
    expect([status, html.includes('The website answered with status 500. Nothing')]).toEqual([503, true])
    const secure = await visitor.post('/list/self', { ...fields(), address: host }, from)
    expect([secure.status, secure.html.includes('write http:// before its name. Nothing was')]).toEqual([503, true])
  })

  it('does not speak of HTTPS to the owner of a website that answers by it, or whose name is unknown', () => {
    for (const detail of [
      'The website answered with status 503.',
      'The website shows a check for robots instead of its page.',
      'The name of the website could not be looked up in the DNS.',
      'The connection to the website broke off.',
    ]) {
      const text = undecided(
        { reason: 'site_unreachable', detail, cause: new Error('as of a page') },
        { url: 'https://acme.com/' },
      )
      expect(text).toBe(`${detail} Nothing was decided: try again in a minute.`)
    }
  })

  it('puts no private link and no password into the address of the page that says what is wrong', async () => {
    for (const [address, fault] of [
      [`${service.url}/manage/0190#owner=SECRET`, 'This looks like a private link'],
      [`${service.url}/manage/0190%23own%65r%3DSECRET`, 'This looks like a private link'],
      ['https://me:SECRET@my-shop.com/', 'That isn’t a full address'],
      ['no host', 'That isn’t a full address'],
    ] as const) {
      const { status, location = '' } = await visitor.post('/list/self', { ...fields(), address }, from)
      expect([status, location]).toEqual([303, expect.not.stringContaining('SECRET')])
      const { html } = await visitor.get(location, from)
      expect(html).toContain(fault)
      expect(html.includes('value="no host"')).toBe(address === 'no host')
    }
  })

  it('publishes once from two tabs', async () => {
    const pages = [await preview(), await preview()]
    const attempts = pages.map(({ html }) => putToken(html))
    const answers = await Promise.all(attempts.map(attempt => send(attempt)))
    expect(new Set(answers.map(({ html }) => linkIn(html))).size).toBe(1)
    expect(await listed()).toHaveLength(1)
  })

  it('publishes nothing without the token, the yes to the rules, or this browser', async () => {
    const attempt = fieldIn((await preview()).html, 'attempt')
    expect(await send(attempt)).toMatchObject({ status: 422, html: expect.stringContaining('nothing was published') })
    putToken((await preview()).html)
    expect(await send(attempt, 'no')).toMatchObject({ status: 400, html: expect.stringContaining('tick the box') })
    visitor = newVisitor(service)
    expect(await send(attempt)).toMatchObject({ status: 400, html: expect.stringContaining('Your token has expired') })
    const foreign = { ...from, 'sec-fetch-site': 'cross-site' }
    expect((await visitor.post('/list/self/publish', { ...fields(), attempt }, foreign)).status).toBe(403)
    expect(await listed()).toEqual([])
  })

  it('says why a page is refused, and lists it once it is mended', async () => {
    head = '<meta name="rating" content="adult">'
    expect((await preview()).html).toContain('It can’t be listed as it is')
    head = ''
    const attempt = putToken((await preview()).html)
    const tag = head
    head += '<meta name="rating" content="adult">'
    const refused = await send(attempt)
    expect([refused.status, refused.html.includes('It can’t be listed as it is')]).toEqual([422, true])
    head = tag
    expect((await send(fieldIn((await preview()).html, 'attempt'))).html).toContain('It’s public')
  })

  it('leads to the proof for a website that is listed already, and gives its link at the end', async () => {
    const attempt = putToken((await preview()).html)
    const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
    expect((await preview()).html).toContain(`/own?address=${encodeURIComponent(`http://${host}/`)}`)
    const { html } = await send(attempt)
    expect((await openPrivatePage(linkIn(html))).status).toBe(204)
    expect((await openPrivatePage(body.ownership.privateRecoveryUrl ?? '')).status).toBe(404)
  })

  it('gives no link for a token on another spelling of a listed address', async () => {
    const { html } = await preview()
    const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
    const tag = `<meta name="placard-challenge" content="${/plc_\w{40}/.exec(html)?.[0]}">`
    service.sites.set(`www.${host}`, (_request, response) => sendHtml(response, `<head>${tag}</head>`))
    const sent = { ...fields(), address: `http://www.${host}/`, attempt: fieldIn(html, 'attempt') }
    const answer = await visitor.post('/list/self/publish', { ...sent, rules: CONTRACT_VERSION }, from)
    expect([answer.status, linkIn(answer.html)]).toEqual([422, ''])
    expect((await openPrivatePage(body.ownership.privateRecoveryUrl ?? '')).status).toBe(204)
  })

  it('does not call a listing public that is hidden or has ended', async () => {
    const attempt = putToken((await preview()).html)
    expect((await send(attempt)).html).toContain('It’s public')
    const [{ id } = { id: 0 }] = await listed()
    const past = { expiresAt: service.clock.now }
    for (const fields of [past, { hiddenAt: service.clock.now, hiddenBy: 'operator' as const }]) {
      await store.db.updateTable('listing').set(fields).where('id', '=', id).execute()
      const { html } = await send(attempt)
      expect((await openPrivatePage(linkIn(html))).status).toBe(204)
      expect(html).not.toContain('It’s public')
      expect(html).toContain('The listing is not shown right now')
    }
  })

  it('works without a preview if others have used up the checks of the website', async () => {
    for (let nth = 0; nth < 4; nth++) {
      const others = { 'x-forwarded-for': `172.16.${nth}.1` }
      const asked = { destination: `http://${host}/`, category: 'Food & Drink' }
      expect((await check(service, asked, others)).status).toBe(200)
    }
    const { status, html } = await preview()
    expect([status, html.includes('It can’t be listed as it is')]).toEqual([429, false])
    expect((await send(putToken(html))).html).toContain('It’s public')
  })

  it('works without a preview if its network has used up its checks', async () => {
    for (let nth = 0; nth < CHECKS_OF_CLIENT; nth++) {
      const asked = { destination: `http://checked-${hosts}-${nth}.com/`, category: 'Food & Drink' }
      expect((await check(service, asked, from)).status).toBe(200)
    }
    const { status, html } = await preview()
    expect([status, html.includes('can’t be listed')]).toEqual([429, false])
    expect((await send(putToken(html))).html).toContain('It’s public')
  })

  it('counts as any other submission of its network', async () => {
    const attempt = putToken((await preview()).html)
    for (let nth = 0; nth < 3; nth++) {
      const { status } = await publish(
        service,
        newCredentials(),
        publishBody(`http://other-${hosts}-${nth}.com/`),
        from,
      )
      expect(status).toBe(201)
    }
    for (const page of [(await preview()).html, (await send(attempt)).html]) {
      expect(page).toContain('It can’t be listed now')
      expect(page).toContain('Your network has reached its daily limit of new listings. Try again after midnight UTC.')
      expect(page).not.toMatch(/retryAfterSeconds|key, secret and body|Have you changed the page/)
    }
    expect(await listed()).toEqual([])
  })

  it('sends a form with a missing part back to the page that explains it', async () => {
    const answer = await visitor.post('/list/self', { address: 'localhost', category: 'None' })
    expect([answer.status, answer.location]).toEqual([303, '/list?address=localhost&category='])
  })
})
