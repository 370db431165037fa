import { type RawBuilder, sql } from 'kysely'
import type { PageWanted } from '../../platform/db/keyset.ts'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import { expressionOf, type SearchFilters, type Where } from '../search/conditions.ts'
import { exactly, likeliest, type QueryWord } from '../search/query.ts'
import { scorer } from '../search/score.ts'
import { type DatedRow, datedColumns, isPublished, joinPicture } from './listed-row.ts'

/** The filters of a search, in addition to its words. */
export interface Narrowed extends SearchFilters {
  /** Unix milliseconds. */
  now: number
  /** Only listings whose owner is verified. */
  isVerified?: boolean | undefined
  /** Only listings with a picture of their own. */
  hasPicture?: boolean | undefined
}

/** A listing that was found. Its score is 0 if the newest come first. */
export type Match = DatedRow & Ranked

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
 * @returns undefined if nothing matches
 */
export async function rankedMatches(
  runner: Runner,
  narrowed: Narrowed,
  exact: QueryWord[],
  loose: () => Promise<QueryWord[]>,
  { after, limit }: PageWanted<Ranked>,
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
  const ranked = rank(found, words)
  const page = ranked.filter(match => !after || bestFirst(after, match) < 0).slice(0, limit)
  return { matches: await shown(runner, page), words, ranked }
}

/**
 * Returns several words without the unlikely variants of those that many listings have, which would take long to read
 * and are less needed.
 *
 * @returns undefined if one of them is nowhere
 */
async function loosestOf(runner: Runner, narrowed: Narrowed, loose: QueryWord[]): Promise<QueryWord[] | undefined> {
  if (loose.length < 2) return loose
  const words: QueryWord[] = []
  for (const word of loose) {
    const { rows, used } = await newestOf(runner, narrowed, word)
    if (rows.length === 0) return undefined
    words.push(rows.length < EACH_MAX ? word : used)
  }
  return words
}

/** Returns the newest listings of a word, and those of its variants that were needed to find enough. */
export async function newestOf(runner: Runner, narrowed: Narrowed, word: QueryWord) {
  for (const used of [exactly(word.typed), ...likeliest([word])]) {
    const rows = await matchAll(runner, wantedOf(runner, narrowed, [used], 'anywhere', EACH_MAX))
    if (rows.length === EACH_MAX) return { rows, used }
  }
  return { rows: await matchAll(runner, wantedOf(runner, narrowed, [word], 'anywhere', EACH_MAX)), used: word }
}

/** Returns what a search for some words without filters ranks, best first. */
export const allRanked = async (runner: Runner, now: number, words: QueryWord[]): Promise<readonly MatchRow[]> =>
  rank(await candidates(runner, { now }, words), words)

function rank(found: MatchRow[], words: QueryWord[]): (MatchRow & Ranked)[] {
  const score = scorer(words)
  const ranked = [...new Map(found.map(row => [row.id, row])).values()]
    .map(row => ({ ...row, score: score(row.searchText) }))
    .sort(bestFirst)
  const least = (ranked[0]?.score ?? 0) * LEAST_OF_BEST
  return ranked.filter(match => match.score >= least)
}

async function candidates(runner: Runner, narrowed: Narrowed, words: QueryWord[]): Promise<MatchRow[]> {
  const anywhere = await matchAll(runner, wantedOf(runner, narrowed, words, 'anywhere', RANKED_MAX))
  if (anywhere.length < RANKED_MAX) return anywhere
  return [...anywhere, ...(await matchAll(runner, wantedOf(runner, narrowed, words, 'title', RANKED_BY_TITLE_MAX)))]
}

/** Finds the newest matches. @returns undefined if nothing matches on any page */
export async function newestMatches(
  runner: Runner,
  narrowed: Narrowed,
  words: QueryWord[],
  { after, limit }: PageWanted<Ranked>,
): Promise<Matches | undefined> {
  const read = (count: number, before?: number) =>
    matchAll(runner, wantedOf(runner, narrowed, words, 'anywhere', count, before))
  const rows = await read(limit, after?.id)
  const isMatched = rows.length > 0 || (after !== undefined && (await read(1)).length > 0)
  if (!isMatched) return undefined
  return {
    matches: await shown(
      runner,
      rows.map(({ id }) => ({ id, score: 0 })),
    ),
    words,
  }
}

export interface Ranked {
  id: number
  score: number
}

const bestFirst = (one: Ranked, other: Ranked) => other.score - one.score || other.id - one.id

/** Returns the listings in the order of the matches. */
export async function shown(runner: Runner, matches: Ranked[]): Promise<Match[]> {
  if (matches.length === 0) return []
  const rows = await withIds(
    runner,
    matches.map(({ id }) => ({ id })),
  )
  const listings = new Map(rows.map(row => [row.id, row]))
  return matches.flatMap(({ id, score }) => {
    const listing = listings.get(id)
    return listing ? [{ ...listing, score }] : []
  })
}

const withIds = statementOfRows(
  { id: 'bigint' },
  rows => sql<DatedRow>`
    select ${datedColumns} from listing ${joinPicture} where listing.id in (${sql.join(rows.map(({ id }) => id))})`,
)

/** A listing, and the entries of the index that find it. */
export interface MatchRow {
  id: number
  searchText: string
}

export function wantedOf(
  { engine }: Runner,
  { now, isVerified, hasPicture, ...filters }: Narrowed,
  words: QueryWord[],
  where: Where,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): MatchQuery {
  return {
    query: expressionOf(engine, words, where, { ...filters, now }),
    before,
    now,
    limit,
    verified: isVerified ? 1 : 0,
    pictured: hasPicture ? 1 : 0,
  }
}

/** Returns the newest matches first, which is the order of the ids. */
export async function matchAll(runner: Runner, wanted: MatchQuery): Promise<MatchRow[]> {
  if (runner.engine === 'sqlite') return matchSqlite(runner, wanted)
  let last: MatchRow[] = []
  for (const { among, ifFound } of LAST) {
    if (last.length < ifFound) break
    last = await matchLastOnPostgres(runner, { ...wanted, among })
    if (last.length >= wanted.limit) return last
  }
  return matchPostgres(runner, wanted)
}

const FLAGS = { verified: 'bigint', pictured: 'bigint' } as const
const MATCH = { query: 'text', before: 'bigint', now: 'bigint', limit: 'bigint', ...FLAGS } as const
interface MatchQuery {
  query: string
  before: number
  now: number
  limit: number
  /** 1: only listings whose owner is verified. */
  verified: number
  /** 1: only listings with a picture of their own. */
  pictured: number
}

/** The condition for these. */
const isFlagged = ({ verified, pictured }: Pick<MatchQuery, keyof typeof FLAGS>, id: RawBuilder<unknown>) =>
  sql`(${verified} = 0 or exists (select 1 from site_owner where site_owner."listingId" = ${id})) and (${pictured} = 0
    or exists (select 1 from picture where picture."listingId" = ${id} and picture.state = 'stored'))`

/** SQLite's index returns the highest ids first, so a search for a common word reads only as many rows as it returns. */
const matchSqlite = statement(
  MATCH,
  ({ query, before, now, limit, ...flags }) => sql<MatchRow>`
    select listing.id, listing."searchText"
    from listing_search cross join listing on listing.id = listing_search.rowid
    where listing_search match ${query} and listing_search.rowid < ${before}
      and ${isPublished(now)} and ${isFlagged(flags, sql`listing.id`)}
    order by listing_search.rowid desc limit ${limit}`,
)

/**
 * PostgreSQL's index collects every match before the newest can be chosen. So the newest listings are read one by one
 * first: 1,000 are enough for a word in every fifth listing, and 16,000 for a word in every fiftieth.
 */
const LAST = [
  { among: 1000, ifFound: 0 },
  { among: 16_000, ifFound: 20 },
]

const matchLastOnPostgres = statement(
  { ...MATCH, among: 'bigint' },
  ({ query, before, now, limit, among, ...flags }) => sql<MatchRow>`
    select id, "searchText" from (
      select id, "searchText", search, "expiresAt" from listing
      where id < ${before} and "hiddenAt" is null order by id desc limit ${among}
    ) as last
    where search @@ cast(${query} as tsquery) and ("expiresAt" is null or "expiresAt" > ${now})
      and ${isFlagged(flags, sql`last.id`)}
    order by id desc limit ${limit}`,
)

/** Materialized, because the planner may otherwise look for a rare word by reading all listings, newest first. */
const matchPostgres = statement(
  MATCH,
  ({ query, before, now, limit, ...flags }) => sql<MatchRow>`
    with matches as materialized (
      select id from listing
      where search @@ cast(${query} as tsquery)
        and id < ${before} and ${isPublished(now)} and ${isFlagged(flags, sql`listing.id`)}
    ), last as materialized (select id from matches order by id desc limit ${limit})
    select listing.id, "searchText" from last join listing on listing.id = last.id order by listing.id desc`,
)
