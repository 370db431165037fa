import { BOARDS_PATH, type BoardPage, type ErrorBody } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configFrom } from '../../src/platform/config/config.ts'
import type { Env } from '../../src/platform/config/settings.ts'
import { PLACARD } from '../../src/platform/config/site.ts'
import { daysMs } from '../../src/platform/lib/time.ts'
import { startService } from '../../src/start.ts'
import { boardDrawing } from '../../src/web/boards/share.ts'
import { post } from '../agents/mcp/messages.ts'
import { migratedDatabase } from '../support/engines.ts'
import { openTestCheckout, payFor } from '../support/ledger.ts'
import { htmlFaults } from '../support/page-faults.ts'
import { NOON, newCredentials, publish, publishBody, quote, startTestService } from '../support/service.ts'
import { deliver, sessionObject, stripeEvent, WEBHOOK_SECRET } from '../support/stripe-events.ts'
import { type Pages, startPages } from './page-app.ts'

const ask = { destination: 'https://bakery.com/', category: 'Food & Drink', board: 'all', targetBid: 25 }

/** What nobody can do here, in words. */
const OF_BUYING =
  /\b(buy|buys|buying|bought|buyers?|purchased?|sells?|sold|for sale|costs?|prices?|priced|quotes?|promote|take no\. ?\d+|go to payment)\b/i
const NO_PLACES = /This site has no paid places\. Listings are free\..* Home /

/** A reason for a refusal, about the domain. */
const NOT_OF_BUYING = /parked or for sale/g

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(NOT_OF_BUYING, '')

/** Reads every page that links lead to, from the home page, the site map and some that only a visitor's act shows. */
async function crawl(pages: Pages, first: string[]) {
  const sitemap = await (await pages.get('/sitemap.xml')).text()
  const maps = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname)
  const listed = await Promise.all(maps.map(async path => (await pages.get(path)).text()))
  const mapped = [...listed.join('').matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname)
  const waiting = new Set(['/', ...first, ...mapped])
  const found = new Map<string, string>()
  for (const path of waiting) {
    const reply = await pages.get(path)
    const type = reply.headers.get('content-type') ?? ''
    if (!/^(text|application\/(json|atom))/.test(type) || /css|javascript/.test(type)) continue
    const body = await reply.text()
    found.set(path, body)
    if (!type.startsWith('text/html')) continue
    for (const [, href = ''] of body.matchAll(/(?:href|action)="([^"#]+)/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), `${pages.url}${path}`)
      if (url.origin === pages.url) waiting.add(url.pathname + url.search)
    }
  }
  return found
}

/** The contract names its fields on every site. The reference for people leaves out the operation. */
const CONTRACT = ['/openapi.json', '/api/v1/agent/capabilities', '/api']

describe('a site that sells nothing', () => {
  let pages: Pages
  let privatePage: string
  let found: Map<string, string>
  beforeAll(async () => {
    pages = await startPages({
      env: { PAYMENTS: 'none', SMTP_URL: 'smtp://127.0.0.1:9', OPERATOR_MAIL_TO: 'ops@example.org' },
    })
    const owner = await pages.addListing({ category: 'Design' })
    const listed = { destinationKey: '2:found.com', url: 'http://found.com/', hostname: 'found.com' }
    const { publicPath } = await pages.addListing({ ...listed, category: 'Design' })
    const hidden = await pages.addListing({ hiddenAt: NOON, hiddenBy: 'owner' })
    const session = await pages.post(`${owner.privatePath}/session`, JSON.stringify({ token: owner.token }), {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    privatePage = await (await pages.get(owner.privatePath, { cookie })).text()
    found = await crawl(pages, [
      ...[publicPath, `${publicPath}/end.ics`, `${publicPath}/reported`, hidden.publicPath, '/nowhere'],
      ...['/list?address=found.com&category=Design', '/list?address=new.com&category=Design'],
      ...['/search?q=bakery', '/agents', '/api', '/console', '/feed.atom', '/board/today/2026-10'],
      ...['/.well-known/agent-skills/placard/SKILL.md', '/.well-known/agent-skills/index.json'],
      ...['/mcp/server-card', '/llms.txt', '/agent-guide.md', '/limits', '/privacy', '/board/today'],
    ])
  })
  afterAll(() => pages.close())

  test('mentions neither buying nor a price on any page', async () => {
    expect(found.size).toBeGreaterThan(45)
    expect(found.get('/api')).not.toContain('previewServiceQuote')
    for (const path of CONTRACT) found.delete(path)
    // Programs are the same for every site.
    for (const path of found.keys()) if (/^\/client\/./.test(path)) found.delete(path)
    for (const [path, body] of [...found, ['the private page', privatePage] as const]) {
      const text = textOf(body)
      const [said] = OF_BUYING.exec(text) ?? []
      expect([path, said && text.slice(Math.max(0, text.indexOf(said) - 60), text.indexOf(said) + 60)]).toEqual([
        path,
        undefined,
      ])
      expect([path, /\$\d/.exec(text)?.[0]]).toEqual([path, undefined])
      expect([path, /(href|action)="[^"]*\/(promote|checkout)/.exec(body)?.[0]]).toEqual([path, undefined])
      if (body.startsWith('<!DOCTYPE html>')) expect([path, await htmlFaults(body)]).toEqual([path, []])
    }
    expect(privatePage).toContain('Withdraw the listing')
    expect(found.get('/limits')).toContain('Ownership checks')
    // Places come from payments alone.
    expect(textOf(privatePage)).toContain('Send mail about')
    expect(textOf(privatePage)).not.toMatch(/overta|current rank|clicks and places/i)
  })

  test('draws no price into the share picture of an empty board', () => {
    for (const sellsPlaces of [true, false]) {
      const { offer } = boardDrawing('today', { places: [], site: { ...PLACARD, sellsPlaces }, now: NOON })
      expect(offer).toBe(sellsPlaces ? 'NO. 1 FOR $5' : 'NO PLACES YET')
    }
  })

  test('has no page to buy at, and its private page takes no step there', async () => {
    const promote = await pages.get('/promote')
    expect([promote.status, textOf(await promote.text())]).toEqual([404, expect.stringMatching(NO_PLACES)])
    expect((await pages.get('/sandbox')).status).toBe(404)
    expect((await pages.post('/webhooks/stripe', '{}', {})).status).toBe(404)
    expect((await pages.post(`/manage/${crypto.randomUUID()}/promote`, '', {})).status).toBe(404)
  })

  test('answers a quote with 503 and the reason', async () => {
    const { status, body } = await quote<ErrorBody>(pages, ask)
    expect([status, body]).toEqual([
      503,
      {
        code: 'payment_evidence_unavailable',
        error:
          'This site sells no paid places, so no price can be given. Nothing was charged. Do not repeat the request.',
        chargeCreated: false,
        reason: 'payments_off',
        documentationUrl: `${pages.url}/errors/payment_evidence_unavailable`,
      },
    ])
    expect((await quote<ErrorBody>(pages, { ...ask, board: 'week' })).body.code).toBe('invalid_board')
  })

  test('offers no tool for a price over MCP', async () => {
    const { body } = await post(pages, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'quote', arguments: ask },
    })
    expect(body.error?.message).toMatch(/^Unknown tool "quote"\. There are: capabilities, check, search, /)
  })
})

describe('a site that stopped selling', () => {
  let pages: Pages
  beforeAll(async () => {
    pages = await startPages({
      env: { PAYMENTS: 'none', STRIPE_SECRET_KEY: 'sk_live_nobody', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
    })
    await payFor(pages.store, 'gold.com', 'pi_1', {
      amountCents: 5000,
      at: NOON - daysMs(1),
      category: 'Design',
    })
    await payFor(pages.store, 'silver.com', 'pi_2', { amountCents: 3000, category: 'Design' })
  })
  afterAll(() => pages.close())

  test('shows what was paid earlier, and offers none of it', async () => {
    const paths = [
      '/',
      '/board/all',
      '/board/today',
      '/board/today/2026-11',
      '/board/today/2026-11-20',
      '/category/design/board',
      '/product/gold-com',
    ]
    for (const path of paths) {
      const reply = await pages.get(path)
      const html = await reply.text()
      expect([path, reply.status, html.includes('$50') || html.includes('$30')]).toEqual([path, 200, true])
      expect([path, OF_BUYING.exec(textOf(html))?.[0]]).toEqual([path, undefined])
      expect([path, html.includes('Paid placement')]).toEqual([path, true])
    }
    const board = (await (await fetch(`${pages.url}${BOARDS_PATH}/all`)).json()) as BoardPage
    expect(board.entries.map(({ totalCents }) => totalCents)).toEqual([5000, 3000])
  })

  test('lets an earlier order be read, and nobody pay for it', async () => {
    const { checkoutId } = await openTestCheckout(pages.store, 'late.com')
    const html = await (await pages.get(`/checkout/${checkoutId}`)).text()
    expect(textOf(html)).toContain('This site sells no places now. Please do not pay for it. Already paid?')
    expect(html).not.toContain('/promote')
    expect(await htmlFaults(html)).toEqual([])
  })

  test('with its keys, still hears of payments and refunds', async () => {
    const { checkoutId, sessionId } = await openTestCheckout(pages.store, 'late.com')
    const paid = sessionObject({ id: sessionId, client_reference_id: checkoutId })
    const { status, body } = await deliver(pages, stripeEvent('checkout.session.completed', paid))
    expect([status, body.received]).toEqual([200, 'applied'])
  })
})

describe('PAYMENTS', () => {
  const keys: Env = { STRIPE_SECRET_KEY: 'sk_live_nobody', STRIPE_WEBHOOK_SECRET: 'whsec_nobody' }
  test.each<[string, Env]>([
    ['sandbox', {}],
    ['sandbox', { HOST: '0.0.0.0' }],
    ['sandbox', { BASE_URL: 'http://localhost:8080' }],
    ['none', { BASE_URL: 'https://placard.example.org' }],
    ['none', { HOST: '192.0.2.1' }],
    ['none', { BASE_URL: 'https://placard.example.org', PAYMENTS: 'none', ...keys }],
    ['stripe', { BASE_URL: 'https://placard.example.org', ...keys }],
    ['stripe', keys],
  ])('is %s by default, or as it is set: %j', (payments, env) => {
    const config = configFrom(env)
    expect([config.payments, config.stripe?.name]).toEqual([
      payments,
      'STRIPE_SECRET_KEY' in env ? 'stripe' : undefined,
    ])
  })

  test('is stripe with one of its keys, and names the other', () => {
    const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = keys as Required<typeof keys>
    expect(() => configFrom({ STRIPE_SECRET_KEY })).toThrow(/^STRIPE_WEBHOOK_SECRET must be set/)
    expect(() => configFrom({ STRIPE_WEBHOOK_SECRET })).toThrow(/^STRIPE_SECRET_KEY must be set/)
  })

  test('none on a public address refuses places that were paid for with play money, and takes real ones', async () => {
    const database = await migratedDatabase('sqlite')
    const store = await database.openStore()
    const start = async (env: Env) => {
      const config = configFrom({ PORT: '0', LOG_LEVEL: 'silent', ...database.env, ...env, PAYMENTS: 'none' })
      return startService(config).then(
        service => service.stop().then(() => 'started'),
        (error: Error) => error.message,
      )
    }
    await payFor(store, 'gold.com', 'pi_1', { amountCents: 5000 })
    expect(await start({ BASE_URL: 'https://placard.example.org' })).toBe('started')
    await store.transact(trx => trx.updateTable('payment').set({ processor: 'sandbox' }).execute())
    expect(await start({ BASE_URL: 'https://placard.example.org' })).toMatch(
      /^PAYMENTS=none on a public address cannot be used with this database: .* sandbox play money, .* Use a new database\.$/,
    )
    // The key decides, and not the address.
    expect(await start(keys)).toMatch(
      /^PAYMENTS=none with a live STRIPE_SECRET_KEY cannot be used with this database: .* sandbox play money/,
    )
    expect(await start({})).toBe('started')
    await store.close()
    await database.remove()
  })
})

test('a site that sells nothing publishes, replays and shows as any other', async () => {
  const service = await startTestService({ env: { PAYMENTS: 'none' } })
  const [credentials, body] = [newCredentials(), publishBody('http://bakery.com/')]
  const first = await publish(service, credentials, body)
  const again = await publish(service, credentials, body)
  expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
  expect(first.body).not.toHaveProperty('optionalPaidPlacement')
  const found = await fetch(`${service.url}/newest`, { headers: { accept: 'text/html' } })
  expect(await found.text()).toContain(new URL(first.body.productUrl).pathname)
  await service.stop()
})
