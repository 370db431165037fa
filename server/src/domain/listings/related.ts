import { CATEGORIES } from '@placard/contract'
import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { remembered } from '../../platform/lib/cache.ts'
import { TITLE } from '../search/entries.ts'
import { isSolid, runsOf } from '../search/fold.ts'
import { ofListing, type QueryWord, wordsOf } from '../search/query.ts'
import { ofCategory } from './discovery.ts'
import { type DatedRow, datedColumns, isPublished, joinPicture } from './listed-row.ts'
import type { Product } from './listing.ts'

type Subject = Pick<Product, 'id' | 'category' | 'title' | 'description' | 'language'>

/** How many related listings are returned. */
const RELATED_MAX = 4
/** How many listings of a category are compared: the newest. */
const COMPARED_MAX = 200
/** The longest words say the most. In scripts without blanks, the first ones do. */
const [WORDS_MAX, PIECES_MAX, WORD_MIN_LENGTH] = [4, 4, 4]

const CACHED_MS = 10 * 60_000
const CACHED_MAX = 10_000

/**
 * Finds published listings of the same category with the most words in common. Rare words count for more. The newest
 * listings of a category are read together and cached for ten minutes; whether one is still published is read each time.
 *
 * @returns a function of a listing and the time in Unix milliseconds
 */
export function relatedListings(store: Store): (listing: Subject, now: number) => Promise<DatedRow[]> {
  const candidatesOf = remembered((category: string, now) => readCandidates(store, category, now), {
    name: 'related_candidates',
    forMs: CACHED_MS,
    keyOf: category => category,
    max: CATEGORIES.length,
  })
  const idsOf = remembered(
    async (listing: Subject, now) => mostAlike(listing, await candidatesOf(listing.category, now)),
    {
      name: 'related',
      forMs: CACHED_MS,
      keyOf: ({ id, category, title, description }) => JSON.stringify([id, category, title, description]),
      max: CACHED_MAX,
    },
  )
  return async (listing, now) => {
    const ids = await idsOf(listing, now)
    if (ids.length === 0) return []
    const [a = 0, b = 0, c = 0, d = 0] = ids
    const rows = await publishedAmong(store, { a, b, c, d, now })
    return rows
      .filter(({ category }) => category === listing.category)
      .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
  }
}

interface Candidates {
  /** Newest first. */
  ids: number[]
  /** By entry of the search index: the listings that have it, as indexes of `ids`. */
  byEntry: Map<string, number[]>
}

async function readCandidates(store: Store, category: string, now: number): Promise<Candidates> {
  const { rows } = await ofCategory(store, { category, now, limit: COMPARED_MAX })
  const ids = rows.map(({ id }) => id)
  const byEntry = new Map<string, number[]>()
  for (const { id, searchText } of rows.length > 0 ? await entriesOf(store, rows) : []) {
    for (const entry of new Set(searchText.split(' '))) {
      const places = byEntry.get(entry)
      if (places) places.push(ids.indexOf(id))
      else byEntry.set(entry, [ids.indexOf(id)])
    }
  }
  return { ids, byEntry }
}

function mostAlike(listing: Subject, { ids, byEntry }: Candidates): number[] {
  const itself = ids.indexOf(listing.id)
  // Indexed like `ids`: maps by id take ten times as long if many listings share a word.
  const scores = new Float64Array(ids.length)
  const weights = new Float64Array(ids.length)
  for (const word of tellingWords(listing)) {
    weights.fill(0)
    weigh(weights, byEntry, ofListing(word, listing.language))
    weights[itself] = 0
    let sharing = 0
    for (let place = 0; place < ids.length; place++) if (weights[place]) sharing++
    if (sharing === 0) continue
    const rarity = Math.log(1 + ids.length / sharing)
    for (let place = 0; place < ids.length; place++) {
      scores[place] = (scores[place] ?? 0) + (weights[place] ?? 0) * rarity
    }
  }
  const best: number[] = []
  for (const [place, score] of scores.entries()) {
    if (score <= (scores[best[RELATED_MAX - 1] ?? -1] ?? 0)) continue
    best.push(place)
    best.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0))
    best.length = Math.min(best.length, RELATED_MAX)
  }
  return best.map(place => ids[place] ?? 0)
}

const TITLE_WEIGHT = 3

/** Sets how much a word counts in each listing: as much as the best of its variants there. */
function weigh(weights: Float64Array, byEntry: Candidates['byEntry'], { variants }: QueryWord): void {
  for (const { entry, quality } of variants) {
    for (const [found, weight] of [
      [entry, quality],
      [TITLE + entry, TITLE_WEIGHT * quality],
    ] as const) {
      for (const place of byEntry.get(found) ?? []) {
        if ((weights[place] ?? 0) < weight) weights[place] = weight
      }
    }
  }
}

function tellingWords({ title, description }: Subject): string[] {
  const runs = [...new Set(runsOf(`${title} ${description}`))]
  const words = runs.filter(run => !isSolid(run) && run.length >= WORD_MIN_LENGTH)
  const pieces = new Set(runs.filter(isSolid).flatMap(run => wordsOf(run)))
  return [
    ...words.toSorted((one, other) => other.length - one.length).slice(0, WORDS_MAX),
    ...[...pieces].slice(0, PIECES_MAX),
  ]
}

const entriesOf = statementOfRows(
  { id: 'bigint' },
  rows => sql<{ id: number; searchText: string }>`
    select id, "searchText" from listing where id in (${sql.join(rows.map(({ id }) => id))})`,
)

const publishedAmong = statement(
  { a: 'bigint', b: 'bigint', c: 'bigint', d: 'bigint', now: 'bigint' },
  ({ a, b, c, d, now }) => sql<DatedRow>`
    select ${datedColumns} from listing ${joinPicture}
    where listing.id in (${a}, ${b}, ${c}, ${d}) and ${isPublished(now)}`,
)
