import type { CompiledQuery } from 'kysely'
import { type Page, type PageWanted, pageOf } from '../../platform/db/keyset.ts'
import { longRead, type Runner } from '../../platform/db/store.ts'
import { marker, type Stretch } from '../search/highlights.ts'
import { exactly, likeliest, type QueryWord, wordsOf } from '../search/query.ts'
import { missingWords } from '../search/vocabulary.ts'
import { distinctiveOf, isDistinctive } from '../search/weak-words.ts'
import { readDiscoveryCursor } from './listed-row.ts'
import type { PublicRow } from './public-listing.ts'
import { type FilterCounts, filterCounts } from './search-filters.ts'
import { type MatchRow, matchAll, type Narrowed, type SearchRunner } from './search-index.ts'
import {
  allRanked,
  isCommon,
  type Match,
  type Matches,
  newestMatches,
  RANKED_MAX,
  rankedMatches,
} from './search-matches.ts'
import { partialMatches } from './search-partial.ts'
import { correct, inParts, relaxQuery } from './search-words.ts'

export type SearchOrder = 'relevance' | 'newest'

export interface SearchQuery extends Narrowed, PageWanted<SearchCursor> {
  /** As typed, so it can be any text. */
  words: string
  order?: SearchOrder | undefined
  /** Searches for exactly these words, without corrections. */
  isExact?: boolean | undefined
}

/** A search result, with its matching words marked. */
export interface SearchResult extends PublicRow {
  titleParts: Stretch[]
  descriptionParts: Stretch[]
  /** The words of the query that the listing doesn't have. Results with every word come first. */
  missing: string[]
}

export interface SearchResults {
  rows: SearchResult[]
  next: SearchCursor | undefined
  /** True if no listing has the words as typed. The results are then those of the corrected words. */
  isCorrected: boolean
  /** The words that were searched for, if that differs from what was typed by more than words that say little. */
  corrected: string | undefined
  /** How many results each filter would leave. */
  counts: FilterCounts
  /** If nothing was found: the closest matches, which have little of the query. */
  nearest: Match[]
}

/** What was found, before its words are marked. */
interface Answer extends Matches {
  missing?: ReadonlyMap<number, string[]>
  isCorrected?: boolean
}

/** Per client, on the page and through MCP together. */
export const SEARCHES_PER_MINUTE = 60

/**
 * The least part of a query that a listing with some of its words must answer, as a share of what a perfect one would
 * score. If words were corrected, too, less would be chance.
 */
const [LEAST_ANSWERED, LEAST_CORRECTED] = [0.16, 0.26]

/** If fewer listings have every word, search adds others until there are as many. */
const FEW = 5

/**
 * Finds published listings that pass the filters and have every word in title, host name, category or description. A
 * word matches as typed, by its stem, as a beginning, inside another word, or by a synonym. Where few listings have every
 * word, words that say little only put them first. Where none has, words that no listing uses are corrected. If they are
 * still few, listings with the most of the words follow. Payments don't affect the result.
 */
export const search = longRead(
  'search',
  async (given: Runner, query: SearchQuery): Promise<SearchResults> => {
    const runner = readingOnce(given)
    const typed = wordsOf(query.words)
    const found = typed.length === 0 ? undefined : await answerTo(runner, query, typed)
    const answer = found && (await withOthers(runner, query, found))
    if (!found || !answer) {
      const nearest = typed.length === 0 || query.after ? [] : await nearestTo(runner, query, typed)
      return { ...NOTHING, nearest, counts: await filterCounts(runner, []) }
    }
    const { matches, words, missing, isCorrected = false } = answer
    const { rows, next }: Page<Match> = pageOf(matches, query.limit)
    const mark = marker(words)
    const marked = rows.map(row => ({
      ...row,
      titleParts: mark(row.title, row.language),
      descriptionParts: mark(row.description, row.language),
      missing: missing?.get(row.id) ?? [],
    }))
    // Of listings with only some of the words, no others are known than these.
    const isAll = found.missing || !(query.category || query.language || query.isVerified || query.hasPicture)
    const { ranked: shown = [] } = answer
    const all = isAll && shown.length > 0 ? [] : await allRanked(runner, query.now, words)
    // Those that are shown with a filter count, even if they would be too far behind others without it.
    const ranked = [...new Map([...all, ...shown].map(row => [row.id, row])).values()]
    return {
      rows: marked,
      next,
      isCorrected,
      corrected: isCorrected ? words.map(asSearched).join(' ') : undefined,
      counts: await filterCounts(runner, ranked),
      nearest: [],
    }
  },
  'search',
)

/** Runs each statement with the same values once, because the steps of a search repeat what earlier ones read. */
function readingOnce(runner: Runner): SearchRunner {
  const known = new Map<string, Promise<{ rows: unknown[] }>>()
  return {
    engine: runner.engine,
    earlier: [],
    rare: new Set(),
    executeQuery: <Row>(query: CompiledQuery<Row>) => {
      const key = JSON.stringify([query.sql, query.parameters])
      const rows = known.get(key) ?? runner.executeQuery<Row>(query)
      known.set(key, rows)
      return rows as Promise<{ rows: Row[] }>
    },
  }
}

const NOTHING = { rows: [], next: undefined, isCorrected: false, corrected: undefined }

const asSearched = ({ typed, variants }: QueryWord) =>
  variants.some(({ entry }) => entry === typed) ? typed : (variants[0]?.entry ?? typed)

/** The nearest listings that nothing was found for: how many, and the least part of the query that they answer. */
const [NEAREST_MAX, NEAREST_LEAST] = [4, 0.1]

/** In other categories, too. What the other filters ask for holds for these as well. */
async function nearestTo(runner: SearchRunner, query: SearchQuery, typed: string[]): Promise<Match[]> {
  const words = await relaxQuery(runner, query, distinctiveOf(typed))
  return words.some(({ typed: word }) => isDistinctive(word))
    ? partialMatches(runner, { ...query, category: undefined }, words, NEAREST_MAX, NEAREST_LEAST)
    : []
}

async function answerTo(runner: SearchRunner, query: SearchQuery, typed: string[]): Promise<Answer | undefined> {
  const distinctive = distinctiveOf(typed)
  const exact = distinctive.map(word => exactly(word))
  let first: MatchRow[] = []
  // What few listings have answers for all words together.
  for (const word of await missingWords(runner, distinctive)) {
    runner.rare?.add(word)
    if (distinctive.length > 1) await isCommon(runner, query, word)
  }
  if (distinctive.length < typed.length) {
    await matchAll(runner, query, exact, 'anywhere', RANKED_MAX)
    // A name such as “How to” is found as it is. Other forms and meanings of words that say little would be chance.
    const whole = typed.map(word => exactly(word))
    const named = await matchAll(runner, query, whole, 'anywhere', FEW)
    const isEnough =
      named.length === FEW || isOne(query) || typed.some(word => /\p{N}/u.test(word) && !isDistinctive(word))
    if (named.length > 0 && isEnough) return find(runner, query, whole, async () => whole)
    first = named
  }
  let relaxed: Promise<QueryWord[]> | undefined
  const loose = () => (relaxed ??= relaxQuery(runner, query, distinctive))
  const found = await find(runner, query, exact, loose, first)
  if (found) return found
  const parts = await inParts(runner, query, await loose())
  const foundByParts = parts && (await find(runner, query, likeliest(parts), async () => parts))
  if (foundByParts) return foundByParts
  let last = { words: parts ?? (await loose()), isCorrected: false }
  for (const typos of query.isExact ? [] : ([1, 2] as const)) {
    const words = await correct(runner, last.words, typos)
    if (!words) continue
    const found = await find(runner, query, likeliest(words), async () => words)
    if (found) return { ...found, isCorrected: true }
    last = { words, isCorrected: true }
  }
  // The only page: a listing without a word is no reason to read on.
  if (last.words.length < 2 || !distinctive.every(isDistinctive) || query.after) return undefined
  const some = await partialMatches(
    runner,
    query,
    last.words,
    query.limit,
    last.isCorrected ? LEAST_CORRECTED : LEAST_ANSWERED,
  )
  if (some.length === 0) return undefined
  return { ...last, matches: some, ranked: some, missing: new Map(some.map(({ id, missing }) => [id, missing])) }
}

/** Whether something was typed without a blank, such as a host name: only listings with all of it answer that. */
const isOne = ({ words }: SearchQuery): boolean => !/\s/.test(words.trim())

/** Adds listings with the most of the words, if few have all of them. No filter counts them, and no page follows. */
async function withOthers(runner: SearchRunner, query: SearchQuery, answer: Answer): Promise<Answer> {
  const { matches, ranked, words } = answer
  const distinctive = words.filter(({ typed }) => isDistinctive(typed))
  const missing = Math.min(FEW, query.limit) - matches.length
  const isFew = missing > 0 && !query.after && !isOne(query)
  if (!isFew || !ranked || answer.missing || answer.isCorrected || distinctive.length < 2) return answer
  const some = await partialMatches(runner, query, distinctive, FEW, LEAST_ANSWERED)
  const known = new Set(ranked.map(({ id }) => id))
  const others = some.filter(({ id }) => !known.has(id)).slice(0, missing)
  return { ...answer, matches: [...matches, ...others], missing: new Map(others.map(each => [each.id, each.missing])) }
}

/** @returns undefined if nothing matches on any page */
function find(
  runner: SearchRunner,
  { order = 'relevance', after, limit, ...narrowed }: SearchQuery,
  exact: QueryWord[],
  loose: () => Promise<QueryWord[]>,
  first: readonly MatchRow[] = [],
): Promise<Matches | undefined> {
  // One extra row shows whether more follow.
  const page = { after, limit: limit + 1 }
  return order === 'newest'
    ? loose().then(words => newestMatches(runner, narrowed, words, page))
    : rankedMatches(runner, narrowed, exact, loose, page, first)
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
