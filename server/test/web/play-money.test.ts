import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestMessage } from '../../src/domain/notifications/operator/message.ts'
import { PLACARD } from '../../src/platform/config/site.ts'
import { Links } from '../../src/platform/http/links.ts'
import { boardDrawing } from '../../src/web/boards/share.ts'
import { shareDrawing } from '../../src/web/listing/share.tsx'
import { launchBrowser } from '../support/browser.ts'
import { openTestCheckout } from '../support/ledger.ts'
import { htmlFaults, pageFaults } from '../support/page-faults.ts'
import { placeOnBoard } from '../support/places.ts'
import { NOON, PUBLIC } from '../support/service.ts'
import { type Pages, startPages } from './page-app.ts'
import { fillBoard } from './samples.ts'

const TEST_MONEY = { ...PUBLIC, STRIPE_SECRET_KEY: 'sk_test_nobody', ALLOW_TEST_MONEY: '1' }
const SAYS_SO = 'This site uses play money.'

describe('a public board of test money', () => {
  let pages: Pages
  let paths: string[]
  beforeAll(async () => {
    pages = await startPages({ env: TEST_MONEY })
    await fillBoard(pages, 7)
    await placeOnBoard(pages.store, { 'sample-1': 2500, 'sample-5': 2500, 'sample-6': 99_999_900 })
    const { publicPath, privatePath } = await pages.addListing()
    const hidden = await pages.addListing({ hiddenAt: 1, hiddenBy: 'owner' })
    const { checkoutId } = await openTestCheckout(pages.store, 'bakery.com', 'stripe_test')
    const choice = '/promote?category=Design&board=all&target=50&destination='
    paths = [
      ...[
        '/',
        '/board/all',
        '/board/today',
        '/board/today/2026-11',
        '/category/design/board',
        '/newest',
        '/category/design',
        '/search',
        '/search?q=a',
      ],
      ...[
        '/rules',
        '/support',
        '/privacy',
        '/transparency',
        '/proof',
        '/how-boards-work',
        '/limits',
        '/agents',
        '/api',
        '/nowhere',
      ],
      ...[publicPath, `${publicPath}/reported`, hidden.publicPath, privatePath, `/checkout/${checkoutId}`],
      ...['/promote', `${choice}https://sunrise-bakery.com/`],
    ]
  })
  afterAll(() => pages.close())

  test('says so on every page', async () => {
    for (const path of paths) {
      const html = await (await pages.get(path)).text()
      expect([path, html.split(SAYS_SO).length - 1]).toEqual([path, 1])
      expect([path, await htmlFaults(html)]).toEqual([path, []])
    }
  })

  test('says so in its feeds and data, which others show', async () => {
    await placeOnBoard(pages.store, { 'sample-1': 2500 }, '2026-11-20')
    const feed = await (await pages.get('/board/past/feed.atom')).text()
    expect(feed).toContain('Paid with play money.')
    expect(feed).not.toContain('Paid placement')
    for (const board of ['all', 'today', 'days/2026-11-20', 'categories/Design']) {
      const { notice } = await (await pages.get(`/api/v1/boards/${board}`)).json()
      expect([board, notice]).toEqual([board, expect.stringContaining(SAYS_SO)])
    }
  })

  test('says so on what other websites show of it', async () => {
    const [slug, isPaid] = ['played', /play money/i]
    await placeOnBoard(pages.store, { [slug]: 990_000 })
    const badge = await (await pages.get(`/badge/${slug}.svg`)).text()
    expect(badge).toContain('of all time on Placard, a place paid with play money')
    expect(await (await pages.get(`/embed/${slug}`)).text()).toContain('Play money on Placard')
    const page = await (await pages.get(`/product/${slug}`)).text()
    expect(/og:image:alt" content="([^"]+)"/.exec(page)?.[1]).toMatch(isPaid)
    for (const path of ['/board/all', '/category/design/board', '/board/today/2026-11']) {
      const html = await (await pages.get(path)).text()
      expect([path, /og:description" content="([^"]+)"/.exec(html)?.[1]]).toEqual([path, expect.stringMatching(isPaid)])
    }
    const site = { ...PLACARD, isMoneyPlay: true }
    expect(boardDrawing('today', { places: [], site, now: NOON }).note).toBe('Paid with play money, 21 November 2026')
    const product = { title: 'A', hostname: 'a.com', category: 'Design', language: 'en', pictureVersion: null } as const
    const places = { standings: {}, today: '2026-11-21' }
    expect(shareDrawing({ ...product, expiresAt: null }, places, site).paid).toBe('Play money')
  })

  test('says so to its operator each day', async () => {
    const links = new Links({ baseUrl: pages.url, supportUrl: undefined, site: { ...PLACARD, isMoneyPlay: true } })
    const { text } = await digestMessage(pages.store.db, links, NOON)
    expect(text).toMatch(/places of the day: \d+, for \$[\d,]+\.\d\d of play money$/m)
  })

  test('says so where everybody sees and hears it', { tags: ['browser'] }, async () => {
    const browser: Browser = await launchBrowser()
    const page = await browser.newPage()
    for (const [name, path] of [
      ['home of play money', '/'],
      ['board of play money', '/board/all'],
    ] as const) {
      await page.goto(pages.url + path)
      expect(await pageFaults(page, name)).toEqual([])
      const notice = page.getByRole('complementary', { name: 'About this site' })
      await expect.poll(() => notice.isVisible()).toBe(true)
    }
    await browser.close()
  })
})

test('no other board says so', async () => {
  for (const env of [{}, PUBLIC, { ...PUBLIC, ALLOW_TEST_MONEY: '1' }]) {
    const pages = await startPages({ env })
    expect(await (await pages.get('/')).text()).not.toContain(SAYS_SO)
    await pages.close()
  }
})
