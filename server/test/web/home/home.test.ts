import { afterAll, beforeAll, expect, test } from 'vitest'
import { utcDay } from '../../../src/platform/lib/time.ts'
import { launchBrowser } from '../../support/browser.ts'
import { payFor } from '../../support/ledger.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

const MINUTE = 60_000

let pages: Pages
beforeAll(async () => {
  pages = await startPages()
})
afterAll(() => pages.close())

const textOf = async (path: string) =>
  (await (await pages.get(path)).text()).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('home and a category say how many listings there are, a minute later at most', async () => {
  expect(await textOf('/category/games')).toContain('0 listings in Games')
  await pages.addListing({ category: 'Games' })
  await pages.addListing({ category: 'Games', hiddenAt: NOON })
  pages.time.now += MINUTE
  expect(await textOf('/category/games')).toContain('1 listing in Games')
  expect(await textOf('/')).toMatch(/ Games 1 listing /)
  expect(await textOf('/')).toMatch(/ Events 0 listings /)
  expect(await htmlFaults(await (await pages.get('/')).text())).toEqual([])
})

test('home tells who took one of the places that it shows, and stays up where that cannot be read', async () => {
  for (let place = 1; place <= 8; place++) {
    await payFor(pages.store, `n${place}.com`, `pi_${place}`, {
      amountCents: 9000 - 100 * place,
      at: NOON + 1000 * place,
    })
  }
  pages.time.now += MINUTE
  const text = await textOf('/')
  expect(text).toContain('n7.com took No. 7 on')
  expect(text).not.toContain('took No. 8')
  await pages.store.db.schema.dropTable('place_taken').execute()
  pages.time.now += MINUTE
  const response = await pages.get('/')
  expect([response.status, (await response.text()).includes('took No.')]).toEqual([200, false])
})

test('a phone reaches the first free listing within two screens', { tags: ['browser'] }, async () => {
  const full = await startPages()
  for (let place = 1; place <= 7; place++) {
    const slug = `a-shop-with-a-long-name-${place}`
    await full.addListing({ slug, title: `A shop with a long name, and more of it than fits: number ${place}` })
    await placeOnBoard(full.store, { [slug]: 900 - place })
    await placeOnBoard(full.store, { [slug]: 900 - place }, utcDay(full.time.now))
  }
  await full.addListing({ title: 'Кофейня на углу' })
  const browser = await launchBrowser()
  const page = await browser.newPage({ viewport: { width: 375, height: 812 } })
  await page.goto(`${full.url}/`)
  expect(await page.locator('.chart [data-place]').count()).toBe(14)
  const bill = await page.locator('.bill:not(.no1)').first().boundingBox()
  expect(bill?.y).toBeGreaterThan(400)
  expect(bill?.y).toBeLessThan(2 * 812)
  await page.evaluate('document.fonts.ready')
  const fonts = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')
  const names = (fonts as string[]).flatMap(name => /([\w-]+)\.woff2/.exec(name)?.[1] ?? []).sort()
  expect(names).toEqual(['archivo-latin', 'noto-sans-cyrillic'])
  await browser.close()
  await full.close()
})

test('an open home page follows the boards, and nothing moves', { tags: ['browser'] }, async () => {
  const live = await startPages()
  await payFor(live.store, 'mill.com', 'pi_1', { amountCents: 2500 })
  const browser = await launchBrowser()
  const page = await browser.newPage()
  await page.clock.install({ time: NOON })
  await page.addInitScript(`
    window.shifts = []
    new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value)))
      .observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`${live.url}/`)
  await page.evaluate('document.fonts.ready')
  await page.evaluate('shifts.length = 0')
  const moves = page.locator('.movement li')
  expect(await moves.first().textContent()).toBe('mill.com took No. 1 on the all-time board, just now')
  live.time.now = NOON + 5 * MINUTE
  await payFor(live.store, 'oak.com', 'pi_2', { amountCents: 3000, at: live.time.now })
  await page.clock.fastForward(5 * MINUTE)
  await page.getByText('5 minutes ago').first().waitFor()
  expect(await moves.first().textContent()).toBe('oak.com took No. 1 on the all-time board, just now')
  const [today, all] = await page.locator('[data-live]').all()
  for (const board of [today, all]) {
    expect(await board?.locator('[data-place]').nth(0).getAttribute('data-place')).toBe('/product/oak-com 3000')
    expect(await board?.locator('[data-place]').nth(1).getAttribute('data-place')).toBe('/product/mill-com 2500')
  }
  await page.screenshot()
  const [bill, places] = await Promise.all(['.no1', '.ranks'].map(part => page.locator(part).first().boundingBox()))
  expect((bill?.x ?? 0) + (bill?.width ?? 0)).toBeLessThan(places?.x ?? 0)
  expect(await page.evaluate('shifts')).toEqual([])
  await browser.close()
  await live.close()
})
