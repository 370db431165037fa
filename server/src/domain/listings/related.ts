import { CATEGORIES } from '@placard/contract'
import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { remembered } from '../../platform/lib/cache.ts'
import { TITLE } from '../search/entries.ts'
import { isSolid, runsOf } from '../search/fold.ts'
import { ofListing, type QueryWord, wordsOf } from '../search/query.ts'
import { ofCategory } from './discovery.ts'
import { itsPicture, type Shown, shownColumns } from './listed-row.ts'
import type { Product } from './listing.ts'

type Told = Pick<Product, 'id' | 'category' | 'title' | 'description' | 'language'>

/** How many are told. */
const RELATED_MAX = 4
/** So many of a category are weighed against each other: those listed last. */
const WEIGHED_MAX = 200
/** The longest words say the most. In scripts without blanks, the first ones. */
const [WORDS_MAX, PIECES_MAX, WORD_MIN_LENGTH] = [4, 4, 4]

const KEPT_MS = 10 * 60_000
/** Answers for so many listings are kept. */
const KEPT_MAX = 10_000

/**
 * Published listings of the same category with the most words in common, the rarer the better. The last listings of a
 * category are read together and kept for ten minutes; whether one is still on show is looked up each time.
 *
 * @returns how to ask, at a time in Unix milliseconds
 */
export function relatedListings(store: Store): (listing: Told, now: number) => Promise<Shown[]> {
  const candidatesOf = remembered((category: string, now) => readCandidates(store, category, now), {
    name: 'related_candidates',
    ...{ forMs: KEPT_MS, keyOf: (category: string) => category, max: CATEGORIES.length },
  })
  const idsOf = remembered(
    async (listing: Told, now) => mostAlike(listing, await candidatesOf(listing.category, now)),
    {
      name: 'related',
      forMs: KEPT_MS,
      keyOf: ({ id, category, title, description }) => JSON.stringify([id, category, title, description]),
      max: KEPT_MAX,
    },
  )
  return async (listing, now) => {
    const ids = await idsOf(listing, now)
    if (ids.length === 0) return []
    const [a = 0, b = 0, c = 0, d = 0] = ids
    const rows = await onShow(store, { a, b, c, d, now })
    return rows
      .filter(({ category }) => category === listing.category)
      .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
  }
}

interface Candidates {
  /** Those listed last come first. */
  ids: number[]
  /** Which of them each entry of the index of search finds, by their places in `ids`. */
  byEntry: Map<string, number[]>
}

async function readCandidates(store: Store, category: string, now: number): Promise<Candidates> {
  const { listings } = await ofCategory(store, { category, now, limit: WEIGHED_MAX })
  const ids = listings.map(({ id }) => id)
  const byEntry = new Map<string, number[]>()
  const rows = ids.length > 0 ? await entriesOf(store, listings) : []
  for (const { id, searchText } of rows) {
    for (const entry of new Set(searchText.split(' '))) {
      const places = byEntry.get(entry)
      if (places) places.push(ids.indexOf(id))
      else byEntry.set(entry, [ids.indexOf(id)])
    }
  }
  return { ids, byEntry }
}

function mostAlike(listing: Told, { ids, byEntry }: Candidates): number[] {
  const itself = ids.indexOf(listing.id)
  // By places in `ids`: maps by id take ten times as long where many share a word.
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

/** In a title, a word counts for more. */
const TITLE_WEIGHT = 3

/** How much a word counts in each listing: by the best of its variants there. */
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

function tellingWords({ title, description }: Told): string[] {
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

const onShow = statement(
  { a: 'bigint', b: 'bigint', c: 'bigint', d: 'bigint', now: 'bigint' },
  ({ a, b, c, d, now }) => sql<Shown>`
    select ${shownColumns} from listing ${itsPicture}
    where listing.id in (${a}, ${b}, ${c}, ${d})
      and listing."hiddenAt" is null and (listing."expiresAt" is null or listing."expiresAt" > ${now})`,
)
