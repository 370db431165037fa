import type { Where } from '../search/conditions.ts'
import { covers, type QueryWord } from '../search/query.ts'
import { wordScorer } from '../search/score.ts'

/** A listing, and the entries of the index that find it. */
export interface MatchRow {
  id: number
  searchText: string
}

/** A question for the newest listings with every word. */
interface Asked {
  /** The query for the index, with the filters. */
  key: string
  /** The filters, as text. */
  scope: string
  where: Where
  words: QueryWord[]
  limit: number
}

/** What one search has read so far. */
export type KnownMatches = (Asked & { rows: MatchRow[] })[]

/**
 * Answers from what a search has read. If all listings with some of the words are known, those with the others are among
 * them, so that a rare word answers for all.
 *
 * @returns undefined if the answer must be read
 */
export function knownRows(known: KnownMatches, { key, scope, where, words, limit }: Asked): MatchRow[] | undefined {
  const same = known.find(each => each.key === key && each.limit >= limit)
  if (same) return same.rows.slice(0, limit)
  const wider = known.find(
    each =>
      each.scope === scope &&
      each.where === 'anywhere' &&
      each.rows.length < each.limit &&
      each.words.every(wide => words.some(word => covers(wide, word))),
  )
  if (!wider || where === 'title') return undefined
  const scores = wordScorer(words)
  return wider.rows.filter(({ searchText }) => scores(searchText).every(score => score > 0)).slice(0, limit)
}
