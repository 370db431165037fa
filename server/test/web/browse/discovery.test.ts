import { CATEGORIES } from '@placard/contract'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { listingEntries, renderFeed } from '../../../src/web/ui/atom.ts'
import { launchBrowser } from '../../support/browser.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'
import { fillBoard } from '../samples.ts'

const HOSTILE = '</title>]]><script>alert(1)</script>&"\'\u0007\u0000\u202e'

const LISTING = {
  id: 1,
  slug: 'a',
  description: '',
  hostname: 'a.example',
  category: 'Games',
  language: '',
  publishedAt: NOON,
  expiresAt: null,
  pictureVersion: null,
  provenAt: null,
}

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
  // In order of publication, as listings come.
  const other = { hostname: 'other.example', description: 'Else.' }
  await pages.addListing({
    slug: 'hostile',
    title: HOSTILE,
    category: 'Design',
    publishedAt: NOON - 2000,
    ...other,
  })
  await pages.addListing({
    slug: 'game',
    title: 'A game',
    category: 'Games',
    publishedAt: NOON - 1000,
    updatedAt: NOON + 1000,
    ...other,
  })
  for (let place = 29; place >= 0; place--) {
    await pages.addListing({ slug: `n${place}`, title: `Bakery ${place}`, publishedAt: NOON - place })
  }
  await pages.addListing({ slug: 'hidden', title: 'Hidden bakery', hiddenAt: NOON })
  await pages.addListing({
    slug: 'ended',
    title: 'Ended bakery',
    publishedAt: NOON - daysMs(60),
    expiresAt: NOON,
  })
})
afterAll(() => pages.close())

const textOf = async (path: string) => (await pages.get(path)).text()
const slugsIn = (html: string) => [...html.matchAll(/href="\/product\/([^"]+)"/g)].map(match => match[1])
const olderIn = (html: string) =>
  /<a class="btn" href="([^"]+)">(?:Older|More)/.exec(html)?.[1]?.replaceAll('&amp;', '&')
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, place) => `n${from + place}`)

test('whoever searches without end is told to wait, on a page', async () => {
  const searches = await startPages()
  const statuses = new Set<number>()
  for (let search = 0; search < 60; search++) statuses.add((await searches.get('/search?q=bread')).status)
  expect([...statuses]).toEqual([200])
  const refused = await searches.get('/search?q=bread')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const page = await refused.text()
  expect(page).toContain('Try again in a minute.')
  // The sign sets each line as a text of its own.
  const sign = [...page.matchAll(/<text[^>]*>([^<]*)</g)].map(([, line]) => line).join(' ')
  expect(sign).toBe('WAIT A MINUTE')
  expect(page).not.toContain('secret')
  expect((await searches.get('/newest')).status).toBe(200)
  await searches.close()
})

describe('lists of listings', () => {
  test.each([
    ['/newest', [...range(24, 30), 'game', 'hostile']],
    ['/category/food-drink', range(24, 30)],
    ['/search?q=bak', range(24, 30)],
  ])('%s shows the newest, leads on to older ones, and leaves out what is down', async (path, rest) => {
    const first = await textOf(path)
    expect(slugsIn(first)).toEqual(range(0, 24))
    const older = olderIn(first) ?? ''
    expect(first).toContain(`<link rel="next" href="${older.replaceAll('&', '&amp;')}"/>`)
    const second = await textOf(older)
    expect([slugsIn(second), olderIn(second)]).toEqual([rest, undefined])
    expect([await htmlFaults(first), await htmlFaults(second)]).toEqual([[], []])
  })

  test('are one page with one ETag for a minute, except if a listing comes, is hidden or ends', async () => {
    const full = await startPages()
    await full.addListing({ slug: 'short', title: 'Ends soon', category: 'Games', expiresAt: NOON + 30_000 })
    await full.addListing({ slug: 'long', title: 'Stays', category: 'Games' })
    const at = async (path: string, now = NOON) => {
      full.time.now = now
      const response = await full.get(path)
      return { etag: response.headers.get('etag'), slugs: slugsIn(await response.text()) }
    }
    for (const path of ['/newest', '/category/games']) {
      const first = await at(path)
      expect(first.slugs).toEqual(['long', 'short'])
      expect(await at(path, NOON + 29_999)).toEqual(first)
      expect((await at(path, NOON + 30_000)).slugs).toEqual(['long'])
    }
    await full.addListing({ slug: 'new', title: 'Comes', category: 'Games' })
    for (const path of ['/newest', '/category/games']) expect((await at(path)).slugs).toEqual(['new', 'long', 'short'])
    await hideListing(full.store, 'long', 'test', NOON)
    for (const path of ['/newest', '/category/games']) expect((await at(path)).slugs).toEqual(['new', 'short'])
    await full.close()
  })

  test('name themselves once to search engines, whatever page of them', async () => {
    const older = olderIn(await textOf('/newest')) ?? ''
    for (const path of ['/newest', older]) {
      expect(await textOf(path)).toContain(`<link rel="canonical" href="${pages.url}/newest"/>`)
    }
    expect(await textOf('/category/games')).toContain(`canonical" href="${pages.url}/category/games"/>`)
    expect(await textOf('/search?q=game')).toContain('<meta name="robots" content="noindex"/>')
  })

  test.each(['/newest', '/category/games', '/search?q=game', '/feed.atom', '/sitemap-1.xml'])(
    '%s may be cached for a short time, and is not sent again unchanged',
    async path => {
      const { headers } = await pages.get(path)
      expect(headers.get('cache-control')).toBe('public, max-age=15, stale-while-revalidate=15, stale-if-error=300')
      expect((await pages.get(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304)
    },
  )

  test.each(['x', '', '1-2-3', '01-1', '1-%00', '9999999999999999-1'])(
    'answer 400 to a place that none gave (%j), and say how to go on',
    async after => {
      const response = await pages.get(`/newest?after=${after}`)
      expect(response.status).toBe(400)
      const html = await response.text()
      expect(html).toContain('remove “after” or “cursor” and everything behind it from the address')
    },
  )

  test('end in words where nothing is left', async () => {
    expect(await textOf('/newest?after=5-5')).toContain('There are no older listings.')
    expect(await textOf('/category/events')).toContain('Nothing is listed in this category')
  })

  test('exist for the categories there are', async () => {
    for (const slug of ['nothing', 'Games', 'constructor', '%00', 'games%2f']) {
      expect((await pages.get(`/category/${slug}`)).status).toBe(404)
    }
    expect(await textOf('/category/business-finance-legal')).toContain('Business, Finance &amp; Legal')
  })
})

describe('search', () => {
  test('asks for words if there are none', async () => {
    for (const path of ['/search', '/search?q=', '/search?q=%20%00', '/search?q=a&q=b']) {
      const response = await pages.get(path)
      expect([response.status, slugsIn(await response.text())]).toEqual([200, []])
    }
  })

  test.each(['https://pasted.example/', 'https://www.pasted.example/menu?x=1#top', 'www.pasted.example'])(
    'finds the page of a pasted address: %s',
    async typed => {
      const { slug } = await pages.addListing({ hostname: 'pasted.example', title: 'Pasted' })
      expect(slugsIn(await textOf(`/search?q=${encodeURIComponent(typed)}`))).toEqual([slug])
      await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
    },
  )

  test.each([
    ['food drink', ['food-drink']],
    ['Food & Drink', ['food-drink']],
    ['foods AND drinks', ['food-drink']],
    ['food tools', []],
    ['s', ['customer-support', 'e-commerce-shopping', 'marketing-seo', 'security-privacy', 'social-media']],
    ['food and drink', ['food-drink']],
    ['games', ['games']],
    ['ai', ['ai-agents', 'ai-tools']],
    ['ecommerce', ['e-commerce-shopping']],
    ['bakery', []],
    ['and', []],
  ])('leads to the categories that “%s” names, above what it finds', async (typed, named) => {
    const html = await textOf(`/search?q=${encodeURIComponent(typed)}`)
    const above = html.slice(0, html.search(/<section|listing-none/))
    expect([...above.matchAll(/href="\/category\/([^"]+)"/g)].map(match => match[1])).toEqual(named)
    expect(await htmlFaults(html)).toEqual([])
  })

  test('says what a listing is close to that has none of the typed words', async () => {
    const { slug } = await pages.addListing({ title: 'Sourdough Timer', hostname: 'timer.example' })
    const [meant, itself] = await Promise.all([textOf('/search?q=brot'), textOf('/search?q=sourdoughs')])
    expect(meant).toContain('close to <em><bdi>brot</bdi></em>')
    expect(itself).toContain('<mark>Sourdough</mark>')
    expect(itself).not.toContain('close to')
    await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
  })

  test('offers all categories only if nothing was found', async () => {
    const [none, some] = await Promise.all([textOf('/search?q=zzz'), textOf('/search?q=bakery')])
    const offered = (html: string) => html.match(/href="\/category\//g)?.length ?? 0
    expect([offered(none), offered(some)]).toEqual([CATEGORIES.length, 0])
  })

  test('marks what was found, and lets nothing else through from a hostile title or description', async () => {
    const { slug } = await pages.addListing({
      title: '<img src=x onerror=alert(1)> Quasar</mark><script>alert(1)</script>',
      description: '"Quasars" & <b>more</b>',
      hostname: 'hostile.example',
    })
    const html = await textOf('/search?q=quasar')
    expect(html).toContain('&lt;img src=x onerror=alert(1)> <mark>Quasar</mark>&lt;/mark>&lt;script>alert(1)')
    expect(html).toContain('&quot;<mark>Quasars</mark>&quot; &amp; &lt;b>more&lt;/b>')
    expect(html).not.toMatch(/<img src=x|<script>alert|<b>/)
    expect(await htmlFaults(html)).toEqual([])
    await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
  })

  test('narrows down and orders as the form says, and keeps to it from page to page', async () => {
    const path = '/search?q=bakery&category=food-drink&language=en&sort=newest'
    const html = await textOf(path)
    expect(slugsIn(html)).toEqual(range(0, 24))
    const chosen = [...html.matchAll(/href="([^"]+)" aria-current="true"/g)].map(([, href]) =>
      href?.replaceAll('&amp;', '&'),
    )
    expect(new Set(chosen)).toEqual(new Set([path]))
    for (const field of ['"category" value="food-drink"', '"language" value="en"', '"sort" value="newest"']) {
      expect(html).toContain(`<input type="hidden" name=${field}/>`)
    }
    expect(olderIn(html)).toContain(`${path}&after=0-`)
    expect(slugsIn(await textOf(olderIn(html) ?? ''))).toEqual(range(24, 30))
    for (const none of ['category=games', 'language=ja']) {
      expect(await textOf(`/search?q=bakery&${none}`)).not.toContain('class="found"')
    }
    // What is no category, language or order is as if it were not there.
    const odd = '/search?q=bakery&category=%00&language=xx&language=en&sort=paid'
    expect(slugsIn(await textOf(odd))).toEqual(range(0, 24))
  })

  test.each(['x'.repeat(3000), '*', '%00', '%f0%9f%91%8b', '%e2%80%ae', '%22%20OR%20*', 'a%20'.repeat(900)])(
    'answers whatever is typed: %.20s',
    async typed => {
      const response = await pages.get(`/search?q=${typed}`)
      expect(response.status).toBe(200)
      expect(await htmlFaults(await response.text())).toEqual([])
    },
  )

  test('does not search for a private link, repeat it, or let it be kept', async () => {
    const link = 'https://placard.example/manage/0#owner=secret-of-the-owner'
    const response = await pages.get(`/search?q=${encodeURIComponent(link)}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await response.text()).not.toContain('secret-of-the-owner')
  })

  test('says what was searched and that nothing was found, and nothing else comes through', async () => {
    const html = await textOf(`/search?q=${encodeURIComponent('"><b>x</b>\u202e\u0000 zz')}&after=5-5`)
    expect(html).toContain('<title>Search: &quot;>&lt;b>x&lt;/b> zz')
    expect(html).not.toMatch(/<b>|\u202e|\0/)
    expect(await textOf('/search?q=%22*')).toContain('<h1>No matches</h1>')
  })
})

describe('a listing by chance', () => {
  const led = async (query = '', headers: Record<string, string> = {}) => {
    const response = await pages.get(`/random${query}`, headers)
    expect([response.status, response.headers.get('cache-control')]).toEqual([303, 'no-store'])
    expect([response.headers.get('x-robots-tag'), response.headers.get('set-cookie')]).toEqual(['noindex', null])
    return response.headers.get('location')
  }

  test('is on show, and never the same twice in a row, whoever asks', async () => {
    let before: string | null = null
    for (let visit = 0; visit < 20; visit++) {
      const path = await led()
      expect(path).not.toBe(before)
      expect((await pages.get(path ?? '')).status).toBe(200)
      before = path
    }
  })

  test('is another one than the page that a visitor comes from, or that a program names', async () => {
    const few = await startPages()
    await few.addListing({ slug: 'one' })
    await few.addListing({ slug: 'two' })
    const to = async (query: string, headers: Record<string, string> = {}) =>
      (await few.get(`/random${query}`, headers)).headers.get('location')
    for (let visit = 0; visit < 5; visit++) {
      expect(await to('', { referer: `${few.url}/product/one` })).toBe('/product/two')
      expect(await to('?not=two', { referer: `${few.url}/product/one` })).toBe('/product/one')
    }
    await few.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', 'two').execute()
    expect([await to('?not=one'), await to('?not=%00'), await to('?not=none')]).toEqual([
      '/newest',
      '/product/one',
      '/product/one',
    ])
    for (let visit = 0; visit < 60; visit++) await few.get('/random')
    expect((await few.get('/random')).status).toBe(429)
    await few.close()
  })

  test('is one link away from every page, which crawlers do not follow', async () => {
    expect(await textOf('/rules')).toContain('<a class="surprise" href="/random" rel="nofollow">')
    expect(await textOf('/robots.txt')).toContain('Disallow: /random\n')
  })
})

describe('for feed readers and crawlers', () => {
  test('the feed has the newest listings with whole addresses', async () => {
    const response = await pages.get('/feed.atom')
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    const feed = await response.text()
    expect(feed.match(/<entry>/g)).toHaveLength(32)
    expect(feed).toContain(`<id>${pages.url}/product/n0</id>`)
    expect(feed).toContain(`<updated>${new Date(NOON).toISOString()}</updated>\n  <author>`)
    expect(feed).not.toMatch(/<script|Hidden bakery|Ended bakery/)
  })

  test.each([
    ['/category/games', '/category/games/feed.atom', ['game']],
    ['/search?q=game', '/search/feed.atom?q=game', ['game']],
    ['/search?q=bakery&category=food-drink&sort=newest', undefined, range(0, 30)],
    ['/board/all', '/board/all/feed.atom', []],
    ['/newest', '/feed.atom', [...range(0, 30), 'game', 'hostile']],
  ])('%s announces a feed of its own, in which every id and link is permanent', async (path, address, slugs) => {
    const page = await textOf(path)
    const announced = /<link rel="alternate" type="application\/atom\+xml" href="([^"]+)"/.exec(page)?.[1] ?? ''
    if (address) expect(announced).toBe(address)
    expect(page).toContain(`<a href="${announced}">Feed</a>`)
    const response = await pages.get(announced.replaceAll('&amp;', '&'))
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    const feed = await response.text()
    const ids = [...feed.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id)
    expect(ids).toEqual([pages.url + announced, ...slugs.map(slug => `${pages.url}/product/${slug}`)])
    expect(feed).toContain(`<link rel="self" type="application/atom+xml" href="${pages.url}${announced}"/>`)
    expect(feed).not.toMatch(/Hidden bakery|Ended bakery|<script/)
    const tag = response.headers.get('etag') ?? ''
    expect((await pages.get(announced.replaceAll('&amp;', '&'), { 'if-none-match': tag })).status).toBe(304)
  })

  test('the feed of a search has no matches that are only close, and none without words', async () => {
    expect(await textOf('/search?q=bakrey')).toContain('/product/n0')
    expect(await textOf('/search/feed.atom?q=bakrey')).not.toContain('<entry>')
    for (const query of ['', '?q=', '?q=%20', `?q=${encodeURIComponent('/manage/0#owner=secret')}`]) {
      const { status, headers } = await pages.get(`/search/feed.atom${query}`)
      expect([status, headers.get('location')]).toEqual([302, '/feed.atom'])
    }
    for (const path of ['/category/none/feed.atom', '/category/%00/feed.atom', '/board/week/feed.atom']) {
      expect([path, (await pages.get(path)).status]).toEqual([path, 404])
    }
  })

  test('a feed holds every title as it is, but for characters that XML cannot', () => {
    const links = new Links({ baseUrl: 'https://placard.example', supportUrl: undefined })
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(fc.constantFrom(...'<>&"\'\0\u0007\ufffe]'), fc.string()) }), title => {
        const entries = listingEntries([{ ...LISTING, title }], links)
        const feed = renderFeed({ path: '/feed.atom', page: '/newest', title: 'newest', entries }, links)
        const texts: string[] = []
        new Parser({ ontext: text => void texts.push(text) }, { xmlMode: true }).end(feed)
        const legal = title.toWellFormed().replace(/[^\t\n\r -~\u0085\u00a0-\ufffd\u{10000}-\u{10ffff}]/gu, '')
        expect(texts.join('')).toContain(`\n    ${legal}\n    `)
      }),
    )
  })

  test('the sitemap leads to every listing on show', async () => {
    const index = await textOf('/sitemap.xml')
    const parts = [...index.matchAll(/<loc>([^<]+)<\/loc>/g)].map(match => match[1]?.slice(pages.url.length))
    expect(parts).toEqual(['/sitemap-pages.xml', '/sitemap-days.xml', '/sitemap-1.xml'])
    const products = await textOf('/sitemap-1.xml')
    expect(products.match(/<url>/g)).toHaveLength(32)
    expect(products).toContain(`<loc>${pages.url}/product/n0</loc><lastmod>${new Date(NOON).toISOString()}`)
    expect(products).toContain(`/product/game</loc><lastmod>${new Date(NOON + 1000).toISOString()}`)
    expect(products).not.toMatch(/hidden|ended/)
    for (const name of ['2', '0', '01', '9999999', 'x']) {
      expect((await pages.get(`/sitemap-${name}.xml`)).status).toBe(404)
    }
  })

  test('every fixed address of the sitemap is there', async () => {
    const sitemap = await textOf('/sitemap-pages.xml')
    const addresses = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(match => match[1]?.slice(pages.url.length))
    expect(addresses.length).toBeGreaterThan(30)
    for (const path of addresses) expect([path, (await pages.get(path ?? '')).status]).toEqual([path, 200])
  })

  test('robots stay out of private pages and links out', async () => {
    const text = await textOf('/robots.txt')
    expect(text).toContain('Disallow: /manage/\n')
    expect(text).toContain('Disallow: /visit/\n')
    expect(text).toContain('Disallow: /api/\n')
    expect(text).toContain(`\nSitemap: ${pages.url}/sitemap.xml\n`)
  })

  test('robots may read what the agent guide and llms.txt send programs to', async () => {
    const rules = [...(await textOf('/robots.txt')).matchAll(/^(Allow|Disallow): (\S+)$/gm)]
    /** By RFC 9309, the longest matching rule decides. */
    const mayRead = (path: string) =>
      rules
        .filter(([, , start = '']) => path.startsWith(start))
        .sort(([, , a = ''], [, , b = '']) => b.length - a.length)[0]?.[1] !== 'Disallow'
    const texts = (await textOf('/llms.txt')) + (await textOf('/agent-guide.md'))
    const paths = [...texts.matchAll(/GET (\/\S+)|\]\(http:\/\/[^/]+(\/[^)]*)\)/g)].map(([, a, b]) => a ?? b ?? '')
    expect(paths.length).toBeGreaterThan(8)
    // Decisions and submissions need the submission secret, so no robot can read them.
    const isPublic = (path: string) => !/^\/api\/v1\/agent\/(decisions|submissions)\//.test(path)
    expect(paths.filter(path => isPublic(path) && !mayRead(path))).toEqual([])
    expect(mayRead('/api/v1/boards/today?limit=5')).toBe(true)
    expect(['/api/v1/agent/listings', '/api/v1/agent/quote'].filter(mayRead)).toEqual([])
  })

  test('a listing that goes down is gone on the next visit', async () => {
    const { slug } = await pages.addListing({ title: 'Zebra' })
    const lists = [
      ...['/newest', '/category/food-drink', '/search?q=zebra', '/feed.atom', '/sitemap-1.xml'],
      ...['/category/food-drink/feed.atom', '/search/feed.atom?q=zebra'],
    ]
    const shownIn = async () => (await Promise.all(lists.map(textOf))).map(text => text.includes(`/product/${slug}`))
    expect(await shownIn()).toEqual(lists.map(() => true))
    await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
    expect(await shownIn()).toEqual(lists.map(() => false))
  })
})

describe('in a browser', { tags: ['browser'] }, () => {
  let browser: Browser
  let page: Page
  let board: Pages
  beforeAll(async () => {
    board = await startPages()
    await fillBoard(board, 30)
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 375, height: 700 } })
  })
  afterAll(async () => {
    await browser.close()
    await board.close()
  })

  test('a listing is found by search and opened, without JavaScript', async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false })
    await plain.goto(`${board.url}/search`)
    await plain.getByRole('searchbox').fill('bucher MARKT')
    await plain.getByRole('button', { name: 'Search' }).click()
    await plain.getByRole('link', { name: 'Buchladen am Markt' }).first().click()
    expect(await plain.getByRole('heading', { level: 1 }).textContent()).toBe('Buchladen am Markt')
    await plain.close()
  })

  test('feed and sitemaps are well-formed, whatever a title holds', async () => {
    await page.goto(`${board.url}/newest`)
    const feeds = [
      '/feed.atom',
      '/category/design/feed.atom',
      '/search/feed.atom?q=%22%26else',
      '/board/past/feed.atom',
    ]
    for (const path of [...feeds, '/sitemap.xml', '/sitemap-pages.xml', '/sitemap-days.xml', '/sitemap-1.xml']) {
      const roots = await page.evaluate(`(${PARSE})(${JSON.stringify(await textOf(path))})`)
      expect(roots).toEqual([expect.stringMatching(/^(feed|sitemapindex|urlset)$/), 0])
    }
  })
})

/** The root of a document, and how many faults an XML parser finds in it. */
const PARSE = `text => {
  const parsed = new DOMParser().parseFromString(text, 'application/xml')
  return [parsed.documentElement.nodeName, parsed.getElementsByTagName('parsererror').length]
}`
