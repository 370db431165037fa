import { longRead } from '../../platform/db/long-read.ts'
import type { Runner } from '../../platform/db/store.ts'
import { markMatches, type Stretch } from '../search/highlights.ts'
import { exactly, loosely, mistyped, type QueryWord, wordsOf } from '../search/query.ts'
import { isBeginning, wordsLike, wordsWithInside } from '../search/vocabulary.ts'
import { readDiscoveryCursor, type Shown } from './listed-row.ts'
import { type Narrowed, newestMatches, rankedMatches } from './search-matches.ts'

export type SearchOrder = 'relevance' | 'newest'

export interface SearchQuery extends Narrowed {
  /** As typed: anything at all. */
  words: string
  order?: SearchOrder | undefined
  after?: SearchCursor | undefined
  limit: number
}

/** A listing that was found, with what matched. */
export interface Found extends Shown {
  titleParts: Stretch[]
  descriptionParts: Stretch[]
}

export interface FoundPage {
  listings: Found[]
  next: SearchCursor | undefined
  /** True if no listing has the words as typed. The listings are then those of the corrected words. */
  isCorrected: boolean
}

/** Of one client, on the page and through MCP together. */
export const SEARCHES_PER_MINUTE = 60

/** Words that nobody used are taken for typos, at most so many. */
const CORRECTED_MAX = 4

/**
 * What is on show, passes the filters, and has every word: in title, host name, category or description, as it is, by
 * its stem, as a beginning, inside another word, or as one that means the same. Where nothing has them, words that no
 * listing uses are taken for typos. What was paid plays no part.
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

const NOTHING: FoundPage = { listings: [], next: undefined, isCorrected: false }

/** @returns undefined where nothing matches, on whatever page */
async function find(
  runner: Runner,
  { order = 'relevance', after, limit, ...narrowed }: SearchQuery,
  exact: QueryWord[],
  loose: () => Promise<QueryWord[]>,
): Promise<Omit<FoundPage, 'isCorrected'> | undefined> {
  // One more than wanted, to know whether others follow.
  const page = { after, limit: limit + 1 }
  const found =
    order === 'newest'
      ? await newestMatches(runner, narrowed, await loose(), page)
      : await rankedMatches(runner, narrowed, exact, loose, page)
  if (!found) return undefined
  const { matches, words } = found
  const listings = matches.slice(0, limit).map(({ score: _, ...listing }) => ({
    ...listing,
    titleParts: markMatches(listing.title, listing.language, words),
    descriptionParts: markMatches(listing.description, listing.language, words),
  }))
  const last = matches[limit - 1]
  return { listings, next: matches.length > limit && last ? { score: last.score, id: last.id } : undefined }
}

async function loosen(runner: Runner, typed: string[]): Promise<QueryWord[]> {
  const words: QueryWord[] = []
  for (const word of typed) words.push(loosely(word, await wordsWithInside(runner, word)))
  return words
}

/** @returns the words, with what those that no listing uses may have been meant as; undefined where there is none such */
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

/** Where a page of what was found ended: the page that follows it begins right after. */
export interface SearchCursor {
  /** As `scorer` gives it; 0 where the order is by newest. */
  score: number
  id: number
}

/** A cursor as part of an address, such as `1250000-42`. */
export const writeSearchCursor = ({ score, id }: SearchCursor): string => `${score}-${id}`

/** The cursor in a part of an address, or undefined where `writeSearchCursor` would not write it so. */
export function readSearchCursor(text: unknown): SearchCursor | undefined {
  const numbers = readDiscoveryCursor(text)
  return numbers && { score: numbers.publishedAt, id: numbers.id }
}
