// @module-tag browser
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { launchBrowser } from '../../support/browser.ts'
import { payFor } from '../../support/ledger.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

let pages: Pages
let browser: Browser
let page: Page
beforeAll(async () => {
  ;[pages, browser] = await Promise.all([startPages(), launchBrowser()])
  await pages.addListing({ slug: 'levain', title: 'Levain Letters: sourdough by post', description: '' })
  await pages.addListing({
    slug: 'starter',
    title: 'Sourdough, the game',
    description: '',
    category: 'Games',
  })
  await pages.addListing({ slug: 'kotoba', title: 'ことばの庭', description: '', language: 'ja' })
  await payFor(pages.store, 'mill.com', 'pi_1', { amountCents: 2500, at: NOON - daysMs(1) })
  await payFor(pages.store, 'oak.com', 'pi_2', { amountCents: 3000, at: NOON - daysMs(1) })
  page = await browser.newPage()
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})

const found = () =>
  page.locator('main a[href^="/product/"]').evaluateAll(links => links.map(link => link.getAttribute('href')))

test('a visitor finds by a word with a typo, by a category, and in another script', async () => {
  await page.goto(`${pages.url}/`)
  const field = page.getByRole('combobox', { name: 'Search' }).first()
  await field.fill('sourdoh')
  await field.press('Enter')
  await page.waitForURL('**/search?*')
  expect(new Set(await found())).toEqual(new Set(['/product/levain', '/product/starter']))
  await page.getByRole('navigation', { name: 'Category' }).getByRole('link', { name: 'Games' }).click()
  await page.waitForURL('**category=games*')
  expect(new Set(await found())).toEqual(new Set(['/product/starter']))
  await page.goto(`${pages.url}/search`)
  await page.locator('main').getByRole('combobox').fill('ことば')
  await page.locator('main').getByRole('combobox').press('Enter')
  await page.waitForURL('**/search?*')
  expect(new Set(await found())).toEqual(new Set(['/product/kotoba']))
})

test('a visitor chooses a listing while typing, with the keyboard', async () => {
  await page.goto(`${pages.url}/search`)
  const field = page.locator('main').getByRole('combobox')
  await field.pressSequentially('sourd')
  const options = page.getByRole('option')
  await options.first().waitFor()
  expect(await field.getAttribute('aria-expanded')).toBe('true')
  const address = await options.first().getAttribute('data-path')
  await field.press('ArrowDown')
  expect(await field.getAttribute('aria-activedescendant')).toBe(await options.first().getAttribute('id'))
  expect(await page.getByRole('status').textContent()).toMatch(/listings?$/)
  await field.press('Escape')
  expect([await options.count(), await field.getAttribute('aria-expanded')]).toEqual([0, 'false'])
  await field.press('o')
  await options.first().waitFor()
  await field.press('ArrowDown')
  await field.press('Enter')
  await page.waitForURL(`**${address}`)
})

const textOf = async (path: string) => (await pages.get(path)).text()

test('search filters only by what occurs, with counts', async () => {
  const html = await textOf('/search?q=sourdough')
  const counted = (name: string) => new RegExp(`${name} <span class="n num">([^<]*)<`).exec(html)?.[1]
  expect([counted('All'), counted('Food &amp; Drink'), counted('Games')]).toEqual(['2', '1', '1'])
  expect(html).not.toMatch(/aria-label="(Language|Show)"|category=design/)
  expect(html).toContain('<h1 id="listings">2 listings</h1>')
  expect(await htmlFaults(html)).toEqual([])
})

test('search answers what nothing matches with a category that fits, listings near, and a form', async () => {
  const html = await textOf('/search?q=pizza')
  expect(html).toContain('<b>Food &amp; Drink</b> <span>2 listings</span>')
  expect(html).toContain('<input type="hidden" name="category" value="Food &amp; Drink"/>')
  expect(html).toContain('/product/levain')
  expect(html).not.toContain('class="found"')
  expect(await htmlFaults(html)).toEqual([])
  for (const filter of ['category=design', 'language=ko', 'verified=1', 'picture=1']) {
    expect([filter, await textOf(`/search?q=sourdough&${filter}`)]).toEqual([
      filter,
      expect.stringContaining('<a href="/search?q=sourdough">Search all listings</a>'),
    ])
  }
})

test('search shows what has some of the words, says which are missing, and keeps it out of the feed', async () => {
  const words = 'sourdough+game+submarine'
  const html = await textOf(`/search?q=${words}`)
  expect(html).toContain('Some of your words')
  expect(html).toContain('“<bdi>submarine</bdi>”')
  expect(html).toContain('<s><bdi>submarine</bdi></s>')
  expect(await htmlFaults(html)).toEqual([])
  expect(await textOf(`/search/feed.atom?q=${words}`)).not.toContain('<entry>')
})

test('search shows what has some of the words after the few that have all, and keeps it out of the feed', async () => {
  for (let nth = 0; nth < 12; nth++) await pages.addListing({ title: `Repairs ${nth}`, description: '' })
  for (let nth = 0; nth < 2; nth++) await pages.addListing({ title: `Kaleidoscope ${nth}`, description: '' })
  await pages.addListing({ title: 'Kaleidoscope repairs', description: '' })
  const html = await textOf('/search?q=kaleidoscope+repairs')
  const [whole = '', some = ''] = html.split(
    'No other listing has all of your words. These are without “<bdi>repairs</bdi>”.',
  )
  expect(whole).toContain('>1 listing</h1>')
  expect(whole).not.toContain('Kaleidoscope 0')
  expect(some.match(/<s><bdi>repairs<\/bdi><\/s>/g)).toHaveLength(2)
  expect(await htmlFaults(html)).toEqual([])
  expect((await textOf('/search/feed.atom?q=kaleidoscope+repairs')).match(/<entry>/g)).toHaveLength(1)
})

test('search suggests listings by title and host while someone types, and never repeats a private link', async () => {
  const suggested = async (typed: string) => {
    const response = await pages.get(`/search/suggest?q=${encodeURIComponent(typed)}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    return ((await response.json()) as { listings: { title: string; hostname: string; path: string }[] }).listings
  }
  const { slug } = await pages.addListing({
    title: 'Quokka Cam',
    hostname: 'marsupial.example',
    description: 'A zebu.',
  })
  const quokka = { title: 'Quokka Cam', hostname: 'marsupial.example', path: `/product/${slug}` }
  for (const typed of ['quok', 'Quokka c', 'cam marsu'])
    expect([typed, await suggested(typed)]).toEqual([typed, [quokka]])
  const link = 'https://placard.example/manage/0#owner=secret-of-the-owner'
  for (const typed of ['q', '', 'zebu', link]) expect([typed, await suggested(typed)]).toEqual([typed, []])
  for (let nth = 0; nth < 6; nth++) await pages.addListing({ title: `Quoll ${nth}` })
  expect(await suggested('quo')).toHaveLength(5)
  await pages.store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
  expect(await suggested('quok')).toEqual([])
})

test('a visitor goes from a board to the winners of a day that is over', async () => {
  await page.goto(`${pages.url}/board/today`)
  await page
    .getByRole('link', { name: /Past days/ })
    .first()
    .click()
  await page.waitForURL('**/board/today/2026-11')
  await page.locator('a[href="/board/today/2026-11-20"]').first().click()
  await page.waitForURL('**/board/today/2026-11-20')
  expect(new Set(await found())).toEqual(new Set(['/product/oak-com', '/product/mill-com']))
  const first = await page.locator('main li').filter({ hasText: 'oak.com' }).first().innerText()
  expect(first).toContain('$30')
})

test('search narrows by every language that it offers', async () => {
  for (const language of ['af', 'lb-LU', 'en', 'deutsch', '']) {
    await pages.addListing({ title: 'Windmills', description: '', language })
  }
  const html = await textOf('/search?q=windmills')
  const offered = [...html.matchAll(/href="(\/search\?q=windmills&amp;language=\w+)"/g)].map(([, path = '']) => path)
  expect(offered).toHaveLength(3)
  for (const path of offered) {
    expect(await textOf(path.replace('&amp;', '&'))).toContain('<h1 id="listings">1 listing</h1>')
  }
})
