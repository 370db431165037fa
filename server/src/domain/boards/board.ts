import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { boardVersion } from './counts.ts'
import { readLedger } from './ledger.ts'
import type { BoardCursor } from './listed-places.ts'
import { aheadWithinDollar, countBefore, readAhead, STANDING } from './rank.ts'
import { boardKey } from './totals.ts'

/** A destination's place on a board. */
export interface BoardEntry {
  /** From 1. */
  rank: number
  slug: string
  title: string
  description: string
  hostname: string
  category: string
  /** As the page declared it; may be no language at all. */
  language: string
  /** Null where no picture of its own is stored. */
  pictureVersion: string | null
  destinationKey: string
  /** Net of refunds and disputes. */
  totalCents: number
  /** Unix milliseconds. */
  reachedAt: number
}

/** One page of a board, and where it ends if more follow. */
export interface BoardPlaces {
  entries: BoardEntry[]
  next: BoardCursor | undefined
}

type Row = Omit<BoardEntry, 'rank'>

/**
 * One page of a board, by total descending, time reached ascending, then destination key. Every page costs the same,
 * however many totals are equal.
 *
 * @param after where the previous page ended; undefined for the first page
 * @returns the entries, and where they end if more follow
 * @throws Problem payment_evidence_unavailable instead of returning a board that may be wrong
 */
export async function readBoard(
  store: Store,
  { board, after, limit }: { board: Board; after?: BoardCursor | undefined; limit: number },
  now: number,
): Promise<BoardPlaces> {
  const key = boardKey(board, now)
  // One extra, to know whether more follow.
  const page = { board: key, limit: limit + 1 }
  const { rows, before } = await readLedger(async () =>
    after ? readNextPage(store, { ...page, ...after }) : { rows: await firstPage(store, page), before: 0 },
  )
  const shown = rows.slice(0, limit)
  return {
    entries: shown.map((row, index) => ({ rank: before + index + 1, ...row })),
    next: rows.length > limit ? shown.at(-1) : undefined,
  }
}

/**
 * The neighbours of a bid: `above` is the last destination with at least the target, `below` the first with less, each
 * with its current rank. Leaves out the bid's own destination.
 *
 * @throws Problem payment_evidence_unavailable instead of guessing
 */
export async function readNeighbours(
  store: Store,
  { board, destinationKey, targetBid }: Bid,
  now: number,
): Promise<{ above?: BoardEntry; below?: BoardEntry }> {
  const key = boardKey(board, now)
  const target = { board: key, cents: targetBid * 100, otherThan: destinationKey }
  return readLedger(async () => {
    const [[above], [below]] = await Promise.all([lastAtLeast(store, target), firstBelow(store, target)])
    return {
      ...(above && { above: await withRank(store, key, above) }),
      ...(below && { below: await withRank(store, key, below) }),
    }
  })
}

async function withRank(store: Store, board: string, row: Row): Promise<BoardEntry> {
  return { rank: 1 + (await countBefore(store, { board, ...row })), ...row }
}

/** `shown = 1` is spelled as in the partial index, so that both engines use it. */
const places = sql`select "totalCents", "reachedAt", "destinationKey", "listingId" from board_total where shown = 1`
const inOrder = sql`"totalCents" desc, "reachedAt", "destinationKey"`
const inOrderOfPlace = sql`place."totalCents" desc, place."reachedAt", place."destinationKey"`
const backwards = sql`"totalCents", "reachedAt" desc, "destinationKey" desc`

/** The columns of a place. `cross join` keeps SQLite from starting with the listings. */
const columns = sql`
  listing.slug, listing.title, listing.description, listing.hostname, listing.category, listing.language,
  picture.version as "pictureVersion",
  place."destinationKey", place."totalCents", place."reachedAt"`
const itsListing = sql`
  cross join listing left join picture on picture."listingId" = listing.id and picture.state = 'stored'
  where listing.id = place."listingId"`

const firstPage = statement(
  { board: 'text', limit: 'bigint' },
  ({ board, limit }) => sql<Row>`
    select ${columns} from (${places} and board = ${board} order by ${inOrder} limit ${limit}) as place
    ${itsListing} order by ${inOrderOfPlace}`,
)

/** What follows a place, and how many places precede that. */
async function readNextPage(store: Store, after: BoardCursor & { board: string; limit: number }) {
  const { rows, above } = await readAhead(store, after, () => nextPage(store, after))
  return {
    rows: rows.map(({ version, ahead, ...row }): Row => row),
    before: above + (rows[0]?.ahead ?? 0),
  }
}

/** A row of a page, with what its rank follows from. One statement reads all, so that they agree. */
type NextRow = Row & { version: string; ahead: number }

/**
 * What follows a place: first the same total and time, then the same total, then smaller totals. Each part has its own
 * limit, or PostgreSQL would sort everything that follows.
 */
const nextPage = statement(
  { ...STANDING, limit: 'bigint' },
  ({ board, totalCents, reachedAt, destinationKey, limit }) => {
    const standing = { board, totalCents, reachedAt, destinationKey }
    const page = sql`order by ${inOrder} limit ${limit}`
    return sql<NextRow>`
      with seen(version, ahead) as (select ${boardVersion}, ${aheadWithinDollar(standing, { orAt: true })})
      select ${columns}, (select version from seen) as version, (select ahead from seen) as ahead from (
        select * from (${places} and board = ${board} and "totalCents" = ${totalCents}
          and "reachedAt" = ${reachedAt} and "destinationKey" > ${destinationKey} ${page}) as same_time
        union all
        select * from (${places} and board = ${board} and "totalCents" = ${totalCents}
          and "reachedAt" > ${reachedAt} ${page}) as later
        union all
        select * from (${places} and board = ${board} and "totalCents" < ${totalCents} ${page}) as smaller
        ${page}
      ) as place
      ${itsListing} order by ${inOrderOfPlace}`
  },
)

const TARGET = { board: 'text', cents: 'bigint', otherThan: 'text' } as const

const lastAtLeast = statement(
  TARGET,
  ({ board, cents, otherThan }) => sql<Row>`
    select ${columns} from (
      ${places} and board = ${board} and "totalCents" >= ${cents} and "destinationKey" <> ${otherThan}
      order by ${backwards} limit 1
    ) as place ${itsListing}`,
)

const firstBelow = statement(
  TARGET,
  ({ board, cents, otherThan }) => sql<Row>`
    select ${columns} from (
      ${places} and board = ${board} and "totalCents" < ${cents} and "destinationKey" <> ${otherThan}
      order by ${inOrder} limit 1
    ) as place ${itsListing}`,
)

/** A wanted total in whole US dollars, for a destination on a board. */
export interface Bid {
  destinationKey: string
  board: Board
  targetBid: number
}
