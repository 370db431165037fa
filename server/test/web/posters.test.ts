// @module-tag browser

import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Pages, startPages } from './page-app.ts'

let browser: Browser
let pages: Pages
beforeAll(async () => {
  ;[browser, pages] = await Promise.all([launchBrowser(), startPages()])
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})

/** Too long for any bill; with accents; with tall and deep letters; all capitals; just too long; and in square characters. */
const TITLES = [
  'The printable planner kit for people with more projects than weekends, including habit trackers and reading lists',
  `Über ${'Äpfel Öfen Ärzte Émile Ünal '.repeat(5)}`,
  'ping pang gypsy quickly jumping yellow eggy gypsy pygmy bdfhkl bdfhkl bdfhkl bdfhkl bdfhkl bdfhkl bdfhkl',
  'TEN WAYS TO MEND A BROKEN KETTLE ÉTÉ NOIR ÇÀ',
  'Bdflh bdfhkl Äbdfhk bdfhkl bdfhkl bdfhkl dhk',
  '公告板公告板公告板公告板公告板公告板公告板公告板',
]

/** Marks each word, and colours those that stand below the third line. */
const COLOUR_THE_REST = `for (const link of document.querySelectorAll('.bill h3 a')) {
  const text = link.textContent
  link.textContent = ''
  for (const part of text.split(/(?=[ 公告板])/)) {
    const word = document.createElement('span')
    word.textContent = part
    link.append(word)
  }
  const words = [...link.children]
  const right = link.closest('h3').getBoundingClientRect().right
  const lines = link.closest('.drawn') ? 2 : 3
  const tops = []
  for (const word of words) {
    const rects = word.getClientRects()
    const { left, top } = rects[rects.length - 1]
    if (left < right && !tops.some(other => Math.abs(other - top) < 2)) tops.push(top)
    if (left >= right || tops.length > lines) word.style.color = '#f0f'
  }
}`

test.each([375, 1280])('no bill shows any of a line that is too much, %s pixels wide', async width => {
  const bytes = await sharp({ create: { width: 640, height: 360, channels: 3, background: '#cdc' } })
    .webp()
    .toBuffer()
  for (const [nth, title] of TITLES.entries()) {
    await pages.addListing({ slug: `drawn-${width}-${nth}`, title })
    const { slug } = await pages.addListing({ slug: `pictured-${width}-${nth}`, title })
    const { id: listingId } = await pages.store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
    await pages.store.db
      .insertInto('picture')
      .values({
        listingId,
        state: 'stored',
        sourceUrl: 'http://a.com/i.png',
        attempts: 0,
        tryAt: null,
        mediaType: 'image/webp',
        width: 640,
        height: 360,
        version: 'abcdefghijkl',
        bytes,
        storedAt: 1,
      })
      .execute()
  }
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: 'light' })
  await page.goto(`${pages.url}/newest`)
  // Lines break elsewhere once a font arrives, or the screen changes. On a busy machine, the page may not have asked for
  // its fonts yet, and then waits for none. The local one may be missing.
  await page.evaluate('Promise.allSettled([...document.fonts].map(font => font.load()))')
  await page.setViewportSize({ width, height: (await page.evaluate('document.body.scrollHeight')) as number })
  await page.evaluate(COLOUR_THE_REST)
  expect(await page.locator('.bill h3 span[style]').count()).toBeGreaterThan(0)
  const shot = await page.screenshot({ fullPage: true })
  const { data, info } = await sharp(shot).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let coloured = 0
  for (let at = 0; at < data.length; at += info.channels) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3)
    if (Math.min(red, blue) - green > 60) coloured++
  }
  expect(coloured).toBe(0)
  await page.close()
})
