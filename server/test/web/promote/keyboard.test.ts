// @module-tag browser
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { launchBrowser } from '../../support/browser.ts'
import { payFor } from '../../support/ledger.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'

let browser: Browser
let service: TestService
let store: Store

beforeAll(async () => {
  ;[browser, service] = await Promise.all([launchBrowser(), startTestService()])
  store = await service.database.openStore()
  for (const [host, dollars] of [
    ['mill.com', 900],
    ['oak.com', 800],
    ['elm.com', 700],
  ] as const) {
    await payFor(store, host, `pi_${host}`, { amountCents: dollars * 100 })
  }
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

/** The maximum number of presses of Tab to reach one element. */
const TABS_MAX = 80

/** Whether what has the focus shows it: the element itself, or for a hidden radio button what stands for it. */
const SHOWS_FOCUS = `document.activeElement === document.body || [document.activeElement, document.activeElement.nextElementSibling].some(element => {
  const { outlineStyle, outlineWidth } = element ? getComputedStyle(element) : { outlineStyle: 'none' }
  return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
})`

const FOCUSED = 'document.activeElement.outerHTML.slice(0, 300)'

/** Presses Tab until something has the focus, which is seen wherever it stands on the way. */
async function tabTo(target: Locator, page: Page, tab = 'Tab'): Promise<void> {
  await target.waitFor()
  // The page is not visible before its styles are loaded.
  await page.waitForLoadState()
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    await page.keyboard.press(tab)
    expect(await page.evaluate(SHOWS_FOCUS), await page.evaluate(FOCUSED)).toBe(true)
    if (await target.evaluate(element => element === element.ownerDocument.activeElement)) return
  }
  expect.fail(`Tab does not lead to ${target}`)
}

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('by keyboard alone, %s', (_, javaScriptEnabled) => {
  test('a place is taken from a row of a board, paid, and seen on the page of the order', async () => {
    const host = `keys-${javaScriptEnabled}.com`
    const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const press = async (target: Locator, key = 'Enter') => {
      await tabTo(target, page)
      await page.keyboard.press(key)
    }

    await page.goto(`${service.url}/board/all`)
    const [take = ''] = (await page.locator('.take').allTextContents()).filter(text => text.includes('No. 3'))
    const dollars = Number(take.split('$')[1])
    await press(page.getByRole('link', { name: take }))

    await tabTo(page.getByLabel('Website'), page)
    await page.keyboard.type(`http://${host}/`)
    await page.keyboard.press('Enter')
    await page.getByText(`You: ${host}`).waitFor()
    // The page stands at the price, and the amount before it.
    await tabTo(page.getByRole('button', { name: '$5 more' }), page, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('.near .you', { hasText: `$${dollars + 5}` }).waitFor()
    // The button has the focus again, so it can be pressed once more.
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('more')
    await page.keyboard.press('Enter')
    await page.locator('.near .you', { hasText: `$${dollars + 10}` }).waitFor()

    await tabTo(page.getByLabel('Private link'), page)
    await page.keyboard.type(body.ownership.privateRecoveryUrl ?? '')
    await page.keyboard.press('Enter')
    await page.getByText('Ownership confirmed by the private link').waitFor()
    await press(page.getByLabel('I agree to the rules'), 'Space')
    await press(page.getByRole('button', { name: /^Go to payment: \$/ }))

    await page.getByText('Sandbox: no money moves.').waitFor()
    await press(page.getByRole('button', { name: 'Pay now' }))
    const paid = page.getByRole('heading', { level: 1, name: 'Paid' })
    const again = page.getByRole('link', { name: 'Check again' })
    await paid.or(again).waitFor()
    while (!javaScriptEnabled && (await again.isVisible())) {
      await press(again)
      await paid.or(again).waitFor()
    }
    await paid.waitFor()
    await page.getByText(`No. 3 on the all-time board, with $${dollars + 10}.00 in total`).waitFor()
    await press(page.getByRole('link', { name: 'See the public page' }))
    await page.waitForURL(body.productUrl)
    await context.close()
  })
})
