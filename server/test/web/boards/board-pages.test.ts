import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { launchBrowser } from '../../support/browser.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { eventOf, payFor } from '../../support/ledger.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { placeOnBoard } from '../../support/places.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'
import { newVisitor } from '../visitor.ts'

const TODAY = '2026-11-21'

/** The places on a page: rank, title and total, as they are read. */
const placesIn = (html: string) =>
  [...html.matchAll(/<li[^>]* data-place=.*?<\/li>/gs)].map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )

describe.each(SAME_SQL)('the page of a board on %s', engine => {
  let pages: Pages
  beforeAll(async () => {
    pages = await startPages({ engine })
  })
  afterAll(() => pages.close())

  test('says how to buy a place while nobody has one', async () => {
    for (const path of ['/board/all', '/board/today']) {
      const response = await pages.get(path)
      const html = await response.text()
      expect(response.status).toBe(200)
      expect(html).toContain('Paid placement')
      expect(html).toMatch(/No listing has a place here\. \$5 takes No\. 1, until another website pays more/)
      expect(html).toContain(
        `href="/promote?${new URLSearchParams({ board: path.slice(7), target: '5' })}"`.replace('&', '&amp;'),
      )
      expect(await htmlFaults(html)).toEqual([])
    }
  })

  test('is one page with one ETag for a minute, and another as soon as anyone has paid', async () => {
    const full = await startPages({ engine })
    const other = await full.database.openStore()
    const etagAt = async (now: number, path: string) => {
      full.time.now = now
      return (await full.get(path)).headers.get('etag') ?? ''
    }
    for (const [nth, path] of ['/board/all', '/board/today'].entries()) {
      const minute = NOON + nth * 600_000
      await payFor(other, 'mill.com', `pi_${nth}`, { amountCents: 600, at: minute })
      // Its first request of an hour stores the places, which is a commit of its own.
      await etagAt(minute, path)
      const marks = full.store.db.selectFrom('board_mark').selectAll().where('destinationKey', '=', '')
      await expect.poll(() => marks.execute()).toHaveLength(nth + 1)
      const first = await etagAt(minute, path)
      expect(await etagAt(minute + 59_999, path)).toBe(first)
      const { status } = await full.get(path, { 'if-none-match': first })
      expect(status).toBe(304)
      expect(await etagAt(minute + 60_000, path)).not.toBe(first)
      full.time.now = minute
      await payFor(other, `oak-${nth}.com`, `pi_oak_${nth}`, { amountCents: 700, at: minute })
      expect(await (await full.get(path)).text()).toContain(`oak-${nth}.com`)
    }
    await full.close()
  })

  test('does not say that nobody paid where nobody has a place', async () => {
    const full = await startPages({ engine })
    await payFor(full.store, 'mill.com', 'pi_1', { amountCents: 600 })
    await applyEvent(full.store, eventOf('refunded', 'pi_1', { amountCents: 600 }), NOON)
    for (const path of ['/board/all', '/board/today', '/']) {
      const html = await (await full.get(path)).text()
      expect([path, html.includes('No listing has a place here.'), /No payments/.test(html)]).toEqual([
        path,
        true,
        false,
      ])
    }
    await full.close()
  })

  test('shows places by total, with host, time and movement, and leads to payment and explanation', async () => {
    const full = await startPages({ engine })
    await placeOnBoard(full.store, { mill: 2500, oak: 1200 })
    await full.get('/board/all')
    // The mark is taken after the reply.
    const marks = () => full.store.db.selectFrom('board_mark').select('rank').execute()
    await expect.poll(async () => (await marks()).length).toBe(3)
    await placeOnBoard(full.store, { elm: 1250 })
    await placeOnBoard(full.store, { fir: 900 })
    const html = await (await full.get('/board/all')).text()
    expect(placesIn(html)).toEqual([
      'No. 1 $25 paid, reached 21 Nov – same place SM Site mill mill.com Take No. 1 for $26',
      'No. 2 $12.50 paid, reached 21 Nov new new here SE Site elm elm.com Take No. 2 for $13',
      'No. 3 $12 paid, reached 21 Nov ▼ 1 down 1 place SO Site oak oak.com same price as No. 2',
      'No. 4 new new here SF Site fir fir.com $9 paid Take No. 4 for $10',
    ])
    expect(html).toContain('less refunds and disputes')
    const take = /href="([^"]+)"[^>]*>Take No. 2 for/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const form = await (await full.get(take)).text()
    expect(form).toMatch(/<input (?=[^>]*name="target")(?=[^>]*value="13")/)
    expect(form).toMatch(/<input (?=[^>]*value="all")(?=[^>]*checked)/)
    for (const path of [
      '/promote?board=all',
      '/how-boards-work',
      '/product/mill',
      '/board/today',
      '/board/today/2026-11',
    ]) {
      expect(html).toContain(`href="${path}"`)
    }
    expect(await htmlFaults(html)).toEqual([])
    await full.close()
  })

  test('of today says how long it lasts, and is never cached past midnight', async () => {
    const html = await (await pages.get('/board/today')).text()
    expect(html).toMatch(/Resets at midnight UTC\..*<time[^>]*>12 h 00 min<\/time>/)
    pages.time.now = Date.UTC(2026, 10, 22) - 4500
    for (const path of ['/board/today', '/']) {
      expect((await pages.get(path)).headers.get('cache-control')).toBe(
        'public, max-age=2, stale-while-revalidate=2, stale-if-error=300',
      )
    }
    expect((await pages.get('/board/all')).headers.get('cache-control')).toBe(
      'public, max-age=5, stale-while-revalidate=5, stale-if-error=300',
    )
    pages.time.now = NOON
  })

  test('with more than 50 places leads on, and refuses a cursor it did not give', async () => {
    const many = await startPages({ engine })
    const totals = Array.from({ length: 53 }, (_, place) => [`n${place}`, 10_000 - place] as const)
    await placeOnBoard(many.store, Object.fromEntries(totals))
    const first = await (await many.get('/board/all')).text()
    expect(placesIn(first)).toHaveLength(50)
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? ''
    const second = await (await many.get(next)).text()
    expect(placesIn(second).map(place => place.slice(0, 6))).toEqual(['No. 51', 'No. 52', 'No. 53'])
    expect(second).toContain('href="/board/all">Back to the top</a>')
    expect(second).toContain('<meta name="robots" content="noindex"/>')
    const cursor = new URLSearchParams(next.split('?')[1]).get('cursor') ?? ''
    for (const bad of [
      '/board/all?cursor=',
      '/board/all?cursor=nonsense',
      `/board/today?cursor=${cursor}`,
      `/board/all?cursor=${cursor}&cursor=${cursor}`,
    ]) {
      const response = await many.get(bad)
      expect([bad, response.status]).toEqual([bad, 400])
      expect(await response.text()).toContain(
        'This address is incomplete, or the list has changed since: a day’s board ends at midnight UTC.',
      )
    }
    await many.close()
  })

  test('offers each price once, for the first place it takes, also across pages', async () => {
    const tied = await startPages({ engine })
    await placeOnBoard(tied.store, Object.fromEntries(Array.from({ length: 52 }, (_, place) => [`n${place}`, 900])))
    await placeOnBoard(tied.store, { top: 950, under: 899 })
    const first = await (await tied.get('/board/all')).text()
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? ''
    const second = await (await tied.get(next)).text()
    const offers = (first + second).match(/Take No\. \d+ for \$\d+/g)
    expect(offers).toEqual(['Take No. 1 for $10', 'Take No. 54 for $9'])
    await tied.close()
  })

  test.each(['/board/all', '/board/today', '/category/games/board'])(
    'after the last place says that there is none, and not that nobody paid: %s',
    async path => {
      const board = path === '/board/today' ? TODAY : path.replace('/board/all', 'all')
      const cursor = Buffer.from(`${board} 1 1 a`).toString('base64url')
      const response = await pages.get(`${path}?cursor=${cursor}`)
      const html = await response.text()
      expect(response.status).toBe(200)
      expect(html).toContain(`There are no places this far down. <a href="${path}">Back to the top</a>`)
      expect(html).not.toMatch(/Nobody has|Take No|is No\. 1/)
      expect(await htmlFaults(html)).toEqual([])
    },
  )

  test('is sent again only when it changed', async () => {
    const etag = (await pages.get('/board/all')).headers.get('etag') ?? ''
    expect((await pages.get('/board/all', { 'if-none-match': etag })).status).toBe(304)
    await placeOnBoard(pages.store, { ash: 700 })
    expect((await pages.get('/board/all', { 'if-none-match': etag })).status).toBe(200)
  })

  test('exists for two boards only', async () => {
    expect((await pages.get('/board/week')).status).toBe(404)
  })
})

test('where the ledger cannot be read, no board is shown, and the home page says so and stays', async () => {
  const broken = await startPages()
  await broken.addListing({ title: 'Still pinned up' })
  await broken.store.db.schema.alterTable('board_total').renameTo('gone').execute()
  const board = await broken.get('/board/all')
  expect(board.status).toBe(503)
  const words = await board.text()
  expect(words).not.toContain('payment_evidence_unavailable')
  expect(words).toContain('so we can’t show boards or prices. Nothing was charged.<strong> Try again in a few seconds.')
  const home = await broken.get('/')
  const html = await home.text()
  expect(home.status).toBe(200)
  expect(home.headers.get('cache-control')).toBe('no-cache')
  expect(html).toContain('Still pinned up')
  expect(html.match(/We can’t read this board right now/g)).toHaveLength(2)
  await broken.close()
})

test('where earlier places cannot be read or kept, the board is shown without movement', async () => {
  const broken = await startPages()
  await placeOnBoard(broken.store, { mill: 2500 })
  await broken.store.db.schema.dropTable('board_mark').execute()
  const response = await broken.get('/board/all')
  expect(response.status).toBe(200)
  expect(placesIn(await response.text())).toEqual([
    'No. 1 $25 paid, reached 21 Nov SM Site mill mill.com Take No. 1 for $26',
  ])
  await broken.close()
})

test('the home page shows the first seven of both boards, as paid, with totals', async () => {
  const full = await startPages()
  const totals = Object.fromEntries([...'abcdefgh'].map((name, place) => [name, 900 - place]))
  // More than anyone can pay.
  await placeOnBoard(full.store, { ...totals, a: 99_999_900 })
  await placeOnBoard(full.store, { c: 898 }, TODAY)
  const html = await (await full.get('/')).text()
  const [today = '', all = ''] = html.match(/<section class="chart".*?<\/section>/gs) ?? []
  expect([...all.matchAll(/Site (\w)/g)].map(([, name]) => name).join('')).toBe('abcdefg')
  expect(all).toContain('<strong>$999,999</strong>')
  expect(all).not.toContain('class="more"')
  expect([...today.matchAll(/Site \w/g)].flat()).toEqual(['Site c'])
  expect(today).toContain('>Take No. 1 today for $9</a>')
  for (const chart of [all, today]) expect(chart).toContain('Paid placement')
  await full.close()
})

describe('in a browser', { tags: ['browser'] }, () => {
  let browser: Browser
  let service: TestService
  beforeAll(async () => {
    ;[browser, service] = await Promise.all([launchBrowser(), startTestService()])
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  /** Publishes a website and pays for it at the sandbox, as a person does in a browser. */
  async function buyPlace(host: string, target: string, amount: string) {
    const { body } = await publish(service, newCredentials(), publishBody(`http://${host}/`))
    const visitor = newVisitor(service)
    const choice = { destination: `http://${host}/`, category: 'Food & Drink', board: 'all', target }
    await visitor.post('/promote/link', { ...choice, link: body.ownership.privateRecoveryUrl ?? '' })
    const order = await visitor.post('/promote/checkout', { ...choice, amount, rules: '2026-09-06' })
    const { html } = await visitor.get(order.location ?? '')
    const [pay = ''] = /\/sandbox\/pay\/\w+/.exec(html) ?? []
    expect((await visitor.post(pay, { act: 'pay' })).status).toBe(303)
  }

  test('a board changes after a payment, without reload, and says so', async () => {
    await buyPlace('sandy-mill.com', '10', '1000')
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('console', message => faults.push(message.text()))
    page.on('pageerror', error => faults.push(String(error)))
    await page.clock.install({ time: service.clock.now })
    await page.goto(`${service.url}/board/today`)
    await page.evaluate('document.body.dataset.same = "yes"')
    const names = page.locator('[data-place] h2 a')
    expect(await names.allTextContents()).toEqual(['Welcome to sandy-mill.com'])
    await names.first().focus()
    await buyPlace('tall-oak.com', '30', '3000')
    await page.clock.fastForward(11_000)
    await page.getByText('Welcome to tall-oak.com').first().waitFor()
    expect(await names.allTextContents()).toEqual(['Welcome to tall-oak.com', 'Welcome to sandy-mill.com'])
    expect(await page.locator('.changed').allTextContents()).toEqual([expect.stringContaining('$30')])
    expect(await page.locator('[role=status][data-news]').textContent()).toMatch(
      /^The board changed at 12:00:\d\d UTC\.$/,
    )
    expect(await page.locator('.left').textContent()).toBe('12 h 00 min')
    // What somebody was reading keeps the focus, and the page is the same one.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Welcome to sandy-mill.com')
    expect(await page.evaluate('document.body.dataset.same')).toBe('yes')
    expect(faults).toEqual([])
    await page.close()
  })

  test.each([
    ['three hours ahead', 3],
    ['two days behind', -48],
  ])('the time left is right on a computer whose clock is %s', async (_, hours) => {
    const page = await browser.newPage({ timezoneId: 'Asia/Tokyo' })
    await page.clock.install({ time: service.clock.now + hours * 3_600_000 })
    const answered = page.waitForResponse(/\/api\/v1\/boards\/today/)
    await page.goto(`${service.url}/board/today`)
    await (await answered).finished()
    await page.clock.runFor(2000)
    expect(await page.locator('.left').textContent()).toBe('12 h 00 min')
    expect(await page.locator('[data-still]').isVisible()).toBe(false)
    expect(Number(await page.locator('[data-passed]').getAttribute('width'))).toBeCloseTo(240, 0)
    await page.clock.runFor(90_000)
    expect(await page.locator('.left').textContent()).toBe('11 h 59 min')
    await page.close()
  })

  test('a board works without scripts', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.goto(`${service.url}/`)
    await page.getByRole('main').getByRole('link', { name: 'All time', exact: true }).click()
    await page.getByText('Welcome to tall-oak.com').first().waitFor()
    await page.close()
  })
})
