import type { Board } from '@placard/contract'
import { sql } from 'kysely'
import { fixedPlan } from '../storage/fixed-plan.ts'
import { prepared } from '../storage/prepared.ts'
import type { Store } from '../storage/store.ts'
import type { Bid } from './bid.ts'
import type { BoardCursor } from './board-cursor.ts'
import { boardKey } from './board-totals.ts'
import { type Bounds, boundsOf, countBefore, destinationsBefore } from './rank.ts'
import { readLedger } from './read-ledger.ts'

/** A destination in its place on a board. */
export interface BoardEntry {
  /** From 1. */
  rank: number
  slug: string
  title: string
  hostname: string
  category: string
  destinationKey: string
  /** Net of refunds and disputes. */
  totalCents: number
  /** Unix milliseconds. */
  reachedAt: number
}

type Row = Omit<BoardEntry, 'rank'>

/**
 * One page of a board, in its order: total descending, time reached ascending, destination key. Constant work wherever
 * the page lies, and however many totals are equal.
 *
 * @param after where the page before ended; undefined for the first page
 * @returns the entries, and where they end if others follow
 * @throws Problem payment_evidence_unavailable rather than a board that may be wrong
 */
export async function readBoard(
  store: Store,
  { board, after, limit }: { board: Board; after?: BoardCursor | undefined; limit: number },
  now: number,
): Promise<{ entries: BoardEntry[]; next: BoardCursor | undefined }> {
  const key = boardKey(board, now)
  // One more than wanted, to know whether others follow.
  const rows = await readLedger(() =>
    after ? pageAfter(store, key, after, limit + 1) : firstPage(store, key, limit + 1),
  )
  const shown = rows.slice(0, limit)
  return {
    entries: shown.map(({ before, ...row }, index) => ({ rank: before + index + 1, ...row })),
    next: rows.length > limit ? shown.at(-1) : undefined,
  }
}

/**
 * Between whom a bid would stand: `above` is the last who has at least the target, `below` the first who has less, both
 * other than the destination itself, each with the rank it has now.
 *
 * @throws Problem payment_evidence_unavailable rather than a guess
 */
export async function readNeighbours(
  store: Store,
  { board, destinationKey, targetBid }: Bid,
  now: number,
): Promise<{ above?: BoardEntry; below?: BoardEntry }> {
  const key = boardKey(board, now)
  return readLedger(async () => {
    const [[above], [below]] = await Promise.all([
      lastAtLeast(store, key, targetBid * 100, destinationKey),
      firstBelow(store, key, targetBid * 100, destinationKey),
    ])
    return {
      ...(above && { above: await withRank(store, key, above) }),
      ...(below && { below: await withRank(store, key, below) }),
    }
  })
}

async function withRank(store: Store, key: string, row: Row): Promise<BoardEntry> {
  return { rank: 1 + (await countBefore(store, key, row, row.destinationKey)), ...row }
}

/** `shown = 1` stands there as it does in the index, so that both engines see that it is all in there. */
const places = sql`select "totalCents", "reachedAt", "destinationKey", "listingId" from board_total where shown = 1`
const inOrder = sql`"totalCents" desc, "reachedAt", "destinationKey"`
const inOrderOfPlace = sql`place."totalCents" desc, place."reachedAt", place."destinationKey"`
const backwards = sql`"totalCents", "reachedAt" desc, "destinationKey" desc`

/** What a place shows. `cross join` keeps SQLite from beginning with the listings. */
const columns = sql`
  listing.slug, listing.title, listing.hostname, listing.category,
  place."destinationKey", place."totalCents", place."reachedAt"`
const itsListing = sql`cross join listing where listing.id = place."listingId"`

/** A row of a page, with how many stand before the page: of the same moment, since one statement reads both. */
type PageRow = Row & { before: number }

const firstPage = prepared<[board: string, limit: number], PageRow>((db, board, limit) =>
  sql<PageRow>`
    select ${columns}, 0 as before from (${places} and board = ${fixedPlan(board)} order by ${inOrder} limit ${fixedPlan(limit)}) as place
    ${itsListing} order by ${inOrderOfPlace}`.compile(db),
)

function pageAfter(store: Store, board: string, after: BoardCursor, limit: number): Promise<PageRow[]> {
  const { totalCents, reachedAt, destinationKey } = after
  return nextPage(
    store,
    ...boundsOf(board, after, destinationKey),
    ...([board, totalCents, reachedAt, destinationKey, limit] as const),
    ...([board, totalCents, reachedAt, limit] as const),
    ...([board, totalCents, limit] as const),
    limit,
  )
}

type Ranges = [
  ...[board1: string, totalCents1: number, reachedAt1: number, destinationKey: string, limit1: number],
  ...[board2: string, totalCents2: number, reachedAt2: number, limit2: number],
  ...[board3: string, totalCents3: number, limit3: number],
  limit: number,
]
const RANGE_PARAMETERS = 13

/**
 * What follows a place: of its total and time, then of its total, then smaller totals. Each of the three has a limit of
 * its own, or PostgreSQL would sort them together, with everything that follows.
 */
const nextPage = prepared<[...Bounds, ...Ranges], PageRow>((db, ...values) => {
  const bounds = values.slice(0, -RANGE_PARAMETERS) as Bounds
  const [b1, cents1, at1, key, limit1, b2, cents2, at2, limit2, b3, cents3, limit3, limit] = values.slice(
    -RANGE_PARAMETERS,
  ) as Ranges
  return sql<PageRow>`
    with ahead(before) as (select ${destinationsBefore(bounds, { orAt: true })})
    select ${columns}, (select before from ahead) as before from (
      select * from (${places} and board = ${fixedPlan(b1)} and "totalCents" = ${fixedPlan(cents1)}
        and "reachedAt" = ${fixedPlan(at1)} and "destinationKey" > ${fixedPlan(key)}
        order by ${inOrder} limit ${fixedPlan(limit1)}) as same_time
      union all
      select * from (${places} and board = ${fixedPlan(b2)} and "totalCents" = ${fixedPlan(cents2)}
        and "reachedAt" > ${fixedPlan(at2)}
        order by ${inOrder} limit ${fixedPlan(limit2)}) as later
      union all
      select * from (${places} and board = ${fixedPlan(b3)} and "totalCents" < ${fixedPlan(cents3)}
        order by ${inOrder} limit ${fixedPlan(limit3)}) as smaller
      order by ${inOrder} limit ${fixedPlan(limit)}
    ) as place
    ${itsListing} order by ${inOrderOfPlace}`.compile(db)
})

const lastAtLeast = prepared<[board: string, cents: number, otherThan: string], Row>(
  (db, board, cents, key) =>
    sql<Row>`
    select ${columns} from (
      ${places} and board = ${fixedPlan(board)} and "totalCents" >= ${fixedPlan(cents)}
        and "destinationKey" <> ${fixedPlan(key)}
      order by ${backwards} limit 1
    ) as place ${itsListing}`.compile(db),
)

const firstBelow = prepared<[board: string, cents: number, otherThan: string], Row>((db, board, cents, key) =>
  sql<Row>`
    select ${columns} from (
      ${places} and board = ${fixedPlan(board)} and "totalCents" < ${fixedPlan(cents)}
        and "destinationKey" <> ${fixedPlan(key)}
      order by ${inOrder} limit 1
    ) as place ${itsListing}`.compile(db),
)
