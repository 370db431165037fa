import { DISPLAY_DAYS } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Runner } from '../../platform/db/store.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { primaryLanguage } from '../search/stems.ts'
import { type Condition, inCategory, isIn, isOld, isYoung, newestFirst, RANGE, type Range } from './discovery.ts'
import { joinPicture, youngSince } from './listed-row.ts'
import { type PublicRow, publicColumns } from './public-listing.ts'

/** Which listings a program wants. */
export interface ListingFilters {
  category?: string | undefined
  /** Primary language, such as `pt`. */
  language?: string | undefined
  isVerified?: boolean | undefined
}

/** A position in a list: the time by which it is ordered, and the id. */
export interface ListingPosition {
  at: number
  id: number
}

interface Wanted extends ListingFilters {
  /** Undefined for the first page. */
  after: ListingPosition | undefined
  limit: number
  now: number
}

export interface PublicPage {
  rows: PublicRow[]
  /** Where the next page begins; undefined on the last one. */
  next: ListingPosition | undefined
}

/** Returns whether a listing passes the filters, wherever it is in a list. */
export const passes = (row: PublicRow, { category, language, isVerified }: ListingFilters): boolean =>
  (category === undefined || row.category === category) &&
  (language === undefined || primaryLanguage(row.language) === language) &&
  (!isVerified || row.provenAt !== null)

/**
 * How many listings are read for a page. No index has languages and owners, so a page of a rare language ends here, with
 * fewer listings than wanted. It is never the last one then.
 */
const EXAMINED_MAX = 2000

/** Returns published listings, newest first. Each page costs the same, however many listings there are. */
export const readNewest = (runner: Runner, wanted: Wanted): Promise<PublicPage> =>
  wanted.language !== undefined || wanted.isVerified ? examineNewest(runner, wanted) : newest(runner, wanted)

/** Reads up to `EXAMINED_MAX` listings, which takes milliseconds. */
const examineNewest = longRead('examineNewest', newest)

/** As in `discovery.ts`: published listings are the young ones, then the old ones without an end. Each is an index range. */
async function newest(runner: Runner, { after, limit, now, ...filters }: Wanted): Promise<PublicPage> {
  const { category = '', language = '', isVerified = false } = filters
  const since = youngSince(now)
  const isFiltered = language !== '' || isVerified
  const { at: publishedAt, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
  const rows: PublicRow[] = []
  for (const range of category === '' ? EVERYWHERE : IN_CATEGORY) {
    // One extra row shows whether more follow.
    const missing = limit + 1 - rows.length
    const examined = isFiltered ? EXAMINED_MAX : missing
    const where = { category, since, now, publishedAt, id, examined }
    rows.push(...(await range.read(runner, { ...where, language, verified: Number(isVerified), limit: missing })))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: positionOf(rows[limit - 1]) }
    const [end] = isFiltered ? await range.end(runner, where) : []
    if (end) return { rows, next: { at: end.publishedAt, id: end.id } }
  }
  return { rows, next: undefined }
}

const positionOf = (row: PublicRow | undefined) => row && { at: row.publishedAt, id: row.id }

const EXAMINED = { ...RANGE, examined: 'bigint' } as const
type Ended = Pick<PublicRow, 'publishedAt' | 'id'>

/** Builds the statements for a range. */
function rangeOf(...conditions: Condition[]) {
  const page = (range: Range, limit: number) =>
    newestFirst.page(sql`select id, "publishedAt" from listing where ${isIn(range, conditions)}`, limit, range)
  return {
    read: statement({ ...EXAMINED, language: 'text', verified: 'bigint', limit: 'bigint' }, wanted => {
      const { language, verified, limit } = wanted
      // `cross join` keeps SQLite from beginning with the listings.
      return sql<PublicRow>`
        select ${publicColumns} from (${page(wanted, wanted.examined)}) as examined cross join listing ${joinPicture}
        where listing.id = examined.id
          and (${language} = '' or lower(listing.language) = ${language}
            or lower(listing.language) like ${language} || '-%')
          and (${verified} = 0 or exists (select 1 from site_owner where site_owner."listingId" = listing.id))
        ${newestFirst.orderBy('examined')} limit ${limit}`
    }),
    /** Returns the last listing that was read; none if the range ends before. */
    end: statement(EXAMINED, range => sql<Ended>`${page(range, 1)} offset ${range.examined} - 1`),
  }
}

const EVERYWHERE = [rangeOf(isYoung), rangeOf(isOld)]
const IN_CATEGORY = [rangeOf(inCategory, isYoung), rangeOf(inCategory, isOld)]

/** A listing that changed, with the time of the change. */
export type ChangedRow = PublicRow & { at: number }

/**
 * Returns listings in any status in the order of their changes. That a listing expired is no change of its row: it
 * follows from its publication, by whose index the expired ones are found. So a listing can occur twice.
 */
export async function readChanged(
  runner: Runner,
  { after, limit, now }: { after: ListingPosition; limit: number; now: number },
): Promise<{ rows: ChangedRow[]; next: ListingPosition | undefined }> {
  const wanted = { at: after.at, id: after.id, limit: limit + 1 }
  const updated = await updatedAfter(runner, wanted)
  // Where a full page ends, so that nothing beyond it is read.
  const until = Math.min(now, updated.length > limit ? (updated.at(-1)?.at ?? now) : now)
  const expired = await expiredAfter(runner, { ...wanted, at: after.at - TERM_MS, until: until - TERM_MS, now })
  const rows = [...updated, ...expired.map(row => ({ ...row, at: row.publishedAt + TERM_MS }))]
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(0, limit + 1)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last && { at: last.at, id: last.id } }
}

/** From a publication to its end. */
const TERM_MS = daysMs(DISPLAY_DAYS)

const updatedAfter = statement(
  { at: 'bigint', id: 'bigint', limit: 'bigint' },
  ({ at, id, limit }) => sql<ChangedRow>`
    select ${publicColumns}, listing."updatedAt" as at from listing ${joinPicture}
    where (listing."updatedAt", listing.id) > (${at}, ${id}) order by listing."updatedAt", listing.id limit ${limit}`,
)

const expiredAfter = statement(
  { at: 'bigint', id: 'bigint', until: 'bigint', now: 'bigint', limit: 'bigint' },
  ({ at, id, until, now, limit }) => sql<PublicRow>`
    select ${publicColumns} from listing ${joinPicture}
    where listing."hiddenAt" is null and (listing."publishedAt", listing.id) > (${at}, ${id})
      and listing."publishedAt" <= ${until} and listing."expiresAt" <= ${now}
    order by listing."publishedAt", listing.id limit ${limit}`,
)

/** Returns when a listing last changed; 0 if there is none. */
export async function lastUpdate(runner: Runner): Promise<number> {
  const [last] = await newestUpdate(runner, {})
  return last?.at ?? 0
}

const newestUpdate = statement({}, () => sql<{ at: number | null }>`select max("updatedAt") as at from listing`)
