import { type Page, type PageWanted, pageOf } from '../../platform/db/keyset.ts'
import { longRead, type Runner } from '../../platform/db/store.ts'
import { markMatches, type Stretch } from '../search/highlights.ts'
import { exactly, loosely, mistyped, type QueryWord, wordsOf } from '../search/query.ts'
import { isBeginning, wordsLike, wordsWithInside } from '../search/vocabulary.ts'
import { type DatedRow, readDiscoveryCursor } from './listed-row.ts'
import { type Match, type Narrowed, newestMatches, rankedMatches } from './search-matches.ts'

export type SearchOrder = 'relevance' | 'newest'

export interface SearchQuery extends Narrowed, PageWanted<SearchCursor> {
  /** As typed, so it can be any text. */
  words: string
  order?: SearchOrder | undefined
}

/** A search result, with its matching words marked. */
export interface Found extends DatedRow {
  titleParts: Stretch[]
  descriptionParts: Stretch[]
}

export interface FoundPage {
  rows: Found[]
  next: SearchCursor | undefined
  /** True if no listing has the words as typed. The results are then those of the corrected words. */
  isCorrected: boolean
}

/** Per client, on the page and through MCP together. */
export const SEARCHES_PER_MINUTE = 60

/** How many words of a query can be corrected. */
const CORRECTED_MAX = 4

/**
 * Finds published listings that pass the filters and have every word in title, host name, category or description. A
 * word matches as typed, by its stem, as a beginning, inside another word, or by a synonym. If no listing has them all,
 * words that no listing uses are corrected. Payments don't affect the result.
 */
export const search = longRead(
  'search',
  async (runner, query: SearchQuery) => {
    const typed = wordsOf(query.words)
    if (typed.length === 0) return NOTHING
    const exact = typed.map(word => exactly(word))
    const found = await find(runner, query, exact, () => loosen(runner, typed))
    if (found) return { ...found, isCorrected: false }
    const loose = await loosen(runner, typed)
    for (const typos of [1, 2] as const) {
      const meant = await correct(runner, loose, typos)
      const corrected = meant && (await find(runner, query, meant, async () => meant))
      if (corrected) return { ...corrected, isCorrected: true }
    }
    return NOTHING
  },
  'search',
)

const NOTHING: FoundPage = { rows: [], next: undefined, isCorrected: false }

/** @returns undefined if nothing matches on any page */
async function find(
  runner: Runner,
  { order = 'relevance', after, limit, ...narrowed }: SearchQuery,
  exact: QueryWord[],
  loose: () => Promise<QueryWord[]>,
): Promise<Omit<FoundPage, 'isCorrected'> | undefined> {
  // One extra row shows whether more follow.
  const page = { after, limit: limit + 1 }
  const found =
    order === 'newest'
      ? await newestMatches(runner, narrowed, await loose(), page)
      : await rankedMatches(runner, narrowed, exact, loose, page)
  if (!found) return undefined
  const { matches, words } = found
  const { rows, next }: Page<Match> = pageOf(matches, limit)
  const marked = rows.map(row => ({
    ...row,
    titleParts: markMatches(row.title, row.language, words),
    descriptionParts: markMatches(row.description, row.language, words),
  }))
  return { rows: marked, next }
}

async function loosen(runner: Runner, typed: string[]): Promise<QueryWord[]> {
  const words: QueryWord[] = []
  for (const word of typed) words.push(loosely(word, await wordsWithInside(runner, word)))
  return words
}

/** @returns the words, with similar ones in place of those that no listing uses; undefined if there are none */
async function correct(runner: Runner, words: QueryWord[], typos: 1 | 2): Promise<QueryWord[] | undefined> {
  const corrected: QueryWord[] = []
  let count = 0
  for (const word of words) {
    const mayBeWrong = count < CORRECTED_MAX && !word.isKnown && !(await isBeginning(runner, word.typed))
    const like = mayBeWrong ? await wordsLike(runner, word.typed, typos) : []
    if (like.length > 0) count++
    corrected.push(like.length > 0 ? mistyped(word.typed, like) : word)
  }
  return count > 0 ? corrected : undefined
}

/** A position in the results. The next page begins right after it. */
export interface SearchCursor {
  /** From `scorer`; 0 if the newest come first. */
  score: number
  id: number
}

/** Encodes a cursor for a URL, such as `1250000-42`. */
export const writeSearchCursor = ({ score, id }: SearchCursor): string => `${score}-${id}`

/** Parses a cursor from a URL. Returns undefined for anything that `writeSearchCursor` does not write. */
export function readSearchCursor(text: unknown): SearchCursor | undefined {
  const numbers = readDiscoveryCursor(text)
  return numbers && { score: numbers.publishedAt, id: numbers.id }
}
