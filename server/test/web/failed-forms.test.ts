// @module-tag browser
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { htmlFaults, pageFaults } from '../support/page-faults.ts'
import { type Pages, startPages } from './page-app.ts'
import { newVisitor } from './visitor.ts'

let browser: Browser
let pages: Pages
let path: string

beforeAll(async () => {
  ;[browser, pages] = await Promise.all([launchBrowser(), startPages()])
  path = (await pages.addListing()).publicPath
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})

const refuseReports = () =>
  sql`create trigger busy before insert on report begin select raise(abort, 'busy'); end`.execute(pages.store.db)
const acceptReports = () => sql`drop trigger if exists busy`.execute(pages.store.db)

/** Does something while the service cannot read its listings. */
async function failing<T>(act: () => Promise<T>): Promise<T> {
  const rename = (from: string, to: string) => pages.store.db.schema.alterTable(from).renameTo(to).execute()
  await rename('listing', 'lost_listing')
  return act().finally(() => rename('lost_listing', 'listing'))
}

const TYPED = '“It sells” <b>no bread</b> & says so: \u05dc\u05d7\u05dd 🍞\n\n\tCall me.'

test('a report that the database did not take can be sent again as it was typed', async () => {
  const page = await browser.newPage({ viewport: { width: 375, height: 800 } })
  await page.goto(pages.url + path)
  await page.getByText('Report this listing').click()
  await page.getByRole('combobox').selectOption('misleading')
  await page.getByLabel(/^Details/).fill(TYPED)
  await page.getByLabel(/^How we can reach you/).fill('"me" <me@mail.com>')
  await refuseReports()
  await page.getByRole('button', { name: 'Send the report' }).click()
  await page.getByText('This page keeps what you sent.').waitFor()
  expect(await pageFaults(page, 'a report that was not taken')).toEqual([])
  await page.getByRole('button', { name: 'Send it again' }).click()
  await page.getByText('This page keeps what you sent.').waitFor()
  await acceptReports()
  await page.getByRole('button', { name: 'Send it again' }).click()
  await page.waitForURL(/\/reported\?report=/)
  const reports = await pages.store.db.selectFrom('report').select(['reason', 'details', 'contact']).execute()
  expect(reports).toEqual([
    { reason: 'misleading', details: TYPED.replaceAll(/\s+/g, ' '), contact: '"me" <me@mail.com>' },
  ])
  await page.close()
})

test('the page of a failed form repeats no private link', async () => {
  const withLink = (link: string) =>
    failing(() => newVisitor(pages).post('/promote/link', { destination: 'https://new-mill.com/', link }))
  expect((await withLink('my link')).html).toContain('name="link" value="my link"')
  for (const key of ['#owner=SECRET', '%23own\u200ber%3dSECRET']) {
    const { status, html } = await withLink(`${pages.url}/manage/0${key}`)
    expect([status >= 500, html.includes('SECRET'), html.includes('Send it again')]).toEqual([true, false, false])
  }
})

test.each([
  ['/list/self', { address: 'https://new-mill.com/', category: 'Design' }],
  ['/own/check', { address: 'https://new-mill.com/' }],
  ['/promote/checkout', { destination: 'https://new-mill.com/', category: 'Design', board: 'all', target: '50' }],
])('%s, too, can be sent again after a failure', async (action, fields) => {
  const { status, headers, html } = await failing(() => newVisitor(pages).post(action, fields))
  expect([status >= 500, headers.get('cache-control'), await htmlFaults(html)]).toEqual([true, 'no-store', []])
  expect(html).toContain(`<form method="post" action="${action}">`)
  for (const [name, value] of Object.entries(fields)) expect(html).toContain(`name="${name}" value="${value}"`)
})

test.each([
  ['/list/self', '/list#self'],
  ['/list/self/publish', '/list#self'],
  ['/own/proof', '/own'],
  ['/own/check', '/own'],
  ...['proof', 'check', 'link', 'checkout'].map(step => [`/promote/${step}`, '/promote']),
])('the address of a refused form, %s, leads back if it is reopened', async (action, start) => {
  const { status, location } = await newVisitor(pages).get(action ?? '')
  expect([status, location]).toEqual([302, start])
})

test.each<[form: string, fill: (page: Page) => Promise<void>, button: string, says: string]>([
  [
    'report',
    async page => {
      await page.getByText('Report this listing').click()
      await page.getByRole('combobox').selectOption('other')
    },
    'Send the report',
    'Your report was not sent yet.',
  ],
  [
    '/promote',
    async page => {
      await page.getByLabel('Website').fill('http://no host/')
      await page.getByLabel('Or your own total').fill('50')
    },
    '$5 more',
    'Please fix the fields marked below.',
  ],
  ['/own?address=https%3A%2F%2Fnew-mill.com%2F', page => page.context().clearCookies(), 'Check now', 'Your token'],
])('after a refusal, the message of %s has the focus', async (form, fill, button, says) => {
  const page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  await page.goto(pages.url + (form === 'report' ? path : form))
  await fill(page)
  await page.getByRole('button', { name: button, exact: true }).click()
  const message = page.getByRole('alert').filter({ hasText: says })
  await message.waitFor()
  await expect
    .poll(() => message.evaluate(element => element.ownerDocument.activeElement === element), { timeout: 10_000 })
    .toBe(true)
  expect(await pageFaults(page, form)).toEqual([])
  await page.close()
})
