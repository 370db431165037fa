import { sql } from 'kysely'
import { statement, statementOfRows } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import { expressionOf, type SearchFilters, type Where } from '../search/conditions.ts'
import type { QueryWord } from '../search/query.ts'
import { scorer } from '../search/score.ts'
import { itsPicture, type Shown, shownColumns } from './listed-row.ts'

/** What a search is narrowed down to besides its words. */
export interface Narrowed extends SearchFilters {
  /** Unix milliseconds. */
  now: number
}

interface Page {
  after: { score: number; id: number } | undefined
  limit: number
}

type Match = Shown & { score: number }

interface Found {
  matches: Match[]
  /** What they were found by. */
  words: QueryWord[]
}

/** So many are weighed against each other: those listed last, and beside them those with every word in the title. */
export const RANKED_MAX = 200
const OF_TITLE_MAX = 50

/** What fits much worse than the best is left out: where a word itself is found, what only means the same is noise. */
const LEAST_OF_BEST = 0.5

/**
 * The best first, and of the same score those listed last. What has the words themselves is looked for first, and what
 * is only like them where that is not enough: so a word in every listing costs no more than one in some.
 *
 * @returns undefined where nothing matches
 */
export async function rankedMatches(
  runner: Runner,
  narrowed: Narrowed,
  exact: QueryWord[],
  loose: () => Promise<QueryWord[]>,
  { after, limit }: Page,
): Promise<Found | undefined> {
  const exactly = await candidates(runner, narrowed, exact)
  const words = exactly.length >= RANKED_MAX ? exact : await loose()
  const found = words === exact ? exactly : await candidates(runner, narrowed, words)
  if (found.length === 0) return undefined
  const score = scorer(words)
  const ranked = [...new Map(found.map(({ id, searchText }) => [id, searchText]))]
    .map(([id, searchText]) => ({ id, score: score(searchText) }))
    .sort(bestFirst)
  const least = (ranked[0]?.score ?? 0) * LEAST_OF_BEST
  const page = ranked.filter(match => match.score >= least && (!after || bestFirst(after, match) < 0)).slice(0, limit)
  return { matches: await shown(runner, page), words }
}

async function candidates(runner: Runner, narrowed: Narrowed, words: QueryWord[]): Promise<MatchRow[]> {
  const anywhere = await matchAll(runner, wantedOf(runner, narrowed, words, 'anywhere', RANKED_MAX))
  if (anywhere.length < RANKED_MAX) return anywhere
  return [...anywhere, ...(await matchAll(runner, wantedOf(runner, narrowed, words, 'title', OF_TITLE_MAX)))]
}

/** Those listed last first. @returns undefined where nothing matches, on whatever page */
export async function newestMatches(
  runner: Runner,
  narrowed: Narrowed,
  words: QueryWord[],
  { after, limit }: Page,
): Promise<Found | undefined> {
  const rows = await matchAll(runner, wantedOf(runner, narrowed, words, 'anywhere', limit, after?.id))
  const isEnd = rows.length === 0 && after !== undefined
  if (
    rows.length === 0 &&
    !(isEnd && (await matchAll(runner, wantedOf(runner, narrowed, words, 'anywhere', 1))).length > 0)
  ) {
    return undefined
  }
  return { matches: await shown(runner, rows.map(scoreless)), words }
}

interface Ranked {
  id: number
  score: number
}

const scoreless = ({ id }: { id: number }): Ranked => ({ id, score: 0 })
const bestFirst = (one: Ranked, other: Ranked) => other.score - one.score || other.id - one.id

/** The listings, in the order of the matches. */
async function shown(runner: Runner, matches: Ranked[]): Promise<Match[]> {
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
  rows => sql<Shown>`
    select ${shownColumns} from listing ${itsPicture} where listing.id in (${sql.join(rows.map(({ id }) => id))})`,
)

/** A listing, and the entries it is found by. */
interface MatchRow {
  id: number
  searchText: string
}

function wantedOf(
  { engine }: Runner,
  { now, ...filters }: Narrowed,
  words: QueryWord[],
  where: Where,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): MatchQuery {
  return { query: expressionOf(engine, words, where, { ...filters, now }), before, now, limit }
}

/** Those listed last first, which is the order of the ids. */
async function matchAll(runner: Runner, wanted: MatchQuery): Promise<MatchRow[]> {
  if (runner.engine === 'sqlite') return matchSqlite(runner, wanted)
  let last: MatchRow[] = []
  for (const { among, ifFound } of LAST) {
    if (last.length < ifFound) break
    last = await matchLastOnPostgres(runner, { ...wanted, among })
    if (last.length >= wanted.limit) return last
  }
  return matchPostgres(runner, wanted)
}

const MATCH = { query: 'text', before: 'bigint', now: 'bigint', limit: 'bigint' } as const
interface MatchQuery {
  query: string
  before: number
  now: number
  limit: number
}

/** SQLite's index gives the ids downwards, so that of a word in every listing only so much is read. */
const matchSqlite = statement(
  MATCH,
  ({ query, before, now, limit }) => sql<MatchRow>`
    select listing.id, listing."searchText"
    from listing_search cross join listing on listing.id = listing_search.rowid
    where listing_search match ${query} and listing_search.rowid < ${before}
      and listing."hiddenAt" is null
      and (listing."expiresAt" is null or listing."expiresAt" > ${now})
    order by listing_search.rowid desc limit ${limit}`,
)

/**
 * PostgreSQL's index gathers all that matches before the last can be taken. So the last listings are looked through one
 * by one at first, which is enough of a word in every fifth, and then many more of one in every fiftieth.
 */
const LAST = [
  { among: 1000, ifFound: 0 },
  { among: 16_000, ifFound: 20 },
]

const matchLastOnPostgres = statement(
  { ...MATCH, among: 'bigint' },
  ({ query, before, now, limit, among }) => sql<MatchRow>`
    select id, "searchText" from (
      select id, "searchText", search, "expiresAt" from listing
      where id < ${before} and "hiddenAt" is null order by id desc limit ${among}
    ) as last
    where search @@ cast(${query} as tsquery) and ("expiresAt" is null or "expiresAt" > ${now})
    order by id desc limit ${limit}`,
)

/** Materialized, since otherwise the planner may look for a rare word through all listings from the last on. */
const matchPostgres = statement(
  MATCH,
  ({ query, before, now, limit }) => sql<MatchRow>`
    with matches as materialized (
      select id from listing
      where search @@ cast(${query} as tsquery)
        and id < ${before} and "hiddenAt" is null
        and ("expiresAt" is null or "expiresAt" > ${now})
    ), last as materialized (select id from matches order by id desc limit ${limit})
    select listing.id, "searchText" from last join listing on listing.id = last.id order by listing.id desc`,
)
