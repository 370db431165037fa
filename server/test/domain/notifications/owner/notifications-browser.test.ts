// @module-tag browser
// @module-tag slow
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodiesOf } from '../../../../src/domain/notifications/owner/mail-look.ts'
import { Links } from '../../../../src/platform/http/links.ts'
import { DAY_MS } from '../../../../src/platform/lib/time.ts'
import { launchBrowser, noteComplaints } from '../../../support/browser.ts'
import { htmlFaults, pageFaults } from '../../../support/page-faults.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../../support/service.ts'
import { type Sites, startSites } from '../../../support/sites.ts'
import { payingFor, readFeed } from './follower.ts'
import { type Receiver, startReceiver } from './receiver.ts'

let browser: Browser
let sites: Sites
let receiver: Receiver
let service: TestService
beforeAll(async () => {
  ;[browser, sites, receiver] = await Promise.all([launchBrowser(), startSites(), startReceiver(['hooks.com'])])
  service = await startTestService({
    sites: { ...sites, connectTo: `${sites.connectTo},${receiver.connectTo}` },
  })
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  await receiver.close()
  await sites.close()
})

test('an owner gets a feed and a webhook, and both tell when another pays more', async () => {
  const { store, pay } = await payingFor(service)
  const { body } = await publish(service, newCredentials(), publishBody('http://overtaken.com/'))
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.clock.install({ time: NOON })
  const complaints: string[] = []
  noteComplaints(page, complaints)
  const section = page.getByRole('region', { name: 'Notifications' })
  const press = (name: string) => section.getByRole('button', { name, exact: true }).click()

  await page.goto(body.ownership.privateRecoveryUrl ?? '')
  await press('Get a feed')
  await page.getByText('Copy the feed’s new address below').waitFor()
  // "Copied" is shown for two seconds only, so the page's time stands still until it was seen.
  await page.clock.pauseAt(NOON + DAY_MS)
  await press('Copy Address of the feed')
  await section.getByRole('button', { name: 'Copied' }).waitFor()
  await page.clock.resume()
  await section.getByRole('button', { name: 'Copy Address of the feed' }).waitFor()
  const feed = (await page.evaluate('navigator.clipboard.readText()')) as string
  expect(await section.getByRole('textbox', { name: 'Address of the feed' }).inputValue()).toBe(feed)

  await section.getByLabel('Address of your server').fill('http://hooks.com/')
  await press('Add a webhook')
  await page.getByText('Nothing changed.').waitFor()
  await section.getByLabel('Address of your server').fill('https://hooks.com/')
  await press('Add a webhook')
  await page.getByText('Nothing sent yet.').waitFor()
  await press('Send a test')
  await expect
    .poll(async () => {
      await page.reload()
      return section.textContent()
    })
    .toContain('status 204')
  await section.getByText('Signing secret').click()
  const secret = await section.getByRole('textbox', { name: 'Your server checks signatures with it' }).inputValue()
  expect(receiver.verified(secret)).toMatchObject([{ type: 'test' }])
  expect(await pageFaults(page, 'private page with a feed and a webhook')).toEqual([])
  expect(await htmlFaults(await (await context.request.get(page.url())).text())).toEqual([])

  await pay('overtaken.com', 10)
  await readFeed(feed)
  await pay('richer.com', 20)
  expect((await readFeed(feed)).titles.sort()).toEqual([
    'You are now No. 2 of all time (was No. 1)',
    'You are now No. 2 today (was No. 1)',
  ])
  await expect.poll(() => receiver.deliveries.length).toBe(3)
  expect(receiver.verified(secret).slice(1)).toMatchObject([
    { type: 'listing.overtaken', data: { from: 1, to: 2, by: { title: 'richer.com' } } },
    { type: 'listing.overtaken', data: { from: 1, to: 2, by: { title: 'richer.com' } } },
  ])

  receiver.answer = response => void response.writeHead(410).end()
  await press('Send a test')
  await expect
    .poll(async () => {
      await page.reload()
      return section.textContent()
    })
    .toContain('We turned it off')
  expect(await pageFaults(page, 'private page with a webhook turned off')).toEqual([])
  await press('Turn it on again')
  await page.getByText('The webhook is on again.').waitFor()
  expect(complaints).toEqual([])
  await context.close()
  await store.close()
})

test('all of it works without JavaScript, once the visit is open', async () => {
  const { body } = await publish(service, newCredentials(), publishBody('http://plain.com/'))
  const context = await browser.newContext()
  const opening = await context.newPage()
  await opening.goto(body.ownership.privateRecoveryUrl ?? '')
  await opening.getByText('It is live.').waitFor()
  const address = opening.url()
  const plain = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  })
  const page = await plain.newPage()
  await page.goto(address)
  await page.getByRole('button', { name: 'Get a feed' }).click()
  const feed = await page.getByRole('textbox', { name: 'Address of the feed' }).inputValue()
  expect((await readFeed(feed)).status).toBe(200)
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Get a feed' }).waitFor()
  expect((await readFeed(feed)).status).toBe(404)
  await page.getByLabel('Address of your server').fill('https://hooks.com/')
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Add a webhook' }).waitFor()
  await plain.close()
  await context.close()
})

test('a mail with a table breaks no word of ours on a narrow phone', async () => {
  const links = new Links({ baseUrl: service.url, supportUrl: undefined })
  const rows = [['Best day', 'Wednesday', 'Donaudampfschifffahrt'.repeat(4)] as const]
  const { html } = bodiesOf({ subject: '', heading: '', lines: [], rows, why: '' }, links, undefined)
  const page = await browser.newPage({ viewport: { width: 320, height: 600 } })
  await page.setContent(html)
  const [lines, isWider] = await page.evaluate<[number, boolean]>(`(() => {
    const words = document.createRange()
    words.selectNodeContents(document.querySelector('td'))
    return [words.getClientRects().length, document.documentElement.scrollWidth > innerWidth]
  })()`)
  expect([lines, isWider]).toEqual([1, false])
})
