import { type RawBuilder, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Runner, Store } from '../../platform/db/store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { itsPicture } from '../listings/listed-row.ts'
import { readLedger } from './ledger.ts'

/**
 * How far ranks are told on a board without counts of its own: they are counted one by one, so that no payment has to keep
 * them. What follows is shown in its order, without a rank.
 */
export const RANKED_MAX = 1000

/** A destination in its place, with what a row about it shows. Its texts come from the web and are hostile. */
export interface ListedPlace extends BoardCursor {
  /** From 1; undefined beyond `RANKED_MAX`. */
  rank: number | undefined
  slug: string
  title: string
  description: string
  hostname: string
  category: string
  /** As the page declared it; may be no language at all. */
  language: string
  /** Null where no picture of its own is stored. */
  pictureVersion: string | null
}

type PlaceRow = Omit<ListedPlace, 'rank'> & { before: number }

/** A page of places, and where it ends if others follow. */
export interface PlacesPage {
  places: ListedPlace[]
  next: BoardCursor | undefined
}

/**
 * The page in rows that were asked for with one more than wanted.
 *
 * @param limit how many are wanted
 */
function pageOfPlaces(rows: PlaceRow[], limit: number): PlacesPage {
  const places = rows.slice(0, limit).map(({ before, ...place }, index) => ({
    rank: before < RANKED_MAX ? before + index + 1 : undefined,
    ...place,
  }))
  return { places, next: rows.length > limit ? places.at(-1) : undefined }
}

/** Parameters of a cursor in a statement. */
export const CURSOR = { totalCents: 'bigint', reachedAt: 'bigint', destinationKey: 'text' } as const
type CursorColumns = Record<keyof typeof CURSOR, unknown>

/** What a source of places selects from `board_total as place`, before its conditions. */
export const placeColumns = sql`place."totalCents", place."reachedAt", place."destinationKey", place."listingId"`

const inOrder = sql`place."totalCents" desc, place."reachedAt", place."destinationKey"`

const shown = (before: RawBuilder<unknown>, places: RawBuilder<unknown>) => sql<PlaceRow>`
  select listing.slug, listing.title, listing.description, listing.hostname, listing.category, listing.language,
    picture.version as "pictureVersion", page."destinationKey", page."totalCents", page."reachedAt",
    ${before} as before
  from (${places}) as page cross join listing ${itsPicture}
  where listing.id = page."listingId"
  order by page."totalCents" desc, page."reachedAt", page."destinationKey"`

/** SQL for the first places of a source, which ends with a condition. */
export const firstPlaces = (source: RawBuilder<unknown>, limit: number) =>
  shown(sql`0`, sql`${source} order by ${inOrder} limit ${limit}`)

/** SQL for the places that follow a cursor. Each part has a limit of its own, or all of it would be sorted. */
export function nextPlaces(source: RawBuilder<unknown>, cursor: CursorColumns, limit: number) {
  const { totalCents, reachedAt, destinationKey } = cursor
  const part = (condition: RawBuilder<unknown>) =>
    sql`select * from (${source} and ${condition} order by ${inOrder} limit ${limit}) as part`
  return shown(
    placesAhead(source, cursor, { orAt: true }),
    sql`${sql.join(
      [
        part(sql`place."totalCents" = ${totalCents} and place."reachedAt" = ${reachedAt}
          and place."destinationKey" > ${destinationKey}`),
        part(sql`place."totalCents" = ${totalCents} and place."reachedAt" > ${reachedAt}`),
        part(sql`place."totalCents" < ${totalCents}`),
      ],
      sql` union all `,
    )} order by "totalCents" desc, "reachedAt", "destinationKey" limit ${limit}`,
  )
}

/** SQL for how many places of a source are ahead of a cursor, or at it: up to `RANKED_MAX` exact, and no fewer beyond. */
export function placesAhead(
  source: RawBuilder<unknown>,
  { totalCents, reachedAt, destinationKey }: CursorColumns,
  { orAt }: { orAt: boolean },
) {
  const part = (condition: RawBuilder<unknown>) =>
    sql`select count(*) as n from (${source} and ${condition} limit ${sql.lit(RANKED_MAX)}) as part`
  return sql<number>`(select cast(sum(n) as bigint) from (${sql.join(
    [
      part(sql`place."totalCents" > ${totalCents}`),
      part(sql`place."totalCents" = ${totalCents} and place."reachedAt" < ${reachedAt}`),
      part(sql`place."totalCents" = ${totalCents} and place."reachedAt" = ${reachedAt}
        and place."destinationKey" ${orAt ? sql`<=` : sql`<`} ${destinationKey}`),
    ],
    sql` union all `,
  )}) as ahead)`
}

/** How a page is read: its first one, or the one after a cursor. */
export interface PageWanted {
  /** Where the page before ended; undefined for the first page. */
  after?: BoardCursor | undefined
  limit: number
}

/** Reads a page by the statement for its first rows or the one for those that follow. */
export async function readPlaces<Scope>(
  runner: Runner,
  scope: Scope,
  { after, limit }: PageWanted,
  read: {
    first: (runner: Runner, values: Scope & { limit: number }) => Promise<PlaceRow[]>
    next: (runner: Runner, values: Scope & BoardCursor & { limit: number }) => Promise<PlaceRow[]>
  },
): Promise<PlacesPage> {
  // One more than wanted, to know whether others follow.
  const rows = after
    ? await read.next(runner, {
        ...scope,
        totalCents: after.totalCents,
        reachedAt: after.reachedAt,
        destinationKey: after.destinationKey,
        limit: limit + 1,
      })
    : await read.first(runner, { ...scope, limit: limit + 1 })
  return pageOfPlaces(rows, limit)
}

/**
 * One page of the board of a category: the places of `all` that are of this category, in the same order, with their rank
 * among each other. Constant work wherever the page lies, and nothing is kept for it but an index.
 *
 * @throws Problem payment_evidence_unavailable rather than a board that may be wrong
 */
export const readCategoryBoard = (store: Store, category: string, wanted: PageWanted): Promise<PlacesPage> =>
  readLedger(() => readPlaces(store, { category }, wanted, { first, next }))

/** `shown = 1` and the board stand there as they do in the index, so that both engines see that it is all in there. */
const placesOf = (category: string) => sql`
  select ${placeColumns} from board_total as place
  where place.shown = 1 and place.board = 'all' and place.category = ${category}`

const first = statement({ category: 'text', limit: 'bigint' }, ({ category, limit }) =>
  firstPlaces(placesOf(category), limit),
)

const next = statement({ category: 'text', ...CURSOR, limit: 'bigint' }, ({ category, limit, ...cursor }) =>
  nextPlaces(placesOf(category), cursor, limit),
)

/** A position on a board: the next page begins right after it. */
export interface BoardCursor {
  totalCents: number
  /** Unix milliseconds. */
  reachedAt: number
  destinationKey: string
}

/**
 * Encodes a cursor for callers: opaque, but not secret. It names its board, so that nobody who pages across midnight
 * mixes the places of two days.
 */
export const writeBoardCursor = ({ totalCents, reachedAt, destinationKey }: BoardCursor, board: string): string =>
  Buffer.from([board, totalCents, reachedAt, destinationKey].join(' ')).toString('base64url')

/** @throws Problem invalid_cursor unless `writeBoardCursor` wrote it for this board */
export function readBoardCursor(text: string, board: string): BoardCursor {
  const [, total, reachedAt, destinationKey] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (destinationKey !== undefined) {
    const cursor = { totalCents: Number(total), reachedAt: Number(reachedAt), destinationKey }
    // One spelling per position: loose encodings and leading zeros were not written here.
    if (writeBoardCursor(cursor, board) === text) return cursor
  }
  throw new Problem('invalid_cursor', { field: 'cursor' })
}

/** Exact numbers, and a key in printable ASCII, as all keys are: PostgreSQL rejects a NUL in any text. */
const SHAPE = /^\S+ (\d{1,16}) (\d{1,15}) ([!-~]+)$/
