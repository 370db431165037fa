import { type RawBuilder, sql } from 'kysely'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import type { BoardCursor } from './cursor.ts'
import type { ListedPlace } from './listed-places.ts'
import { placesAheadOn } from './past-days.ts'
import { readLedger } from './read-ledger.ts'

/** How many destinations that changed after a day are looked at; more are only said to be many. */
const CHANGED_MAX = 200
/** How many paid listings that were hidden after a day are looked at; with more, no place at midnight is told. */
const HIDDEN_MAX = 1000

/** Where a place stood at midnight: `none` where it had no place then. */
export type Closing = { rank: number; totalCents: number } | 'none'

/** What later refunds and disputes changed about a day. */
export interface ClosingOrder {
  /** By destination key, of those who stood elsewhere at midnight. */
  closings: ReadonlyMap<string, Closing>
  /** How many had a place at midnight, and have none any more. */
  gone: number
  /** Too much changed to tell where each stood. */
  isUntold: boolean
}

/**
 * Compares places of a day with the order at its midnight, as it was by the processor's times. Only payments that were
 * refunded or disputed later can have changed it, and only those are read: so a day without any costs one look. What was
 * hidden since is no reason to tell a place, but counts in the ranks that are told: it had its place at midnight.
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
    const gone = changes.filter(({ now }) => !now).length
    const moved: { place: ListedPlace; closed: ClosedPlace | 'none' }[] = []
    for (const place of changes.length > 0 ? places : []) {
      const closed = await closedPlaceOf(store, day, place, changes)
      if (closed) moved.push({ place, closed })
    }
    const hidden =
      moved.length > 0 ? await hiddenOf(store, { day, midnight: Date.parse(day) + daysMs(1) }) : []
    if (hidden.length > HIDDEN_MAX) return { closings: new Map(), gone, isUntold: true }
    const hiddenPlaces = hidden.flatMap(row => changeOf(row).closed ?? [])
    const closings = new Map<string, Closing>()
    for (const { place, closed } of moved) {
      const closing = closed === 'none' ? closed : amongHidden(closed, hiddenPlaces)
      if (closing === 'none' || closing.rank !== place.rank) closings.set(place.destinationKey, closing)
    }
    return { closings, gone, isUntold: false }
  })
}

/** Where a destination stood at midnight, among those that are on show now. */
interface ClosedPlace {
  rank: number
  stood: BoardCursor
}

const amongHidden = ({ rank, stood }: ClosedPlace, hidden: readonly BoardCursor[]) => ({
  rank: rank + hidden.filter(place => isAhead(place, stood)).length,
  totalCents: stood.totalCents,
})

/** Where a destination stood when the day closed, and stands now; undefined: nowhere. */
interface Change {
  destinationKey: string
  closed: BoardCursor | undefined
  now: BoardCursor | undefined
}

/** @returns undefined where it stood then as it does now, or that cannot be told */
async function closedPlaceOf(
  store: Store,
  day: string,
  place: ListedPlace,
  changes: readonly Change[],
): Promise<ClosedPlace | 'none' | undefined> {
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
  return closingRank === rank ? undefined : { rank: closingRank, stood }
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
 * All that was paid on the day for each of some destinations. Each is looked up in turn: of a join, PostgreSQL may think
 * that all payments are read faster.
 */
function paidOn(day: string, destinations: RawBuilder<unknown>) {
  const ofDay = (value: RawBuilder<unknown>) => sql`(
    select ${value} from payment as paid where paid."destinationKey" = wanted."destinationKey" and paid.day = ${day}
  )`
  return sql<ChangedRow>`
    select "destinationKey",
      ${ofDay(sql`cast(sum("netCents") as bigint)`)} as "nowCents",
      ${ofDay(sql`max(case when "netCents" > 0 then "paidAt" end)`)} as "nowReachedAt",
      ${ofDay(sql`cast(sum("closingCents") as bigint)`)} as "closedCents",
      ${ofDay(sql`max(case when "closingCents" > 0 then "paidAt" end)`)} as "closedReachedAt"
    from (${destinations}) as wanted`
}

const itsHiddenAt = sql`(
  select "hiddenAt" from listing where listing."destinationKey" = payment."destinationKey"
)`

/** Destinations on show with a payment that changed later. */
const changedOf = statement({ day: 'text' }, ({ day }) =>
  paidOn(
    day,
    sql`
      select distinct payment."destinationKey" from payment
      where day = ${day} and "netCents" <> "closingCents" and ${itsHiddenAt} is null
      limit ${sql.lit(CHANGED_MAX + 1)}`,
  ),
)

/**
 * Listings that were hidden since midnight, also ones without a payment on the day. One that money counts for has no end;
 * where none counts any more, its payment changed later.
 */
const hiddenOf = statement({ day: 'text', midnight: 'bigint' }, ({ day, midnight }) =>
  paidOn(
    day,
    sql`
      select "destinationKey" from (
        select "destinationKey" from listing where "hiddenAt" >= ${midnight} and "expiresAt" is null
        limit ${sql.lit(HIDDEN_MAX + 1)}
      ) as paid
      union
      select "destinationKey" from (
        select distinct payment."destinationKey" from payment
        where day = ${day} and "netCents" <> "closingCents" and ${itsHiddenAt} >= ${midnight}
        limit ${sql.lit(HIDDEN_MAX + 1)}
      ) as changed`,
  ),
)
