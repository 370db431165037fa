// @module-tag browser
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { pageFaults } from '../../support/page-faults.ts'
import { newCredentials, publish, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { opens } from './provers.ts'

let service: TestService
let browser: Browser
let page: Page
/** The head of every website. */
let head = ''
beforeAll(async () => {
  ;[service, browser] = await Promise.all([
    startTestService({ jobsEveryMs: 0, env: { LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '1000' } }),
    launchBrowser(),
  ])
  for (const host of ['listed.com', 'watched.com', 'pressed.com', 'proved.com', 'unlisted.com']) {
    service.sites.set(host, (_request, response) =>
      sendHtml(response, `<head>${head}<title>Rye and Barley</title></head><p>Hello`),
    )
  }
  for (const host of ['listed.com', 'watched.com', 'pressed.com']) {
    expect((await publish(service, newCredentials(), publishBody(`http://${host}/`))).status).toBe(201)
  }
  page = await browser.newPage({ viewport: { width: 375, height: 800 } })
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const tag = async () => (await page.locator('#proof-meta_tag').textContent()) ?? ''
const faults: unknown[] = []
const inspect = async (state: string) => faults.push(...(await pageFaults(page, state)))

describe('an owner in a browser', () => {
  test('gets from the listing to its private page by four clicks and one tag', async () => {
    await page.goto(`${service.url}/product/listed-com`)
    await page.getByRole('link', { name: 'Is this your website?' }).click()
    await inspect('the proofs')
    head = await tag()
    await page.setViewportSize({ width: 375, height: 667 })
    await press('Check now')
    // On a phone, the result is below the form: the browser leads there.
    const answer = await page.getByRole('heading', { name: 'It’s yours' }).boundingBox()
    expect([(answer?.y ?? -1) >= 0, (answer?.y ?? Infinity) < 667 / 2]).toEqual([true, true])
    await inspect('the private link')
    await page.getByRole('link', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: 'Prove your website' }).waitFor()
    await page.getByText('Owner verified since').waitFor()
    await inspect('the private page')
  })

  test('need not press anything while the page is open', async () => {
    head = ''
    await page.goto(`${service.url}/own?address=http%3A%2F%2Fwatched.com%2F`)
    await page.getByText('We check every ten seconds.').waitFor()
    head = await tag()
    await page.getByRole('heading', { name: 'It’s yours' }).waitFor()
  })

  test('sends one check, however often the button is pressed: a second one would replace the link of the first', async () => {
    head = ''
    let sent = 0
    page.on('request', request => {
      if (request.url().endsWith('/own/check')) sent++
    })
    await page.goto(`${service.url}/own?address=http%3A%2F%2Fpressed.com%2F`)
    head = await tag()
    await page.evaluate(async () => {
      const button = [...document.querySelectorAll('button')].find(each => each.textContent === 'Check now')
      button?.click()
      await new Promise(requestAnimationFrame)
      button?.click()
    })
    await page.getByRole('heading', { name: 'It’s yours' }).waitFor()
    page.removeAllListeners('request')
    expect(sent).toBe(1)
  })

  test('who has proved the website keeps link and feed by only opening the page', async () => {
    head = ''
    await page.context().clearCookies()
    const { body } = await publish(service, newCredentials(), publishBody('http://proved.com/'))
    const link = body.ownership.privateRecoveryUrl ?? ''
    await page.goto(link)
    await press('Get a feed')
    await press('Get a token')
    head = await tag()
    await press('Check now')
    await page.getByText('Owner verified since').waitFor()
    const feed = await page.getByRole('textbox', { name: 'Address of the feed' }).inputValue()
    await page.goto(`${service.url}/own?address=http%3A%2F%2Fproved.com%2F`)
    await page.getByText(/^(Found it. To get a private link|It’s yours)/).waitFor()
    expect([await opens(link), (await fetch(feed)).status]).toEqual([true, 200])
    await press('Check now')
    await page.getByRole('heading', { name: 'It’s yours' }).waitFor()
    expect([await opens(link), (await fetch(feed)).status]).toEqual([false, 404])
  })

  test('reads when the page could not check, and what to do once it checks no more', async () => {
    head = ''
    await page.clock.install()
    await page.goto(`${service.url}/own?address=http%3A%2F%2Fwatched.com%2F`)
    const checksUntil = async (words: string) => {
      while (!(await page.getByText(words).isVisible())) await page.clock.runFor(10_000)
    }
    await checksUntil('Not found yet.')
    const [said, checked] = [page.locator('[data-looking]'), page.locator('[data-looked]')]
    // In UTC, as all times of the site. It is not announced: a screen reader would say it every ten seconds.
    const before = await checked.textContent()
    expect(before).toMatch(/^Last checked at \d\d:\d\d:\d\d UTC\.$/)
    expect(await checked.evaluate(each => each.closest('[aria-live]'))).toBeNull()
    await said.evaluate(each => {
      new MutationObserver(() => each.setAttribute('data-said', '')).observe(each, { childList: true })
    })
    while ((await checked.textContent()) === before) await page.clock.runFor(10_000)
    expect(await said.getAttribute('data-said')).toBeNull()
    await page.context().clearCookies()
    await checksUntil('We couldn’t check just now. Press “Check now”.')
    await checksUntil('Automatic checks have ended. Press “Check now” to check again.')
    await inspect('the end of automatic checks')
    await press('Check now')
    await page.getByText('Your token has expired, or your browser did not keep it.').waitFor()
    await inspect('an expired token')
  })

  test('lists a website without an agent by six actions and one tag', async () => {
    head = ''
    await page.goto(`${service.url}/list`)
    await page.getByLabel('Your website’s address').fill('http://unlisted.com')
    await page.getByLabel('Category').selectOption('Food & Drink')
    await press('See the preview')
    await page.getByRole('definition').filter({ hasText: 'Rye and Barley' }).waitFor()
    await inspect('the preview')
    head = await tag()
    await page.getByLabel('I agree to the rules').check()
    await press('Check and publish')
    await page.getByRole('heading', { name: 'It’s public' }).waitFor()
    await inspect('the published listing')
  })

  test('finds no fault in any of it', () => {
    expect(faults).toEqual([])
  })
})
