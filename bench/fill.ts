import { CATEGORIES, DISPLAY_DAYS } from '@placard/contract'
import { CompiledQuery, sql } from 'kysely'
import { randomFrom } from '../examples/seed/random.ts'
import { DOLLAR_LEVEL } from '../server/dist/domain/boards/dollar-counts.js'
import { CENTS_PER_NODE, MS_PER_NODE, TIME_LEVELS } from '../server/dist/domain/boards/rank.js'
import { searchText } from '../server/dist/domain/search/entries.js'
import { addToVocabulary } from '../server/dist/domain/search/vocabulary.js'
import { openStore } from '../server/dist/platform/db/open.js'
import type { Store } from '../server/dist/platform/db/store.js'

/** A folder with a filled database. */
export interface Filled {
  dataDir: string
  /** How many listings it has. */
  count: number
}

const DAY_MS = 24 * 60 * 60 * 1000
const [SPAN_MS, YEAR_MS] = [90 * DAY_MS, 365 * DAY_MS]
const [ROWS_AT_ONCE, WORDS] = [500, 40_000]

/** Fills a new database in a folder, as `fillStore` does. */
export async function fill(dataDir: string, count: number, arePaid: boolean): Promise<Filled> {
  const store = await openStore({ databaseUrl: undefined, dataDir })
  await fillStore(store, count, arePaid)
  await store.close()
  return { dataDir, count }
}

/**
 * Fills a store through its own tables, as 90 days of publishing leave it: a third expired, and one in fifty (at least
 * 100, a full page of a board) paid and so without an end.
 *
 * @param arePaid whether all have paid. They then have no words to be found by
 * @param words what titles, descriptions and host names consist of
 */
export async function fillStore(store: Store, count: number, arePaid = false, words = SYLLABIC): Promise<void> {
  const paid = arePaid ? count : Math.max(100, count / 50)
  const hasWords = !arePaid
  const random = randomFrom('listings').next
  const now = Date.now()
  // An index of all rows is made many times as fast as one that grows.
  const indexes = store.engine === 'postgres' ? (await searchIndexes.execute(store.db)).rows : []
  for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(store.db)
  for (let done = 0; done < count; done += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - done) }, (_, nth) => {
      const index = done + nth
      const publishedAt = Math.floor(now - SPAN_MS * (1 - index / count))
      const expiresAt = index < paid ? null : publishedAt + DISPLAY_DAYS * DAY_MS
      return { ...listing(index, random, words, hasWords), publishedAt, expiresAt, updatedAt: publishedAt }
    })
    await store.transact(async trx => {
      await trx.insertInto('listing').values(rows).execute()
      if (hasWords) await addToVocabulary(trx, rows.map(({ searchText: text }) => text).join(' '))
    })
  }
  await pay(store, random)
  if (store.engine === 'sqlite') return
  for (const { definition } of indexes) await store.executeQuery(CompiledQuery.raw(definition))
  // As its own worker does before long.
  await store.executeQuery(CompiledQuery.raw('vacuum analyze'))
}

const searchIndexes = sql<{ name: string; definition: string }>`
  select indexname as name, indexdef as definition from pg_indexes
  where tablename = 'listing' and indexname like 'listing_search%'`

/** What listings say. */
export interface Words {
  /** A word for a number from 0 to 1, as frequent as in a language, where the second word is half as frequent as the first. */
  wordOf(share: number): string
  /** The host of a listing by its index, from 0. */
  hostOf(index: number): string
}

function listing(index: number, random: () => number, { wordOf, hostOf }: Words, hasWords: boolean) {
  const sentence = (length: number) => Array.from({ length }, () => wordOf(random())).join(' ')
  const hostname = hostOf(index)
  const said = {
    hostname,
    language: 'en',
    title: hasWords ? `${hostname} ${sentence(4)}` : hostname,
    description: hasWords ? sentence(18) : 'A page of the benchmark.',
    category: CATEGORIES[Math.floor(CATEGORIES.length * random())] ?? 'Games',
  }
  const site = { slug: slugOf(hostname), destinationKey: `2:${hostname}`, url: `https://${hostname}/` }
  return { ...said, ...site, siteName: '', searchText: hasWords ? searchText(said) : '' }
}

/**
 * Puts listings without an end on the board `all`, as a year of payments leaves them: totals spread evenly over the
 * orders of magnitude from 5 to 999,999 dollars, so that thousands at the low end have paid the same.
 */
async function pay(store: Store, random: () => number): Promise<void> {
  const paid = store.db.selectFrom('listing').where('expiresAt', 'is', null).orderBy('destinationKey')
  const places = await paid.select(['id as listingId', 'destinationKey', 'category']).execute()
  const rows = places.map(place => ({
    ...place,
    board: 'all',
    shown: 1 as const,
    totalCents: 100 * Math.floor(5 * 200_000 ** random()),
    reachedAt: Date.now() - Math.floor(YEAR_MS * random()),
  }))
  await store.transact(async trx => {
    for (let done = 0; done < rows.length; done += ROWS_AT_ONCE) {
      const some = rows.slice(done, done + ROWS_AT_ONCE)
      await trx.insertInto('board_total').values(some).execute()
    }
    const levels = [
      [DOLLAR_LEVEL, `"totalCents" / ${CENTS_PER_NODE}`, '0'],
      ...TIME_LEVELS.map((level, nth) => [level, '"totalCents"', `"reachedAt" / ${MS_PER_NODE[nth]}`]),
    ]
    for (const [level, amount, time] of levels) {
      await sql`insert into board_count (board, level, amount, time, destinations)
        select board, ${sql.raw(`${level}, ${amount}, ${time}`)}, count(*) from board_total
        group by 1, 3, 4`.execute(trx)
    }
  })
}

/** The host of a listing by its index, from 0, and its slug. Each has a word of its own. */
export const hostAt = (index: number) => `${wordAt(WORDS + index)}.com`
export const slugAt = (index: number) => slugOf(hostAt(index))
const slugOf = (host: string) => host.replace('.', '-')

const SYLLABLES = 'ba den fi gor hul ka lem mi nor pu ras sel ti vor wen zo'.split(' ')

/** A word for each number, the shorter ones first. */
export function wordAt(index: number): string {
  let word = ''
  for (let rest = index + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}

const SYLLABIC: Words = { wordOf: share => wordAt(Math.floor(WORDS ** share - 1)), hostOf: hostAt }
