// @module-tag browser
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchBrowser, noteComplaints } from '../../support/browser.ts'
import { type Pages, startPages } from '../page-app.ts'

let browser: Browser
let pages: Pages
let context: BrowserContext
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  browser = await launchBrowser()
  pages = await startPages()
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  noteComplaints(page, complaints)
})
afterEach(async () => {
  await context.close()
  expect(complaints.splice(0)).toEqual([])
})

const focused = () => page.evaluate('document.activeElement.innerText')
const panel = () => page.getByText('It is live.')

describe('opening the private link', () => {
  test('shows the listing, and leaves no key in the address bar, the history or the page', async () => {
    const { privateLink, privatePath, token } = await pages.addListing()
    await page.goto(privateLink)
    await panel().waitFor()
    expect(page.url()).toBe(pages.url + privatePath)
    expect(await page.content()).not.toContain(token)
    await page.goto(`${pages.url}/rules`)
    await page.goBack()
    await panel().waitFor()
    expect(page.url()).toBe(pages.url + privatePath)
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  test('works again with the same link, in the same browser and in another', async () => {
    const { privateLink, privatePath } = await pages.addListing()
    for (let time = 0; time < 2; time++) {
      await page.goto('about:blank')
      await page.goto(privateLink)
      await panel().waitFor()
      expect(page.url()).toBe(pages.url + privatePath)
    }
    const other = await browser.newContext()
    const elsewhere = await other.newPage()
    await elsewhere.goto(privateLink)
    await elsewhere.getByText('It is live.').waitFor()
    await other.close()
  })

  test('during a visit makes the visit longer, and keeps what was typed meanwhile', async () => {
    const { privateLink, privatePath } = await pages.addListing()
    await page.goto(privateLink)
    await panel().waitFor()
    await page.goto('about:blank')
    let loads = 0
    page.on('request', request => {
      if (request.isNavigationRequest()) loads++
    })
    const typed = Promise.withResolvers<void>()
    await page.route('**/session', async route => {
      await typed.promise
      await route.continue()
    })
    const opened = page.waitForResponse(`${pages.url}${privatePath}/session`)
    await page.goto(privateLink)
    await page.getByText('Opening your private page…').waitFor()
    const field = page.getByLabel('Address of your server')
    await field.fill('https://hooks.sunrise-bakery.com/')
    typed.resolve()
    expect((await (await opened).allHeaders())['set-cookie']).toContain('placard_owner=')
    await page.getByText('Opening your private page…').waitFor({ state: 'hidden' })
    expect([loads, await field.inputValue()]).toEqual([1, 'https://hooks.sunrise-bakery.com/'])
    expect(page.url()).toBe(pages.url + privatePath)
  })

  test('works when the link is followed from another website', async () => {
    const { privateLink } = await pages.addListing()
    const mail = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<a href="${privateLink}">Your listing</a>`)
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => mail.once('listening', resolve))
    // "localhost" and "127.0.0.1" are different sites.
    await page.goto(`http://localhost:${(mail.address() as AddressInfo).port}/`)
    await page.getByRole('link').click()
    await panel().waitFor()
    mail.close()
  })

  test('works with what was added to the link on its way', async () => {
    const { privateLink, privatePath } = await pages.addListing()
    const [before = '', key = ''] = privateLink.split('#owner=')
    for (const link of [
      ...['.', ')', '&utm_source=a', '?fbclid=2', '%20'].map(added => privateLink + added),
      `${before}?utm_source=chat#owner=${key}`,
      `${before}/#owner=${key}`,
      `${before}/withdraw#owner=${key}`,
    ]) {
      await context.clearCookies()
      await page.goto('about:blank')
      await page.goto(link)
      await panel().waitFor()
      expect(page.url()).toBe(pages.url + privatePath)
    }
  })

  test('works when the key is added to a page that is open already', async () => {
    const { privateLink, privatePath } = await pages.addListing()
    await page.goto(pages.url + privatePath)
    await page.getByText('Open this page with your whole private link.').waitFor()
    await page.goto(privateLink)
    await panel().waitFor()
  })

  test('says what to do when the link is wrong, the same for an unknown claim', async () => {
    const { privateLink, privatePath } = await pages.addListing()
    const unknown = privateLink.replace(/manage\/[^#]+/, 'manage/00000000-0000-4000-8000-000000000000')
    for (const link of [
      `${pages.url}${privatePath}#owner=${'A'.repeat(43)}`,
      privateLink.slice(0, -1),
      `${privateLink}A`,
      unknown,
    ]) {
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByText('This link does not open a listing.').waitFor()
      expect(new URL(page.url()).hash).toBe('')
      expect(await page.getByText('Opening your private page').isVisible()).toBe(false)
    }
  })

  test('keeps a running visit when a wrong link is opened after a good one', async () => {
    const { privateLink } = await pages.addListing()
    await page.goto(privateLink)
    await panel().waitFor()
    await page.goto(privateLink.slice(0, -1))
    await page.getByText('This link does not open a listing.').waitFor()
    expect(await panel().isVisible()).toBe(true)
  })

  test('can be tried again when the service cannot be reached', async () => {
    const { privateLink } = await pages.addListing()
    let refused = 0
    await page.route('**/session', route => (refused++ === 0 ? route.abort() : route.continue()))
    await page.goto(privateLink)
    await page.getByRole('button', { name: 'Try again' }).click()
    await panel().waitFor()
  })

  test('says that it needs JavaScript where there is none', async () => {
    const { privateLink } = await pages.addListing()
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const plainPage = await plain.newPage()
    await plainPage.goto(privateLink)
    const notice = plainPage.locator('noscript p')
    expect(await notice.isVisible()).toBe(true)
    expect(await notice.textContent()).toContain('This page needs JavaScript')
    expect(await plainPage.getByText('Open this page with your whole private link.').isVisible()).toBe(false)
    await plain.close()
  })
})

test('a visit that ends meanwhile withdraws nothing, and opens again with the link', async () => {
  const { privateLink, publicPath } = await pages.addListing()
  await page.goto(privateLink)
  await page.getByLabel('Yes, withdraw this listing').check()
  await context.clearCookies()
  await page.getByRole('button', { name: 'Withdraw listing' }).click()
  await page.getByText('Your visit had ended, so nothing changed.').waitFor()
  expect((await pages.get(publicPath)).status).toBe(200)
  await page.goto(privateLink)
  await panel().waitFor()
})

test('another website cannot withdraw a listing in the name of its visitor', async () => {
  const { privateLink, privatePath, publicPath } = await pages.addListing()
  await page.goto(privateLink)
  await panel().waitFor()
  const trap = createServer((_, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(
        `<form method="post" action="${pages.url}${privatePath}/withdraw"><button name="confirm" value="yes">Win</button></form>`,
      )
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => trap.once('listening', resolve))
  await page.goto(`http://127.0.0.1:${(trap.address() as AddressInfo).port}/`)
  const answer = page.waitForResponse(`${pages.url}${privatePath}/withdraw`)
  await page.getByRole('button').click()
  expect((await answer).status()).toBe(403)
  expect((await pages.get(publicPath)).status).toBe(200)
  trap.close()
})

test('the listing is withdrawn only once the box is ticked, and is then down for everybody', async () => {
  const { privateLink, privatePath, publicPath } = await pages.addListing()
  await page.goto(privateLink)
  const button = page.getByRole('button', { name: 'Withdraw listing' })
  await button.click()
  expect(await page.evaluate('document.querySelector("input:invalid") !== null')).toBe(true)
  expect((await pages.get(publicPath)).status).toBe(200)
  await page.getByLabel('Yes, withdraw this listing').check()
  await button.click()
  await page.getByText('You withdrew it.').waitFor()
  await expect.poll(focused).toBe('Done. The listing is withdrawn, and no longer shown.')
  await expect.poll(() => page.url()).toBe(pages.url + privatePath)
  expect(await button.count()).toBe(0)
  expect((await page.goto(pages.url + publicPath))?.status()).toBe(410)
})

test('the category is changed, and the page says so', async () => {
  const { privateLink, publicPath } = await pages.addListing()
  await page.goto(privateLink)
  await page.getByLabel('Category', { exact: true }).selectOption('Games')
  await page.getByRole('button', { name: 'Change category' }).click()
  await page.getByText('Your listing is in the category that you chose.').waitFor()
  expect(await (await pages.get(publicPath)).text()).toContain('Games')
})

test('the result of an action is said once, and not again when the page is reloaded', async () => {
  const { privateLink, privatePath } = await pages.addListing()
  await page.goto(privateLink)
  await page.getByLabel('Address of your server').fill('https://hooks.sunrise-bakery.com/')
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  await page.getByText('Events go to your address from now on.').waitFor()
  await expect.poll(() => page.url()).toBe(pages.url + privatePath)
  await page.reload()
  await page.getByRole('button', { name: 'Send a test' }).waitFor()
  expect(await page.getByText('Events go to your address from now on.').count()).toBe(0)
})

test('a page that cannot be read leaves the listing as it was', async () => {
  // The fetcher of this service may reach no website at all.
  const { privateLink } = await pages.addListing()
  await page.goto(privateLink)
  await page.getByRole('button', { name: 'Update now' }).click()
  await page.getByText('nothing changed').or(page.getByText('Your listing stays as it was.')).waitFor()
  expect(await panel().isVisible()).toBe(true)
  await expect.poll(focused).toMatch(/^Your page did not pass review, so nothing changed\./)
})

test('the link is renewed by whoever pastes it: the new one works, and the old one says that it does not', async () => {
  const { privateLink, privatePath, token } = await pages.addListing()
  await page.goto(privateLink)
  await page.getByLabel('Your current private link').fill(privateLink)
  await page.getByLabel('Yes, disable the old link').check()
  let sent = 0
  await page.route('**/renew', async route => {
    sent++
    await new Promise(resolve => setTimeout(resolve, 100))
    await route.continue()
  })
  // Two clicks, the second while the first is on its way.
  await page.evaluate(`{
    const button = document.querySelector('form[action$="/renew"] button')
    button.click()
    setTimeout(() => button.click(), 50)
  }`)
  const newLink = (await page.locator('[data-private-link]').textContent()) ?? ''
  expect(newLink).toContain(`${privatePath}#owner=`)
  expect(newLink).not.toContain(token)
  expect(sent).toBe(1)
  expect(await page.evaluate('document.cookie + sessionStorage.length + localStorage.length')).toBe('00')
  await page.getByRole('link', { name: 'I’ve copied it, continue' }).click()
  await panel().waitFor()
  expect(await page.content()).not.toContain(newLink)

  const elsewhere = await (await browser.newContext()).newPage()
  await elsewhere.goto(privateLink)
  await elsewhere.getByText('This link does not open a listing.').waitFor()
  await elsewhere.goto(newLink)
  await elsewhere.getByText('It is live.').waitFor()
  await elsewhere.context().close()
})
