// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { PASS_LIFETIME_MS } from '../../../src/domain/ownership/signed-cookies.ts'
import { PROOF_LIFETIME_MS } from '../../../src/domain/ownership/site-proof.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { settlePayment } from '../../../src/domain/payments/unplaced.ts'
import { blockHost } from '../../../src/domain/review/reviewers/blocked-hosts.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { EventKind } from '../../../src/platform/db/tables/payments.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { type DnsServer, type Lie, NXDOMAIN, startDnsServer } from '../../support/dns-server.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { eventOf, openTestCheckout, payFor } from '../../support/ledger.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { placeOnBoard } from '../../support/places.ts'
import {
  NOON,
  newCredentials,
  PUBLIC,
  publish,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { openSandbox, type StripeApi, startStripeApi } from '../../support/stand-in.ts'
import { newVisitor, type Visitor } from '../visitor.ts'

let service: TestService
let store: Store
let dns: DnsServer
let txt: () => Lie = () => ({ code: NXDOMAIN })
let visitor: Visitor
let hosts = 0
/** Each test has its own website. */
let host: string

beforeAll(async () => {
  dns = await startDnsServer(() => txt())
  service = await startTestService({
    env: { LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000', DNS_SERVERS: dns.address },
  })
  store = await service.database.openStore()
})
afterAll(async () => {
  await service.stop()
  await dns.close()
})
afterEach(async () => {
  for (const html of visitor.pages) expect(await htmlFaults(html)).toEqual([])
})
beforeEach(() => {
  service.clock.now = NOON
  txt = () => ({ code: NXDOMAIN })
  visitor = newVisitor(service)
  host = `shop-${++hosts}.com`
})

type Fields = Record<string, string>
const chosen = (about: Fields = {}): Fields => ({
  destination: `http://${host}/`,
  category: 'Games',
  board: 'all',
  target: '25',
  ...about,
})
const promote = (fields: Fields) => `/promote?${new URLSearchParams(fields)}`
const offered = (about: Fields = {}) => visitor.get(promote(chosen(about)))

/** The text of a page, without its tags. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

async function list(at = host, on = service) {
  const { body } = await publish(on, newCredentials(), publishBody(`http://${at}/`, 'Food & Drink'))
  return {
    privateLink: body.ownership.privateRecoveryUrl ?? '',
    slug: body.productUrl.split('/').at(-1) ?? '',
  }
}

/** Records a payment of so many dollars for a website, a moment ago. */
async function pay(at: string, dollars: number) {
  const checkout = await openTestCheckout(store, at)
  const about = { checkout, amountCents: dollars * 100, occurredAt: service.clock.now }
  await applyEvent(store, eventOf('paid', `pi_${checkout.checkoutId}`, about), service.clock.now)
}

const useLink = (link: string, about: Fields = {}) => visitor.post('/promote/link', { ...chosen(about), link })
/** Orders. `location` is the page of the order, without what leads on from it to the processor's. */
async function checkout(about: Fields = {}, headers: Fields = {}, by = visitor) {
  const fields = chosen({ amount: '2500', rules: '2026-09-06', ...about })
  const answer = await by.post('/promote/checkout', fields, headers)
  return { ...answer, location: answer.location?.replace('?pay=1', '') }
}
const orders = (of = store) => of.db.selectFrom('checkout').selectAll().where('hostname', '=', host).execute()
const tokenIn = (html: string) =>
  /<pre class="prompt copy" id="proof-well_known">(plc_\w{40})<\/pre>/.exec(html)?.[1] ?? ''

/** Proves ownership of an unlisted website. */
async function own() {
  await visitor.post('/promote/proof', chosen())
  const token = tokenIn((await offered()).html)
  service.sites.set(host, (_request, response) =>
    sendHtml(response, `<title>Shop</title><meta name="placard-challenge" content="${token}">`),
  )
  expect((await visitor.post('/promote/check', chosen())).status).toBe(303)
}

describe('the promote page', () => {
  it('leads from a quote to its current price, and is never cached', async () => {
    const { body } = await quote<{ handoffUrl: string }>(service, {
      destination: `http://${host}/?from=mail#top`,
      category: 'Games',
      board: 'today',
      targetBid: 2500,
    })
    const { status, headers, html } = await visitor.get(body.handoffUrl.replace(service.url, ''))
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const text = textOf(html)
    for (const part of [
      `Website http://${host}/ `,
      'Category Games',
      'Board Today',
      'Your total on this board $2,500.00',
      'Already paid $0.00',
      'Due now $2,500.00 (US dollars)',
      'Estimated place 1,',
      `Where you would rank No. 1 You: ${host} $2,500 `,
    ]) {
      expect(text).toContain(part)
    }
    expect(text).toMatch(/You buy an amount, not a position\. Anyone may pay more later/)
    expect(text).toContain('There is no refund for being overtaken, nor for withdrawing the listing.')
    expect(text).toContain('A place on the all-time board has no scheduled end: it lasts until others have more.')
    expect(text).toContain('A paid listing doesn’t expire.')
    expect(text).toContain('A listing that breaks the rules is taken down and loses its place.')
    expect(text).toContain('Pay by card, before midnight UTC.')
    expect(text).not.toContain('Today’s board takes cards only')
    expect(text).toContain('Money counts once the payment processor confirms it, on both boards')
    expect(text).toContain('No API can charge')
    expect(text.match(/You buy an amount, not a position\./g)).toHaveLength(1)
    expect(text.indexOf('Only a website’s owner can buy it a place')).toBeLessThan(
      text.indexOf('You buy an amount, not a position.'),
    )
    expect(html).not.toContain('/promote/checkout')
  })

  it('shows what is verified, what is due, and the neighbours', async () => {
    await list()
    await pay(host, 5)
    await pay(`above-${host}`, 27)
    await pay(`equal-${host}`, 25)
    await pay(`below-${host}`, 24)
    const text = textOf((await offered({ category: 'Design' })).html)
    expect(text).toContain(`Listing Welcome to ${host}`)
    expect(text).toContain('Category Food & Drink, as listed')
    expect(text).toContain('Already paid $5.00')
    expect(text).toContain('Due now $20.00')
    expect(text).toContain('Estimated place 3,')
    expect(text).toContain(`No. 2 equal-${host} $25 No. 3 You: ${host} $25 No. 4 below-${host} $24 `)
    expect(textOf((await offered({ target: '26' })).html)).toContain(`No. 1 above-${host} $27 No. 2 You: ${host} $26 `)
  })

  it('offers the lowest total that works if nothing is due', async () => {
    await list()
    await pay(host, 25)
    const { status, html } = await offered()
    expect(status).toBe(200)
    expect(textOf(html)).toContain('This total is too low.')
    expect(html).toContain('target=26"')
    expect(html).not.toMatch(/promote\/(link|proof|check|checkout)"/)
    expect(textOf((await offered({ board: 'today' })).html)).toContain('Choose $26.00')
    service.clock.now += daysMs(1)
    expect(textOf((await offered({ board: 'today' })).html)).toContain('Due now $25.00')
  })

  it('says so if a board has no higher total', async () => {
    await pay(host, 999_999)
    const { html } = await offered({ target: '999999' })
    expect(textOf(html)).toContain('No higher total can be bought on this board.')
  })

  it.each(['hidden', 'expired'] as const)(
    'takes no money for a listing that is %s, and reveals nothing about it',
    async how => {
      const { slug, privateLink } = await list()
      expect((await useLink(privateLink)).status).toBe(303)
      if (how === 'hidden') await hideListing(store, slug, 'test', NOON)
      else service.clock.now += daysMs(60)
      for (const { status, html } of [
        await offered(),
        await offered({ target: '' }),
        await useLink(privateLink),
        await checkout(),
      ]) {
        expect(status).toBe(410)
        expect(html).toContain('This listing is down</h1>')
        expect(html).toContain('Is this your website?')
        expect(html).not.toMatch(/<form method="post"|action="\/promote"|Welcome/)
      }
      expect(await orders()).toEqual([])
    },
  )

  it('answers 503 instead of guessing a price', async () => {
    const broken = await startTestService()
    const its = await broken.database.openStore()
    await its.db.schema.dropTable('board_total').execute()
    const { status, headers, html } = await newVisitor(broken).get(promote(chosen()))
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(html).toContain('We can’t read the payments right now')
    await broken.stop()
  })
})

describe('a choice with parts missing', () => {
  it('is asked for in a form, without a word of blame', async () => {
    const { status, headers, html } = await visitor.get('/promote')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(html).toContain('<form method="get" action="/promote#price">')
    expect(html).not.toMatch(/class="fault"|role="alert"/)
  })

  it('keeps the valid parts, and says what is wrong with the others', async () => {
    const { html } = await visitor.get(promote({ destination: host, category: 'Games', board: 'weekly', target: '4' }))
    expect(html).toContain(`value="https://${host}/"`)
    expect(html).toContain('<option value="Games" selected>')
    expect(html.match(/class="fault"/g)).toHaveLength(2)
    expect(html).toContain('Choose one of these boards.')
    expect(html).toContain('Enter a whole number of US dollars from 5 to 999,999.')
  })

  it('takes an amount as people and our own messages write it, and no other with a separator', async () => {
    for (const [target, total] of [
      ['1,250', '$1,250.00'],
      ['$1250', '$1,250.00'],
      [' $ 1,250 ', '$1,250.00'],
      ['999,999', '$999,999.00'],
    ] as const) {
      const { html } = await visitor.get(promote({ destination: host, category: 'Games', board: 'all', target }))
      expect([target, html.includes(`<dd>${total}</dd>`)]).toEqual([target, true])
    }
    for (const target of ['1.250', '12,50', '1,25', ',250', '1,2500', '12.50', '€25', '$$25', '1,000,000']) {
      const { html } = await visitor.get(promote({ destination: host, category: 'Games', board: 'all', target }))
      expect([target, html.includes('Enter a whole number of US dollars')]).toEqual([target, true])
    }
  })

  it('keeps a mistyped address and amount in their fields, and shows nothing else that it cannot use', async () => {
    const { html } = await visitor.get(
      promote({ destination: 'javascript:"alert(1)', category: '<b>x', board: 'weekly', target: '4.5e1' }),
    )
    expect(html.match(/class="fault"/g)).toHaveLength(4)
    expect(html.match(/alert\(/g)).toHaveLength(1)
    expect(html).toContain('value="javascript:&quot;alert(1)"')
    expect(html).toContain('value="4.5e1"')
    expect(html).not.toMatch(/weekly|&lt;b/)
    // With its own currency, whatever that is.
    expect((await offered({ target: '€ 50' })).html).toContain('value="€ 50"')
    expect((await offered({ target: '"><b>' })).html).not.toContain('&quot;>')
  })

  it.each([
    ['http://localhost/', 'localhost is reserved.'],
    ['http://127.0.0.1/', 'can’t be listed'],
    ['http://user:word@shop.com/', 'can’t be listed'],
    ['http://shop.com:8080/', 'can’t be listed'],
    ['ftp://shop.com/', 'can’t be listed'],
    ['http://sh op.com/', 'isn’t a full address'],
  ])('says what is wrong with %s', async (destination, fault) => {
    const { html } = await offered({ destination })
    expect(textOf(html)).toContain(fault)
    // It stays in its field, and nobody's password is shown.
    expect(html.split(destination)).toHaveLength(destination.includes('@') ? 1 : 2)
    expect(html).not.toContain('word@')
  })

  it('takes only whole amounts within the limits', async () => {
    for (const target of ['4', '1000000', '-5', '', '07x', '5.0', '１０']) {
      expect((await offered({ target })).html).toContain('class="fault" id="target-fault"')
    }
    expect((await offered({ target: '5' })).html).toContain('>$5.00</strong>')
    expect((await offered({ target: '999999' })).html).toContain('>$999,999.00</strong>')
  })

  it('handles a part given twice', async () => {
    const { status, html } = await visitor.get('/promote?target=5&target=6&destination=a&destination=b&board[]=all')
    expect(status).toBe(200)
    expect(html.match(/Enter this only once\./g)).toHaveLength(2)
  })

  it('never accepts or shows a private link, however it is written', async () => {
    const { privateLink } = await list()
    const [, claimId = '', token = ''] = /manage\/(.*)#owner=(.*)/.exec(privateLink) ?? []
    const once = encodeURIComponent(privateLink)
    for (const destination of [
      privateLink,
      once,
      encodeURIComponent(once),
      `https://elsewhere.com/?next=${once}`,
      `https://elsewhere.com/${once}`,
      `https://elsewhere.com/${encodeURIComponent(once)}`,
      `${service.url}/manage/${claimId}`,
      `https://user:${token}@elsewhere.com/`,
      `https://elsewhere.com/${claimId}/own%65r=${token}`,
      `https://elsewhere.com/${claimId}/${'%2525252525252525252525'.padStart(200, '%25')}36fwner=${token}`,
    ]) {
      const { html } = await offered({ destination })
      expect(html).not.toContain(claimId)
      expect(html).not.toContain(token)
      expect(html).toContain('id="destination-fault"')
    }
  })

  it('is refused in a form that acts', async () => {
    for (const path of ['proof', 'check', 'link', 'checkout']) {
      const { status, html } = await visitor.post(`/promote/${path}`, chosen({ target: '3' }))
      expect([path, status]).toEqual([path, 400])
      expect(html).toContain('id="target-fault"')
    }
    expect((await visitor.post('/promote/checkout', {})).status).toBe(400)
  })
})

describe('the buttons beside the amount', () => {
  const stepped = async (step: string, target: string) => {
    const { html } = await offered({ step, target })
    return [/id="target"[^>]* value="(\d+)"/.exec(html)?.[1], /<button[^>]* autofocus[^>]*>/.exec(html)?.[0]]
  }

  it('change it, within the limits, and keep the focus', async () => {
    expect(await stepped('more', '25')).toEqual(['30', expect.stringContaining('aria-label="$5 more"')])
    expect(await stepped('less', '25')).toEqual(['20', expect.stringContaining('aria-label="$5 less"')])
    expect((await stepped('less', '7'))[0]).toBe('5')
    expect((await stepped('more', '999998'))[0]).toBe('999999')
    expect(await stepped('sideways', '25')).toEqual(['25', undefined])
  })

  it('show the price of the new amount, and keep what else was typed', async () => {
    const { html } = await offered({ step: 'more' })
    expect(textOf(html)).toContain('Due now $30.00')
    const { html: unfinished } = await visitor.get(promote({ destination: host, step: 'more', target: '25' }))
    expect(unfinished).toContain(`value="https://${host}/"`)
    expect(unfinished).toContain('value="30"')
    expect(unfinished).not.toMatch(/class="fault"|role="alert"/)
    expect((await offered({ step: 'more', target: 'x' })).html).toContain('id="target-fault"')
  })
})

describe('places to choose instead of an amount', () => {
  const button = (place: string, price: string) =>
    new RegExp(`value="${place}"[^>]*><b>[^<]*</b><strong>\\${price}</strong>`)
  const mine = chosen({ destination: 'http://mine.com/' })
  const show = async (about: Fields = {}) => (await newVisitor(its).get(promote({ ...mine, ...about }))).html
  let its: TestService
  let db: Store
  beforeEach(async () => {
    its = await startTestService()
    db = await its.database.openStore()
  })
  afterEach(async () => {
    await its.stop()
  })

  /** Ten others with 110, 100 … 20 dollars, and seven of one's own. */
  async function fill() {
    for (let place = 1; place <= 10; place++) {
      await payFor(db, `other-${place}.com`, `pi_${place}`, { amountCents: (12 - place) * 1000 })
    }
    await payFor(db, 'mine.com', 'pi_mine', { amountCents: 700 })
  }

  it('have the price of this moment, less what is verified', async () => {
    await fill()
    const [, all = '', today = ''] = (await show({ target: 'x' })).split(/ of-(?:all|today)"/)
    for (const part of [all, today]) {
      expect(part).toMatch(button('1', '$104'))
      expect(part).toMatch(button('5', '$64'))
      expect(part).toMatch(button('10', '$14'))
      expect(part).toMatch(button('least', '$1'))
      expect(textOf(part)).toContain('for $8 in total, No. 11')
    }
  })

  it('name an estimated place above 999 as the places beside it', async () => {
    await placeOnBoard(db, Object.fromEntries(Array.from({ length: 1000 }, (_, nth) => [`many-${nth}`, 900])))
    const text = textOf(await show({ target: '8' }))
    expect(text).toContain('Estimated place 1,001, if no one else pays first')
    expect(text).toContain('No. 1,001')
  })

  it('become the total when chosen, whatever stood in its field', async () => {
    await fill()
    for (const [place, total, rank] of [
      ['1', '$111.00', 1],
      ['5', '$71.00', 5],
      ['10', '$21.00', 10],
      ['least', '$8.00', 11],
    ]) {
      const text = textOf(await show({ place: String(place), target: 'x' }))
      expect(text).toContain(`Your total on this board ${total}`)
      expect(text).toContain(`Estimated place ${rank},`)
    }
    expect(textOf(await show({ place: '3' }))).toContain('Your total on this board $25.00')
  })

  it('stay chosen while another part is mended', async () => {
    await fill()
    const html = await show({ destination: 'x', place: '5', target: '' })
    expect(html).toContain('value="71"')
    expect(html.match(/class="fault"/g)).toHaveLength(1)
  })

  it('are only what an empty board has: the first, for the least', async () => {
    const html = await show({ target: '' })
    expect(html.match(/name="place"/g)).toHaveLength(2)
    expect(html).toMatch(button('1', '$5'))
  })

  it('are marked where they are what is chosen', async () => {
    await fill()
    const [chosenButton, ...others] = (await show({ target: '71' })).match(/<button[^>]*aria-current[^>]*>/g) ?? []
    expect(chosenButton).toContain('value="5"')
    // The same total is worth the same place on the board of today.
    expect(others).toHaveLength(1)
  })

  it('can be looked at before anything else is filled in, without a word of blame', async () => {
    await fill()
    const html = (await newVisitor(its).get(promote({ destination: '', category: '', board: 'all', place: '5' }))).html
    expect(html).toContain('value="71"')
    expect(html).not.toMatch(/class="fault"|role="alert"/)
  })

  it('are left out where the payments cannot be read, and the form is still there', async () => {
    await db.db.schema.dropTable('board_total').execute()
    const html = await show({ target: '' })
    expect(html).toContain('Show the price')
    expect(html).not.toContain('name="place"')
  })
})

describe('proving ownership with the private link', () => {
  it('gives this browser a pass for an hour, in a cookie that nothing else can read', async () => {
    const { privateLink } = await list()
    const { status, location } = await useLink(privateLink)
    expect([status, location]).toEqual([303, `${promote(chosen({ category: 'Food & Drink' }))}#pay`])
    expect(visitor.cookies.get('placard_pass')?.flags).toEqual([
      'HttpOnly',
      'Max-Age=3600',
      'Path=/promote',
      'SameSite=Strict',
    ])
    const { html } = await offered()
    expect(textOf(html)).toContain(
      'Ownership confirmed by the private link of the listing, for this browser, until 21 November 2026, 13:00 UTC .',
    )
    expect(html).toContain('action="/promote/checkout"')
    expect(html).not.toContain('action="/promote/link"')
    service.clock.now += PASS_LIFETIME_MS
    expect((await offered()).html).not.toContain('action="/promote/checkout"')
  })

  it('sets cookies for https alone where the service has such an address', async () => {
    const secure = await startTestService({ env: PUBLIC })
    const browser = newVisitor(secure)
    await browser.post('/promote/proof', chosen())
    expect(browser.cookies.get('__Host-placard_proof')?.flags).toEqual([
      'HttpOnly',
      'Max-Age=950400',
      'Path=/',
      'SameSite=Strict',
      'Secure',
    ])
    await secure.stop()
  })

  it('is refused for every other link in the same words, and shows no link', async () => {
    const [mine, other] = [await list(), await list(`other-${host}`)]
    const wrong = [
      other.privateLink,
      mine.privateLink.slice(0, -1),
      `${mine.privateLink.slice(0, -43)}${'A'.repeat(43)}`,
      mine.privateLink.replace(/manage\/[^#]+/, 'manage/00000000-0000-4000-8000-000000000000'),
      mine.privateLink.replace('#owner=', '#'),
      'nonsense',
      '',
      '\0',
    ]
    for (const link of wrong) {
      const { status, html } = await useLink(link)
      expect(status).toBe(403)
      expect(html).toContain('This is not this listing’s private link.')
      if (link) expect(html).not.toContain(link)
    }
    expect(visitor.cookies.size).toBe(0)
  })

  it('accepts the link with what was appended to it on the way', async () => {
    const { privateLink } = await list()
    const counted = (query: string) => privateLink.replace('#', `${query}#`)
    for (const link of [counted('?utm_source=chat'), counted('/'), `${privateLink}.`, ` ${privateLink}&utm_source=a`]) {
      expect((await useLink(link)).status).toBe(303)
    }
    for (const wrong of [`${privateLink}x`, counted('x'), counted('#')]) {
      expect((await useLink(wrong)).status).toBe(403)
    }
  })

  it('is not asked for without a listing', async () => {
    expect((await offered()).html).not.toContain('action="/promote/link"')
  })

  it('is already done for whoever comes from the private page', async () => {
    const { privateLink } = await list()
    const [, claimId = '', token = ''] = /manage\/(.*)#owner=(.*)/.exec(privateLink) ?? []
    const come = () => visitor.post(`/manage/${claimId}/promote`, {})
    expect((await come()).status).toBe(403)
    expect(visitor.cookies.size).toBe(0)

    await openPrivatePage(claimId, token)
    const { status, location } = await come()
    expect([status, location]).toEqual([303, promote({ destination: `http://${host}/`, category: 'Food & Drink' })])
    const { html } = await visitor.get(location ?? '')
    expect(html).toContain('This website is already listed under <strong>Food &amp; Drink</strong>')
    expect(html).not.toContain('class="fault"')
    expect((await offered()).html).toContain('action="/promote/checkout"')
  })

  it('ends when the private link is renewed, for whoever used the old one', async () => {
    const { privateLink } = await list()
    const [, claimId = '', token = ''] = /manage\/(.*)#owner=(.*)/.exec(privateLink) ?? []
    await useLink(privateLink)
    await openPrivatePage(claimId, token)
    const renewed = await visitor.post(`/manage/${claimId}/renew`, { link: privateLink, confirm: 'yes' })
    expect(renewed.status).toBe(200)
    expect((await offered()).html).not.toContain('action="/promote/checkout"')
    const { status, html } = await checkout()
    expect(status).toBe(403)
    expect(html).toContain('prove below again that the website is yours')
    const newLink = /<pre[^>]*data-private-link[^>]*>([^<]+)</.exec(renewed.html)?.[1] ?? ''
    await useLink(newLink)
    expect((await checkout()).location).toMatch(/^\/checkout\//)
  })

  async function openPrivatePage(claimId: string, token: string): Promise<void> {
    const response = await fetch(`${service.url}/manage/${claimId}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    })
    const [name = '', value = ''] = response.headers.get('set-cookie')?.split(';')[0]?.split('=') ?? []
    visitor.cookies.set(name, { value, path: `/manage/${claimId}`, flags: [] })
  }
})

describe('proving ownership on the website', () => {
  const begin = () => visitor.post('/promote/proof', chosen())
  const check = () => visitor.post('/promote/check', chosen())
  const tokenNow = async () => tokenIn((await offered()).html)

  it('gives this browser a token for seven days, with the three places for it', async () => {
    const { status, location } = await begin()
    expect([status, location]).toEqual([303, `${promote(chosen())}#proof`])
    expect(visitor.cookies.get('placard_proof')?.flags).toEqual([
      'HttpOnly',
      'Max-Age=950400',
      'Path=/',
      'SameSite=Strict',
    ])
    const { html } = await offered()
    const token = tokenIn(html)
    expect(html).toContain(`<bdi>http://${host}/.well-known/placard.txt</bdi>`)
    expect(textOf(html).replaceAll('&quot;', '"')).toContain(`placard-challenge" content="${token}"`)
    expect(html).toContain(`<bdi>_placard-challenge.${host}</bdi>`)
    expect(html).toContain(`<pre class="prompt copy" id="proof-dns_txt">${token}</pre>`)
    expect(textOf(html)).toContain('until 28 November 2026')
    service.clock.now += PROOF_LIFETIME_MS
    expect(await tokenNow()).toBe('')
  })

  it('keeps a valid token, since it may already be on the website', async () => {
    await begin()
    const token = await tokenNow()
    await begin()
    expect(await tokenNow()).toBe(token)
    service.clock.now += PROOF_LIFETIME_MS
    await begin()
    expect(await tokenNow()).not.toBe(token)
  })

  it('gives none to a browser that made its cookie itself', async () => {
    await begin()
    const cookie = visitor.cookies.get('placard_proof') ?? expect.fail('there is no cookie')
    const { value } = cookie
    for (const made of [
      `${service.clock.now}.${'a'.repeat(22)}`,
      `${'a'.repeat(22)}${value.slice(22)}`,
      value.replace(/\.(\d{13})\./, (_whole, until) => `.${Number(until) + 1}.`),
    ]) {
      expect(made).not.toBe(value)
      cookie.value = made
      expect(await tokenNow()).toBe('')
      expect((await check()).status).toBe(400)
    }
    cookie.value = value
    expect(await tokenNow()).not.toBe('')
  })

  it.each([
    ['a file', 'a file on the website'],
    ['a tag', 'a tag on the page'],
    ['a DNS record', 'a DNS record'],
  ])('works with %s', async (place, words) => {
    await begin()
    const token = await tokenNow()
    service.sites.set(host, (request, response) => {
      if (request.url === '/.well-known/placard.txt' && place === 'a file') {
        return response.writeHead(200, { 'content-type': 'text/plain' }).end(`${token}\n`)
      }
      const tag = place === 'a tag' ? `<meta name="placard-challenge" content="${token}">` : ''
      return sendHtml(response, `<html><head>${tag}<title>Shop</title></head></html>`)
    })
    if (place === 'a DNS record') {
      txt = () => ({ records: [{ type: 'TXT', name: `_placard-challenge.${host}`, ttl: 0, data: token }] })
    }
    const { status, location } = await check()
    expect([status, location]).toEqual([303, `${promote(chosen())}#pay`])
    expect(textOf((await offered()).html)).toContain(`Ownership confirmed by ${words}, for this browser`)
  })

  it('says what was found at each place without the token', async () => {
    await begin()
    service.sites.set(host, (_request, response) => response.writeHead(404).end())
    const { status, html } = await check()
    expect(status).toBe(422)
    expect(html).toContain('<a href="#proof">See what we found at each place.</a>')
    for (const finding of [
      'The file returned status 404.',
      'The page returned status 404.',
      `There is no TXT record at _placard-challenge.${host}.`,
    ]) {
      expect(html).toContain(`>${finding}</p>`)
    }
    expect(visitor.cookies.has('placard_pass')).toBe(false)
  })

  it('needs this browser’s token', async () => {
    await begin()
    const token = await tokenNow()
    service.sites.set(host, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(token),
    )
    visitor = newVisitor(service)
    const { status, html } = await check()
    expect([status, html.includes('Your token has expired')]).toEqual([400, true])
    await begin()
    expect((await check()).status).toBe(422)
  })
})

test.each(SQLITE_FIRST)('the whole way to a place, on %s', async engine => {
  const whole = await startTestService({ engine })
  const browser = newVisitor(whole)
  await browser.post('/promote/proof', chosen())
  const proof = (await browser.get(promote(chosen()))).html
  expect(textOf(proof)).toContain('the page of your order then gives you the listing’s private link.')
  const token = tokenIn(proof)
  whole.sites.set(host, (_request, response) =>
    sendHtml(response, `<meta name="placard-challenge" content="${token}"><title>Shop</title>`),
  )
  expect((await browser.post('/promote/check', chosen())).status).toBe(303)
  const offer = textOf((await browser.get(promote(chosen()))).html)
  expect(offer).toContain('“Go to payment” places the order and charges nothing.')
  const { location = '' } = await checkout({}, {}, browser)
  const stateNow = async () => JSON.parse((await browser.get(`${location}/state`)).html).state
  expect(await stateNow()).toBe('open')
  const payUrl = /href="([^"]+\/sandbox\/pay\/[^"]+)"/.exec((await browser.get(location)).html)?.[1] ?? ''
  const paid = await browser.post(new URL(payUrl).pathname, { act: 'pay', delivery: 'by_hand' })
  expect(paid.location).toBe(`${location}?returned=1`)
  expect(textOf((await browser.get(`${location}?returned=1`)).html)).toContain('Waiting for confirmation')
  expect(textOf((await browser.get(location)).html)).toContain('Waiting for confirmation')
  const [, session] = payUrl.split('/pay/')
  const scenes = await browser.get(`/sandbox/sessions/${session}`)
  const event = /name="event" value="([^"]+)"/.exec(scenes.html)?.[1] ?? ''
  await browser.post(`/sandbox/sessions/${session}/deliver`, { event })
  expect(await stateNow()).toBe('paid')
  const { html } = await browser.get(location)
  expect(textOf(html)).toContain('No. 1 on the all-time board , with $25.00 in total')
  expect(textOf(html)).toContain('No. 1 on today’s board , with $25.00 in total')
  const given = await browser.post('/own/check', { address: `http://${host}/` })
  expect(/<pre[^>]*data-private-link[^>]*>([^<]+)/.exec(given.html)?.[1]).toMatch(/\/manage\/[\w-]+#owner=/)
  expect(html).toContain('Get the private link')
  expect(textOf(html)).toContain(
    'Ordered 21 November 2026, 12:00 UTC Amount paid $25.00 (US dollars) Paid 21 November 2026, 12:00 UTC Counts $25.00 on 21 November 2026 (UTC), and for all time',
  )
  whole.clock.now += daysMs(1)
  const later = textOf((await browser.get(location)).html)
  expect(later).toContain('The board of 21 November 2026 has ended.')
  expect(later).not.toContain('No place')
  await whole.stop()
})

describe('ordering', () => {
  it('goes on to the page of the order, and from there to the processor’s', async () => {
    const { privateLink } = await list()
    await useLink(privateLink)
    const answer = await visitor.post('/promote/checkout', chosen({ amount: '2500', rules: '2026-09-06' }))
    expect([answer.status, answer.location]).toEqual([303, expect.stringMatching(/\?pay=1$/)])
    const leadingOn = await visitor.get(answer.location ?? '')
    const payUrl = /href="([^"]+\/sandbox\/pay\/[^"]+)"/.exec(leadingOn.html)?.[1]
    expect(leadingOn.headers.get('refresh')).toBe(`0; url=${payUrl}`)
    const location = answer.location?.replace('?pay=1', '') ?? ''
    expect((await visitor.get(location)).headers.get('refresh')).toBeNull()
    const [order] = await orders()
    expect(location).toBe(`/checkout/${order?.id}`)
    expect(order).toMatchObject({
      processor: 'sandbox',
      category: 'Food & Drink',
      board: 'all',
      targetBid: 25,
      amountCents: 2500,
      page: null,
      provedBy: 'private_link',
      rulesVersion: '2026-09-06',
    })
  })

  const expectNoOrder = async () => expect(await orders()).toEqual([])

  it('needs a pass of this browser, for this website, that still counts', async () => {
    const { privateLink } = await list()
    const forged = newVisitor(service)
    const values = [`private_link.${NOON + 1000}.${'A'.repeat(43)}`, '', 'private_link', '%00']
    for (const value of values) {
      forged.cookies.set('placard_pass', { value, path: '/promote', flags: [] })
      const { status, html } = await checkout({}, {}, forged)
      expect(status).toBe(403)
      expect(html).toContain('Please prove below again that the website is yours')
    }
    await useLink(privateLink)
    const other = await checkout({ destination: `http://${host}/menu` })
    service.clock.now += PASS_LIFETIME_MS
    expect([other.status, (await checkout()).status]).toEqual([403, 403])
    await expectNoOrder()
  })

  it('needs consent to the rules in force', async () => {
    await own()
    for (const rules of ['', 'on', '2025-01-01']) {
      const { status, html } = await checkout({ rules })
      expect([status, html.includes('Please tick the box to agree to the rules')]).toEqual([400, true])
    }
    await expectNoOrder()
  })

  it('is at the price that was shown, or shows the new one', async () => {
    await own()
    await pay(host, 10)
    const { status, html } = await checkout()
    expect(status).toBe(409)
    expect(html).toContain('the price has changed since you saw it')
    expect(html).toContain('name="amount" value="1500"')
    for (const amount of ['', '25', '01500', '-2500', '2500.0', 'x', '99999999999999999999']) {
      expect((await checkout({ amount })).status).toBe(409)
    }
    expect((await checkout({ target: '10', amount: '0' })).status).toBe(409)
    expect(await orders()).toHaveLength(1)
    expect((await checkout({ amount: '1500' })).status).toBe(303)
  })

  it('keeps the yes to an amount after any other error, and asks again for another amount', async () => {
    await own()
    const isTicked = (html: string) => /name="rules"[^>]* checked/.test(html)
    service.sites.set(host, request => request.socket.destroy())
    expect(isTicked((await checkout()).html)).toBe(true)
    expect(isTicked((await checkout({ rules: '' })).html)).toBe(false)
    expect(isTicked((await checkout({ amount: '2400' })).html)).toBe(false)
    await pay(host, 10)
    const { status, html } = await checkout()
    expect([status, isTicked(html)]).toEqual([409, false])
    expect(isTicked((await offered()).html)).toBe(false)
  })

  it('is at the price of the new day after midnight', async () => {
    await own()
    service.clock.now = Date.UTC(2026, 10, 21, 23, 59)
    await own()
    await pay(host, 10)
    expect((await offered({ board: 'today' })).html).toContain('value="1500"')
    service.clock.now += 60_000
    expect((await checkout({ board: 'today', amount: '1500' })).status).toBe(409)
    expect((await checkout({ board: 'today' })).status).toBe(303)
  })

  it('is not taken for a website that review refuses', async () => {
    await own()
    service.sites.set(host, (_request, response) =>
      sendHtml(response, '<title>x</title><meta name="rating" content="adult">'),
    )
    const { status, html } = await checkout()
    expect(status).toBe(422)
    expect(textOf(html)).toMatch(
      /did not pass review\. The page is labelled or worded as adult content.*Nothing was charged\./,
    )
    await expectNoOrder()
  })

  it('is not taken for a website that is down', async () => {
    await own()
    service.sites.set(host, request => request.socket.destroy())
    const { status, headers, html } = await checkout()
    expect([status, headers.get('retry-after')]).toEqual([503, '30'])
    expect(html).toContain('We couldn’t read your website right now')
    expect(html).toContain('action="/promote/checkout"')
    await expectNoOrder()
  })

  it('is not taken while the processor is down', async () => {
    const api = await startStripeApi()
    const stripe = await startTestService({ env: api.env, sites: service.sites, database: service.database })
    const browser = newVisitor(stripe)
    const { privateLink } = await list()
    await browser.post('/promote/link', { ...chosen(), link: privateLink })
    await api.goDown()
    const { status, headers, html } = await checkout({}, {}, browser)
    expect([status, headers.get('retry-after')]).toEqual([503, '60'])
    expect(html).toContain('The payment processor does not answer right now. Nothing was charged.')
    const [order] = await orders()
    expect(textOf((await browser.get(`/checkout/${order?.id}`)).html)).toContain('No payment page was opened')

    await api.comeBack()
    const again = await checkout({}, {}, browser)
    expect(again.status).toBe(303)
    const page = await browser.get(again.location ?? '')
    expect(page.html).toMatch(/href="https:\/\/checkout\.stripe\.com\/[^"]+">Pay \$25\.00 at Stripe</)
    await api.goDown()
    stripe.clock.now += 5000
    const down = await browser.get(again.location ?? '')
    expect(down.status).toBe(503)
    expect(textOf(down.html)).toContain('We can’t open the payment page at Stripe right now.')
    await stripe.stop()
    await api.close()
  })
})

describe('what other websites send', () => {
  test.each([
    ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
    ['one from a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['one that a person typed', { 'sec-fetch-site': 'none' }],
    ['a foreign origin', { 'sec-fetch-site': '', origin: 'https://elsewhere.example' }],
  ])('is refused: %s', async (_, headers: Fields) => {
    const { privateLink } = await list()
    await useLink(privateLink)
    for (const path of ['proof', 'check', 'link', 'checkout']) {
      const fields = chosen({ link: privateLink, amount: '2500', rules: '2026-09-06' })
      expect((await visitor.post(`/promote/${path}`, fields, headers)).status).toBe(403)
    }
    expect((await visitor.post('/manage/00000000-0000-4000-8000-000000000000/promote', {}, headers)).status).toBe(403)
    expect(await orders()).toEqual([])
  })

  test('opens the page, which then says how to see the proved ownership', async () => {
    expect((await visitor.get(promote(chosen()), { 'sec-fetch-site': 'cross-site' })).html).toContain('Check again')
    expect((await offered()).html).not.toContain('Check again')
  })
})

test('orders of one address are limited, separately from its links and checks, and nothing is lost', async () => {
  const limited = await startTestService({ env: { LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '3' } })
  const browser = newVisitor(limited)
  const statuses: number[] = []
  for (const path of [
    'link',
    'check',
    'link',
    'check',
    'link',
    'checkout',
    'checkout',
    'checkout',
    'checkout',
    'proof',
  ]) {
    const { status, headers, html } = await browser.post(`/promote/${path}`, chosen())
    statuses.push(status)
    if (status !== 429) continue
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(540)
    expect(html).toContain('Please wait 10 minutes and try again.')
    expect(html).toContain(`<dd>http://${host}/</dd>`)
  }
  expect(statuses).toEqual([403, 400, 403, 429, 429, 403, 403, 403, 429, 303])
  expect((await browser.get(promote(chosen()))).status).toBe(200)
  await limited.stop()
})

describe('the page of an order', () => {
  async function ordered() {
    const { privateLink } = await list()
    await useLink(privateLink)
    return (await checkout()).location ?? ''
  }

  it('is never cached, indexed or leaked, and runs one script of our own', async () => {
    const path = await ordered()
    for (const address of [path, `${path}/state`]) {
      const { status, headers } = await visitor.get(address)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-robots-tag')).toBe('noindex')
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none';.*script-src 'self'; connect-src 'self'$/,
      )
    }
  })

  it('tells its state, for its script', async () => {
    const path = await ordered()
    const { headers, html } = await visitor.get(`${path}/state`)
    expect(headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(html)).toEqual({ state: 'open' })
  })

  it('says that the payment page has closed, an hour later', async () => {
    const path = await ordered()
    service.clock.now += 60 * 60 * 1000
    const { html } = await visitor.get(path)
    expect(textOf(html)).toContain('The payment page is closed. Nothing was paid there.')
    expect(html).not.toContain('<script')
  })

  it('asks for help where a payment is held, until the operator has settled it', async () => {
    const path = await ordered()
    const [order] = await orders()
    const paymentId = `pi_${order?.id}`
    const hear = (kind: EventKind) =>
      applyEvent(store, { ...eventOf(kind, paymentId, { currency: 'eur' }), ...aboutOrder(order) }, NOON)
    const HELD = 'Your payment arrived, but we couldn’t match it to this order. The operator can see it'
    await hear('paid')
    expect(textOf((await visitor.get(path)).html)).toContain(HELD)
    await settlePayment(store, paymentId, 'Paid back by bank transfer', 'ann', NOON)
    const settled = textOf((await visitor.get(path)).html)
    expect(settled).toContain('so nothing was bought. The operator has settled it.')
    expect(settled).not.toContain('looking into')
    expect(settled).not.toContain('bank transfer')
    await hear('disputed')
    expect(textOf((await visitor.get(path)).html)).toContain(HELD)
  })

  it('has what to share once it is paid, and says where to hear about the place', async () => {
    const path = await ordered()
    const [order] = await orders()
    await applyEvent(store, { ...eventOf('paid', `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    const { html } = await visitor.get(path)
    const { slug } = await store.db
      .selectFrom('listing')
      .select('slug')
      .where('hostname', '=', host)
      .executeTakeFirstOrThrow()
    expect(textOf(html)).toContain(`${service.url}/product/${slug}`)
    expect(html).toContain(`src="/badge/${slug}.svg"`)
    expect(html).toMatch(/<script[^>]* src="\/assets\/copy\.js/)
    expect(textOf(html)).toContain('Open it to get notified when another listing overtakes you: see Notifications')
    expect(html).not.toMatch(/manage\/|owner=/)
  })

  it('says that the place of a listing that is taken down stays paid, unless its money was refunded', async () => {
    const path = await ordered()
    const [order] = await orders()
    const about = {
      processor: 'sandbox' as const,
      livemode: 0,
      sessionId: order?.sessionId ?? '',
      checkoutId: order?.id ?? '',
    }
    await applyEvent(store, { ...eventOf('paid', `pi_${order?.id}`), ...about }, NOON)
    expect(textOf((await visitor.get(path)).html)).toMatch(/No\. \d+ on the all-time board , with \$25\.00 in total/)
    const { slug } = await store.db
      .selectFrom('listing')
      .select('slug')
      .where('hostname', '=', host)
      .executeTakeFirstOrThrow()
    await hideListing(store, slug, 'test', NOON)
    const { html } = await visitor.get(path)
    expect(textOf(html)).toContain('The listing is down, so it has no place. Your payment still counts.')
    expect(html).not.toContain('and counts')
    expect(html).not.toContain(slug)
    await applyEvent(store, eventOf('refunded', `pi_${order?.id}`, { ...about, amountCents: 1000 }), NOON)
    const partly = textOf((await visitor.get(path)).html)
    expect(partly).toMatch(/Of the \$25\.00 you paid, \$15\.00 counts \. \$10\.00 was refunded/)
    expect(partly).toContain('Refunded − $10.00 Counts $15.00 on 21 November 2026 (UTC), and for all time')
    expect(partly).not.toContain('still counts')
    await applyEvent(store, eventOf('refunded', `pi_${order?.id}`, about), NOON)
    const refunded = textOf((await visitor.get(path)).html)
    expect(refunded).toContain('Paid, but no longer counted')
    expect(refunded).toContain('The listing is down, so it has no place. Its private page says why')
  })

  /** What an event says of an order of the sandbox. */
  const aboutOrder = (order: Awaited<ReturnType<typeof orders>>[number] | undefined) => ({
    processor: 'sandbox' as const,
    livemode: 0,
    sessionId: order?.sessionId ?? '',
    checkoutId: order?.id ?? '',
  })
  const sessionStatus = async () => {
    const [order] = await orders()
    const sandbox = openSandbox(service)
    const session = sandbox.findSession(order?.sessionId ?? '')
    await sandbox.close()
    return session?.status
  }
  /** Checks that an order can no longer be paid, here or at the processor. */
  async function expectClosed(path: string, heading: string, link: string) {
    const { status, html } = await visitor.get(path)
    expect([status, html.includes(`<h1>${heading}</h1>`)]).toEqual([200, true])
    expect(html).not.toContain('/sandbox/pay/')
    expect(html).toContain(link)
    expect(await sessionStatus()).toBe('expired')
  }
  const PRICE_OF_NOW = 'See the current price</a>'

  it('sells a place on a day’s board until midnight, and says so', async () => {
    const { privateLink } = await list()
    await useLink(privateLink)
    service.clock.now = Date.UTC(2026, 10, 21, 23, 50)
    await useLink(privateLink)
    const path = (await checkout({ board: 'today' })).location ?? ''
    expect((await visitor.get(path)).html).toContain('<strong>Pay by card, before midnight UTC.</strong>')
    service.clock.now += 20 * 60 * 1000
    expect((await visitor.head(path)).status).toBe(200)
    expect(await sessionStatus()).toBe('open')
    await expectClosed(path, 'The day is over', PRICE_OF_NOW)
  })

  it('stays open at an instance whose clock is still in the day before', async () => {
    const { privateLink } = await list()
    await pay(host, 5)
    service.clock.now = Date.UTC(2026, 10, 22) + 500
    await useLink(privateLink)
    const path = (await checkout({ board: 'today' })).location ?? ''
    service.clock.now -= 1000
    const { html } = await visitor.get(path)
    expect(html).toContain('<h1>Pay $25.00</h1>')
    expect(html).toContain('/sandbox/pay/')
  })

  it('says on which day a payment made after the ordered day counts', async () => {
    const { privateLink } = await list()
    const MAY_OUTLAST = 'a payment after midnight counts on the new day’s board'
    service.clock.now = Date.UTC(2026, 10, 21, 23, 20)
    await useLink(privateLink)
    expect(textOf((await offered({ board: 'today' })).html)).not.toContain(MAY_OUTLAST)
    service.clock.now = Date.UTC(2026, 10, 21, 23, 55)
    expect(textOf((await offered({ board: 'today' })).html)).toContain(MAY_OUTLAST)
    expect(textOf((await offered()).html)).not.toContain(MAY_OUTLAST)
    const path = (await checkout({ board: 'today' })).location ?? ''
    const order = textOf((await visitor.get(path)).html)
    expect(order).toContain('The payment page stays open until 22 November 2026, 00:26 UTC .')
    expect(order).toContain(MAY_OUTLAST)

    const [{ sessionId } = { sessionId: '' }] = await orders()
    service.clock.now = Date.UTC(2026, 10, 22, 0, 10)
    await visitor.post(`/sandbox/pay/${sessionId}`, { act: 'pay', delivery: 'now' })
    const paid = textOf((await visitor.get(path)).html)
    expect(paid).toContain(
      'You ordered a place on the board of 21 November 2026 , but the payment processor confirmed your payment on another day. It counts on the board of 22 November 2026 ,',
    )
    expect(paid).toContain('Board Today ( 21 November 2026 )')
    expect(paid).toContain('Counts $25.00 on 22 November 2026 (UTC), and for all time')
    expect(paid).toMatch(/No\. \d+ on today’s board , with \$25\.00 in total/)
    expect(paid).not.toContain('private link')
    service.clock.now += daysMs(1)
    const { html } = await visitor.get(path)
    expect(html).toMatch(/<a [^>]*href="\/board\/today\/2026-11-22"[^>]*>See the board<\/a>/)
    expect(textOf(html)).toContain('The board of 22 November 2026 has ended.')
  })

  it('says so if the amount paid is not the amount ordered', async () => {
    const path = await ordered()
    const [order] = await orders()
    const paid = eventOf('paid', `pi_${order?.id}`, { amountCents: 3000, occurredAt: NOON + 60_000 })
    await applyEvent(store, { ...paid, ...aboutOrder(order) }, NOON)
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain(
      'Total ordered on this board $25.00 Amount ordered $25.00 (US dollars) Ordered 21 November 2026, 12:00 UTC Amount paid $30.00 (US dollars), not the amount you ordered Paid 21 November 2026, 12:01 UTC',
    )
    expect(text).toContain('on the all-time board , with $30.00 in total')
    expect(text).not.toContain('Your total')
  })

  it('sells nothing for a listing that is taken down meanwhile', async () => {
    const { slug, privateLink } = await list()
    await useLink(privateLink)
    const path = (await checkout()).location ?? ''
    await hideListing(store, slug, 'test', NOON)
    const { html } = await visitor.get(path)
    expect(html).toContain('<h1>This listing is down</h1>')
    expect(html).toContain(`href="${service.url}/support"`)
    expect(html).not.toContain('/sandbox/pay/')
    expect(textOf(html)).not.toMatch(/Nothing (was|can be) paid/)
  })

  it('sells it again once it is back, and repeats what the processor says while it stays down', async () => {
    const { slug, privateLink } = await list()
    await useLink(privateLink)
    const path = (await checkout()).location ?? ''
    await hideListing(store, slug, 'test', NOON)
    expect((await visitor.get(path)).html).toContain('<h1>This listing is down</h1>')
    await restoreListing(store, slug, 'test', NOON)
    expect((await visitor.get(path)).html).toContain('/sandbox/pay/')
    await hideListing(store, slug, 'test', NOON)
    service.clock.now += 60 * 60 * 1000
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain('This listing is down')
    expect(text).toContain('The payment page is closed. Nothing was paid there.')
  })

  it('sells nothing at a price that has changed, and leads nobody on to pay it', async () => {
    const path = await ordered()
    await pay(host, 10)
    expect((await visitor.get(`${path}?pay=1`)).headers.get('refresh')).toBeNull()
    await expectClosed(path, 'The price has changed', PRICE_OF_NOW)
  })

  it('sells nothing for an unlisted website whose host is blocked meanwhile', async () => {
    await own()
    const path = (await checkout()).location ?? ''
    expect((await visitor.get(path)).html).toContain('/sandbox/pay/')
    await blockHost(store, { host, subdomains: false }, 'It cheats', { name: 'ann' }, NOON)
    await expectClosed(path, 'This website is blocked', PRICE_OF_NOW)
  })

  it('shows a buyer that a website was hidden, if its host was blocked before the payment arrived', async () => {
    await own()
    const path = (await checkout()).location ?? ''
    await blockHost(store, { host, subdomains: false }, 'It cheats', { name: 'ann' }, NOON)
    const [order] = await orders()
    await applyEvent(store, { ...eventOf('paid', `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain('Your payment is confirmed. The listing isn’t shown right now, so it is on no board.')
  })

  it('tells the buyer about money on its way before selling more', async () => {
    const path = await ordered()
    const [order] = await orders()
    const hear = (kind: 'pending' | 'failed') =>
      applyEvent(store, { ...eventOf(kind, `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    await hear('pending')
    const { html } = await offered({ target: '40' })
    expect(textOf(html)).toContain(
      '$25.00 is already on its way for this website on the all-time board, ordered 21 November 2026, 12:00 UTC . The bank has not confirmed it yet. See that order . You can order on this board again once the money has arrived or failed.',
    )
    expect(html).toContain(`href="${path}">See that order`)
    expect(textOf(html)).not.toContain('Due now')
    expect(html).not.toContain('action="/promote/checkout"')
    const again = await checkout({ target: '40', amount: '4000' })
    expect(again.status).toBe(409)
    expect(textOf(again.html)).toContain('Nothing was ordered: $25.00 for this website and board is already on')
    const today = textOf((await offered({ board: 'today' })).html)
    expect(today).toContain('The price doesn’t include it.')
    expect(today).toContain('Go to payment: $25.00')
    expect((await newVisitor(service).get(promote(chosen()))).html).not.toContain(path)
    await hear('failed')
    expect((await offered()).html).not.toContain('on their way')
  })

  it('never says that more was refunded than paid', async () => {
    const path = await ordered()
    const [order] = await orders()
    const paid = eventOf('paid', `pi_${order?.id}`)
    await applyEvent(store, { ...paid, ...aboutOrder(order) }, NOON)
    const refund = eventOf('refunded', `pi_${order?.id}`, { amountCents: 999_900, processor: 'sandbox' })
    await applyEvent(store, refund, NOON)
    expect(textOf((await visitor.get(path)).html)).toContain('$0.00 counts . $25.00 was refunded')
  })

  it('says of a dispute whether it is open or was lost', async () => {
    const path = await ordered()
    const [order] = await orders()
    const hear = (kind: 'disputed' | 'dispute_lost') =>
      applyEvent(store, eventOf(kind, `pi_${order?.id}`, { processor: 'sandbox' }), NOON)
    await applyEvent(store, { ...eventOf('paid', `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    await hear('disputed')
    const open = textOf((await visitor.get(path)).html)
    expect(open).toContain('$0.00 counts . $25.00 is in dispute, and counts again if the dispute fails.')
    expect(open).toContain('In dispute − $25.00 Counts $0.00 Order number')
    await hear('dispute_lost')
    const lost = textOf((await visitor.get(path)).html)
    expect(lost).toContain('$0.00 counts . $25.00 was lost in a dispute.')
    expect(lost).toContain('Lost in a dispute − $25.00 Counts $0.00 Order number')
    // The rows of the log below, which a job adds, may still say "in dispute, and taken from".
    expect(lost).not.toContain('is in dispute')
  })

  it.each([
    ['disputed', 'In dispute'],
    ['dispute_lost', 'Lost in a dispute'],
  ] as const)('says of a payment that was %s after a part was refunded what each took', async (kind, name) => {
    const path = await ordered()
    const [order] = await orders()
    const about = { amountCents: 1000, processor: 'sandbox' } as const
    await applyEvent(store, { ...eventOf('paid', `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    await applyEvent(store, eventOf('refunded', `pi_${order?.id}`, about), NOON)
    await applyEvent(store, eventOf(kind, `pi_${order?.id}`, { processor: 'sandbox' }), NOON)
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain(`Refunded − $10.00 ${name} − $15.00 Counts $0.00 Order number`)
  })

  it('promises a row of the log only to a payment that counts', async () => {
    const path = await ordered()
    const [order] = await orders()
    const hear = (kind: 'paid' | 'refunded') =>
      applyEvent(store, { ...eventOf(kind, `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    await hear('refunded')
    await hear('paid')
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain('$0.00 counts . $25.00 was refunded')
    expect(text).not.toContain('gets its row')
  })

  it('promises no row of the log to a payment from before the log, of which it has none', async () => {
    const path = await ordered()
    const [order] = await orders()
    await applyEvent(store, { ...eventOf('paid', `pi_${order?.id}`), ...aboutOrder(order) }, NOON)
    // As an upgrade leaves it: the rows of totals from before have the time of a payment, not that of an event.
    await store.db
      .updateTable('processor_event')
      .set({ receivedAt: NOON - 1 })
      .where('sessionId', '=', order?.sessionId ?? '')
      .execute()
    expect(textOf((await visitor.get(path)).html)).toContain('gets its row')
    service.clock.now += daysMs(1)
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain('The board of 21 November 2026 has ended.')
    expect(text).not.toContain('gets its row')
  })

  it('says on which day it counts if the processor dates it before the ordered day', async () => {
    const { privateLink } = await list()
    service.clock.now = Date.UTC(2026, 10, 22) + 1000
    await useLink(privateLink)
    const path = (await checkout({ board: 'today' })).location ?? ''
    const [order] = await orders()
    const occurredAt = Date.UTC(2026, 10, 22) - 1000
    const paid = { ...eventOf('paid', `pi_${order?.id}`, { occurredAt }), ...aboutOrder(order) }
    await applyEvent(store, paid, service.clock.now)
    const text = textOf((await visitor.get(path)).html)
    expect(text).toContain(
      'You ordered a place on the board of 22 November 2026 , but the payment processor confirmed your payment on another day. It counts on the board of 21 November 2026 ,',
    )
  })

  it('does not exist without an order', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'x', '%00', '..%2f', 'A'.repeat(500)]) {
      for (const address of [`/checkout/${id}`, `/checkout/${id}/state`]) {
        expect([id, (await visitor.get(address)).status]).toEqual([id, 404])
      }
    }
  })
})

/** Claims that nobody can make about an order without an event. */
const CLAIM = /[Nn]othing (was|is|can be) (charged|paid)/

describe('the page of an order at Stripe', () => {
  let api: StripeApi
  let stripe: TestService
  let its: Store
  let browser: Visitor
  beforeAll(async () => {
    api = await startStripeApi()
    const env = { ...api.env, LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000' }
    stripe = await startTestService({ env, sites: service.sites })
    its = await stripe.database.openStore()
  })
  afterAll(async () => {
    await stripe.stop()
    await api.close()
  })
  beforeEach(async () => {
    stripe.clock.now = NOON
    api.refuseExpiry = false
    browser = newVisitor(stripe)
    const { privateLink } = await list(host, stripe)
    await browser.post('/promote/link', { ...chosen(), link: privateLink })
  })
  const ordered = async () => (await checkout({}, {}, browser)).location ?? ''
  const sessionOf = async (path: string) => {
    const order = (await orders(its)).find(({ id }) => path.endsWith(id))
    return api.session(order?.sessionId ?? '')
  }

  it('is being closed while Stripe keeps it open after a newer order, and is tried again', async () => {
    const path = await ordered()
    api.refuseExpiry = true
    await ordered()
    const { status, headers, html } = await browser.get(path)
    expect([status, headers.get('retry-after')]).toEqual([503, '60'])
    expect(textOf(html)).toContain('We couldn’t close its payment page yet: please do not pay there.')
    expect(html).not.toContain('https://checkout.stripe.com')
    expect(await htmlFaults(html)).toEqual([])
    expect(html).toMatch(/<script[^>]* src="\/assets\/checkout\.js/)
    api.refuseExpiry = false
    stripe.clock.now += 5000
    expect((await browser.get(path)).html).toContain('<h1>A newer order replaced it</h1>')
    expect((await sessionOf(path)).status).toBe('expired')
  })

  it('waits for its event if somebody paid it despite a newer order', async () => {
    const path = await ordered()
    api.refuseExpiry = true
    await ordered()
    await api.complete((await sessionOf(path)).id)
    const { html } = await browser.get(path)
    expect(html).toContain('<h1>Waiting for confirmation</h1>')
    expect(html).toContain('data-state="superseded"')
  })

  it('is what a newer order is refused with while its payment waits for its event', async () => {
    const path = await ordered()
    await api.complete((await sessionOf(path)).id)
    const { status, html } = await checkout({}, {}, browser)
    expect(status).toBe(409)
    expect(await htmlFaults(html)).toEqual([])
    expect(html).toContain(
      `waiting for confirmation and will change the price. <a href="${path}?returned=1">See that order</a>`,
    )
    expect((await browser.get(path)).html).toContain('<h1>Waiting for confirmation</h1>')
  })

  it('sells nothing from an answer cached before the payment when the payer returns', async () => {
    const path = await ordered()
    expect((await browser.get(path)).html).toContain('https://checkout.stripe.com')
    await api.complete((await sessionOf(path)).id)
    const { html } = await checkout({}, {}, browser)
    const [, waiting = ''] = /href="([^"]+)">Look at it/.exec(html) ?? []
    expect((await browser.get(waiting)).html).not.toContain('https://checkout.stripe.com')
  })

  it('does not say whether anybody paid if Stripe cannot be asked', async () => {
    const path = await ordered()
    await api.complete((await sessionOf(path)).id)
    api.mood = 'broken'
    const { status, html } = await browser.get(path)
    api.mood = 'well'
    expect(status).toBe(503)
    expect(textOf(html)).toContain('If you have paid, your payment counts once it is confirmed: do not pay again.')
    expect(html).not.toMatch(CLAIM)
  })

  it('does not say so if the ledger or the database cannot be read, either', async () => {
    const path = await ordered()
    for (const [table, expected] of [
      ['board_total', 503],
      ['payment', 500],
    ] as const) {
      await its.db.schema.alterTable(table).renameTo('away').execute()
      const [page, state] = [await browser.get(path), await browser.get(`${path}/state`)]
      await its.db.schema.alterTable('away').renameTo(table).execute()
      expect([table, page.status]).toEqual([table, expected])
      expect(page.html).toContain('If you have paid, your payment counts once it is confirmed: do not pay again.')
      for (const { html } of [page, state]) expect(html).not.toMatch(CLAIM)
    }
  })

  it('says how to get help if the confirmation does not come', async () => {
    const path = await ordered()
    const { html } = await browser.get(`${path}?returned=1`)
    expect(textOf(html)).toContain('More than an hour? Get help , and give the order number.')
    expect(textOf(html)).toMatch(/Order number [\da-f-]{36}/)
    expect(html).toContain(`<a href="${stripe.url}/support">Get help</a>`)
  })

  it('is closed if it belongs to a processor that is not in use', async () => {
    const path = await ordered()
    await its.transact(trx => trx.updateTable('checkout').set({ processor: 'sandbox' }).execute())
    const { status, html } = await browser.get(path)
    expect(status).toBe(200)
    expect(textOf(html)).toContain('a payment processor that we no longer use')
    expect(html).toContain('see the current price</a>')
    expect(html).toContain('Get help</a>')
    expect(html).not.toMatch(CLAIM)
  })

  it('asks Stripe at most once in five seconds, and not without limit', async () => {
    const path = await ordered()
    const before = api.heard.length
    await Promise.all(Array.from({ length: 20 }, () => browser.get(path)))
    expect(api.heard.length - before).toBe(1)
    // An answer from a time to come is not of the last five seconds.
    stripe.clock.now -= 1
    await browser.get(path)
    expect(api.heard.length - before).toBe(2)
    const statuses = new Set<number>()
    for (let looks = 0; looks < 65; looks++) {
      stripe.clock.now += 5000
      statuses.add((await browser.get(path)).status)
    }
    expect(api.heard.length - before).toBeLessThanOrEqual(60)
    expect([...statuses]).toEqual([200, 429])
    stripe.clock.now += 5000
    const past = (await browser.get(path)).html
    expect(past).toContain('your payment counts once it is confirmed: do not pay again.')
    expect(past).not.toMatch(CLAIM)
    const { html } = await browser.get(`${path}?returned=1`)
    expect(textOf(html)).toContain('Waiting for confirmation')
  })
})
