import { type RawBuilder, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Runner } from '../../platform/db/store.ts'
import { expressionOf, type SearchFilters, type Where } from '../search/conditions.ts'
import type { QueryWord } from '../search/query.ts'
import { isPublished } from './listed-row.ts'

/** The filters of a search, in addition to its words. */
export interface Narrowed extends SearchFilters {
  /** Unix milliseconds. */
  now: number
  /** Only listings whose owner is verified. */
  isVerified?: boolean | undefined
  /** Only listings with a picture of their own. */
  hasPicture?: boolean | undefined
}

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
  const last = Math.min(await newestId(runner), wanted.before - 1)
  const first = last > FIRST ? await matchPostgres(runner, { ...wanted, above: last - FIRST }) : []
  if (first.length >= wanted.limit) return first
  const among = Math.ceil((FIRST * MARGIN * wanted.limit) / first.length)
  const more =
    first.length >= FEW && among < last ? await matchPostgres(runner, { ...wanted, above: last - among }) : []
  return more.length >= wanted.limit ? more : matchPostgres(runner, { ...wanted, above: 0 })
}

/**
 * PostgreSQL's index collects every match before the newest can be chosen, and reading them takes most of the time. So
 * the newest thousand listings are searched first. Their matches tell among how many listings there are enough, with
 * half as many again for chance. If there are only a few, all listings together have few.
 */
const [FIRST, MARGIN, FEW] = [1000, 1.5, 3]

/** The highest id of a listing; 0 if there are none. */
export const newestId = async (runner: Runner): Promise<number> => (await readNewestId(runner, {}))[0]?.id ?? 0
const readNewestId = statement({}, () => sql<{ id: number }>`select id from listing order by id desc limit 1`)

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

/** Materialized, because the planner may otherwise look for a rare word by reading all listings, newest first. */
const matchPostgres = statement(
  { ...MATCH, above: 'bigint' },
  ({ query, before, now, limit, above, ...flags }) => sql<MatchRow>`
    with matches as materialized (
      select id from listing
      where search @@ cast(${query} as tsquery) and id > ${above}
        and id < ${before} and ${isPublished(now)} and ${isFlagged(flags, sql`listing.id`)}
    ), last as materialized (select id from matches order by id desc limit ${limit})
    select listing.id, "searchText" from last join listing on listing.id = last.id order by listing.id desc`,
)
