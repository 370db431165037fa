// @module-tag browser
// @module-tag slow
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { hidingDecision } from '../../../src/domain/decisions/record.ts'
import { appealDecision } from '../../../src/domain/moderation/appeals/routes.ts'
import { raiseFindings } from '../../../src/domain/moderation/findings.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { blockHost } from '../../../src/domain/review/reviewers/blocked-hosts.ts'
import { launchBrowser, noteComplaints } from '../../support/browser.ts'
import { eventOf } from '../../support/ledger.ts'
import { pageFaults } from '../../support/page-faults.ts'
import { type Pages, startPages } from '../page-app.ts'
import { idOf, linkFor, reported } from './operators.ts'

let browser: Browser
let pages: Pages
let context: BrowserContext
const complaints: string[] = []

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  pages = await startPages()
})
afterEach(async () => {
  await context.close()
  await pages.close()
  expect(complaints.splice(0)).toEqual([])
})

/** An operator on a phone, or at a desk. */
async function enter(options: Parameters<Browser['newContext']>[0]): Promise<Page> {
  context = await browser.newContext(options)
  const page = await context.newPage()
  noteComplaints(page, complaints)
  await page.goto(pages.url + (await linkFor(pages, 'Ada')))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The script has run by then.
  await page.waitForLoadState()
  return page
}

const PHONE = { viewport: { width: 375, height: 800 }, hasTouch: true, isMobile: true }

/** Titles that no other contains. */
const titleOf = (nth: number) => `Mill ${String(nth).padStart(2, '0')}`

async function addReported(listings: number, each: number): Promise<void> {
  for (let nth = 0; nth < listings; nth++) {
    const slug = `mill-${nth}`
    await pages.addListing({ slug, title: titleOf(nth) })
    pages.time.now += 1
    await reported(pages, slug, each, nth < 3 ? 'malicious' : 'misleading')
  }
}

const open = async () =>
  (await pages.store.db.selectFrom('report').select('id').where('settledAt', 'is', null).execute()).length

test.each([true, false])(
  '1,000 reports on 40 listings take under 20 taps, with JavaScript: %s',
  async javaScriptEnabled => {
    await addReported(40, 25)
    expect(await open()).toBe(1000)
    const page = await enter({ ...PHONE, javaScriptEnabled })
    let taps = 0
    const tap = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
      taps++
      await page.getByRole(role, { name }).first().tap()
      await page.waitForLoadState()
    }
    await tap(/^Dangerous 75$/, 'link')
    for (let nth = 0; nth < 3; nth++) {
      await tap('Hide now')
      await page.getByText(`Hidden: ${titleOf(nth)}`).waitFor()
    }
    await tap(/^All/, 'link')
    for (let left = 37; left > 0; left -= 20) {
      await tap(/^Select all/, javaScriptEnabled ? 'button' : 'link')
      await tap('Leave selected')
      await page.getByText(`Left as it is: ${Math.min(20, left)} listings`).waitFor()
    }
    await page.getByRole('heading', { name: 'Nothing pending' }).waitFor()
    expect(await open()).toBe(0)
    console.log(`1,000 reports on 40 listings: ${taps} taps`)
    expect(taps).toBeLessThan(20)
  },
)

/** The text of what has the focus: all of the page if nothing has. */
const focused = (page: Page) => page.evaluate<string>('document.activeElement.innerText')

test('keys move between listings, hide, undo and leave, and each result gets the focus', async () => {
  await addReported(3, 1)
  const page = await enter({ viewport: { width: 1280, height: 900 } })
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  expect(await page.evaluate('document.activeElement.querySelector("h2").textContent')).toBe(titleOf(1))
  await page.keyboard.press('h')
  await page.getByText(`Hidden: ${titleOf(1)}`).waitFor()
  await expect.poll(() => focused(page)).toMatch(/^Hidden: Mill 01, 1 report settled\.\s+Undo$/)
  expect((await pages.get('/product/mill-1')).status).toBe(410)
  await page.keyboard.press('u')
  await page.getByText(`Undone: ${titleOf(1)}`).waitFor()
  await expect.poll(() => focused(page)).toBe('Undone: Mill 01, 1 report open again.')
  expect((await pages.get('/product/mill-1')).status).toBe(200)
  await page.keyboard.press('k')
  await page.keyboard.press('x')
  expect(await page.getByRole('checkbox').first().isChecked()).toBe(true)
  // Enter in a box acts on nothing.
  await page.getByRole('checkbox').first().press('Enter')
  await page.waitForLoadState()
  expect(await open()).toBe(3)
  await page.keyboard.press('k')
  await page.keyboard.press('l')
  await page.getByText(`Left as it is: ${titleOf(0)}`).waitFor()
  expect(await open()).toBe(2)
  // A page that is opened later only repeats it.
  pages.time.now += 6000
  await page.reload()
  expect(await page.getByText(`Left as it is: ${titleOf(0)}`).isVisible()).toBe(true)
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
})

test('after a decision, keys go on with the listing that follows, and after its undo with the same one', async () => {
  await addReported(4, 1)
  const page = await enter({ viewport: { width: 1280, height: 900 } })
  const at = () => page.evaluate('document.activeElement.querySelector("h2")?.textContent')
  for (let nth = 0; nth < 2; nth++) await page.keyboard.press('j')
  await page.keyboard.press('l')
  await page.getByText(`Left as it is: ${titleOf(1)}`).waitFor()
  await page.keyboard.press('j')
  expect(await at()).toBe(titleOf(2))
  await page.keyboard.press('l')
  await page.getByText(`Left as it is: ${titleOf(2)}`).waitFor()
  await page.keyboard.press('u')
  await page.getByText(`Undone: ${titleOf(2)}`).waitFor()
  await page.keyboard.press('j')
  expect(await at()).toBe(titleOf(2))
  await page.keyboard.press('l')
  await page.getByText(`Left as it is: ${titleOf(2)}`).waitFor()
  await page.keyboard.press('k')
  expect(await at()).toBe(titleOf(0))
  // A page that no decision led to has no such place.
  await page.reload()
  await page.keyboard.press('j')
  expect(await at()).toBe(titleOf(0))
})

test('keys can be turned off, and stay off on the next page', async () => {
  await addReported(2, 1)
  const page = await enter({ viewport: { width: 1280, height: 900 } })
  await page.getByRole('button', { name: 'Turn keys off' }).click()
  await page.keyboard.press('j')
  expect(await focused(page)).toBe('Turn keys on')
  await page.reload()
  await page.getByRole('button', { name: 'Turn keys on' }).waitFor()
  await page.keyboard.press('j')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
  await page.getByRole('button', { name: 'Turn keys on' }).click()
  await page.keyboard.press('j')
  expect(await page.evaluate('document.activeElement.querySelector("h2").textContent')).toBe(titleOf(0))
})

test('keys can be turned off in a browser that stores nothing', async () => {
  await addReported(1, 1)
  const page = await enter({ viewport: { width: 1280, height: 900 } })
  await page.addInitScript('Object.defineProperty(window, "localStorage", { get() { throw new DOMException("") } })')
  await page.reload()
  await page.getByRole('button', { name: 'Turn keys off' }).click()
  await page.keyboard.press('j')
  expect(await focused(page)).toBe('Turn keys on')
  await page.reload()
  await page.getByRole('button', { name: 'Turn keys off' }).waitFor()
})

test('Space selects all, as it presses every button', async () => {
  await addReported(2, 1)
  const page = await enter({})
  await page.getByRole('button', { name: 'Select all 2' }).press('Space')
  await page.getByRole('button', { name: 'Select none' }).waitFor()
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
})

test('the button that selects all says what it does next, also after a box was ticked by hand', async () => {
  await addReported(2, 1)
  const page = await enter({})
  const [boxes, all] = [page.getByRole('checkbox'), page.locator('[data-select-all]')]
  await all.click()
  await boxes.first().uncheck()
  expect(await all.textContent()).toBe('Select all 2')
  await boxes.first().check()
  expect(await all.textContent()).toBe('Select none')
  await all.click()
  expect(await boxes.evaluateAll(each => each.filter(box => box.matches(':checked')).length)).toBe(0)
})

test('Enter in the reason for an appeal decides nothing, because that cannot be undone', async () => {
  await addReported(1, 1)
  await hideListing(pages.store, 'mill-0', 'It is not what it says.', pages.time.now)
  const hiding = (await hidingDecision(pages.store.db, 'mill-0')) ?? ''
  await appealDecision(pages.store, hiding, 'It is what it says.', 'owner', pages.time.now)
  const page = await enter({ javaScriptEnabled: false })
  await page.goto(`${pages.url}/console?waiting=appeals`)
  const reason = page.getByLabel('Reason for your decision')
  await reason.fill('It is.')
  await reason.press('Enter')
  await page.waitForLoadState()
  expect(await reason.inputValue()).toBe('It is.')
  await page.getByRole('button', { name: 'Grant the appeal' }).click()
  await page.getByText('is granted: the decision is reversed').waitFor()
})

test('a button clicked again while the site answers acts once, and its action can be undone', async () => {
  await addReported(1, 1)
  const page = await enter({})
  for (const [name, path, words] of [
    ['Hide now', 'act', 'Hidden:'],
    ['Undo', 'undo', 'Undone:'],
  ] as const) {
    const [isSent, isClickedAgain] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let sent = 0
    await page.route(`**/console/${path}`, async route => {
      sent++
      isSent.resolve()
      await isClickedAgain.promise
      await route.continue()
    })
    await page.getByRole('button', { name }).hover()
    const click = async () => {
      await page.mouse.down()
      await page.mouse.up()
    }
    await click()
    await isSent.promise
    await click()
    isClickedAgain.resolve()
    await page.getByText(words).waitFor()
    expect([name, sent]).toEqual([name, 1])
  }
})

test('on a phone, nothing covers the buttons of a case, and nothing speaks of keys', async () => {
  await addReported(4, 1)
  const page = await enter(PHONE)
  const bar = page.locator('.console-several')
  const [hide, leave] = [page.getByRole('button', { name: 'Hide selected' }), bar.getByText('Leave selected')]
  const isStuck = async () =>
    (await page.evaluate(`getComputedStyle(document.querySelector('.console-several')).position`)) === 'sticky'
  expect([await isStuck(), await hide.isVisible(), await leave.isVisible()]).toEqual([false, false, false])
  // The whole page is gone through, a screen at a time.
  const covered = await page.evaluate(`(() => {
    const found = []
    for (let y = 0; y < document.body.scrollHeight; y += 400) {
      scrollTo(0, y)
      for (const button of document.querySelectorAll('.case-do button')) {
        const { left, top, width, height } = button.getBoundingClientRect()
        const [x, middle] = [left + width / 2, top + height / 2]
        if (middle < 0 || middle >= innerHeight) continue
        if (!button.contains(document.elementFromPoint(x, middle))) found.push(button.textContent)
      }
    }
    return found
  })()`)
  expect(covered).toEqual([])
  expect(await page.getByText('Keys:').isVisible()).toBe(false)
  await page.getByRole('checkbox').first().check()
  expect([await isStuck(), await hide.isVisible(), await leave.isVisible()]).toEqual([true, true, true])
  // A narrow window of a computer is no phone, and has no room for keys either.
  await context.close()
  const narrow = await enter({ viewport: { width: 375, height: 800 } })
  expect(await narrow.getByText('Keys:').isVisible()).toBe(false)
  await narrow.setViewportSize({ width: 1280, height: 800 })
  expect(await narrow.getByText('Keys:').isVisible()).toBe(true)
})

test('says that something was undone for seconds', async () => {
  await addReported(2, 1)
  const page = await enter(PHONE)
  await page.clock.install()
  const undo = async () => {
    await page.getByRole('button', { name: 'Hide now' }).first().tap()
    await page.getByRole('button', { name: 'Undo' }).tap()
    await page.getByText(`Undone: ${titleOf(0)}`).waitFor()
  }
  await undo()
  await page.clock.runFor(15_000)
  expect(await page.getByText('Undone:').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  await undo()
  pages.time.now += 60_000
  await page.goto(`${pages.url}/console`)
  expect(await page.getByText('Undone:').count()).toBe(0)
})

test('counts follow what comes in, and say when the session has ended', async () => {
  await addReported(1, 1)
  await browser.contexts()[0]?.close()
  const page = await enter({})
  // Screen readers announce what comes into a region that they know already.
  expect(await page.getByRole('status').count()).toBe(1)
  await reported(pages, 'mill-0', 4)
  await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
  await page.getByText('There are new items.').waitFor()
  expect(await page.locator('[data-count=queue]').textContent()).toBe('5')
  pages.time.now += 13 * 60 * 60 * 1000
  await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
  await page.getByText('Your session has ended.').waitFor()
  // The next polls say nothing again, and leave the focus where it is.
  const reload = page.getByRole('status').getByRole('link', { name: 'Reload' })
  await reload.focus()
  for (let polls = 0; polls < 2; polls++) {
    const polled = page.waitForResponse('**/console/counts')
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
    await polled
  }
  expect(await focused(page)).toBe('Reload')
})

test('every page of the console is accessible and fits', { tags: ['accessibility'] }, async () => {
  await addReported(3, 5)
  await hideListing(pages.store, 'mill-1', 'It is not what it says.', pages.time.now)
  const hiding = (await hidingDecision(pages.store.db, 'mill-1')) ?? ''
  await appealDecision(pages.store, hiding, 'It is what it says.', 'owner', pages.time.now)
  const evidence = { from: 'old-mill.com', to: 'new-owner.net', title: '<b>Casino</b>' }
  const millTwo = await idOf(pages.store, 'mill-2')
  const seen = { since: pages.time.now, now: pages.time.now }
  await pages.store.transact(trx => raiseFindings(trx, millTwo, [{ kind: 'moved', evidence }], seen))
  const page = await enter({})
  const faults: unknown[] = []
  const by = { name: 'Bo' }
  await blockHost(pages.store, { host: 'evil.com', subdomains: true }, 'Spam', by, pages.time.now)
  await applyEvent(pages.store, eventOf('paid', 'pi_lost', { sessionId: 'cs_of_nobody' }), pages.time.now)
  const paths = [
    '',
    '/blocks?host=shop.evil.com',
    '/blocks?host=co.uk',
    '?waiting=appeals',
    '/listing/mill-1',
    '/listing/mill-2',
    '/listings',
    '/payments',
  ]
  for (const path of [...paths, '/log', '/enter/nothing']) {
    await page.goto(`${pages.url}/console${path}`)
    faults.push(...(await pageFaults(page, `console ${path}`)))
  }
  await page.goto(`${pages.url}/console`)
  await page
    .getByRole('button', { name: /^Hide now \S/ })
    .first()
    .click()
  await page.getByText('Hidden:').waitFor()
  faults.push(...(await pageFaults(page, 'console after hiding')))
  await page.goto(`${pages.url}/console/listing/mill-2`)
  await page.getByLabel('How they proved it').fill('By DNS')
  await page.getByRole('button', { name: 'Replace the link' }).click()
  await page.getByRole('heading', { name: 'A new private link' }).waitFor()
  faults.push(...(await pageFaults(page, 'console link reissued')))
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  faults.push(...(await pageFaults(page, 'console left')))
  expect(faults).toEqual([])
})
