// @module-tag browser
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startTestService(), launchBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

test('an owner opens a receipt’s link and updates the listing from the page', async () => {
  const { body: receipt } = await publish(service, newCredentials(), publishBody('http://renamed.com/'))
  const page = await browser.newPage()
  await page.goto(receipt.ownership.privateRecoveryUrl ?? '')
  await page.getByRole('heading', { name: 'Welcome to renamed.com' }).waitFor()
  service.sites.set('renamed.com', (_request, response) =>
    sendHtml(response, '<!doctype html><html lang="en"><title>Another name</title><h1>Hello</h1><p>Words.</p>'),
  )
  await page.getByRole('button', { name: 'Update now' }).click()
  await page.getByText('Another name').first().waitFor()
  await page.goto(receipt.productUrl)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Another name')
  await page.close()
})

test('an owner who stops a slow update can start it again', async () => {
  const { body: receipt } = await publish(service, newCredentials(), publishBody('http://slow.com/'))
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(receipt.ownership.privateRecoveryUrl ?? '')
  await page.getByRole('heading', { name: 'Welcome to slow.com' }).waitFor()
  await page.evaluate(
    'void (isStopped = new Promise(stop => navigation.addEventListener("navigateerror", () => stop())))',
  )
  const { promise: isSent, resolve: send } = Promise.withResolvers<void>()
  await page.route('**/refresh', () => send(), { times: 1 })
  const update = page.getByRole('button', { name: 'Update now' })
  await update.click({ noWaitAfter: true })
  await isSent
  // As with Escape.
  await (await context.newCDPSession(page)).send('Page.stopLoading')
  await page.evaluate('isStopped')
  await update.click()
  await page.getByText('Done.').waitFor()
  await context.close()
})
