import { randomUUID } from 'node:crypto'
import { CATEGORIES, REVIEW_REASONS } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { daysMs } from '../../src/platform/lib/time.ts'
import { placeOnBoard } from '../support/places.ts'
import { NOON } from '../support/service.ts'
import { type Pages, startPages } from './page-app.ts'
import { fillBoard } from './samples.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

const textOf = async (path: string) => (await pages.get(path)).text()

describe('the home page', () => {
  test('says how to get the first listing while the board is empty', async () => {
    const response = await pages.get('/')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('No listings yet')
  })

  test('leads agents and people on', async () => {
    const html = await textOf('/')
    for (const path of [
      '/agent-guide.md',
      '/api/v1/agent/capabilities',
      '/openapi.json',
      '/llms.txt',
      '/board/all',
      '/board/today',
      '/newest',
      '/category/food-drink',
      '/rules',
      '/support',
      '/promote',
    ]) {
      expect(html).toContain(`href="${path}"`)
    }
    expect(html).toMatch(/<form class="ask" action="\/search">\s*<input type="search" name="q"/)
    for (const category of CATEGORIES) expect(html).toContain(`>${category.replaceAll('&', '&amp;')} <small`)
  })

  test('is small: all but pictures, with its font, comes in less than 120 KB', async () => {
    const full = await startPages()
    await fillBoard(full, 24)
    const home = await full.get('/')
    const html = await home.text()
    const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(match => match[1] ?? '')
    expect(assets.map(asset => asset.replace(/\?v=[\w-]{12}$/, ''))).toEqual([
      '/assets/archivo-latin.woff2',
      '/assets/style.css',
      '/assets/favicon.svg',
      '/assets/board.js',
      '/assets/search.js',
      '/assets/keep.js',
    ])
    const replies = [home, ...(await Promise.all(assets.map(path => full.get(path))))]
    const bytes = replies.map(reply => Number(reply.headers.get('content-length')))
    expect(Math.min(...bytes)).toBeGreaterThan(0)
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(120_000)
    await full.close()
  })

  test('names the font as the style sheet does, for ever, and sends it as it is', async () => {
    const [, font = ''] = /href="(\/assets\/archivo-latin\.woff2[^"]*)" as="font"/.exec(await textOf('/')) ?? []
    const [, sheet = ''] = /href="(\/assets\/style\.css[^"]*)"/.exec(await textOf('/')) ?? []
    expect(await textOf(sheet)).toContain(`url("${font}") format("woff2")`)
    const { status, headers } = await pages.get(font, { 'accept-encoding': 'gzip' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('font/woff2')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('content-encoding')).toBeNull()
  })

  test('shows the 10 newest published listings, newest first, each with a placard drawn from its name', async () => {
    const board = await startPages()
    for (let place = 0; place < 26; place++) {
      await board.addListing({ slug: `n${place}`, title: `Listing ${place}`, publishedAt: NOON - place })
    }
    await board.addListing({ title: 'Hidden one', hiddenAt: NOON, hiddenBy: 'operator' })
    await board.addListing({ title: 'Old one', expiresAt: NOON })
    const html = await (await board.get('/')).text()
    const slugs = [...html.matchAll(/href="\/product\/([^"]+)"/g)].map(match => match[1])
    expect(slugs).toEqual(Array.from({ length: 10 }, (_, place) => `n${place}`))
    expect(html).not.toMatch(/Hidden one|Old one|Nothing is listed yet/)
    expect(html.match(/<svg class="art" viewBox="0 0 400 \d+" aria-hidden="true">/g)).toHaveLength(10)
    await board.close()
  })

  test.each([
    ['tr', 'EVİ'],
    ['tr-TR', 'EVİ'],
    ['en', 'EVI'],
    ['tru', 'EVI'],
  ])('spells capitals as the language %s has them: %s', async (language, spelt) => {
    const board = await startPages()
    for (let place = 0; place < 10; place++) {
      await board.addListing({ slug: `pide-${place}`, title: 'Pide Evi', language, publishedAt: NOON - place })
    }
    const drawn = [...(await (await board.get('/')).text()).matchAll(/>(?:P[Iİ]DE )?(EV.)<\/text>/g)]
    expect([...new Set(drawn.map(([, word]) => word))]).toEqual([spelt])
    await board.close()
  })

  test.each([
    ['tr', 'İD'],
    ['en', 'ID'],
  ])('has initials as the language %s has them, too, on each page: %s', async (language, initials) => {
    const board = await startPages()
    const { slug, publicPath } = await board.addListing({ title: 'ince dal', language })
    await placeOnBoard(board.store, { [slug]: 500 }, '2026-10-20')
    await placeOnBoard(board.store, { [slug]: 500 })
    for (const path of [publicPath, '/search?q=ince', '/board/all', '/board/today/2026-10', '/board/today/2026-11']) {
      expect([path, await (await board.get(path)).text()]).toEqual([path, expect.stringMatching(`>${initials}<`)])
    }
    await board.close()
  })

  test.each([
    ['Rødgrød', 'RØDGRØD'],
    ['Große Straße', 'GROSSE STRASSE'],
    ['Łódź i Małopolska', 'MAŁOPOLSKA'],
    ['Kadıköy Fırını', 'KADIKÖY'],
    ['Œuvre et sœur', 'SŒUR'],
  ])('spells letters on a poster that only capitals make plain ones: %s', async (title, spelt) => {
    const board = await startPages()
    for (let place = 0; place < 10; place++) await board.addListing({ hostname: `site-${place}.com`, title })
    const html = await (await board.get('/newest')).text()
    // Only names without letters of our font are drawn as shapes alone.
    expect(html.match(/<svg class="art"[^>]*>.*?<\/svg>/gs)?.filter(art => !art.includes('<text'))).toEqual([])
    expect(html).toMatch(new RegExp(`<text[^>]*>[^<]*${spelt}`))
    await board.close()
  })

  test('says until when new listings are open', async () => {
    const closing = await startPages({ env: { SUBMISSIONS_END_AT: new Date(NOON + 60_000).toISOString() } })
    const sentence = async () => /New free listings [^<]*/.exec(await (await closing.get('/')).text())?.[0]
    expect(await sentence()).toBe('New free listings are open until 21 November 2026, 12:01 UTC.')
    closing.time.now = NOON + 60_000
    expect(await sentence()).toBe('New free listings have been closed since 21 November 2026, 12:01 UTC.')
    await closing.close()
  })
})

describe('a product page', () => {
  test('shows what the website says, and since when and until when it is listed', async () => {
    const { slug, publicPath } = await pages.addListing()
    const html = await textOf(publicPath)
    expect(html).toContain('Sunrise Bakery: bread and cake since 1987</h1>')
    expect(html).toContain('Saturday cinnamon rolls')
    expect(html).toContain('Food &amp; Drink')
    expect(html).toContain('<time datetime="2026-11-21T12:00:00.000Z">21 November 2026</time>')
    expect(html).toContain('<time datetime="2027-01-20T12:00:00.000Z">20 January 2027</time>')
    expect(html).toContain(`<link rel="canonical" href="${pages.url}/product/${slug}"/>`)
    expect(html).toContain(`<meta property="og:url" content="${pages.url}/product/${slug}"/>`)
  })

  test('never links an address that is not http or https', async () => {
    const { publicPath } = await pages.addListing({ url: 'javascript:alert(1)' })
    const html = await textOf(publicPath)
    expect(html).not.toContain('href="javascript:')
    expect(html).not.toContain('>Visit ')
  })

  test('describes itself to machines in a block that nothing can break out of', async () => {
    const title = '</script><script>alert(1)</script>'
    const { publicPath } = await pages.addListing({ title })
    const html = await textOf(publicPath)
    const block = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? ''
    expect(JSON.parse(block)).toMatchObject({ '@type': 'ItemPage', name: title })
    // The block, and our two scripts.
    expect(html.match(/<script/g)).toHaveLength(3)
  })

  test('marks the listing’s language if it is a known one', async () => {
    const german = await pages.addListing({ language: 'de-AT', title: 'Bäckerei' })
    const nonsense = await pages.addListing({ language: '"><b>', title: 'Bakery' })
    expect(await textOf(german.publicPath)).toContain('<h1 dir="auto" lang="de-AT">Bäckerei</h1>')
    expect(await textOf(nonsense.publicPath)).toContain('<h1 dir="auto">Bakery</h1>')
  })

  test('says so if no end is scheduled', async () => {
    const { publicPath } = await pages.addListing({ expiresAt: null })
    expect(await textOf(publicPath)).toContain('<dt>Ends</dt><dd>No end date while its place is paid</dd>')
  })

  test.each([
    ['expired', { expiresAt: NOON }, 'Its time on the site has ended.'],
    ['hidden', { hiddenAt: NOON, hiddenBy: 'operator' as const }, 'It was taken down'],
    ['hidden and expired', { hiddenAt: NOON, expiresAt: NOON - daysMs(1) }, 'It was taken down'],
  ])('that is %s answers 410 and reveals nothing about the listing', async (_, fields, sentence) => {
    const said = { title: 'Lantern Works', description: 'Paper moons', hostname: 'lantern.com' }
    const { publicPath } = await pages.addListing({ slug: `down-${randomUUID()}`, ...said, ...fields })
    const response = await pages.get(publicPath)
    const html = await response.text()
    expect(response.status).toBe(410)
    expect(html).toContain(sentence)
    expect(html).not.toMatch(/lantern|paper moons/i)
  })

  test('of an unknown listing answers 404, as a page to people and as JSON to programs', async () => {
    const page = await pages.get('/product/no-such-thing')
    expect(page.status).toBe(404)
    expect(await page.text()).toContain('Page not found</h1>')
    const json = await pages.get('/product/no-such-thing', { accept: 'application/json' })
    expect(json.status).toBe(404)
    expect(await json.json()).toMatchObject({ code: 'not_found' })
  })
})

describe('the pages of text', () => {
  test('state the rules by version, with every reason for a refusal', async () => {
    const html = await textOf('/rules')
    expect(html).toContain('Version 2026-09-06.')
    for (const reason of Object.keys(REVIEW_REASONS)) expect(html).toContain(`<code>${reason}</code>`)
    expect(html).not.toContain('They are at /rules')
  })

  test('explain how a receipt is recovered', async () => {
    expect(await textOf('/support')).toMatch(/same <code>Idempotency-Key<\/code>/)
  })

  test('say where the operator is, or that there is no address', async () => {
    expect(await textOf('/support')).toContain('has not given a contact address')
    const helped = await startPages({ env: { SUPPORT_URL: 'mailto:help@placard.example' } })
    const html = await (await helped.get('/support')).text()
    expect(html).toContain('<a href="mailto:help@placard.example">help@placard.example</a>')
    expect(html).not.toContain('has not given a contact address')
    await helped.close()
  })

  test('promise help only if there is an address for it', async () => {
    const helped = await startPages({ env: { SUPPORT_URL: 'mailto:help@placard.example' } })
    const promises = /contact <a|Get help/g
    for (const [board, found] of [
      [pages, []],
      [helped, ['contact <a', 'Get help']],
    ] as const) {
      const up = await board.addListing()
      const down = await board.addListing({ hiddenAt: NOON })
      const paths = [down.publicPath, `${up.publicPath}/reported`, '/product/none']
      const shown = await Promise.all(paths.map(async path => (await board.get(path)).text()))
      expect(shown.join('').match(promises) ?? []).toEqual(found)
    }
    await helped.close()
  })
})
