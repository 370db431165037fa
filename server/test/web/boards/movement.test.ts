import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readPlacesTaken } from '../../../src/domain/boards/places-taken.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { launchBrowser } from '../../support/browser.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { clearLedger, eventOf, openTestCheckout, payFor } from '../../support/ledger.ts'
import { placeMany } from '../../support/many-places.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { planOf, vacuum } from '../../support/plan.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

const MINUTE = 60_000

const movesIn = (html: string) =>
  [...(/<section class="movement".*?<\/section>/s.exec(html)?.[0] ?? '').matchAll(/<li>.*?<\/li>/gs)].map(([item]) =>
    item
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .replace(/ ,/g, ',')
      .trim(),
  )

describe.each(SQLITE_FIRST)('what moves on the boards, on %s', engine => {
  let pages: Pages
  let store: Store
  /** Another instance of the service on the same database. */
  let other: Store

  beforeAll(async () => {
    pages = await startPages({ engine })
    store = pages.store
    other = await pages.database.openStore()
  })
  afterAll(() => pages.close())
  beforeEach(async () => {
    pages.time.now = NOON
    await clearLedger(store)
  })

  const pay = (host: string, amountCents: number, minutesAgo: number) =>
    payFor(store, host, `pi_${host}_${minutesAgo}`, { amountCents, at: NOON - minutesAgo * MINUTE })
  const moves = async (board = 'today') => movesIn(await (await pages.get(`/board/${board}`)).text())

  test('names who took which place and when, the latest first', async () => {
    await pay('mill.com', 2500, 130)
    await pay('oak.com', 1200, 61)
    await pay('elm.com', 3000, 4)
    await pay('oak.com', 2000, 0)
    expect(await moves()).toEqual([
      'oak.com took No. 1, just now',
      'elm.com took No. 1, 4 minutes ago',
      'oak.com took No. 2, 1 hour ago',
      'mill.com took No. 1, 2 hours ago',
    ])
    expect((await moves('all'))[0]).toBe('oak.com took No. 1, just now')
    expect(await htmlFaults(await (await pages.get('/board/today')).text())).toEqual([])
  })

  test('is in a feed for each board, in which that of today keeps what was taken yesterday', async () => {
    const entries = async (board: string) => {
      const feed = await (await pages.get(`/board/${board}/feed.atom`)).text()
      const found = [...feed.matchAll(/<entry>\s*<id>([^<]+)<\/id>\s*<title>([^<]+)</g)]
      return found.map(([, id, title]) => [id?.slice(pages.url.length), title])
    }
    await pay('mill.com', 2500, 130)
    await pay('oak.com', 3000, 4)
    const [mill, oak] = [`mill-com-${NOON - 130 * MINUTE}`, `oak-com-${NOON - 4 * MINUTE}`]
    const ofToday = [
      [`/board/today#${oak}`, 'No. 1 on 21 November 2026: oak.com'],
      [`/board/today#${mill}`, 'No. 1 on 21 November 2026: mill.com'],
    ]
    expect(await entries('today')).toEqual(ofToday)
    pages.time.now = NOON + daysMs(1)
    expect(await entries('today')).toEqual(ofToday)
    pages.time.now = NOON + daysMs(2)
    expect(await entries('today')).toEqual([])
    await hideListing(store, 'oak-com', 'It is not what it says.', NOON)
    expect(await entries('all')).toEqual([[`/board/all#${mill}`, 'No. 1 of all time: mill.com']])
    await restoreListing(store, 'oak-com', 'It is.', NOON)
  })

  test('names in the feed the day of the board, also if the payment arrived after midnight', async () => {
    const at = Date.UTC(2026, 10, 21, 23, 59, 50)
    const heardAt = at + 20_000
    await payFor(store, 'late.com', 'pi_late', { amountCents: 2500, at, heardAt })
    pages.time.now = heardAt
    const feed = await (await pages.get('/board/today/feed.atom')).text()
    expect(feed).toContain('<title>No. 1 on 21 November 2026: late.com</title>')
    expect(feed).not.toContain('22 November 2026')
  })

  test('says nothing while nobody moved, of who pays without rising, and of places beyond the tenth', async () => {
    expect(await moves()).toEqual([])
    for (let place = 0; place < 11; place++) await pay(`n${place}.com`, 9000 - 100 * place, 30 - place)
    await pay('n0.com', 500, 5)
    const taken = await readPlacesTaken(store, { boards: ['all'], limit: 20 }, NOON)
    expect(taken.map(({ slug, rank }) => `${rank} ${slug}`)).toEqual(
      Array.from({ length: 10 }, (_, place) => `${10 - place} n${9 - place}-com`),
    )
  })

  test('leaves out a place whose money was given back, and never says so of what others lost', async () => {
    await pay('mill.com', 2500, 20)
    await pay('oak.com', 1200, 10)
    await applyEvent(store, eventOf('refunded', 'pi_mill.com_20', { amountCents: 2400, occurredAt: NOON }), NOON)
    // It is first now, but took no more than the second place.
    expect(await moves()).toEqual(['oak.com took No. 2, 10 minutes ago'])
    await applyEvent(store, eventOf('disputed', 'pi_oak.com_10', { amountCents: 1200, occurredAt: NOON }), NOON)
    expect(await moves()).toEqual([])
    const won = { amountCents: 1200, occurredAt: NOON + 1000 }
    await applyEvent(store, eventOf('dispute_won', 'pi_oak.com_10', won), NOON)
    expect(await moves()).toEqual(['oak.com took No. 2, 10 minutes ago'])
  })

  test('never names a hidden listing, also where the payment comes after it was hidden', async () => {
    await pay('mill.com', 2500, 20)
    await hideListing(store, 'mill-com', 'test', NOON)
    await pay('mill.com', 2500, 10)
    await pay('oak.com', 500, 5)
    for (const board of ['all', 'today']) {
      const html = await (await pages.get(`/board/${board}`)).text()
      expect(html).not.toContain('mill.com')
      expect(movesIn(html)).toEqual([expect.stringMatching(/^oak\.com took No\. 1, 5 minutes ago$/)])
    }
    await restoreListing(store, 'mill-com', 'test', NOON)
    expect(await moves()).toContain('mill.com took No. 1, 20 minutes ago')
  })

  test('tells of today’s board until midnight, and of all time for days', async () => {
    await pay('mill.com', 2500, 0)
    pages.time.now = NOON + daysMs(2)
    expect(await moves()).toEqual([])
    expect(await moves('all')).toEqual(['mill.com took No. 1, 2 days ago'])
  })

  test('is right where payments come to two instances at once', async () => {
    const hosts = Array.from({ length: 8 }, (_, place) => `n${place}.com`)
    const events = await Promise.all(
      hosts.map(async (host, place) =>
        eventOf('paid', `pi_${host}`, {
          checkout: await openTestCheckout(store, host),
          amountCents: 500 + 100 * place,
        }),
      ),
    )
    await Promise.all(events.flatMap((event, place) => [store, other].map(at => applyEvent(at, event, NOON + place))))
    const taken = await readPlacesTaken(store, { boards: ['all'], limit: 20 }, NOON)
    expect(taken).toHaveLength(hosts.length)
    const isPossible = taken.every(({ rank, slug }) => rank <= hosts.length - Number(slug[1]))
    expect(isPossible).toBe(true)
    // Whoever came last to the top had all others below.
    expect(taken.find(({ slug }) => slug === 'n7-com')?.rank).toBe(1)
  })

  test('is read and kept by indexes, no further than a few rows, however many there are', async () => {
    await placeMany(
      store,
      'all',
      Array.from({ length: 6000 }, (_, index) => ({ name: `n${index}`, totalCents: 500 + index })),
    )
    const taken = Array.from({ length: 6000 }, (_, index) => ({
      board: 'all',
      at: NOON - index,
      destinationKey: `2:n${index}`,
      rank: 1,
      totalCents: 500,
    }))
    for (let start = 0; start < taken.length; start += 1000) {
      await store.db
        .insertInto('place_taken')
        .values(taken.slice(start, start + 1000))
        .execute()
    }
    await vacuum(store)
    const wanted = { boards: ['all' as const], limit: 5 }
    const { steps, mostRows } = await planOf(store, watched => readPlacesTaken(watched, wanted, NOON))
    expect(steps.filter(step => /Seq Scan|SCAN (place_taken|total|listing|board_)|AUTOMATIC/.test(step))).toEqual([])
    expect(mostRows).toBeLessThanOrEqual(40)
    expect(await readPlacesTaken(store, wanted, NOON)).toHaveLength(5)
  })
})

test('a board is shown without what moved where that cannot be read', async () => {
  const broken = await startPages()
  await payFor(broken.store, 'mill.com', 'pi_1', { amountCents: 2500 })
  await broken.store.db.schema.dropTable('place_taken').execute()
  const response = await broken.get('/board/all')
  expect([response.status, movesIn(await response.text())]).toEqual([200, []])
  await broken.close()
})

test('an open board tells of the next move, and how long ago the last one was', {
  tags: ['browser'],
}, async () => {
  const pages = await startPages()
  await payFor(pages.store, 'mill.com', 'pi_1', { amountCents: 2500 })
  const browser = await launchBrowser()
  const page = await browser.newPage()
  await page.clock.install({ time: NOON })
  await page.goto(`${pages.url}/board/today`)
  const moves = page.locator('.movement li')
  expect(await moves.allTextContents()).toEqual(['mill.com took No. 1, just now'])
  pages.time.now = NOON + 5 * MINUTE
  await page.clock.fastForward(5 * MINUTE)
  await page.getByText('took No. 1, 5 minutes ago').waitFor()
  await payFor(pages.store, 'oak.com', 'pi_2', { amountCents: 3000, at: pages.time.now })
  await page.clock.fastForward(11_000)
  await page.getByText('just now').waitFor()
  expect(await moves.allTextContents()).toEqual(['oak.com took No. 1, just now', 'mill.com took No. 1, 5 minutes ago'])
  await browser.close()
  await pages.close()
})
