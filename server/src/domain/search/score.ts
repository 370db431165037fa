import { DESCRIPTION, FILTER, TITLE } from './entries.ts'
import type { QueryWord } from './query.ts'

// BM25F without one of its parts: entries contain whether a word is there, not how often. Where every result has every
// word, the rarity of a word would only weigh words against each other, so it counts in `search-partial.ts` only.

const WEIGHT = { title: 3, place: 1.5, description: 1 }
/** Entries of a usual listing, stems included. */
const USUAL_LENGTH = { title: 8, place: 6, description: 25 }
/** The k1 and b of BM25. */
const SATURATION = 1.2
const LENGTH_COUNTS = 0.4

type Field = keyof typeof WEIGHT

/**
 * Returns how well a listing fits: a whole number, higher is better, always the same for the same listing and words.
 */
export function scorer(words: readonly QueryWord[]): (searchText: string) => number {
  const scores = wordScorer(words)
  return searchText => Math.round(scores(searchText).reduce((sum, each) => sum + each, 0) * 1e6)
}

/** Returns how well a listing fits each word: from 0, if it doesn't have the word, to less than 1. */
export function wordScorer(words: readonly QueryWord[]): (searchText: string) => number[] {
  const qualities = qualitiesOf(words)
  return searchText => {
    const { best, lengths } = bestOf(searchText, words.length, qualities)
    return best.map(ofWord => {
      const quality = Math.max(...FIELDS.map(field => ofWord[field]))
      const weight = FIELDS.reduce((all, field) => all + ofWord[field] * worth(field, lengths[field]), 0)
      // Weights saturate, but quality does not: a variant counts as a variant, wherever it is.
      return (quality * weight) / (weight + SATURATION * quality || 1)
    })
  }
}

const FIELDS: readonly Field[] = ['title', 'place', 'description']

const worth = (field: Field, length: number) =>
  WEIGHT[field] / (1 - LENGTH_COUNTS + (LENGTH_COUNTS * length) / USUAL_LENGTH[field])

/** How well an entry counts as each word; undefined if it counts as none. Most entries are in many listings. */
function qualitiesOf(words: readonly QueryWord[]): (entry: string) => number[] | undefined {
  const ofWords = words.map(qualityOf)
  const known = new Map<string, number[] | undefined>()
  return entry => {
    if (known.has(entry)) return known.get(entry)
    const qualities = ofWords.map(quality => quality(entry))
    const found = qualities.some(quality => quality > 0) ? qualities : undefined
    known.set(entry, found)
    return found
  }
}

/** The quality of each word's best variant in each field. */
function bestOf(searchText: string, count: number, qualities: (entry: string) => number[] | undefined) {
  const best = Array.from({ length: count }, () => ({ title: 0, place: 0, description: 0 }))
  const lengths = { title: 0, place: 0, description: 0 }
  let rest: Field = 'place'
  for (const written of searchText.split(' ')) {
    if (written === DESCRIPTION) rest = 'description'
    if (written === DESCRIPTION || written.startsWith(FILTER)) continue
    const isOfTitle = written.startsWith(TITLE)
    const field = isOfTitle ? 'title' : rest
    const entry = isOfTitle ? written.slice(TITLE.length) : written
    lengths[field]++
    const found = qualities(entry)
    if (!found) continue
    for (const [place, ofWord] of best.entries()) ofWord[field] = Math.max(ofWord[field], found[place] ?? 0)
  }
  return { best, lengths }
}

/** Returns how well an entry counts as a typed word, from 0 (not at all) to 1. */
export function qualityOf({ variants }: QueryWord): (entry: string) => number {
  const whole = new Map<string, number>()
  for (const { entry, isBeginning, quality } of variants) {
    if (!isBeginning) whole.set(entry, Math.max(quality, whole.get(entry) ?? 0))
  }
  const beginnings = variants.filter(({ isBeginning }) => isBeginning).sort((a, b) => b.quality - a.quality)
  return entry => whole.get(entry) ?? beginnings.find(beginning => entry.startsWith(beginning.entry))?.quality ?? 0
}
