import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readBoard } from '../../../src/domain/boards/board.ts'
import { readClosingOrder } from '../../../src/domain/boards/closing-order.ts'
import type { BoardCursor } from '../../../src/domain/boards/listed-places.ts'
import { dayAfter, dayBefore, readDay, readWinners } from '../../../src/domain/boards/past-days.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import type { EventKind } from '../../../src/platform/db/tables/payments.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { clearLedger, eventOf, payFor } from '../../support/ledger.ts'
import { bruteForce, type Placed, placeMany } from '../../support/many-places.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { planOf } from '../../support/plan.ts'
import { runs } from '../../support/runs.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../page-app.ts'

const DAY = '2026-11-20'
const MIDNIGHT = Date.UTC(2026, 10, 21)
const THAT_NOON = NOON - daysMs(1)

const wordsOf = (html: string) =>
  html
    .replaceAll(/<span class="thumb.*?<\/span>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
/** Posters and rows, with the sum at the end as in rows. */
const rowsIn = (html: string) =>
  [...html.matchAll(/<li(?:><span class="rk"| class="top).*?<\/li>/gs)].map(([place]) =>
    wordsOf(place.replace(/<svg.*?<\/svg>/s, '')).replace(/^(No\. \d+) (\$\S+ paid that day) (.*)$/, '$1 $3 $2'),
  )

describe.each(SQLITE_FIRST)('a day that is over, on %s', engine => {
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
  beforeEach(() => clearLedger(store))

  const pay = (host: string, amountCents: number, at = THAT_NOON) =>
    payFor(store, host, `pi_${host}_${at}`, { amountCents, at })
  const later = (kind: EventKind, host: string, amountCents: number, occurredAt = NOON) =>
    applyEvent(store, eventOf(kind, `pi_${host}_${THAT_NOON}`, { amountCents, occurredAt }), occurredAt)
  const read = async (path = `/board/today/${DAY}`) => (await pages.get(path)).text()
  const slugOf = (host: string) => host.replace('.', '-')
  const TOLD = 'Refunds or disputes changed the order later.'
  const HIDDEN = 'Listings that were withdrawn or taken down changed the order later.'
  const BOTH = 'Refunds or disputes, and listings that were withdrawn or taken down, changed the order later.'

  test('is an entry in the feed of past days, with the No. 1 it has now', async () => {
    const feed = async () => {
      const text = await read('/board/past/feed.atom')
      return [...text.matchAll(/<entry>\s*<id>([^<]+)<\/id>\s*<title>([^<]+)</g)].map(([, id, title]) => [
        id?.slice(pages.url.length),
        title,
      ])
    }
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await pay('elm.com', 700, THAT_NOON - daysMs(30))
    const earlier = ['/board/today/2026-10-21', '21 October 2026: elm.com']
    expect(await feed()).toEqual([[`/board/today/${DAY}`, '20 November 2026: mill.com'], earlier])
    await later('refunded', 'mill.com', 2500)
    expect(await feed()).toEqual([[`/board/today/${DAY}`, '20 November 2026: oak.com'], earlier])
    for (const page of [`/board/today/${DAY}`, '/board/today/2026-11']) {
      expect(await read(page)).toContain('type="application/atom+xml" href="/board/past/feed.atom"')
      expect((await pages.get(`${page}/feed.atom`)).headers.get('location')).toBe('/board/past/feed.atom')
    }
    expect((await pages.get('/board/past')).headers.get('location')).toBe('/board/today/2026-11')
  })

  test('shows who had a place and for how much, labelled as paid, and leads to other days', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await pay('old.com', 700, THAT_NOON - daysMs(3))
    await pay('elm.com', 900, NOON)
    const html = await read()
    expect(rowsIn(html)).toEqual([
      'No. 1 mill.com mill.com $25 paid that day',
      'No. 2 oak.com oak.com $12 paid that day',
    ])
    expect(html).toContain('<h1>20 November 2026</h1>')
    expect(html).toContain('Paid placement')
    expect(html).not.toContain('class="later"')
    expect(html).toMatch(/href="\/board\/today\/2026-11-17" rel="prev"/)
    expect(html).toMatch(/href="\/board\/today" rel="next"/)
    expect(html).toMatch(/<link rel="canonical" href="[^"]+\/board\/today\/2026-11-20"/)
    expect(await htmlFaults(html)).toEqual([])
    expect(await read('/board/today/2026-11-17')).toMatch(/href="\/board\/today\/2026-11-20" rel="next"/)
  })

  test('says where a later refund changed the order, and what it was at midnight', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await pay('elm.com', 900)
    await later('refunded', 'mill.com', 1500)
    const html = await read()
    expect(rowsIn(html)).toEqual([
      `No. 1 oak.com oak.com At midnight this was No. 2, with $12. ${TOLD} $12 paid that day`,
      `No. 2 mill.com mill.com At midnight this was No. 1, with $25. ${TOLD} $10 paid that day`,
      'No. 3 elm.com elm.com $9 paid that day',
    ])
    expect(html).toContain('Refunds or disputes after midnight changed this order.')
    expect(await htmlFaults(html)).toEqual([])
  })

  test('says nothing of a refund of the day itself, nor of one that changed no place', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await later('refunded', 'oak.com', 200, MIDNIGHT - 1)
    await later('refunded', 'mill.com', 500)
    const html = await read()
    expect(rowsIn(html)).toEqual([
      'No. 1 mill.com mill.com $20 paid that day',
      'No. 2 oak.com oak.com $10 paid that day',
    ])
    expect(html).not.toContain('class="later"')
  })

  test('counts who has no place any more without a name, and follows a dispute to its end', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await later('disputed', 'mill.com', 2500)
    const disputed = await read()
    expect(rowsIn(disputed)).toEqual([
      `No. 1 oak.com oak.com At midnight this was No. 2, with $12. ${TOLD} $12 paid that day`,
    ])
    expect(disputed).toContain('1 website had a place at midnight and has none now.')
    expect(disputed).not.toContain('mill.com')
    await later('dispute_won', 'mill.com', 2500, NOON + 1000)
    expect(await read()).not.toContain('class="later"')
  })

  test('says that a payment disputed at midnight had no place then', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await later('disputed', 'mill.com', 2500, MIDNIGHT - 1)
    await later('dispute_won', 'mill.com', 2500)
    expect(rowsIn(await read())).toEqual([
      'No. 1 mill.com mill.com At midnight this had no place: its payment was refunded or disputed at that time. $25 paid that day',
      `No. 2 oak.com oak.com At midnight this was No. 1, with $12. ${TOLD} $12 paid that day`,
    ])
  })

  test('gives no place at midnight beyond those that are counted', async () => {
    const many = Array.from({ length: 1200 }, (_, n) => ({ name: `n${n}`, totalCents: 1000, reachedAt: THAT_NOON - 1 }))
    await placeMany(store, DAY, many)
    await pay('mill.com', 600)
    await payFor(store, 'mill.com', 'pi_won', { amountCents: 600, at: THAT_NOON })
    const dispute = (kind: EventKind, occurredAt: number) =>
      applyEvent(store, eventOf(kind, 'pi_won', { amountCents: 600, occurredAt }), occurredAt)
    await dispute('disputed', THAT_NOON + 1000)
    await dispute('dispute_won', NOON)
    const [first, second] = rowsIn(await read())
    expect(first).toBe('No. 1 mill.com mill.com $12 paid that day')
    expect(second).toContain('At midnight this was No. 1, with $10.')
  })

  test('leaves out what was hidden after it, and ranks and winners close up', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 1200)
    await pay('lone.com', 1200, THAT_NOON - daysMs(20))
    // So late that hiding leaves the totals of the day as they are.
    await pay('elm.com', 900, NOON + daysMs(5))
    pages.time.now = NOON + daysMs(5)
    await hideListing(store, slugOf('mill.com'), 'test', pages.time.now)
    await hideListing(store, slugOf('lone.com'), 'test', pages.time.now)
    const shown = await store.db.selectFrom('board_total').select('shown').where('board', '=', DAY).execute()
    expect(shown.map(row => row.shown)).toEqual([1, 1])
    const html = await read()
    expect(rowsIn(html)).toEqual([
      `No. 1 oak.com oak.com At midnight this was No. 2, with $12. ${HIDDEN} $12 paid that day`,
    ])
    expect(wordsOf(html)).toContain('1 listing with a place at midnight was withdrawn or taken down later.')
    expect(html).not.toContain('Refunds or disputes after midnight')
    expect(await htmlFaults(html)).toEqual([])
    expect(html).not.toContain('mill.com')
    // It says so, too, where nobody else had a place.
    expect(wordsOf(await read('/board/today/2026-10-31'))).toMatch(
      /1 listing with a place at midnight was withdrawn or taken down later\. No listing has a place on this day\./,
    )
    expect(wordsOf(await read('/board/today/2026-11'))).not.toMatch(/mill\.com|lone\.com/)
    // Nobody had a place before.
    expect((await pages.get('/board/today/2026-10-30')).status).toBe(404)
    // Refunds of what is hidden are told to nobody.
    await later('refunded', 'mill.com', 2500)
    expect(await read()).toBe(html)
    await restoreListing(store, slugOf('lone.com'), 'test', NOON)
    expect(rowsIn(await read('/board/today/2026-10-31'))).toEqual(['No. 1 lone.com lone.com $12 paid that day'])
    pages.time.now = NOON
  })

  test('counts no listing in the order at midnight that was hidden then, whatever became of it', async () => {
    const cents = { fir: 6000, ash: 5500, mill: 5000, oak: 4000, elm: 500 }
    for (const [name, amountCents] of Object.entries(cents)) await pay(`${name}.com`, amountCents)
    for (const host of ['mill.com', 'ash.com']) {
      await hideListing(store, slugOf(host), 'test', MIDNIGHT - 1)
      await restoreListing(store, slugOf(host), 'test', NOON)
    }
    await hideListing(store, slugOf('ash.com'), 'test', NOON + 1)
    // Only one has changed, below them.
    await later('refunded', 'elm.com', 100)
    const now = ['fir.com', 'mill.com', 'oak.com'].map((host, at) => `No. ${at + 1} ${host} ${host}`)
    const paid = ['$60 paid that day', '$50 paid that day', '$40 paid that day', '$4 paid that day']
    const rows = [...now, 'No. 4 elm.com elm.com'].map((row, at) => `${row} ${paid[at]}`)
    expect(rowsIn(await read())).toEqual(rows)
    expect(wordsOf(await read())).not.toContain('withdrawn or taken down later')

    await later('refunded', 'fir.com', 6000)
    expect(rowsIn(await read())).toEqual([
      'No. 1 mill.com mill.com $50 paid that day',
      'No. 2 oak.com oak.com $40 paid that day',
      'No. 3 elm.com elm.com $4 paid that day',
    ])
    await later('refunded', 'mill.com', 5000)
    expect(wordsOf(await read())).toContain('1 website had a place at midnight and has none now.')
  })

  test('counts in the order at midnight what was hidden after it, and says what changed the order', async () => {
    const cents = { fir: 3000, mill: 2500, ash: 2300, oak: 2000, elm: 1200, yew: 1000 }
    for (const [name, amountCents] of Object.entries(cents)) await pay(`${name}.com`, amountCents)
    await hideListing(store, slugOf('fir.com'), 'test', MIDNIGHT - 1)
    await hideListing(store, slugOf('ash.com'), 'test', NOON)
    const midnight = (rank: number, dollars: number, why: string) =>
      `At midnight this was No. ${rank}, with $${dollars}. ${why}`
    const hidden = await read()
    expect(rowsIn(hidden)).toEqual([
      'No. 1 mill.com mill.com $25 paid that day',
      `No. 2 oak.com oak.com ${midnight(3, 20, HIDDEN)} $20 paid that day`,
      `No. 3 elm.com elm.com ${midnight(4, 12, HIDDEN)} $12 paid that day`,
      `No. 4 yew.com yew.com ${midnight(5, 10, HIDDEN)} $10 paid that day`,
    ])
    // A refund of what is hidden is not told.
    await later('refunded', 'ash.com', 2300)
    expect(await read()).toBe(hidden)
    await later('refunded', 'mill.com', 1000)
    const html = await read()
    expect(rowsIn(html)).toEqual([
      `No. 1 oak.com oak.com ${midnight(3, 20, BOTH)} $20 paid that day`,
      `No. 2 mill.com mill.com ${midnight(1, 25, TOLD)} $15 paid that day`,
      `No. 3 elm.com elm.com ${midnight(4, 12, HIDDEN)} $12 paid that day`,
      `No. 4 yew.com yew.com ${midnight(5, 10, HIDDEN)} $10 paid that day`,
    ])
    expect(html).not.toMatch(/fir\.com|ash\.com/)
    // So late that hiding leaves the totals of the day as they are.
    await pay('new.com', 900, NOON + daysMs(5))
    await hideListing(store, slugOf('elm.com'), 'test', NOON + daysMs(5))
    await later('refunded', 'oak.com', 1200)
    expect(rowsIn(await read())).toEqual([
      'No. 1 mill.com mill.com $15 paid that day',
      `No. 2 yew.com yew.com ${midnight(5, 10, BOTH)} $10 paid that day`,
      'No. 3 oak.com oak.com $8 paid that day',
    ])
  })

  test('answers each other day clearly', async () => {
    await pay('mill.com', 2500, THAT_NOON - daysMs(5))
    const status = async (day: string) => (await pages.get(`/board/today/${day}`)).status
    const empty = await pages.get('/board/today/2026-11-18')
    expect(empty.status).toBe(200)
    const html = await empty.text()
    expect(html).toContain('No listing has a place on this day.')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).toMatch(/href="\/board\/today\/2026-11-15" rel="prev"/)
    expect(await htmlFaults(html)).toEqual([])
    const today = await pages.get('/board/today/2026-11-21')
    expect([today.status, today.headers.get('location')]).toEqual([302, '/board/today'])
    for (const day of [
      ...['2026-11-14', '2026-11-22', '9999-12-31', '2026-02-30', '2026-13-01', '2026-00-00', '0000-00-00'],
      ...['2026-11-2', '20261120', 'yesterday', '2026-11-20x', '2026-11-20%00', '2026-12', '2026-13', '2026-00'],
    ]) {
      expect([day, await status(day)]).toEqual([day, 404])
    }
    expect(await status('2026-11-15?cursor=nonsense')).toBe(400)
  })

  test('becomes a past day at midnight, and is kept and sent as such', async () => {
    await pay('mill.com', 2500, NOON)
    pages.time.now = MIDNIGHT + daysMs(1) - 1
    expect((await pages.get('/board/today/2026-11-21')).status).toBe(302)
    pages.time.now = MIDNIGHT + daysMs(1)
    const response = await pages.get('/board/today/2026-11-21')
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=15, stale-while-revalidate=15, stale-if-error=300',
    ])
    const etag = response.headers.get('etag') ?? ''
    pages.time.now += 3_600_000
    const again = (path = '/board/today/2026-11-21') => pages.get(path, { 'if-none-match': etag })
    expect((await again()).status).toBe(304)
    await applyEvent(store, eventOf('refunded', `pi_mill.com_${NOON}`, { amountCents: 100 }), pages.time.now)
    expect((await again()).status).toBe(200)
    pages.time.now = NOON
  })

  test('is in the calendar of winners, which today leads to', async () => {
    await pay('mill.com', 2500)
    await pay('oak.com', 2500, THAT_NOON - 1)
    await pay('elm.com', 900, Date.UTC(2026, 9, 5))
    await pay('fir.com', 800, Date.UTC(2026, 3, 5))
    expect(await read('/board/today')).toContain('href="/board/today/2026-11"')
    const html = await read('/board/today/2026-11')
    expect(await htmlFaults(html)).toEqual([])
    const [calendar = ''] = /<ol class="cal">.*?<\/ol>/s.exec(html) ?? []
    expect(wordsOf(calendar)).toMatch(/18 : no winner 19 : no winner 20 \$25 oak\.com 21 Today, still open$/)
    expect(calendar).toContain('href="/board/today/2026-11-20"')
    expect(wordsOf(calendar)).toContain('1 of 20 days had a paid No. 1')
    // The first of November 2026 is a Sunday.
    expect(calendar).toContain('<li class="c7 d no"><b>1</b>')
    const [strip = ''] = /<ol class="strip">.*?<\/ol>/s.exec(html) ?? []
    expect(wordsOf(strip)).toContain('5 E elm.com, $9 6')
    expect(strip).toContain('<li class="c4 d no"><b>1</b>')
    expect(html).toMatch(/href="\/board\/today\/2026-04" rel="prev"/)
    const april = await read('/board/today/2026-04')
    expect(april).toContain('fir.com')
    expect(april).toMatch(/href="\/board\/today\/2026-05" rel="next"/)
    expect((await pages.get('/board/today/2026-03')).status).toBe(404)
  })

  test('is in the sitemap, unless all of it is hidden', async () => {
    const days = async () =>
      [...(await read('/sitemap-days.xml')).matchAll(/<loc>([^<]+)<\/loc>/g)].map(match =>
        match[1]?.slice(pages.url.length),
      )
    expect(await days()).toEqual(['/board/today'])
    await pay('mill.com', 2500)
    await pay('oak.com', 900)
    await pay('elm.com', 900, THAT_NOON - daysMs(400))
    await pay('fir.com', 900, THAT_NOON - daysMs(7))
    await pay('ash.com', 900, NOON)
    expect(await days()).toEqual(['2026-11-20', '2026-11-13', '2025-10-16'].map(day => `/board/today/${day}`))
    await hideListing(store, slugOf('fir.com'), 'test', NOON)
    expect(await days()).toEqual(['2026-11-20', '2025-10-16'].map(day => `/board/today/${day}`))
  })

  test('is an empty calendar while nobody has paid', async () => {
    expect((await pages.get('/board/today/2026-10')).status).toBe(404)
    const html = await read('/board/today/2026-11')
    expect(html).toContain('Today, still open')
    expect(await htmlFaults(html)).toEqual([])
  })

  test('is right where refunds come to two instances at once', async () => {
    const hosts = ['mill.com', 'oak.com', 'elm.com', 'fir.com']
    for (const [place, host] of hosts.entries()) await pay(host, 2500 - 100 * place)
    await Promise.all(
      hosts.flatMap((host, place) =>
        [store, other].map(at =>
          applyEvent(
            at,
            eventOf('refunded', `pi_${host}_${THAT_NOON}`, {
              eventId: `evt_${host}`,
              amountCents: 400 * (4 - place),
              occurredAt: NOON,
            }),
            NOON,
          ),
        ),
      ),
    )
    expect((await reconcile(store, NOON)).differences).toEqual([])
    expect(rowsIn(await read()).map(row => row.replace(/ At midnight.*later\./, ''))).toEqual([
      'No. 1 fir.com fir.com $18 paid that day',
      'No. 2 elm.com elm.com $15 paid that day',
      'No. 3 oak.com oak.com $12 paid that day',
      'No. 4 mill.com mill.com $9 paid that day',
    ])
    await clearLedger(store)
  })

  test('knows the order at midnight as the board showed it then, whatever came later', async () => {
    const hosts = ['a.com', 'b.com', 'c.com', 'd.com', 'e.com', 'f.com']
    const paid = fc.record({
      amountCents: fc.constantFrom(500, 600, 900, 1200),
      at: fc.constantFrom(THAT_NOON, THAT_NOON + 1000, THAT_NOON + 2000),
    })
    const change = fc.record({
      host: fc.nat({ max: hosts.length - 1 }),
      kind: fc.constantFrom('refunded' as const, 'disputed' as const, 'dispute_won' as const),
      amountCents: fc.constantFrom(100, 400, 1200),
      /** Before midnight or after it. */
      occurredAt: fc.constantFrom(MIDNIGHT - 2000, MIDNIGHT - 1, MIDNIGHT, NOON),
    })
    const story = fc.record({
      payments: fc.array(paid, { minLength: 2, maxLength: hosts.length }),
      changes: fc.array(change, { maxLength: 6 }),
      hidden: fc.option(
        fc.record({
          host: fc.nat({ max: hosts.length - 1 }),
          at: fc.constantFrom(MIDNIGHT - 1, MIDNIGHT, NOON),
        }),
      ),
    })
    await fc.assert(
      fc.asyncProperty(story, async ({ payments, changes, hidden }) => {
        await clearLedger(store)
        const its = payments.map(({ amountCents, at }, index) => ({
          host: hosts[index] ?? '',
          amountCents,
          at,
        }))
        for (const { host, amountCents, at } of its) {
          await payFor(store, host, `pi_${host}`, { amountCents, at })
        }
        const itsHidden = hidden && its[hidden.host]
        const hide = async (isBefore: boolean) => {
          if (hidden && itsHidden && hidden.at < MIDNIGHT === isBefore)
            await hideListing(store, slugOf(itsHidden.host), 'test', hidden.at)
        }
        await hide(true)
        const known = changes.filter(({ host }) => host < its.length)
        const inTime = [...known].sort((a, b) => a.occurredAt - b.occurredAt)
        const apply = async (isBefore: boolean) => {
          for (const { host, kind, amountCents, occurredAt } of inTime) {
            if (occurredAt < MIDNIGHT !== isBefore) continue
            await applyEvent(store, eventOf(kind, `pi_${hosts[host]}`, { amountCents, occurredAt }), occurredAt)
          }
        }
        await apply(true)
        const then = await readBoard(store, { board: 'today', limit: 50 }, MIDNIGHT - 1)
        const ranksThen = new Map(then.rows.map(({ destinationKey, rank }) => [destinationKey, rank]))
        const onShowThen = then.rows
          .map(({ destinationKey }) => destinationKey)
          .filter(key => key !== `2:${itsHidden?.host}`)
        await hide(false)
        await apply(false)
        const { rows: places } = await readDay(store, DAY, { limit: 50 })
        const { closings, gone, hidden: left } = await readClosingOrder(store, DAY, places)
        for (const { destinationKey, rank } of places) {
          const closing = closings.get(destinationKey)
          const rankThen = ranksThen.get(destinationKey)
          // Told is what was true then, and only where it is another rank.
          const isTold = rank !== rankThen
          const expected = rankThen === undefined ? 'none' : isTold ? rankThen : undefined
          const told = closing === 'none' ? 'none' : closing?.rank
          expect([destinationKey, told]).toEqual([destinationKey, expected])
        }
        const stayed = places.filter(({ destinationKey }) => ranksThen.has(destinationKey))
        expect([gone, left]).toEqual([onShowThen.length - stayed.length, then.rows.length - onShowThen.length])
      }),
      { numRuns: runs(engine === 'sqlite' ? 50 : 15) },
    )
  })

  test('ranks everybody as counting them all would, without who is hidden', async () => {
    const place = fc.record({
      totalCents: fc.constantFrom(500, 501, 600),
      reachedAt: fc.constantFrom(THAT_NOON, THAT_NOON + 1),
      isHidden: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), async (all, limit) => {
        await clearLedger(store)
        const places: Placed[] = all.map((each, index) => ({ ...each, name: `n${index}` }))
        if (places.length > 0) await placeMany(store, DAY, places)
        const found: string[] = []
        let after: BoardCursor | undefined
        do {
          const page = await readDay(store, DAY, { after, limit })
          found.push(...page.rows.map(({ rank, slug }) => `${rank} ${slug}`))
          after = page.next
        } while (after)
        expect(found).toEqual(bruteForce(places))
        const [winner] = await readWinners(store, { month: '2026-11', before: '2026-11-21' })
        expect(winner?.slug).toBe(bruteForce(places)[0]?.slice(2))
      }),
      { numRuns: runs(engine === 'sqlite' ? 60 : 20) },
    )
  })

  test('is read by indexes, no further than ranks are told, however many there are', async () => {
    await clearLedger(store)
    await addPayments()
    await placeMany(
      store,
      DAY,
      Array.from({ length: 6000 }, (_, index) => ({
        name: `n${String(index).padStart(5, '0')}`,
        totalCents: 500 + 100 * (index % 2),
        reachedAt: THAT_NOON + Math.floor(index / 3) * 1000,
        isHidden: index % 50 === 7,
      })),
    )
    const limit = 20
    const { next: early, rows: places } = await readDay(store, DAY, { limit: 900 })
    const { next: late } = await readDay(store, DAY, { limit: 3200 })
    const plans = {
      first: await planOf(store, watched => readDay(watched, DAY, { limit })),
      next: await planOf(store, watched => readDay(watched, DAY, { limit, after: early })),
      far: await planOf(store, watched => readDay(watched, DAY, { limit, after: late })),
      winners: await planOf(store, watched => readWinners(watched, { month: '2026-11', before: '2026-11-21' })),
      dayBefore: await planOf(store, watched => dayBefore(watched, '2026-12-01')),
      dayAfter: await planOf(store, watched => dayAfter(watched, { day: '2026-01-01', before: '2026-12-01' })),
      closing: await planOf(store, watched => readClosingOrder(watched, DAY, places)),
    }
    for (const [name, { steps, mostRows }] of Object.entries(plans)) {
      expect([name, steps]).not.toEqual([name, []])
      const wide = steps.filter(step =>
        /Seq Scan on (board_total|listing|payment)|SCAN (board_|listing|place|payment|total)|AUTOMATIC/.test(step),
      )
      // For up to 31 winners, PostgreSQL rightly reads all of so few listings.
      if (name === 'winners') expect(wide.filter(step => !step.includes('Seq Scan on listing'))).toEqual([])
      else expect([name, wide, mostRows]).toEqual([name, [], Math.min(mostRows, 1100)])
    }
    expect((await readDay(store, DAY, { limit: 1, after: early })).rows[0]?.rank).toBe(901)
    expect((await readDay(store, DAY, { limit: 1, after: late })).rows[0]?.rank).toBeUndefined()
  })

  /** Many payments of the day, some of which were refunded in part after it. */
  const addPayments = () =>
    sql`
      insert into payment ("processor", "paymentId", "destinationKey", "paidAt", day, "paidCents", "refundedCents",
        "disputedCents", "netCents", "closingCents")
      with recursive number(n) as (select 0 union all select n + 1 from number where n < 99999)
      select 'stripe', 'pi_' || n, '2:n0' || (1000 + n % 5000), ${sql.lit(THAT_NOON)}, ${sql.lit(DAY)}, 600, 0, 0,
        case when n % 10000 = 0 then 500 else 600 end, 600
      from number`.execute(store.db)
})
