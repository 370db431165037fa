import { isLookedFor } from '../search/category-words.ts'
import { type QueryWord, withoutShortBeginnings } from '../search/query.ts'
import { wordScorer } from '../search/score.ts'
import { lastId } from './id-ranges.ts'
import { asPublic } from './public-listing.ts'
import { type MatchRow, matchAll, type Narrowed, type SearchRunner } from './search-index.ts'
import { EACH_MAX, type Match, newestOf } from './search-matches.ts'

export interface PartialMatch extends Match, MatchRow {
  /** The words that it doesn't have, as typed. */
  missing: string[]
}

/** The least part of a query that a listing with several of its words must answer, which are seldom there by chance. */
const LEAST_ANSWERED_BY_SEVERAL = 0.1
/** How much more a word weighs that names what people look for, if no listing has it. */
const WANTED_WEIGHT = 3
/** Matches with a lower share of the best score are left out. */
const LEAST_OF_BEST = 0.6

/**
 * Finds listings that have some of the words, best first. The rarer a word is, the more it weighs. Costs one read for
 * each word, and one for the common words together, however many listings have them.
 *
 * @param leastAnswered the least part of the query that a listing must answer, as a share of what a perfect one scores
 */
export async function partialMatches(
  runner: SearchRunner,
  narrowed: Narrowed,
  typed: QueryWord[],
  limit: number,
  leastAnswered: number,
): Promise<PartialMatch[]> {
  const words = withoutShortBeginnings(typed)
  const newest = await lastId(runner)
  const read = (some: QueryWord[]) => matchAll(runner, narrowed, some, 'anywhere', EACH_MAX)
  const found = new Map<number, string>()
  const common: QueryWord[] = []
  const rarities: (number | undefined)[] = []
  for (const word of words) {
    const { rows, used } = await newestOf(runner, narrowed, word)
    for (const { id, searchText } of rows) found.set(id, searchText)
    if (rows.length === EACH_MAX) common.push(used)
    rarities.push(rarityOf(rows, newest))
  }
  if (common.length > 1) for (const { id, searchText } of await read(common)) found.set(id, searchText)
  if (found.size === 0) return []
  return asPublic(runner, rank(found, words, rarities, leastAnswered).slice(0, limit))
}

function rank(found: Map<number, string>, words: QueryWord[], rarities: (number | undefined)[], leastAnswered: number) {
  const scores = wordScorer(words)
  const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0)
  // A word that no listing has weighs as much as the others, because its rarity says nothing about this query. If it
  // names what people look for, such as “dentist”, listings with only the other words are no answer.
  const known = rarities.filter(rarity => rarity !== undefined)
  const weights = rarities.map((rarity, place) => {
    const isWanted = isLookedFor(words[place]?.typed ?? '')
    return rarity ?? ((isWanted ? WANTED_WEIGHT : 1) * sum(known)) / known.length
  })
  const ranked = [...found]
    .map(([id, searchText]) => {
      const ofWords = scores(searchText)
      const missing = words.filter((_, place) => ofWords[place] === 0).map(({ typed }) => typed)
      return {
        id,
        searchText,
        missing,
        score: sum(ofWords.map((each, place) => each * (weights[place] ?? 0))) / sum(weights),
      }
    })
    .sort((one, other) => other.score - one.score || other.id - one.id)
  const least = (ranked[0]?.score ?? 0) * LEAST_OF_BEST
  return ranked.filter(({ score, missing }) => {
    const hasSeveral = words.length - missing.length > 1
    return score >= Math.max(least, hasSeveral ? Math.min(leastAnswered, LEAST_ANSWERED_BY_SEVERAL) : leastAnswered)
  })
}

/**
 * The logarithm of how many listings there are for each that has a word. If many have it, the newest are a sample.
 *
 * @returns undefined if no listing has it
 */
function rarityOf(rows: { id: number }[], newest: number): number | undefined {
  if (rows.length === 0) return undefined
  const oldest = rows.at(-1)?.id ?? newest
  const among = rows.length === EACH_MAX ? newest - oldest + 1 : newest
  return Math.log(1 + among / (rows.length + 1))
}
