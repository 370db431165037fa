// @module-tag browser
import { APPROVALS_PATH } from '@placard/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { hideListing } from '../../src/domain/moderation/moderate.ts'
import { launchBrowser, noteComplaints } from '../support/browser.ts'
import { linkFor } from './console/operators.ts'
import { type Pages, startPages } from './page-app.ts'

let browser: Browser
let pages: Pages
let context: BrowserContext
let page: Page
const complaints: string[] = []
/** The paths of the forms that the page sent. */
const sent: string[] = []

beforeAll(async () => {
  ;[browser, pages] = await Promise.all([
    launchBrowser(),
    startPages({ env: { SMTP_URL: 'smtp://127.0.0.1:9', OPERATOR_MAIL_TO: 'ops@board.com' } }),
  ])
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  noteComplaints(page, complaints)
  page.on('request', request => {
    if (request.isNavigationRequest() && request.method() === 'POST') sent.push(new URL(request.url()).pathname)
  })
})
afterEach(async () => {
  await context.close()
  sent.length = 0
  expect(complaints.splice(0)).toEqual([])
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()

async function leaveAndGoBack() {
  await page.goto(`${pages.url}/rules`)
  await page.goBack()
}

async function fillLostLink() {
  await page.getByLabel('Address of your website').fill('new-mill.com')
  await page.getByLabel('Your mail address').fill('me@new-mill.com')
}

const LIST = '/list?address=http%3A%2F%2Fnew-mill.com%2F&category=Design#self'
const OWN = '/own?address=https%3A%2F%2Fnew-mill.com%2F'
const PROMOTE = '/promote?destination=https%3A%2F%2Fold-mill.com%2F&category=Food+%26+Drink&board=all&target=50'

test.each<[form: string, fill: () => Promise<unknown>, button: string, says: string]>([
  [OWN, () => context.clearCookies(), 'Check now', 'Your token'],
  [PROMOTE, () => page.getByLabel('Private link').fill('mine'), 'Use the private link', 'is not this listing’s'],
  [LIST, async () => {}, 'See the preview', 'Prove that it’s yours'],
  ['/own/mail', fillLostLink, 'Mail me a link', 'a mail is on its way'],
])('going back to the reply to %s leads to that form, and sends nothing', async (form, fill, button, says) => {
  if (form === PROMOTE) await pages.addListing({ destinationKey: '2:old-mill.com' })
  await page.goto(pages.url + form)
  await fill()
  await press(button)
  await page.getByText(says).first().waitFor()
  await leaveAndGoBack()
  expect(page.url()).toBe(pages.url + form)
  await page.getByRole('button', { name: button, exact: true }).waitFor()
  expect(sent).toHaveLength(1)
})

test('going back to a reply of the private page or the console leads to that page, and sends nothing', async () => {
  const { privateLink, privatePath, slug } = await pages.addListing()
  await page.goto(privateLink)
  await page.getByText('Notifications').first().waitFor()
  await page.locator('form[action$="/webhook"] input').evaluate(field => field.setAttribute('type', 'text'))
  await page.locator('form[action$="/webhook"] input').fill('nowhere')
  await page.locator('form[action$="/webhook"] button').click()
  await page.getByRole('alert').waitFor()
  await leaveAndGoBack()
  expect(page.url()).toBe(pages.url + privatePath)

  await page.goto(pages.url + (await linkFor(pages, 'Ada')))
  await press('Sign in')
  await page.goto(`${pages.url}/console/listing/${slug}`)
  await page.getByLabel('How they proved it').fill('By DNS')
  await page.getByRole('button', { name: 'Replace the link' }).click()
  await page.getByRole('heading', { name: 'A new private link' }).waitFor()
  await leaveAndGoBack()
  expect(page.url()).toBe(`${pages.url}/console`)
  // The link that the operator copied still works.
  expect(sent.filter(path => path === '/console/reissue')).toHaveLength(1)
})

test('a reply that shows what someone wrote can be sent again, which brings the text back', async () => {
  const { privateLink, slug } = await pages.addListing()
  await hideListing(pages.store, slug, 'test', pages.time.now)
  await page.goto(privateLink)
  await page.getByLabel('Why is this decision wrong?').fill('We sell bread.')
  await context.clearCookies()
  await press('Send the appeal')
  const typed = page.getByLabel('What you wrote')
  await typed.waitFor()
  await page.reload()
  expect(await typed.inputValue()).toBe('We sell bread.')
})

test('a question that the browser kept as it was shows its answer', async () => {
  const asked = { destination: 'http://new-mill.com/', category: 'Design', agent: 'Claude' }
  const reply = await pages.post(APPROVALS_PATH, JSON.stringify(asked), { 'content-type': 'application/json' })
  const { approvalUrl } = (await reply.json()) as { approvalUrl: string }
  await page.goto(approvalUrl)
  const tab = await context.newPage()
  await tab.goto(approvalUrl)
  await tab.getByRole('button', { name: 'Approve' }).click()
  await tab.getByRole('heading', { name: 'Approved' }).waitFor()
  // Tests run with a browser that keeps no pages. This is what another one tells a page that it kept.
  await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
})
