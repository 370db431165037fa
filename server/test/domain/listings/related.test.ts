// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { COUNTED_MAX, categoryCounts } from '../../../src/domain/listings/category-counts.ts'
import { randomListing } from '../../../src/domain/listings/discovery.ts'
import { findProduct } from '../../../src/domain/listings/listing.ts'
import { relatedListings } from '../../../src/domain/listings/related.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { clearLedger } from '../../support/ledger.ts'
import { listingRow } from '../../support/listing-row.ts'
import { planOf, vacuum } from '../../support/plan.ts'
import { NOON } from '../../support/service.ts'

describe.each(SQLITE_FIRST)('listings beside each other on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterAll(() => database.remove())
  beforeEach(() => clearLedger(store))

  let added = 0
  type Fields = Omit<Parameters<typeof listingRow>[0], 'slug'>
  // In a transaction of the service, which adds to the index of search too.
  const insert = (rows: ReturnType<typeof listingRow>[]) =>
    store.transact(trx => trx.insertInto('listing').values(rows).execute())
  const add = (slug: string, title: string, about: Fields = {}) => {
    const row = {
      category: 'Games',
      hostname: `${slug}.com`,
      publishedAt: NOON + ++added,
      ...about,
      slug,
      title,
    }
    return insert([listingRow(row)])
  }

  describe('that are alike', () => {
    /** What is told beside a listing, by someone who has not asked before. */
    async function beside(slug: string, now = NOON, ask = relatedListings(store)) {
      const product = (await findProduct(store, slug)) ?? expect.fail(`${slug} is not listed`)
      return (await ask(product, now)).map(listing => listing.slug)
    }

    test('share words, the rarest and the most first, whatever their stem', async () => {
      await add('one', 'Chess puzzles for beginners')
      await add('far', 'A garden of stones')
      await add('common', 'Crosswords for beginners')
      await add('others', 'Quizzes for beginners')
      await add('more', 'Sudokus for beginners')
      await add('rare', 'The puzzle box')
      await add('both', 'A puzzle of chess')
      const found = await beside('one')
      expect(found.slice(0, 2)).toEqual(['both', 'rare'])
      expect(found).toHaveLength(4)
    })

    test('share short words as well as long ones, and best of all in few words', async () => {
      const LONG = 'extraordinarily configurable administration documentation internationalization compatibility'
      await add('one', 'Acme', { description: `${LONG} for team chat` })
      await add('short', 'Beta', { description: 'A chat.' })
      await add('long', 'Gamma', {
        description: 'A chat among gardens, rivers, mountains, forests, meadows and lakes.',
      })
      expect(await beside('one')).toEqual(['short', 'long'])
    })

    test('are of any category with two words in common, or one in both titles, and none that only fills up', async () => {
      await add('one', 'Chess puzzles', { description: 'Openings and endgames.' })
      await add('title', 'Chess on Sunday', { category: 'Events' })
      await add('two', 'The old club', { category: 'Social Media', description: 'Puzzles about endgames.' })
      await add('text', 'The new club', { category: 'Social Media', description: 'About puzzles.' })
      await add('weak', 'Find your best website', { category: 'Events', description: 'With and about.' })
      await add('near', 'Riddles', { description: 'About endgames.' })
      expect((await beside('one')).toSorted()).toEqual(['near', 'title', 'two'])
    })

    test('are on show, and never the listing itself', async () => {
      await add('one', 'Chess puzzles')
      await add('hidden', 'Chess puzzles', { hiddenAt: NOON, hiddenBy: 'owner', hiddenReason: '' })
      await add('expired', 'Chess puzzles', { publishedAt: NOON - daysMs(60), expiresAt: NOON })
      expect(await beside('one')).toEqual([])
    })

    test('are remembered for ten minutes, and gone as soon as one is taken down or has ended', async () => {
      await add('one', 'Chess puzzles')
      await add('two', 'Chess clocks')
      await add('three', 'Chess boards', { expiresAt: NOON + 1000 })
      const ask = relatedListings(store)
      expect(await beside('one', NOON, ask)).toEqual(['three', 'two'])
      await hideListing(store, 'two', 'test', NOON)
      expect(await beside('one', NOON, ask)).toEqual(['three'])
      expect(await beside('one', NOON + 1000, ask)).toEqual([])
      await add('four', 'Chess sets')
      expect(await beside('one', NOON + 1000, ask)).toEqual([])
      expect(await beside('one', NOON + 10 * 60_000, ask)).toEqual(['four'])
    })

    test('are found in every script, and a listing without words has none', async () => {
      await add('kana', '東京のパン屋', { language: 'ja' })
      await add('other', '東京のうどん', { language: 'ja' })
      await add('mute', '!!!', { description: '' })
      expect(await beside('kana')).toEqual(['other'])
      expect(await beside('mute')).toEqual([])
    })

    test('are looked up by the index, no further than some are weighed, however many there are', async () => {
      await addMany(6000)
      await add('one', 'Chess puzzles for everybody')
      const product = (await findProduct(store, 'one')) ?? expect.fail()
      const { steps, mostRows } = await planOf(store, watched => relatedListings(watched)(product, NOON))
      expect(steps.filter(step => /Seq Scan on listing|SCAN listing( |$)|AUTOMATIC/.test(step))).toEqual([])
      expect(mostRows).toBeLessThanOrEqual(engine === 'sqlite' ? 201 : 1001)
      expect(await beside('one')).toHaveLength(4)
    })
  })

  describe('by chance', () => {
    const drawn = async (count: number, not?: string) => {
      const times = new Map<string, number>()
      for (let draw = 0; draw < count; draw++) {
        const slug = (await randomListing(store, { not, now: NOON })) ?? 'none'
        times.set(slug, (times.get(slug) ?? 0) + 1)
      }
      return times
    }

    // The service chooses, not the database, so one engine shows it.
    test.runIf(engine === 'sqlite')('have the same chance, whatever is not on show, and paid or not', async () => {
      for (let place = 0; place < 6; place++) {
        await add(`shown${place}`, 'Chess', { expiresAt: place % 2 ? null : NOON + daysMs(1) })
        for (let gone = 0; gone < place; gone++) await add(`ended${place}-${gone}`, 'Go', { expiresAt: NOON })
        await add(`hidden${place}`, 'Ludo', { hiddenAt: NOON, hiddenBy: 'owner', hiddenReason: '' })
      }
      const [all, others] = [await drawn(1200), await drawn(1000, 'shown3')]
      expect([all.size, others.size, others.get('shown3')]).toEqual([6, 5, undefined])
      // Six standard deviations around 200: by chance, one run of a hundred million fails.
      for (const times of [...all.values(), ...others.values()]) expect(Math.abs(times - 200)).toBeLessThan(80)
    })

    test('are found where next to none of many is on show, and none is where there is none', async () => {
      expect(await drawn(1)).toEqual(new Map([['none', 1]]))
      await addMany(3000)
      await store.db.updateTable('listing').set({ hiddenAt: NOON }).execute()
      await add('only', 'Chess')
      expect([await drawn(3), await drawn(3, 'only')]).toEqual([new Map([['only', 3]]), new Map([['none', 3]])])
    })

    test('are looked up by their ids, a few at a time', async () => {
      await addMany(3000)
      const { steps, mostRows } = await planOf(store, watched => randomListing(watched, { not: 'n1', now: NOON }))
      // SQLite reads the last row of all, and no other.
      const scans = steps.filter(step => /Seq Scan on listing|SCAN listing|AUTOMATIC/.test(step))
      expect(scans).toEqual(engine === 'sqlite' ? ['SCAN listing'] : [])
      expect(mostRows).toBeLessThanOrEqual(64)
    })
  })

  describe('of a category', () => {
    const countOf = async (category: 'Games' | 'Events', now = NOON) => (await categoryCounts(store)(now))[category]

    test('are counted as they are on show, young ones and those without an end', async () => {
      await add('young', 'Chess')
      await add('endless', 'Go', { publishedAt: NOON - daysMs(90), expiresAt: null })
      await add('paid', 'Shogi', { expiresAt: null })
      await add('expired', 'Ludo', { publishedAt: NOON - daysMs(60), expiresAt: NOON })
      await add('hidden', 'Poker', { hiddenAt: NOON, hiddenBy: 'owner', hiddenReason: '' })
      expect([await countOf('Games'), await countOf('Events')]).toEqual([3, 0])
    })

    test('are counted once a minute, and once for all concurrent requests', async () => {
      await add('one', 'Chess')
      const counts = categoryCounts(store)
      const [first, second] = [counts(NOON), counts(NOON)]
      expect(await second).toBe(await first)
      expect((await first).Games).toBe(1)
      await add('two', 'Go')
      expect((await counts(NOON + 59_999)).Games).toBe(1)
      expect((await counts(NOON + 60_000)).Games).toBe(2)
    })

    test('are counted no further than to a thousand, by indexes', async () => {
      await addMany(1500)
      expect(await countOf('Games')).toBe(COUNTED_MAX)
      const { steps, mostRows } = await planOf(store, watched => categoryCounts(watched)(NOON))
      // PostgreSQL takes the table where most of it is of one category; it stops as early.
      expect(steps.filter(step => /SCAN listing( |$)|AUTOMATIC/.test(step))).toEqual([])
      expect(mostRows).toBeLessThanOrEqual(COUNTED_MAX)
    })
  })

  async function addMany(count: number) {
    const rows = Array.from({ length: count }, (_, index) =>
      listingRow({
        slug: `n${index}`,
        category: 'Games',
        title: `Chess and puzzles ${index}`,
        publishedAt: NOON - index,
      }),
    )
    for (let start = 0; start < count; start += 500) {
      await insert(rows.slice(start, start + 500))
    }
    await vacuum(store)
  }
})
