// @module-tag browser
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { placeOnBoard } from '../../support/places.ts'
import { type Pages, startPages } from '../page-app.ts'

let browser: Browser
let pages: Pages
beforeAll(async () => {
  ;[browser, pages] = await Promise.all([launchBrowser(), startPages()])
  await placeOnBoard(pages.store, { first: 990_000, second: 4000 })
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})

const SENTENCE = 'Site second is No. 2 of all time on Placard, among 2. Paid placement.'

async function open(options: { init?: string; javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const { init, ...context } = options
  const page = await browser.newPage(context)
  if (init) await page.addInitScript(init)
  await page.goto(`${pages.url}/product/second`)
  return page
}

const share = (page: Page) => page.getByRole('button', { name: 'Share' })

/** What a website puts into its page to show a listing. */
async function frameOf(slug: string): Promise<string> {
  const asked = await fetch(`${pages.url}/oembed?url=${encodeURIComponent(`${pages.url}/product/${slug}`)}`)
  const { html } = (await asked.json()) as { html: string }
  return html
}

/** Serves a page of another website, with a strict policy. */
async function startWebsite(html: string) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').setHeader('cross-origin-embedder-policy', 'require-corp')
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; style-src 'unsafe-inline'; frame-src ${pages.url}`,
    )
    response.end(`<!doctype html><title>Elsewhere</title>${html}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Another website: "localhost" and "127.0.0.1" differ.
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`
  return { url, [Symbol.asyncDispose]: async () => void server.close() }
}

test('the words and the badges can be copied, and without JavaScript selected', async () => {
  const page = await open()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copy = page.locator('[data-copy]').filter({ visible: true })
  expect(await copy.count()).toBe(2)
  const named = (name: string) => page.getByRole('button', { name, exact: true })
  for (const field of ['What to say', 'Badge for your website']) await named(`Copy ${field}`).waitFor()
  await copy.first().click()
  await named('Copied What to say').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${SENTENCE} ${pages.url}/product/second`)
  await page.getByText('Other badges').click()
  // The words, a badge in each style, and that of today.
  expect(await copy.count()).toBe(5)
  await copy.last().click()
  await copy.last().getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`${pages.url}/badge/second.svg?board=today`)
  await page.close()
  const plain = await open({ javaScriptEnabled: false })
  expect(await plain.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  expect(await share(plain).count()).toBe(0)
  expect(await plain.getByLabel('What to say').inputValue()).toBe(`${SENTENCE} ${pages.url}/product/second`)
  await plain.close()
})

test('the share sheet gets the sentence, and the address once', async () => {
  const page = await open({ init: 'navigator.share = async data => { window.shared = data }' })
  await share(page).click()
  expect(await page.evaluate('shared')).toEqual({ text: SENTENCE, url: `${pages.url}/product/second` })
  await page.close()
})

test('a share sheet that is closed changes nothing; if it fails, the words are selected', async () => {
  const failing = (name: string) => `navigator.share = () => Promise.reject(new DOMException('', '${name}'))`
  const selected = `getSelection().toString()`
  for (const [name, text] of [
    ['AbortError', ''],
    ['NotAllowedError', SENTENCE],
  ] as const) {
    const page = await open({ init: failing(name) })
    await share(page).click()
    expect(await page.evaluate(selected)).toContain(text)
    expect((await page.evaluate(selected)) === '').toBe(text === '')
    await page.close()
  }
})

test('without a share sheet, there is no button for it, and the picture can be saved', async () => {
  const page = await open({ init: 'Object.defineProperty(Navigator.prototype, "share", { value: undefined })' })
  await page.getByRole('button', { name: 'Copy' }).first().waitFor()
  expect(await share(page).count()).toBe(0)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save the picture' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('second.png')
  await page.close()
})

test('the page of a listing asks for the picture only when a visitor opens it', async () => {
  const page = await open()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.reload()
  await page.getByText('See the picture').scrollIntoViewIfNeeded()
  await page.getByText('Other badges').click()
  await page.waitForLoadState('networkidle')
  expect(asked).toContain('/badge/second.svg')
  expect(asked).not.toContain('/picture/second/share.png')
  await page.getByText('See the picture').click()
  await expect.poll(() => asked).toContain('/picture/second/share.png')
  await page.close()
})

test('a listing in a frame shows on another website with a strict policy, and fits a narrow column', async () => {
  const html = await frameOf('second')
  await using website = await startWebsite(`<div style="width: 200px">${html}</div>`)
  const page = await browser.newPage()
  await page.goto(website.url)
  await page.frameLocator('iframe').getByRole('link', { name: 'Site second' }).waitFor()
  expect(await page.locator('iframe').boundingBox()).toMatchObject({ width: 200, height: 250 })
  // A website may also give it another shape.
  await page.locator('iframe').evaluate((frame: { style: { cssText: string } }) => {
    frame.style.cssText = 'border: 0; width: 200px; height: 100px'
  })
  const bill = page.frameLocator('iframe').getByRole('article')
  await expect.poll(async () => (await bill.boundingBox())?.height).toBe(100)
  await page.close()
})

test.each(['light', 'dark'] as const)(
  'a frame wider than its bill covers nothing beside it in the %s theme',
  async theme => {
    const html = await frameOf('second')
    for (const scheme of ['normal', 'dark']) {
      const style = `:root { color-scheme: ${scheme} } body { margin: 0; background: rgb(1, 2, 3) }
      iframe { width: 600px !important; height: 250px !important }`
      await using website = await startWebsite(`<style>${style}</style>${html}`)
      const page = await browser.newPage({ colorScheme: theme, viewport: { width: 600, height: 300 } })
      await page.goto(website.url)
      await page.frameLocator('iframe').getByRole('link', { name: 'Site second' }).waitFor()
      const beside = await page.screenshot({ clip: { x: 590, y: 120, width: 1, height: 1 } })
      expect([...(await sharp(beside).removeAlpha().raw().toBuffer())], `on a ${scheme} website`).toEqual([1, 2, 3])
      await page.close()
    }
  },
)
