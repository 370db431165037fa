// @module-tag browser
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { launchBrowser } from '../../support/browser.ts'
import { payFor } from '../../support/ledger.ts'
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
  const field = page.getByRole('searchbox').first()
  await field.fill('sourdoh')
  await field.press('Enter')
  await page.waitForURL('**/search?*')
  expect(new Set(await found())).toEqual(new Set(['/product/levain', '/product/starter']))
  await page.getByLabel('Category').selectOption('Games')
  await page.locator('main').getByRole('searchbox').press('Enter')
  await page.waitForURL('**category=games*')
  expect(new Set(await found())).toEqual(new Set(['/product/starter']))
  await page.goto(`${pages.url}/search`)
  await page.locator('main').getByRole('searchbox').fill('ことば')
  await page.locator('main').getByRole('searchbox').press('Enter')
  await page.waitForURL('**/search?*')
  expect(new Set(await found())).toEqual(new Set(['/product/kotoba']))
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
