import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BoardCursor, readCategoryBoard } from '../../../src/domain/boards/listed-places.ts'
import { hideListing, restoreListing } from '../../../src/domain/moderation/moderate.ts'
import { changeCategory } from '../../../src/domain/ownership/change-listing.ts'
import { applyEvent } from '../../../src/domain/payments/apply-event.ts'
import { reconcile } from '../../../src/domain/payments/reconcile.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { ENGINES } from '../../support/engines.ts'
import { clearLedger, eventOf, payFor } from '../../support/ledger.ts'
import { bruteForce, type Placed, placeMany } from '../../support/many-places.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { planOf } from '../../support/plan.ts'
import { runs } from '../../support/runs.ts'
import { NOON } from '../../support/service.ts'
import { type Pages, startPages } from '../../web/page-app.ts'

/** The places on a page: rank, title and total, as they are read. */
const rowsIn = (html: string) =>
  [...html.matchAll(/<li(?:><span class="rk"| class="top).*?<\/li>/gs)].map(([row]) =>
    row
      .replace(/<svg.*?<\/svg>/s, '')
      .replace(/<span class="thumb.*?<\/span>/s, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      // The sum of a poster stands before its title.
      .replace(/^(No\. \d+) (\$\S+ paid) (.*)$/, '$1 $3 $2'),
  )

describe.each(ENGINES)('the board of a category on %s', engine => {
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

  const read = async (path: string) => (await pages.get(path)).text()
  const rowsOf = async (category: string) => rowsIn(await read(`/category/${category}/board`))
  const idOf = async (host: string) => {
    const listing = store.db.selectFrom('listing').select(['id', 'slug']).where('hostname', '=', host)
    return listing.executeTakeFirstOrThrow()
  }
  const differences = async () => (await reconcile(store, NOON)).differences

  it('has the totals of all time and ranks of its own, and leads to the category and back', async () => {
    await payFor(store, 'chess.com', 'pi_1', { amountCents: 9000 })
    await payFor(store, 'soup.com', 'pi_2', { amountCents: 5000, category: 'Food & Drink' })
    await payFor(store, 'go.com', 'pi_3', { amountCents: 700, at: NOON - 86_400_000 })
    await payFor(store, 'go.com', 'pi_4', { amountCents: 1200 })
    const html = await read('/category/games/board')
    expect(rowsIn(html)).toEqual(['No. 1 chess.com chess.com $90 paid', 'No. 2 go.com go.com $19 paid'])
    expect(html).toContain('Paid placement')
    expect(html).toContain('<ol class="podium">')
    expect(html).toContain('href="/promote?board=all&amp;category=Games"')
    expect(html).toContain('<h1 class="long">Paid places in Games</h1>')
    expect(html).toContain('href="/category/games"')
    expect(await read('/category/games')).toContain('href="/category/games/board"')
    expect(await htmlFaults(html)).toEqual([])
    expect(await rowsOf('food-drink')).toEqual(['No. 1 soup.com soup.com $50 paid'])
  })

  it('says so if no place is taken yet, and knows all categories', async () => {
    const html = await read('/category/games/board')
    expect(html).toContain('No paid places here yet')
    expect(await htmlFaults(html)).toEqual([])
    expect((await pages.get('/category/nonsense/board')).status).toBe(404)
  })

  it('follows a refund, a listing that is hidden and restored, and its change of category', async () => {
    await payFor(store, 'chess.com', 'pi_1', { amountCents: 9000 })
    await payFor(store, 'go.com', 'pi_2', { amountCents: 1200 })
    const { id, slug } = await idOf('chess.com')
    await applyEvent(store, eventOf('refunded', 'pi_1', { amountCents: 8000 }), NOON)
    expect(await rowsOf('games')).toEqual(['No. 1 go.com go.com $12 paid', 'No. 2 chess.com chess.com $10 paid'])
    await hideListing(store, slug, 'test', NOON)
    expect(await rowsOf('games')).toEqual(['No. 1 go.com go.com $12 paid'])
    await restoreListing(store, slug, 'test', NOON)
    expect(await changeCategory(store, id, 'Books & Writing', NOON)).toBe(true)
    expect(await rowsOf('games')).toEqual(['No. 1 go.com go.com $12 paid'])
    expect(await rowsOf('books-writing')).toEqual(['No. 1 chess.com chess.com $10 paid'])
    await payFor(store, 'chess.com', 'pi_3', { amountCents: 500 })
    expect(await rowsOf('books-writing')).toEqual(['No. 1 chess.com chess.com $15 paid'])
    expect(await differences()).toEqual([])
  })

  it('is right where a payment and a change of category come at once', async () => {
    await payFor(store, 'chess.com', 'pi_0', { amountCents: 500 })
    const { id } = await idOf('chess.com')
    for (let round = 1; round <= 8; round++) {
      const category = round % 2 ? 'Books & Writing' : 'Games'
      await Promise.all([
        payFor(store, 'chess.com', `pi_${round}`, { amountCents: 500 }),
        changeCategory(other, id, category, NOON),
      ])
      expect(await differences()).toEqual([])
    }
    expect(await rowsOf('games')).toEqual(['No. 1 chess.com chess.com $45 paid'])
  })

  it('is missed by reconcile where a total has another category than its listing', async () => {
    await payFor(store, 'chess.com', 'pi_1', { amountCents: 9000 })
    await store.db.updateTable('board_total').set({ category: 'Events' }).where('board', '=', 'all').execute()
    expect((await differences()).map(({ what }) => what)).toContain('board total')
  })

  it('leads on by cursors that no other board takes', async () => {
    const places = Array.from({ length: 53 }, (_, place) => ({ name: `n${place}`, totalCents: 9000 - place }))
    await placeMany(store, 'all', places)
    const first = await read('/category/games/board')
    expect(rowsIn(first)).toHaveLength(50)
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? ''
    const second = await read(next)
    expect(rowsIn(second).map(row => row.split(' n')[0])).toEqual(['No. 51 Site', 'No. 52 Site', 'No. 53 Site'])
    expect(second).toContain('<meta name="robots" content="noindex"/>')
    const cursor = next.split('=')[1]
    for (const bad of [`/board/all?cursor=${cursor}`, `/category/events/board?cursor=${cursor}`]) {
      expect([bad, (await pages.get(bad)).status]).toEqual([bad, 400])
    }
  })

  it('may be kept for ten seconds, and is sent again only when it changed', async () => {
    const first = await pages.get('/category/games/board')
    expect(first.headers.get('cache-control')).toBe('public, max-age=5, stale-while-revalidate=5, stale-if-error=300')
    const etag = first.headers.get('etag') ?? ''
    expect((await pages.get('/category/games/board', { 'if-none-match': etag })).status).toBe(304)
  })

  async function pageThrough(category: string, limit: number) {
    const all: string[] = []
    let after: BoardCursor | undefined
    do {
      const { rows, next } = await readCategoryBoard(store, category, { after, limit })
      all.push(...rows.map(({ rank, slug }) => `${rank} ${slug}`))
      after = next
    } while (after)
    return all
  }

  it('ranks everybody as counting them all would, whatever the ties and the size of a page', async () => {
    const place = fc.record({
      totalCents: fc.constantFrom(500, 501, 600, 102_400),
      reachedAt: fc.constantFrom(NOON, NOON + 1, NOON + 300_000),
      category: fc.constantFrom('Games', 'Events'),
      isHidden: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), async (all, limit) => {
        await clearLedger(store)
        const places: Placed[] = all.map((each, index) => ({ ...each, name: `n${index}` }))
        if (places.length > 0) await placeMany(store, 'all', places)
        for (const category of ['Games', 'Events']) {
          const its = places.filter(each => each.category === category)
          expect(await pageThrough(category, limit)).toEqual(bruteForce(its))
        }
      }),
      { numRuns: runs(engine === 'sqlite' ? 60 : 20) },
    )
  })

  it('is read by its index, no further than ranks are told, however many there are', async () => {
    const categories = ['Games', 'Events', 'Design']
    await placeMany(
      store,
      'all',
      Array.from({ length: 9000 }, (_, index) => ({
        name: `n${String(index).padStart(5, '0')}`,
        // A third each, of which many are equal.
        totalCents: 500 + 100 * (index % 2),
        reachedAt: NOON + Math.floor(index / 6) * 1000,
        category: categories[index % 3] ?? '',
      })),
    )
    const limit = 20
    // Place 901 and place 2401 of the three thousand.
    const [early, late] = [await placeAt(900), await placeAt(2400)]
    const plans = {
      first: await planOf(store, watched => readCategoryBoard(watched, 'Games', { limit })),
      next: await planOf(store, watched => readCategoryBoard(watched, 'Games', { after: early, limit })),
      far: await planOf(store, watched => readCategoryBoard(watched, 'Games', { after: late, limit })),
    }
    for (const [name, { steps, mostRows }] of Object.entries(plans)) {
      expect([name, steps.filter(step => step.includes('board_total_of_category'))]).not.toEqual([name, []])
      const wide = steps.filter(step =>
        /Seq Scan on (board_total|listing)|SCAN (board_|listing|place)|AUTOMATIC|board_total (as place )?USING PRIMARY|board_total_order/.test(
          step,
        ),
      )
      expect([name, wide]).toEqual([name, []])
      expect(mostRows).toBeLessThanOrEqual(name === 'first' ? limit + 1 : 1000)
    }
    const ranks = async (after: BoardCursor) =>
      (await readCategoryBoard(store, 'Games', { after, limit: 2 })).rows.map(({ rank }) => rank)
    expect(await ranks(early)).toEqual([901, 902])
    expect(await ranks(late)).toEqual([undefined, undefined])
  })

  /** Where the page ends that has so many before it. */
  async function placeAt(count: number): Promise<BoardCursor> {
    const { next } = await readCategoryBoard(store, 'Games', { limit: count })
    if (!next) throw new Error('the board is too short')
    return next
  }
})
