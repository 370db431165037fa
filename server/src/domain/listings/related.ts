import { CATEGORIES } from '@placard/contract'
import { sql } from 'kysely'
import { statementOfRows } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { cached } from '../../platform/lib/cache.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { TITLE } from '../search/entries.ts'
import { isSolid, runsOf } from '../search/fold.ts'
import { ofListing, type QueryWord, wordsOf } from '../search/query.ts'
import { isDistinctive } from '../search/weak-words.ts'
import { findPublished, newest, ofCategory } from './discovery.ts'
import type { DatedRow } from './listed-row.ts'
import type { Product } from './listing.ts'

type Subject = Pick<Product, 'slug' | 'category' | 'title' | 'description' | 'language'>

const RELATED_MAX = 4
/** How many listings are compared: the newest of the category, and the newest of all. */
const [COMPARED_OF_CATEGORY, COMPARED_OF_ALL] = [200, 1000]
/** How many words of a listing are compared: its first. In scripts without blanks, each is a piece of a word. */
const [WORDS_MAX, PIECES_MAX, WORD_MIN_LENGTH] = [24, 4, 3]

/** Across categories, one word in common may mean something else: there must be two, or one in both titles. */
const [SHARED_IN_CATEGORY, SHARED_ELSEWHERE, IN_BOTH_TITLES] = [1, 2, 2]

const untilOf = (_: unknown, now: number) => now + 10 * MINUTE_MS
const CACHED_MAX = 10_000

/**
 * Finds published listings with the most words in common, in any category. Rare words count for more, and those of a
 * long description for less. The newest listings of a category, and of all, are read together and cached for ten
 * minutes; whether one is still published is read each time.
 *
 * @returns a function of a listing and the time
 */
export function relatedListings(store: Store): (listing: Subject, now: number) => Promise<DatedRow[]> {
  const candidatesOf = cached((category: string, now) => readCandidates(store, category, now), {
    name: 'related_candidates',
    keyOf: category => category,
    max: CATEGORIES.length + 1,
    untilOf,
  })
  const slugsOf = cached(
    async (listing: Subject, now) => {
      const sets = await Promise.all([candidatesOf(listing.category, now), candidatesOf(EVERY_CATEGORY, now)])
      return mostAlike(sets.map(candidates => scoresOf(listing, candidates)))
    },
    {
      name: 'related',
      keyOf: ({ slug, category, title, description }) => JSON.stringify([slug, category, title, description]),
      max: CACHED_MAX,
      untilOf,
    },
  )
  return async (listing, now) => {
    const slugs = await slugsOf(listing, now)
    return slugs.length > 0 ? findPublished(store, slugs, now) : []
  }
}

const EVERY_CATEGORY = ''

interface Candidates {
  /** How many words a listing must share. */
  sharedMin: number
  /** Newest first. */
  slugs: string[]
  /** By entry of the search index: the listings that have it, as indexes of `slugs`. */
  byEntry: Map<string, number[]>
  /** How long each listing is in the index, as a share of the mean. */
  lengths: Float64Array
}

async function readCandidates(store: Store, category: string, now: number): Promise<Candidates> {
  const { rows } =
    category === EVERY_CATEGORY
      ? await newest(store, { now, limit: COMPARED_OF_ALL })
      : await ofCategory(store, { category, now, limit: COMPARED_OF_CATEGORY })
  const byEntry = new Map<string, number[]>()
  const lengths = new Float64Array(rows.length)
  const placeOf = new Map(rows.map(({ id }, place) => [id, place]))
  for (const { id, searchText } of rows.length > 0 ? await entriesOf(store, rows) : []) {
    const place = placeOf.get(id) ?? 0
    const entries = new Set(searchText.split(' '))
    lengths[place] = entries.size
    for (const entry of entries) {
      const places = byEntry.get(entry)
      if (places) places.push(place)
      else byEntry.set(entry, [place])
    }
  }
  const sharedMin = category === EVERY_CATEGORY ? SHARED_ELSEWHERE : SHARED_IN_CATEGORY
  const mean = lengths.reduce((sum, each) => sum + each, 0) / lengths.length
  return { sharedMin, slugs: rows.map(({ slug }) => slug), byEntry, lengths: lengths.map(each => each / mean) }
}

/** Returns how much each candidate has in common with a listing, by its slug. Leaves out those that share too few words. */
function scoresOf(
  listing: Subject,
  { sharedMin, slugs, byEntry, lengths }: Candidates,
): [slug: string, score: number][] {
  const itself = slugs.indexOf(listing.slug)
  // Indexed like `slugs`: maps take ten times as long if many listings share a word.
  const scores = new Float64Array(slugs.length)
  const weights = new Float64Array(slugs.length)
  const shared = new Uint8Array(slugs.length)
  const inTitle = new Set(runsOf(listing.title))
  for (const word of distinctiveWords(listing)) {
    weights.fill(0)
    weigh(weights, byEntry, ofListing(word, listing.language))
    weights[itself] = 0
    let sharing = 0
    for (let place = 0; place < slugs.length; place++) if (weights[place]) sharing++
    if (sharing === 0) continue
    // From 0 to 1, so that a word counts as much in a small set as in a large one.
    const rarity = Math.log(1 + slugs.length / sharing) / Math.log(1 + slugs.length)
    for (const [place, weight] of weights.entries()) {
      if (weight === 0) continue
      const worth = weight / (1 - LENGTH_COUNTS + LENGTH_COUNTS * (lengths[place] ?? 1))
      scores[place] = (scores[place] ?? 0) + worth * rarity
      shared[place] = (shared[place] ?? 0) + (weight > 1 && inTitle.has(word) ? IN_BOTH_TITLES : 1)
    }
  }
  return slugs
    .map((slug, place): [string, number] => [slug, scores[place] ?? 0])
    .filter((_, place) => (shared[place] ?? 0) >= sharedMin)
}

/** Returns the best candidates of several sets. A candidate in two of them has the better score. */
function mostAlike(sets: [slug: string, score: number][][]): string[] {
  const scores = new Map<string, number>()
  for (const [slug, score] of sets.flat()) scores.set(slug, Math.max(score, scores.get(slug) ?? 0))
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, RELATED_MAX)
    .map(([slug]) => slug)
}

const TITLE_WEIGHT = 1.5
/** The b of BM25. */
const LENGTH_COUNTS = 0.5

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

function distinctiveWords({ title, description }: Subject): string[] {
  const runs = [...new Set(runsOf(`${title} ${description}`))]
  const words = runs.filter(run => !isSolid(run) && run.length >= WORD_MIN_LENGTH && isDistinctive(run))
  const pieces = new Set(runs.filter(isSolid).flatMap(run => wordsOf(run)))
  return [...words.slice(0, WORDS_MAX), ...[...pieces].slice(0, PIECES_MAX)]
}

const entriesOf = statementOfRows(
  { id: 'bigint' },
  rows => sql<{ id: number; searchText: string }>`
    select id, "searchText" from listing where id in (${sql.join(rows.map(({ id }) => id))})`,
)
