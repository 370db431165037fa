// @module-tag browser
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BOARDS_PATH, type BoardPage, type Quote } from '@placard/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { launchBrowser, noteComplaints } from '../../support/browser.ts'
import { pageFaults } from '../../support/page-faults.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'

const MINUTE = 60 * 1000
const MIDNIGHT = NOON + 12 * 60 * MINUTE

let browser: Browser
let service: TestService
/** What most tests share, because a context starts a process of its own. Its cookies are cleared before each test. */
let shared: BrowserContext
let context: BrowserContext
let page: Page
let hosts = 0
const complaints: string[] = []

beforeAll(async () => {
  ;[browser, service] = await Promise.all([
    launchBrowser(),
    // Nothing answers at this name server: no record is found in the DNS.
    startTestService({
      env: { LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '100000', DNS_SERVERS: '127.0.0.1:9' },
    }),
  ])
  shared = await browser.newContext()
  shared.on('page', opened => noteComplaints(opened, complaints))
  // Keeps the process while a test's pages are closed.
  await shared.newPage()
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})
beforeEach(async () => {
  await shared.clearCookies()
  await openPage(shared)
})
afterEach(async () => {
  await Promise.all(
    context
      .pages()
      .slice(context === shared ? 1 : 0)
      .map(opened => opened.close()),
  )
  if (context !== shared) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

async function openPage(inContext: BrowserContext) {
  context = inContext
  if (context !== shared) context.on('page', opened => noteComplaints(opened, complaints))
  page = await context.newPage()
}

/** A newly listed website, with its private link and a quote's hand-off link. */
async function listed(target = 25) {
  const host = `bakery-${++hosts}.com`
  const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
  return {
    host,
    privateLink: body.ownership.privateRecoveryUrl ?? '',
    productUrl: body.productUrl,
    handoffUrl: await handoff(host, target),
  }
}

async function handoff(host: string, targetBid: number, board = 'all'): Promise<string> {
  const wanted = { destination: `http://${host}/`, category: 'Food & Drink', board, targetBid }
  return (await quote<Quote>(service, wanted)).body.handoffUrl
}

const heading = (name: string | RegExp, on = page) => on.getByRole('heading', { level: 1, name })
const press = (name: string | RegExp, on = page) => on.getByRole('button', { name }).click()

async function useLink(privateLink: string) {
  await page.getByLabel('Private link').fill(privateLink)
  await press('Use the private link')
  await page.getByText('Ownership confirmed by the private link of the listing').waitFor()
}

const PAYMENT_PAGE = 'Sandbox: no money moves.'

/** Orders, which leads to the sandbox's page. @returns the address of the order's own page */
async function order(on = page): Promise<string> {
  await on.getByLabel('I agree to the rules').check()
  const [leadingOn] = await Promise.all([on.waitForResponse(/\?pay=1$/), press('Go to payment', on)])
  await on.getByText(PAYMENT_PAGE).waitFor()
  return leadingOn.url().replace('?pay=1', '')
}

/** Pays on the sandbox's page, whose event is delivered when we say so. */
async function payAtSandbox(how = 'Pay now') {
  await page.getByLabel('Only when I deliver it').check()
  await press(how)
}

/** Delivers the event of the order open in `page`. */
async function deliver() {
  const other = await context.newPage()
  await other.goto(`${service.url}/sandbox/`)
  const [host] = /[\w-]+\.com/.exec((await page.locator('.record').textContent()) ?? '') ?? ['']
  await other.getByRole('link', { name: host }).first().click()
  await press('Deliver now', other)
  await other.getByText('Accepted once').waitFor()
  await other.close()
}

async function totalOnBoard(productUrl: string): Promise<number | undefined> {
  const response = await fetch(`${service.url}${BOARDS_PATH}/all?limit=100`)
  const { entries } = (await response.json()) as BoardPage
  return entries.find(entry => entry.productUrl === productUrl)?.totalCents
}

describe('from a quote to the board', () => {
  test('with the private link; the waiting page changes to the result by itself', async () => {
    const { host, privateLink, productUrl, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await page.getByText(`You: ${host}`).waitFor()
    await useLink(privateLink)
    expect(page.url()).not.toContain('owner')
    await order()
    expect(await totalOnBoard(productUrl)).toBeUndefined()
    await payAtSandbox()
    await heading('Waiting for confirmation').waitFor()
    expect(await totalOnBoard(productUrl)).toBeUndefined()
    await deliver()
    await heading('Paid').waitFor()
    await page
      .getByText(/No\. \d+ on the all-time board, with \$25\.00 in total/)
      .first()
      .waitFor()
    expect(await totalOnBoard(productUrl)).toBe(2500)
    for (const link of await page.locator('main a').all()) {
      const href = (await link.getAttribute('href')) ?? ''
      expect([href, (await fetch(new URL(href, service.url))).status]).toEqual([href, 200])
    }
    await page.getByRole('link', { name: 'See the public page' }).click()
    await page.waitForURL(productUrl)
    // The next price subtracts the payment.
    await page.goto(handoffUrl)
    await page.getByText('This total is too low.').waitFor()
    await page.getByRole('link', { name: 'Choose $26.00' }).click()
    await page.getByText('$1.00 (US dollars)').waitFor()
  })

  test('with a token in the page of a website that is not listed, which then is', async () => {
    const host = `new-shop-${++hosts}.com`
    await page.goto(await handoff(host, 40))
    await page.getByText('Not listed yet: it will be').waitFor()
    await press('Get a token')
    const places = page.locator('.proofs section')
    expect(await places.getByRole('heading').allTextContents()).toEqual(['A tag', 'A file', 'A DNS record'])
    await press('Check the website')
    await page.getByText('We couldn’t find your token on the website yet.').waitFor()
    expect(await places.locator('.fault').count()).toBe(3)

    // One click selects the whole text to copy.
    const tag = places.first().locator('pre')
    await tag.click()
    const copied = String(await page.evaluate('String(getSelection())'))
    expect(copied).toBe(await tag.textContent())
    service.sites.set(host, (_request, response) =>
      sendHtml(response, `<html><head>${copied}<title>New Shop</title></head></html>`),
    )
    await press('Check the website')
    await page.getByText('Ownership confirmed by a tag on the page').waitFor()
    await order()
    await payAtSandbox()
    await heading('Waiting for confirmation').waitFor()
    await deliver()
    await heading('Paid').waitFor()
    await page.getByRole('link', { name: 'See the public page' }).click()
    await heading('New Shop').waitFor()
    expect(await totalOnBoard(page.url())).toBe(4000)
  })

  test('with a file on the website, by bank transfer', async () => {
    const host = `file-shop-${++hosts}.com`
    await page.goto(await handoff(host, 5))
    await press('Get a token')
    const token = (await page.locator('#proof-well_known').textContent()) ?? ''
    service.sites.set(host, (request, response) => {
      if (request.url !== '/.well-known/placard.txt') return sendHtml(response, '<title>File Shop</title>')
      return response.writeHead(200, { 'content-type': 'text/plain' }).end(token)
    })
    await press('Check the website')
    await page.getByText('Ownership confirmed by a file on the website').waitFor()
    await order()
    await payAtSandbox('Pay, confirm later')
    await heading('Waiting for confirmation').waitFor()
    await deliver()
    await heading('The money is on its way').waitFor()
  })

  test('from the private page, without further proof', async () => {
    const { host, privateLink } = await listed()
    await page.goto(privateLink)
    await press('Buy a place')
    await heading('Buy a place').waitFor()
    expect(await page.getByLabel('Website').inputValue()).toBe(`http://${host}/`)
    await page.getByLabel('Or your own total').fill('7')
    await press('Show the price')
    await page.getByText('Ownership confirmed by the private link of the listing').waitFor()
    await order()
  })

  test('without JavaScript', async () => {
    await page.close()
    await openPage(await browser.newContext({ javaScriptEnabled: false }))
    const { privateLink, productUrl, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    await order()
    await payAtSandbox()
    await heading('Waiting for confirmation').waitFor()
    await page.getByRole('link', { name: 'Check again' }).click()
    await heading('Waiting for confirmation').waitFor()
    await deliver()
    await page.getByRole('link', { name: 'Check again' }).click()
    await heading('Paid').waitFor()
    expect(await totalOnBoard(productUrl)).toBe(2500)
  })
})

describe('on the way', () => {
  test('a price that changes meanwhile is shown again, and nothing is opened', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    const late = await context.newPage()
    await late.goto(page.url())
    await order()
    await payAtSandbox()
    await heading('Waiting for confirmation').waitFor()
    await deliver()
    await heading('Paid').waitFor()

    await late.getByLabel('I agree to the rules').check()
    await press('Go to payment', late)
    await late.getByText('the price has changed since you saw it').waitFor()
    await late.getByText('This total is too low.').waitFor()
  })

  test('of two tabs, the later order counts, and the other tab says so by itself', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    const second = await context.newPage()
    await second.goto(page.url())
    const first = await order()
    const payAtFirst = page.url()
    await page.goto(first)
    await heading('Pay $25.00').waitFor()
    await order(second)
    await page.bringToFront()
    await heading('A newer order replaced it').waitFor()
    await page.goto(payAtFirst)
    await heading('Nothing to pay here').waitFor()
    await press('Pay now', second)
    await heading('Paid', second).waitFor()
  })

  test('going back from the payment page leads to the choice, and after paying it sells nothing twice', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    await order()
    await page.goBack()
    await heading('Buy a place').waitFor()
    await page.goForward()
    await press('Pay now')
    await heading('Paid').waitFor()
    await page.goto(handoffUrl)
    await page.getByText('This total is too low.').waitFor()
  })

  test('the page of an order leads to the payment page again, as long as it is open', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    await page.goto(await order())
    await page.getByRole('link', { name: 'Pay $25.00 at the sandbox' }).click()
    await press('Pay now')
    await heading('Paid').waitFor()
    await page.goBack()
    await page.goBack()
    await heading('Paid').waitFor()
  })

  test('cancelling leads back to the price, and ordering again needs no new proof', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    await order()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByText('Ownership confirmed by the private link of the listing').waitFor()
    await order()
  })

  test('after a link from another website, checking again finds the ownership', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    await onOtherWebsite(`<a href="${handoffUrl.replaceAll('&', '&amp;')}">Your offer</a>`, async () => {
      await page.getByRole('link').click()
      await page.getByRole('link', { name: 'Check again' }).click()
      await page.getByText('Ownership confirmed by the private link of the listing').waitFor()
    })
  })

  test('another website cannot order in the name of its visitor', async () => {
    const { privateLink, handoffUrl } = await listed()
    await page.goto(handoffUrl)
    await useLink(privateLink)
    const form = await page.locator('form[action="/promote/checkout"]').evaluate(element => element.outerHTML)
    const trap = form.replace('action="', `action="${service.url}`)
    await onOtherWebsite(trap, async () => {
      await page.getByRole('checkbox').check()
      const answer = page.waitForResponse(`${service.url}/promote/checkout`)
      await page.getByRole('button').click()
      expect((await answer).status()).toBe(403)
    })
  })

  /** "localhost" and "127.0.0.1" are different sites. */
  async function onOtherWebsite(html: string, act: () => Promise<void>) {
    const website = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(html)
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => website.once('listening', resolve))
    await page.goto(`http://localhost:${(website.address() as AddressInfo).port}/`)
    await act()
    website.close()
  }
})

test('each proof is copied by a button that the keyboard reaches', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { handoffUrl } = await listed()
  await page.goto(handoffUrl)
  await press('Get a token')
  for (const [name, id] of [
    ['Copy line', 'proof-well_known'],
    ['Copy tag', 'proof-meta_tag'],
    ['Copy text', 'proof-dns_txt'],
  ] as const) {
    const button = page.getByRole('button', { name })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copied' }).first().waitFor()
    const shown = await page.locator(`#${id}`).textContent()
    expect(shown?.length).toBeGreaterThan(40)
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown)
  }
})

test('every state is accessible and fits', { tags: ['accessibility'] }, async () => {
  const faults: unknown[] = []
  const inspect = async (state: string) => faults.push(...(await pageFaults(page, `order ${state}`)))
  const { privateLink, handoffUrl } = await listed()
  await page.goto(`${service.url}/promote?destination=x&category=x&board=x&target=x`)
  await inspect('form with faults')
  await page.goto(handoffUrl)
  await inspect('offer')
  await press('Get a token')
  await page.locator('#proof-meta_tag').waitFor()
  await press('Check the website')
  await page.getByText('We couldn’t find your token').waitFor()
  await inspect('token not found')
  await page.getByLabel('Private link').fill('wrong')
  await press('Use the private link')
  await page.getByText('This is not this listing’s private link').waitFor()
  await useLink(privateLink)
  await inspect('ready to pay')
  const orderUrl = await order()
  const paymentPage = page.url()
  await page.goto(orderUrl)
  await heading('Pay $25.00').waitFor()
  await inspect('order')
  const address = page.locator('.stub dd').first()
  const lines = await address.evaluate(each => each.clientHeight / Number.parseFloat(getComputedStyle(each).lineHeight))
  expect(Math.round(lines), 'lines of the address').toBe(1)
  await page.goto(paymentPage)
  await payAtSandbox('Pay, confirm later')
  await heading('Waiting for confirmation').waitFor()
  await inspect('waiting')
  await deliver()
  await heading('The money is on its way').waitFor()
  await inspect('pending')
  await behindTheScenes('The money arrives')
  await page.goto(orderUrl)
  await heading('Paid').waitFor()
  await inspect('paid')
  await page.goto(handoffUrl)
  await inspect('nothing due')
  await behindTheScenes('Refund all of it')
  await page.goto(orderUrl)
  await heading('Paid, but no longer counted').waitFor()
  await inspect('refunded')
  expect(faults).toEqual([])
})

test('every state around the end of a day is accessible and fits', { tags: ['accessibility'] }, async () => {
  const faults: unknown[] = []
  const inspect = async (state: string) => faults.push(...(await pageFaults(page, `order ${state}`)))
  const { host, privateLink } = await listed()
  service.clock.now = MIDNIGHT - 5 * MINUTE
  await page.goto(await handoff(host, 30, 'today'))
  await useLink(privateLink)
  await inspect('ready to pay just before midnight')
  const orderUrl = await order()
  const paymentPage = page.url()
  await page.goto(orderUrl)
  await page.getByText('Pay by card, before midnight UTC').waitFor()
  await inspect('just before midnight')
  await page.goto(paymentPage)
  await page.getByText(PAYMENT_PAGE).waitFor()
  service.clock.now = MIDNIGHT + 10 * MINUTE
  await press('Pay now')
  await heading('Paid').waitFor()
  await page.getByText('confirmed your payment on another day').waitFor()
  await inspect('paid on the next day')
  service.clock.now += 24 * 60 * MINUTE
  await page.goto(orderUrl)
  await page.getByText('The board of 22 November 2026 has ended').waitFor()
  await inspect('paid for a day that is over')
  await behindTheScenes('Open a dispute')
  await behindTheScenes('Close the dispute: lost')
  await page.goto(orderUrl)
  await page.getByText('was lost in a dispute').waitFor()
  await inspect('lost in a dispute')
  service.clock.now = NOON
  expect(faults).toEqual([])
})

test('every state of an order that cannot be paid is accessible and fits', { tags: ['accessibility'] }, async () => {
  const faults: unknown[] = []
  const inspect = async (state: string) => faults.push(...(await pageFaults(page, `order ${state}`)))
  const { privateLink, handoffUrl, productUrl } = await listed()
  await page.goto(handoffUrl)
  await useLink(privateLink)
  const older = await order()
  await page.goto(handoffUrl)
  const newer = await order()
  await page.goto(older)
  await heading('A newer order replaced it').waitFor()
  await inspect('superseded')
  const store = await service.database.openStore()
  await hideListing(store, productUrl.split('/').at(-1) ?? '', 'test', service.clock.now)
  await store.close()
  await page.goto(newer)
  await heading('This listing is down').waitFor()
  await inspect('listing is down')
  service.clock.now += 60 * MINUTE
  await page.reload()
  await page.getByText('The payment page is closed. Nothing was paid there.').waitFor()
  await inspect('listing is down and closed')
  service.clock.now = NOON
  expect(faults).toEqual([])
})

test('every state of an order for an unlisted website is accessible and fits', {
  tags: ['accessibility'],
}, async () => {
  const faults: unknown[] = []
  const inspect = async (state: string) => faults.push(...(await pageFaults(page, `order ${state}`)))
  const host = `bakery-${++hosts}.com`
  await page.goto(await handoff(host, 6))
  await press('Get a token')
  await page.setViewportSize({ width: 375, height: 800 })
  await press('Check the website')
  await page.getByRole('link', { name: 'See what we found at each place.' }).click()
  // Browsers scroll to whole pixels, so the heading may lie a fraction above.
  const top = await page.locator('#proof').evaluate(element => Math.round(element.getBoundingClientRect().top))
  expect(top).toBeGreaterThanOrEqual(0)
  expect(top).toBeLessThan(200)
  const tag = (await page.locator('#proof-meta_tag').textContent()) ?? ''
  service.sites.set(host, (_request, response) =>
    sendHtml(response, `<html><head>${tag}<title>Bakery</title></head></html>`),
  )
  await press('Check the website')
  await page.getByText('gives you the listing’s private link').waitFor()
  await inspect('ready to pay for an unlisted website')
  await order()
  await press('Pay now')
  await page.getByRole('button', { name: 'Get the private link' }).waitFor()
  await inspect('paid for an unlisted website')
  expect(faults).toEqual([])
})

async function behindTheScenes(deed: string) {
  await page.goto(`${service.url}/sandbox/`)
  await page
    .getByRole('link', { name: `bakery-${hosts}.com` })
    .first()
    .click()
  await press(deed)
  await page.getByText(deed).waitFor({ state: 'hidden' })
}
