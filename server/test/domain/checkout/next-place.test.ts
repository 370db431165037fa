import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readStandings } from '../../../src/domain/boards/standings.ts'
import { readNextPlace } from '../../../src/domain/checkout/offer.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { clearLedger } from '../../support/ledger.ts'
import { placeOnBoard } from '../../support/places.ts'
import { NOON } from '../../support/service.ts'

describe.each(SQLITE_FIRST)('the next place up on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
  })
  afterAll(() => database.remove())
  beforeEach(() => clearLedger(store))

  /** What it costs `mine`, with these totals of others in dollars. All reached them at once, so ties go by name. */
  async function nextOf(totals: Record<string, number>) {
    const cents = Object.entries(totals).map(([slug, dollars]) => [slug, dollars * 100])
    await placeOnBoard(store, Object.fromEntries(cents))
    const destinationKey = '2:mine'
    const { all: standing } = await readStandings(store, destinationKey, NOON)
    return readNextPlace(store, { board: 'all', destinationKey, standing }, NOON)
  }
  const place = (rank: number, targetBid: number, dollars: number) => ({
    rank,
    targetBid,
    chargeAmountCents: dollars * 100,
  })

  test('is what the least total takes, for who has none', async () => {
    expect(await nextOf({})).toEqual(place(1, 5, 5))
    expect(await nextOf({ a: 900, b: 5 })).toEqual(place(3, 5, 5))
  })

  test('is that of the next listing above, for a dollar more, minus what is verified', async () => {
    expect(await nextOf({ a: 900, b: 800, mine: 700 })).toEqual(place(2, 801, 101))
    expect(await nextOf({ a: 900, b: 800.5, mine: 700 })).toEqual(place(2, 801, 101))
  })

  test('is above all who have as much', async () => {
    expect(await nextOf({ a: 900, b: 700, c: 700, mine: 700 })).toEqual(place(2, 701, 1))
    expect(await nextOf({ a: 900, b: 900, c: 900, mine: 700 })).toEqual(place(1, 901, 201))
  })

  test('is none for who is first, and where no total is high enough', async () => {
    expect(await nextOf({ a: 900, mine: 901 })).toBeUndefined()
    expect(await nextOf({ a: 999_999, mine: 999_998 })).toBeUndefined()
    expect(await nextOf({ a: 999_999, mine: 999_999 })).toBeUndefined()
  })

  test('always takes a better place at the price it says', async () => {
    const totals = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`n${index}`, 5 + 3 * (index >> 1)]))
    for (const dollars of new Set(Object.values(totals))) {
      await clearLedger(store)
      const next = await nextOf({ ...totals, mine: dollars })
      const { all: before } = await readStandings(store, '2:mine', NOON)
      if (!next) {
        expect(before?.rank).toBe(1)
        continue
      }
      await placeOnBoard(store, { mine: next.targetBid * 100 })
      const { all: after } = await readStandings(store, '2:mine', NOON)
      expect(after?.rank).toBe(next.rank)
      expect(next.rank).toBeLessThan(before?.rank ?? 0)
    }
  })
})
