// @module-tag browser
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../server/test/support/browser.ts'
import { htmlFaults, pageFaults } from '../../server/test/support/page-faults.ts'
import type { Act } from '../src/acts.ts'
import { type SandboxApp, startSandbox } from './sandbox-app.ts'

let app: SandboxApp
let browser: Browser
let addresses: [name: string, address: string][]

beforeAll(async () => {
  ;[browser, app] = await Promise.all([launchBrowser(), startSandbox()])
  const opened = (fields = {}) => app.stripe.createSession(app.order(fields))
  const after = async (acts: Act[], fields = {}) => {
    const id = await opened(fields)
    for (const act of acts) await app.sandbox.act(id, act, 'now')
    return id
  }
  const [open, expired, long] = [
    await opened(),
    await opened(),
    await opened({ description: 'Donaudampfschifffahrtsgesellschaft'.repeat(6), amountCents: 99_999_900 }),
  ]
  await app.stripe.expireSession(expired)
  const pending = await after([{ name: 'pay_later' }])
  const refunded = await after([{ name: 'pay' }, { name: 'refund', amountCents: 550 }], {
    description: 'مخبز الشروق on the all-time board',
  })
  const disputed = await after([{ name: 'pay' }, { name: 'dispute' }])
  app.webhook.answer = 500
  const failing = await after([{ name: 'pay' }])
  await app.sandbox.act(failing, { name: 'refund', amountCents: 'all' }, 'by_hand')
  app.webhook.answer = 200
  const empty = await startSandbox()
  const emptyList = await (await empty.get('/sandbox/')).text()
  await empty.stop()
  expect(emptyList).toContain('None yet.')
  addresses = [
    ['pay', `/sandbox/pay/${open}`],
    ['pay a long one', `/sandbox/pay/${long}`],
    ['pay, closed', `/sandbox/pay/${expired}`],
    ['pay, pending', `/sandbox/pay/${pending}`],
    ['session, open', `/sandbox/sessions/${open}`],
    ['session, pending', `/sandbox/sessions/${pending}`],
    ['session, refunded', `/sandbox/sessions/${refunded}`],
    ['session, disputed', `/sandbox/sessions/${disputed}`],
    ['session, failing', `/sandbox/sessions/${failing}`],
    ['list', '/sandbox/'],
  ]
})
afterAll(async () => {
  await browser.close()
  await app.stop()
})

test('every page is accessible and fits', async () => {
  const page = await browser.newPage()
  const faults: unknown[] = []
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) faults.push(message.text())
  })
  const inspect = async (name: string) => faults.push(...(await pageFaults(page, `sandbox ${name}`)))
  for (const [name, path] of addresses) {
    await page.goto(app.url + path)
    await inspect(name)
  }
  const [, session] = addresses.find(([name]) => name === 'session, refunded') ?? ['', '']
  await page.goto(app.url + session)
  await page.getByLabel(/^Refund in dollars/).fill('1000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await inspect('refund too large')
  await page.locator('summary').first().click()
  await inspect('with an open event')
  await page.close()
  expect(faults).toEqual([])
})

test('every page is valid HTML', async () => {
  for (const [name, path] of addresses) {
    expect(await htmlFaults(await (await app.get(path)).text()), name).toEqual([])
  }
})

test('without JavaScript, a person declines, pays, looks behind the scenes, repeats and refunds', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const order = app.order({ description: 'Sunrise Bakery' })
  const id = await app.stripe.createSession(order)
  app.received.length = 0
  await page.goto(`${app.url}/sandbox/pay/${id}`)
  await page.getByRole('button', { name: 'Decline' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('Declined.')
  await page.getByLabel('Only when I deliver it').check()
  const payPage = page.url()
  await page.getByRole('button', { name: 'Pay now' }).click()
  expect(page.url()).toBe(order.successUrl)
  // By its address and not by the back button, which the browser may refuse while it changes processes.
  await page.goto(payPage)
  await page.getByText('This order is already paid').waitFor()
  await page.getByRole('link', { name: 'Behind the scenes' }).click()
  expect(app.received).toEqual([])
  await page.getByRole('button', { name: 'Deliver now' }).click()
  await page.getByRole('button', { name: 'Deliver again' }).click()
  await page.getByText('Accepted 2 times').waitFor()
  // Enter in the field is the refund of what it says, and not of everything.
  await page.getByLabel(/^Refund in dollars/).fill('5.50')
  await page.keyboard.press('Enter')
  await page.getByText('Paid, $5.50 refunded').waitFor()
  expect(app.events().map(event => event?.amountCents)).toEqual([2500, 2500, 550, 550])
  await context.close()
})
