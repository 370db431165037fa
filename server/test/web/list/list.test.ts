import { CATEGORIES } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { LOOKUPS_PER_MINUTE } from '../../../src/web/list/routes.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

const list = async (query: Record<string, string>, of: Pages = pages) => {
  const response = await of.get(`/list?${new URLSearchParams(query)}`)
  return { response, html: await response.text() }
}
const LISTED = { address: 'https://www.sunrise-bakery.com/menu', category: 'Design' }
const { key: destinationKey } = parseDestination(LISTED.address)

test('before an address is given, the page says how it goes and makes nothing', async () => {
  const { response, html } = await list({})
  expect(response.status).toBe(200)
  for (const category of CATEGORIES) expect(html).toContain(`>${category.replaceAll('&', '&amp;')}</option>`)
  expect(html).not.toMatch(/id="(prompt|command)"/)
  expect(html).not.toContain('<details open')
})

test('home and the masthead lead to it', async () => {
  expect(await (await pages.get('/')).text()).toContain('<a class="btn go" href="/list">List your site</a>')
  expect(await (await pages.get('/rules')).text()).toContain('<a class="btn ink" href="/list">')
})

test('an address without a scheme gets its prompt and its command', async () => {
  const { response, html } = await list({ address: ' Tomato-Shop.co/a?b#c ', category: 'Food & Drink' })
  expect(html).toContain('Address: <b>https://tomato-shop.co/a</b>')
  expect(html).toContain('Category: <b>Food &amp; Drink</b>')
  expect(html).toContain(
    `npx -y ${pages.url}/client/placard-agent.tgz publish <b>https://tomato-shop.co/a</b> --category <b>&quot;Food &amp; Drink&quot;</b> <span class="flag">--user-approved</span> --service ${pages.url}`,
  )
  expect(html).toMatch(/such as Claude Code, Codex,[^.]+\. A chat that only reads the web can’t do it/)
  expect(html).toContain('<details open')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('x-robots-tag')).toBe('noindex')
  expect(await htmlFaults(html)).toEqual([])
})

test('a shell reads the address of the command as one word', async () => {
  const { html } = await list({ address: "https://tomato-shop.co/$(id);'`a`", category: 'Design' })
  expect(html).toContain(String.raw`<b>'https://tomato-shop.co/$(id);'\''%60a%60'</b>`)
})

describe('a field that cannot be used is marked, and the other stays', () => {
  test.each([
    ['ftp://tomato-shop.co/', 'That address can’t be listed'],
    ['http://192.168.1.1/', 'That address can’t be listed'],
    ['', 'Enter your website’s address.'],
    ['"><script>alert(1)</script>', 'That isn’t a full address. Try your-site.com.'],
    ['https://tomato-shop.co/‮evil', 'That address can’t be listed'],
    [`https://tomato-shop.co/${'a'.repeat(600)}`, 'That is longer than 500 characters.'],
    ['example.com/shop', 'example.com is reserved. Enter your own website’s address.'],
    ['tomato', 'That isn’t a full address. Try your-site.com.'],
  ])('address %j', async (address, fault) => {
    const { response, html } = await list({ address, category: 'Games' })
    expect(response.status).toBe(200)
    expect(html).toMatch(new RegExp(`id="address-fault">[^<]*${fault}`))
    expect(html).toContain('<option value="Games" selected>Games</option>')
    expect(html).not.toMatch(/id="prompt"|<script>/)
    expect(await htmlFaults(html)).toEqual([])
  })

  test('what was typed stays in its field', async () => {
    expect((await list({ address: 'not a "site"', category: '' })).html).toContain('value="not a &quot;site&quot;"')
  })

  test.each(['', 'games', '<b>Games</b>', '__proto__'])('category %j', async category => {
    const { html } = await list({ address: 'tomato-shop.co', category })
    expect(html).toContain('id="category-fault">Choose one of these categories.')
    expect(html).toContain('value="https://tomato-shop.co/"')
    expect(html).not.toContain('id="prompt"')
  })

  test('fields given twice', async () => {
    const response = await pages.get('/list?address=a.com&address=b.com&category=Games&category=Design')
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('id="prompt"')
  })
})

test('a private link is neither used nor shown', async () => {
  const { privateLink, token } = await pages.addListing({ destinationKey: 'of another' })
  for (const address of [privateLink, encodeURIComponent(privateLink)]) {
    const { html } = await list({ address, category: 'Games' })
    expect(html).toContain('This looks like a private link')
    expect(html).not.toContain(token)
  }
})

describe('an address that is on the board', () => {
  test('leads to its listing, and gets no prompt', async () => {
    const { publicPath } = await pages.addListing({ destinationKey })
    const { html } = await list({ ...LISTED, address: 'sunrise-bakery.com/menu/' })
    expect(html).toContain('It is listed already')
    expect(html).toContain(`href="${publicPath}"`)
    expect(html).not.toContain('id="prompt"')
    // The way without an agent is left out, and so is the link to it.
    expect([html.includes('id="self"'), html.includes('href="#self"')]).toEqual([false, false])
    expect(await htmlFaults(html)).toEqual([])
  })

  test('and is hidden says nothing of its listing', async () => {
    const other = await startPages()
    const { slug } = await other.addListing({ destinationKey, hiddenAt: NOON, hiddenBy: 'operator' })
    const { html } = await list(LISTED, other)
    expect(html).toContain('can’t be listed a second time')
    expect(html).not.toContain(slug)
    expect(html).not.toContain('id="prompt"')
    await other.close()
  })
})

test('once submissions are closed, the page says so and makes nothing', async () => {
  const closed = await startPages({ env: { SUBMISSIONS_END_AT: new Date(NOON - 1).toISOString() } })
  const { html } = await list({ address: 'tomato-shop.co', category: 'Games' }, closed)
  expect(html).toContain('New free listings have been closed since')
  expect(html).not.toContain('id="prompt"')
  await closed.close()
})

test('a client that asks too often waits', async () => {
  const busy = await startPages()
  for (let asked = 0; asked < LOOKUPS_PER_MINUTE; asked++) expect((await busy.get('/list')).status).toBe(200)
  const refused = await busy.get('/list')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await busy.close()
})
