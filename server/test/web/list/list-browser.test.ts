// @module-tag browser
import { randomBytes, randomUUID } from 'node:crypto'
import { PublishBody, type Receipt } from '@placard/contract'
import type { Browser } from 'playwright-core'
import Value from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { pageFaults } from '../../support/page-faults.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let browser: Browser
let service: TestService
beforeAll(async () => {
  ;[browser, service] = await Promise.all([launchBrowser(), startTestService()])
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

const QUERY = 'address=http://copper-kettle.com&category=Food+%26+Drink'

/** An agent that knows nothing but a prompt and what it leads to. @param says the customer's answer */
async function follow(prompt: string, says: 'yes' | 'no'): Promise<Receipt | undefined> {
  const found = (pattern: RegExp, text = prompt) => {
    const [, part] = pattern.exec(text) ?? []
    if (part === undefined) throw new Error(`nothing says ${pattern}`)
    return part
  }
  expect(prompt).toMatch(/Before you send anything, tell me the address.*public for 60 days.*\/rules/)
  expect(prompt).toContain('wait until I say yes')
  if (says === 'no') return undefined

  const guide = await (await fetch(found(/^Read (\S+) and follow it/m))).text()
  const example = JSON.parse(found(/<<'JSON'\n(.*?)\nJSON\n/s, guide))
  const body = {
    ...example,
    destination: found(/^Address: (.+)$/m),
    category: found(/^Category: (.+)$/m),
  }
  expect(Value.Check(PublishBody, body)).toBe(true)
  const response = await fetch(found(/-w '.*' (\S+\/listings)$/m, guide), {
    method: 'POST',
    headers: {
      [found(/%s\\n' (Content-Type) /, guide)]: 'application/json',
      [found(/^ {2}(\S+) "\$\(openssl rand -hex 16/m, guide)]: randomUUID(),
      [found(/^ {2}(\S+) "\$\(openssl rand -hex 32/m, guide)]: randomBytes(32).toString('hex'),
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(201)
  return (await response.json()) as Receipt
}

test('from the page to the copied prompt to the published listing', async () => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(service.url)
  await page.getByRole('main').getByRole('link', { name: 'List your site' }).first().click()
  await page.getByLabel('Your website’s address').fill('http://copper-kettle.com')
  await page.getByLabel('Category').selectOption('Food & Drink')
  await page.getByRole('button', { name: 'Make the prompt' }).click()
  await page.getByRole('button', { name: 'Copy prompt' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const prompt = (await page.evaluate('navigator.clipboard.readText()')) as string
  expect(service.sites.visits('copper-kettle.com')).toBe(0)

  expect(await follow(prompt, 'no')).toBeUndefined()
  const receipt = await follow(prompt, 'yes')
  await page.goto(receipt?.productUrl ?? '')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Welcome to copper-kettle.com')

  await page.goto(`${service.url}/list?${QUERY}`)
  await page.getByRole('heading', { name: 'It is listed already' }).waitFor()
  await context.close()
})

test('without JavaScript the prompt is there, and no button that would not work', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto(`${service.url}/list?${QUERY.replace('kettle', 'pan')}`)
  expect(await page.locator('#prompt').innerText()).toContain('Address: http')
  expect(await page.getByRole('button', { name: /copy/i }).count()).toBe(0)
  await page.close()
})

const PHONE = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true }

test.each([
  ['/list', 'Make the prompt'],
  ['/list', 'See the preview'],
  ['/own', 'Show my proofs'],
])('on a phone, a wrong address on %s has the focus after “%s”, and what is wrong is in view', async (path, button) => {
  const page = await browser.newPage(PHONE)
  await page.goto(service.url + path)
  const field = page.getByLabel('Your website’s address')
  await field.fill('my site')
  if (path === '/list') await page.getByLabel('Category').selectOption('Design')
  await page.getByRole('button', { name: button }).tap()
  await page.waitForURL('**?address=*')
  expect(await field.evaluate(each => each === document.activeElement)).toBe(true)
  expect(await field.inputValue()).toBe('my site')
  const fault = await page.getByText('Try your-site.com').boundingBox()
  expect([(fault?.y ?? -1) >= 0, (fault?.y ?? Infinity) < PHONE.viewport.height]).toEqual([true, true])
  await page.close()
})

test.each([
  ['http://copper-pan.com', 'Prompt for your agent'],
  ['http://copper-kettle.com', 'It is listed already'],
])('on a phone, the answer about %s is in view: “%s”', async (address, heading) => {
  const page = await browser.newPage(PHONE)
  await page.goto(`${service.url}/list`)
  await page.getByLabel('Your website’s address').fill(address)
  await page.getByLabel('Category').selectOption('Design')
  await page.getByRole('button', { name: 'Make the prompt' }).tap()
  await page.waitForURL('**?address=*')
  const shown = await page.getByRole('heading', { name: heading }).boundingBox()
  expect([(shown?.y ?? -1) >= 0, (shown?.y ?? Infinity) < PHONE.viewport.height / 2]).toEqual([true, true])
  await page.close()
})

test('is accessible and fits, also with faults', { tags: ['accessibility'] }, async () => {
  const page = await browser.newPage()
  await page.goto(`${service.url}/list?address=x&category=y`)
  expect(await pageFaults(page, 'list with faults')).toEqual([])
  await page.close()
})
