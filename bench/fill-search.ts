import { CATEGORIES, DISPLAY_DAYS } from '@placard/contract'
import { CompiledQuery, sql } from 'kysely'
import { searchText } from '../server/dist/domain/search/entries.js'
import { addToVocabulary } from '../server/dist/domain/search/vocabulary.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { randomNumbers } from './fill-board.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SPAN_DAYS = 90
const ROWS_AT_ONCE = 500
const WORDS = 40_000

/**
 * Fills a store through its own tables, as 90 days of publishing would leave it: words as often as in a language, where
 * the second is half as frequent as the first, and a name of its own for every host.
 */
export async function fillSearch(store: Store, count: number): Promise<void> {
  const random = randomNumbers()
  const now = Date.now()
  // An index is made many times as fast of all rows as of one after the other.
  if (store.engine === 'postgres') await sql`drop index listing_search`.execute(store.db)
  for (let done = 0; done < count; done += ROWS_AT_ONCE) {
    await store.transact(async trx => {
      const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - done) }, (_, place) =>
        listing(done + place, now - SPAN_DAYS * DAY_MS * (1 - (done + place) / count), random),
      )
      await trx.insertInto('listing').values(rows).execute()
      await addToVocabulary(trx, rows.map(({ searchText: text }) => text).join(' '))
    })
  }
  if (store.engine === 'sqlite') return
  await sql`create index listing_search on listing using gin (search)`.execute(store.db)
  // As its own worker does before long.
  await store.executeQuery(CompiledQuery.raw('vacuum analyze'))
}

function listing(index: number, time: number, random: () => number) {
  const name = nameAt(index)
  const publishedAt = Math.floor(time)
  const said = {
    title: `${name} ${sentence(4, random)}`,
    description: sentence(18, random),
    hostname: `${name}.com`,
    category: CATEGORIES[Math.floor(CATEGORIES.length * random())] ?? 'Games',
    language: 'en',
  }
  return {
    ...said,
    slug: slugAt(index),
    destinationKey: `2:${name}.com`,
    url: `https://${name}.com/`,
    siteName: '',
    publishedAt,
    expiresAt: publishedAt + DISPLAY_DAYS * DAY_MS,
    searchText: searchText(said),
  }
}

const sentence = (length: number, random: () => number) =>
  Array.from({ length }, () => wordAt(Math.floor(WORDS ** random() - 1))).join(' ')

const nameAt = (index: number) => wordAt(WORDS + index)

/** Of a listing by its place, from 0: the last are on show. */
export const slugAt = (index: number) => `${nameAt(index)}-com`

/** A word for each number, the shorter ones first. */
export function wordAt(index: number): string {
  const syllables: string[] = []
  for (let rest = index + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    syllables.push(SYLLABLES[rest % SYLLABLES.length] ?? '')
  }
  return syllables.join('')
}

const SYLLABLES = [
  'ba',
  'den',
  'fi',
  'gor',
  'hul',
  'ka',
  'lem',
  'mi',
  'nor',
  'pu',
  'ras',
  'sel',
  'ti',
  'vor',
  'wen',
  'zo',
]
