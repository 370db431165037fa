import type { PageWanted } from '../../platform/db/keyset.ts'
import { exactly, likeliest, type QueryWord, withoutMost } from '../search/query.ts'
import { scorer } from '../search/score.ts'
import { asPublic, type PublicRow } from './public-listing.ts'
import { type MatchRow, matchAll, type Narrowed, type SearchRunner } from './search-index.ts'

/** A listing that was found. Its score is 0 if the newest come first. */
export type Match = PublicRow & Ranked

export interface Matches {
  matches: Match[]
  /** The words that the matches have. */
  words: QueryWord[]
  /** All that were ranked, for the filters; undefined if only these matches were read. */
  ranked?: readonly MatchRow[]
}

/** How many matches are ranked: the newest, and in addition the newest with every word in the title. */
export const RANKED_MAX = 200
const RANKED_BY_TITLE_MAX = 50

/** How many listings of each word are compared where none has every word: the newest. */
export const EACH_MAX = 100

/** With as many matches, less likely variants of the words are not searched, which would come last. */
const ENOUGH = 24

/** Matches with a lower share of the best score are left out: if a word itself is found, its synonyms are noise. */
const LEAST_OF_BEST = 0.5

/**
 * Finds the best matches; among equal scores, the newest. Other forms of the words, and then similar words, are only
 * searched if too few listings have the words themselves. So a word that every listing has costs no more than a rare one.
 *
 * @param first matches that come before all others
 * @returns undefined if nothing matches
 */
export async function rankedMatches(
  runner: SearchRunner,
  narrowed: Narrowed,
  exact: QueryWord[],
  loose: () => Promise<QueryWord[]>,
  { after, limit }: PageWanted<Ranked>,
  first: readonly MatchRow[] = [],
): Promise<Matches | undefined> {
  let words = exact
  let found = await candidates(runner, narrowed, words)
  if (found.length < ENOUGH) {
    const looser = await loose()
    const loosest = looser === exact ? undefined : await loosestOf(runner, narrowed, looser)
    for (const next of loosest ? [likeliest(loosest), loosest] : []) {
      if (found.length >= ENOUGH) break
      words = next
      found = await candidates(runner, narrowed, words)
    }
  }
  if (found.length === 0) return undefined
  const ranked = rank(found, words, first)
  const page = ranked.filter(match => !after || bestFirst(after, match) < 0).slice(0, limit)
  const shown = page.map(({ id, score }) => ({ id, score }))
  return { matches: await asPublic(runner, shown), words, ranked }
}

/**
 * Returns several words without the unlikely variants of those that many listings have, which would take long to read
 * and are less needed.
 *
 * @returns undefined if one of them is nowhere
 */
async function loosestOf(
  runner: SearchRunner,
  narrowed: Narrowed,
  loose: QueryWord[],
): Promise<QueryWord[] | undefined> {
  const limit = loose.length < 2 ? RANKED_MAX : EACH_MAX
  const words: QueryWord[] = []
  for (const word of loose) {
    const { rows, used } = await newestOf(runner, narrowed, word, limit)
    if (rows.length === 0) return undefined
    words.push(rows.length < limit ? word : used)
  }
  return words
}

/** Whether so many listings have a word that its meanings and words that contain it are not needed. */
export const isCommon = async (runner: SearchRunner, narrowed: Narrowed, word: string): Promise<boolean> =>
  (await matchAll(runner, narrowed, [exactly(word)], 'anywhere', EACH_MAX)).length === EACH_MAX

/** Returns the newest listings of a word, and those of its variants that were needed to find enough. */
export async function newestOf(runner: SearchRunner, narrowed: Narrowed, word: QueryWord, limit = EACH_MAX) {
  const read = (used: QueryWord) => matchAll(runner, narrowed, [used], 'anywhere', limit)
  const [exact, most] = [exactly(word.typed), withoutMost(word)]
  // What is rare with most variants is known with fewer.
  if ((await read(exact)).length < limit / 4) {
    runner.rare?.add(word.typed)
    await read(most)
  }
  for (const used of [exact, ...likeliest([word]), most]) {
    const rows = await read(used)
    if (rows.length === limit) return { rows, used }
  }
  return { rows: await read(word), used: word }
}

/** Returns what a search for some words without filters ranks, best first. */
export const allRanked = async (runner: SearchRunner, now: number, words: QueryWord[]): Promise<readonly MatchRow[]> =>
  rank(await candidates(runner, { now }, words), words)

function rank(found: MatchRow[], words: QueryWord[], first: readonly MatchRow[] = []): (MatchRow & Ranked)[] {
  const score = scorer(words)
  const isFirst = new Set(first.map(({ id }) => id))
  const scored = [...new Map([...found, ...first].map(row => [row.id, row])).values()].map(row => ({
    ...row,
    score: score(row.searchText),
  }))
  const least = Math.max(...scored.map(row => row.score)) * LEAST_OF_BEST
  return scored
    .filter(row => row.score >= least || isFirst.has(row.id))
    .map(row => ({ ...row, score: row.score + (isFirst.has(row.id) ? FIRST_SCORE : 0) }))
    .sort(bestFirst)
}

/** More than any score of eight words. */
const FIRST_SCORE = 1e7

async function candidates(runner: SearchRunner, narrowed: Narrowed, words: QueryWord[]): Promise<MatchRow[]> {
  const anywhere = await matchAll(runner, narrowed, words, 'anywhere', RANKED_MAX)
  if (anywhere.length < RANKED_MAX) return anywhere
  return [...anywhere, ...(await matchAll(runner, narrowed, words, 'title', RANKED_BY_TITLE_MAX))]
}

/**
 * Finds the newest matches: the ranked ones, if all can be, so that the filters count what is shown.
 *
 * @returns undefined if nothing matches on any page
 */
export async function newestMatches(
  runner: SearchRunner,
  narrowed: Narrowed,
  words: QueryWord[],
  { after, limit }: PageWanted<Ranked>,
): Promise<Matches | undefined> {
  const found = await matchAll(runner, narrowed, words, 'anywhere', RANKED_MAX)
  if (found.length === 0) return undefined
  const newest =
    found.length < RANKED_MAX
      ? rank(found, words)
          .filter(({ id }) => !after || id < after.id)
          .sort((one, other) => other.id - one.id)
      : after
        ? await matchAll(runner, narrowed, words, 'anywhere', limit, after.id)
        : found
  const shown = newest.slice(0, limit).map(({ id }) => ({ id, score: 0 }))
  return { matches: await asPublic(runner, shown), words }
}

export interface Ranked {
  id: number
  score: number
}

const bestFirst = (one: Ranked, other: Ranked) => other.score - one.score || other.id - one.id
