import { type RawBuilder, sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import type { BoardCursor } from './cursor.ts'
import type { ListedPlace } from './listed-places.ts'
import { placesAheadOn } from './past-days.ts'
import { readLedger } from './read-ledger.ts'

/** How many destinations that changed after a day are looked at; more are only said to be many. */
const CHANGED_MAX = 200

/** Where a place stood at midnight: `none` where it had no place then. */
export type Closing = { rank: number; totalCents: number } | 'none'

/** What later refunds and disputes changed about a day. */
export interface ClosingOrder {
  /** By destination key, of those who stood elsewhere at midnight. */
  closings: ReadonlyMap<string, Closing>
  /** How many had a place at midnight, and have none any more. */
  gone: number
  /** There are too many changes to tell where each stood. */
  isUntold: boolean
}

/**
 * Compares places of a day with the order at its midnight, as it was by the processor's times. Only payments that were
 * refunded or disputed later can have changed it, and only those are read: so a day without any costs one look.
 *
 * @param places of one page, with the ranks they have now
 */
export function readClosingOrder(
  store: Store,
  day: string,
  places: readonly ListedPlace[],
): Promise<ClosingOrder> {
  return readLedger(async () => {
    const rows = await changedOf(store, { day })
    if (rows.length > CHANGED_MAX) return { closings: new Map(), gone: 0, isUntold: true }
    const changes = rows.map(changeOf)
    const closings = new Map<string, Closing>()
    for (const place of changes.length > 0 ? places : []) {
      const closing = await closingOf(store, day, place, changes)
      if (closing) closings.set(place.destinationKey, closing)
    }
    return { closings, gone: changes.filter(({ now }) => !now).length, isUntold: false }
  })
}

/** Where a destination stood when the day closed, and stands now; undefined: nowhere. */
interface Change {
  destinationKey: string
  closed: BoardCursor | undefined
  now: BoardCursor | undefined
}

/** @returns undefined where it stood then as it does now, or that cannot be told */
async function closingOf(
  store: Store,
  day: string,
  place: ListedPlace,
  changes: readonly Change[],
): Promise<Closing | undefined> {
  const { rank, destinationKey } = place
  if (rank === undefined) return undefined
  const own = changes.find(change => change.destinationKey === destinationKey)
  if (own && !own.closed) return 'none'
  const stood = own?.closed ?? place
  // Who is ahead of that now, but for those who changed; and of these, who was ahead then.
  const aheadNow = own ? await placesAheadOn(store, day, stood) : rank - 1
  const others = changes.filter(change => change !== own)
  const unchanged = aheadNow - changes.filter(({ now }) => now && isAhead(now, stood)).length
  const closingRank = 1 + unchanged + others.filter(({ closed }) => closed && isAhead(closed, stood)).length
  return closingRank === rank ? undefined : { rank: closingRank, totalCents: stood.totalCents }
}

/** The order of boards. */
const isAhead = (one: BoardCursor, other: BoardCursor): boolean =>
  one.totalCents !== other.totalCents
    ? one.totalCents > other.totalCents
    : one.reachedAt !== other.reachedAt
      ? one.reachedAt < other.reachedAt
      : one.destinationKey < other.destinationKey

interface ChangedRow {
  destinationKey: string
  nowCents: number
  nowReachedAt: number | null
  closedCents: number
  closedReachedAt: number | null
}

const changeOf = ({ destinationKey, ...row }: ChangedRow): Change => ({
  destinationKey,
  now: placeFrom(destinationKey, row.nowCents, row.nowReachedAt),
  closed: placeFrom(destinationKey, row.closedCents, row.closedReachedAt),
})

const placeFrom = (destinationKey: string, totalCents: number, reachedAt: number | null) =>
  reachedAt === null ? undefined : { destinationKey, totalCents, reachedAt }

/**
 * All that was paid on the day for each destination with a payment that changed later, but for hidden ones. Each is looked
 * up in turn: of a join, PostgreSQL may think that all payments are read faster.
 */
const changedOf = statement({ day: 'text' }, ({ day }) => {
  const ofDay = (value: RawBuilder<unknown>) => sql`(
    select ${value} from payment as paid where paid."destinationKey" = changed."destinationKey" and paid.day = ${day}
  )`
  return sql<ChangedRow>`
    select "destinationKey",
      ${ofDay(sql`cast(sum("netCents") as bigint)`)} as "nowCents",
      ${ofDay(sql`max(case when "netCents" > 0 then "paidAt" end)`)} as "nowReachedAt",
      ${ofDay(sql`cast(sum("closingCents") as bigint)`)} as "closedCents",
      ${ofDay(sql`max(case when "closingCents" > 0 then "paidAt" end)`)} as "closedReachedAt"
    from (
      select distinct payment."destinationKey" from payment
      where day = ${day} and "netCents" <> "closingCents" and (
        select "hiddenAt" from listing where listing."destinationKey" = payment."destinationKey"
      ) is null
      limit ${sql.lit(CHANGED_MAX + 1)}
    ) as changed`
})
