import { DISPLAY_DAYS } from '@placard/contract'
import { type RawBuilder, sql } from 'kysely'
import { statement, type ValuesOf } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import type { Engine } from '../../platform/db/tables/index.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { FILTER, filterByCategory, filterByLanguage, TITLE } from '../search/entries.ts'
import { covers, type QueryWord } from '../search/query.ts'
import { wordScorer } from '../search/score.ts'
import { lastId } from './id-ranges.ts'
import { isPublished } from './listed-row.ts'

/** The filters of a search, in addition to its words. */
export interface Narrowed {
  now: number
  category?: string | undefined
  /** Primary language, such as `pt`. */
  language?: string | undefined
  /** Only listings whose owner is verified. */
  isVerified?: boolean | undefined
  /** Only listings with a picture of their own. */
  hasPicture?: boolean | undefined
}

/** A runner of one search, which remembers what it has read, and the words that few listings have. */
export type SearchRunner = Runner & { earlier?: EarlierMatches; rare?: Set<string> }

/** Returns the newest listings with every word first, which is the order of the ids. */
export async function matchAll(
  runner: SearchRunner,
  { now, category, language, isVerified, hasPicture }: Narrowed,
  words: QueryWord[],
  where: Where,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<MatchRow[]> {
  const filters = { category, language, verified: isVerified ? 1 : 0, pictured: hasPicture ? 1 : 0, before, now }
  const query = expressionOf(runner.engine, words, where, filters)
  const scope = JSON.stringify(filters)
  const asked = { key: query + scope, scope, where, words, limit }
  const found = runner.earlier && rowsIn(runner.earlier, asked)
  if (found) return found
  const wanted = { ...filters, query, limit }
  const rows = await (runner.engine === 'sqlite'
    ? matchSqlite(runner, wanted)
    : newestOnPostgres(runner, wanted, words))
  runner.earlier?.push({ ...asked, rows })
  return rows
}

/**
 * PostgreSQL's index collects every match before the newest can be chosen, and reading them takes most of the time. So
 * the newest few hundred listings are read without it, unless a word is rare. Their matches tell among how many listings
 * there are enough, with a margin for chance. Expired listings are older, so too few more would be found among most.
 */
async function newestOnPostgres(runner: SearchRunner, wanted: MatchQuery, words: QueryWord[]): Promise<MatchRow[]> {
  const last = Math.min(await lastId(runner), wanted.before - 1)
  const second = words.length > 1 ? last : SECOND
  let among = words.some(({ typed }) => runner.rare?.has(typed)) ? second : FIRST
  for (;;) {
    if (among > last * MOST || last <= SMALL) among = last
    const read = last <= SMALL || among * LEAST_SHARE > wanted.limit ? matchByIndex : matchByReading
    const rows = await read(runner, { ...wanted, above: last - among })
    const count = rows.length
    if (count >= wanted.limit || among === last) return rows
    if (count >= FEW) among = Math.ceil((among * MARGIN * wanted.limit) / (count - Math.sqrt(count)))
    else among = among < second ? second : last
  }
}

const [SMALL, FIRST, SECOND, MOST] = [5000, 500, 20_000, 0.25]
const [MARGIN, FEW] = [1.2, 3]
/** If a smaller share of the newest listings matches, the index is faster than reading them. */
const LEAST_SHARE = 0.03

/** 1: only listings whose owner is verified, and only those with a picture of their own. */
const FLAGS = { verified: 'bigint', pictured: 'bigint' } as const
const MATCH = { query: 'text', before: 'bigint', now: 'bigint', limit: 'bigint', ...FLAGS } as const
type MatchQuery = ValuesOf<typeof MATCH>

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
 * Materialized, because the planner may otherwise look for a rare word by reading all listings, newest first.
 *
 * @param term the query. The planner takes a comparison for cheap, however long the query is, and so reads thousands of
 *   listings rather than use the index. If it can't see the query, it uses the index
 */
const matchPostgres = (term: (query: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  statement(
    { ...MATCH, above: 'bigint' },
    ({ query, before, now, limit, above, ...flags }) => sql<MatchRow>`
    with matches as materialized (
      select id from listing
      where search @@ ${term(sql`cast(${query} as tsquery)`)} and id > ${above}
        and id < ${before} and ${isPublished(now)} and ${isFlagged(flags, sql`listing.id`)}
    ), last as materialized (select id from matches order by id desc limit ${limit})
    select listing.id, "searchText" from last join listing on listing.id = last.id order by listing.id desc`,
  )
const matchByReading = matchPostgres(query => query)
const matchByIndex = matchPostgres(query => sql`(select ${query})`)

/** A listing, and the entries of the index that find it. */
export interface MatchRow {
  id: number
  searchText: string
}

/** A query for the newest listings with every word. */
interface IndexQuery {
  /** The query for the index, with the filters. */
  key: string
  /** The filters, as text. */
  scope: string
  where: Where
  words: QueryWord[]
  limit: number
}

/** The matches that one search has read so far. */
type EarlierMatches = (IndexQuery & { rows: MatchRow[] })[]

/**
 * Returns matches from earlier queries of the search. If one for fewer words returned all of its matches, these include
 * the matches of all words: one rare word is enough.
 *
 * @returns undefined if the matches must be read
 */
function rowsIn(earlier: EarlierMatches, { key, scope, where, words, limit }: IndexQuery): MatchRow[] | undefined {
  const same = earlier.find(each => each.key === key && each.limit >= limit)
  if (same) return same.rows.slice(0, limit)
  const wider = earlier.find(
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

/** Where a word must be. */
type Where = 'title' | 'anywhere'

/** Thirty days, as the migration marks listings. */
const SPAN_MS = 2_592_000_000

/**
 * Returns the query for an engine's index: listings that may be published, pass the filters, and have every word.
 *
 * The index marks each listing with the span in which it was published, or as one without an end, so that it can skip
 * expired listings. The query includes one span in the future, because clocks differ. PostgreSQL is not asked for these
 * marks, because it would compare all of them with each match, which takes longer than reading expired listings.
 */
function expressionOf(
  engine: Engine,
  words: readonly QueryWord[],
  where: Where,
  { category, language, now }: Narrowed,
): string {
  const { and, or, term } = SYNTAX[engine]
  const anyOf = (terms: string[]) => `(${[...new Set(terms)].join(or)})`
  const wordOf = (word: QueryWord) =>
    anyOf(
      uncovered(word).flatMap(({ entry, isBeginning }) => [
        term(TITLE + entry, isBeginning),
        ...(where === 'anywhere' ? [term(entry, isBeginning)] : []),
      ]),
    )
  return [
    ...words.map(wordOf),
    ...(engine === 'sqlite' ? [anyOf(shownMarks(now).map(mark => term(mark, false)))] : []),
    ...(category === undefined ? [] : [term(filterByCategory(category), false)]),
    ...(language === undefined ? [] : [term(filterByLanguage(language), false)]),
  ].join(and)
}

/** The variants that no other one's beginning finds as well: each costs a lookup in every part of the index. */
const uncovered = ({ variants }: QueryWord) => {
  const beginnings = variants.filter(({ isBeginning }) => isBeginning).map(({ entry }) => entry)
  return variants.filter(
    ({ entry, isBeginning }) => !beginnings.some(other => entry.startsWith(other) && (other !== entry || !isBeginning)),
  )
}

/** Entries hold only letters, digits, emoji and our own marks, so no quote needs an escape. */
const SYNTAX = {
  sqlite: {
    and: ' AND ',
    or: ' OR ',
    term: (entry: string, isBeginning: boolean) => `"${entry}"${isBeginning ? '*' : ''}`,
  },
  postgres: {
    and: ' & ',
    or: ' | ',
    term: (entry: string, isBeginning: boolean) => `'${entry}'${isBeginning ? ':*' : ''}`,
  },
}

function shownMarks(now: number): string[] {
  const oldest = now - daysMs(DISPLAY_DAYS)
  const [first, last] = [Math.floor(oldest / SPAN_MS), Math.floor(now / SPAN_MS) + 1]
  return [`${FILTER}always`, ...Array.from({ length: last - first + 1 }, (_, place) => `${FILTER}${first + place}`)]
}
