import { type RawBuilder, sql } from 'kysely'
import { statement } from '../../platform/db/statement.ts'
import { longRead, type Runner, type Store } from '../../platform/db/store.ts'
import { daysMs } from '../../platform/lib/time.ts'
import { readLedger } from './ledger.ts'
import { type BoardCursor, type ListedPlace, RANKED_MAX } from './listed-places.ts'
import { placesAheadOn } from './past-days.ts'
import { boardOrder } from './rank.ts'

/**
 * The maximum number of destinations to compare. If more changed after the day, the page gives no places at midnight.
 */
const CHANGED_MAX = 200
/** The same for listings hidden, or restored, after the day. */
const HIDDEN_MAX = 1000

/** Why the place of a destination changed. */
export interface Causes {
  /** Refunds or disputes after midnight. */
  isByMoney: boolean
  /** Listings that were withdrawn or taken down after midnight. */
  isByHiding: boolean
}

/** The place of a destination at midnight, and why it is different now; `none` if it had no place. */
export type Closing = ({ rank: number; totalCents: number } & Causes) | 'none'

/** What changed about a day after it ended. */
export interface ClosingOrder {
  /** By destination key; only destinations that had another place at midnight. */
  closings: ReadonlyMap<string, Closing>
  /** How many destinations had a place at midnight and lost it by refunds or disputes. */
  gone: number
  /** How many destinations had a place at midnight and were withdrawn or taken down since. */
  hidden: number
  /** Whether too much changed to compute the places at midnight. */
  isIncomplete: boolean
}

/**
 * Compares the places of a day with the order at its midnight, by the processor's times. It reports what refunds,
 * disputes and takedowns changed since, so only their payments are read. Without any, it costs two lookups. A listing that
 * is hidden now is not named. One that was hidden at midnight and was restored since had no place then.
 *
 * @param places of one page, with their current ranks
 */
export const readClosingOrder = (store: Store, day: string, places: readonly ListedPlace[]): Promise<ClosingOrder> =>
  readLedger(() => closingOrder(store, { day, places }))

const closingOrder = longRead(
  'closingOrder',
  async (runner, { day, places }: { day: string; places: readonly ListedPlace[] }): Promise<ClosingOrder> => {
    const midnight = Date.parse(day) + daysMs(1)
    const [rows, hiddenRows] = [await changedOf(runner, { day }), await hiddenOf(runner, { day, midnight })]
    const hiddenPlaces = hiddenRows.flatMap(row => changeOf(row).closed ?? [])
    const hidden = hiddenPlaces.length
    const closings = new Map<string, Closing>()
    if (rows.length > CHANGED_MAX) return { closings, gone: 0, hidden, isIncomplete: true }
    const changes = rows.map(changeOf)
    const returned = changes.length + hidden > 0 ? (await returnedOn(runner, { day, midnight })).map(changeOf) : []
    const isReturned = new Set(returned.map(({ destinationKey }) => destinationKey))
    const gone = changes.filter(({ now, destinationKey }) => !now && !isReturned.has(destinationKey)).length
    const isIncomplete = hiddenRows.length > HIDDEN_MAX || returned.length > HIDDEN_MAX
    if (isIncomplete || changes.length + hidden === 0) return { closings, gone, hidden, isIncomplete }
    for (const place of places.filter(({ destinationKey }) => !isReturned.has(destinationKey))) {
      const closed = await closedPlaceOf(runner, day, place, changes)
      const closing = closed && closed !== 'none' ? closingOf(place, closed, hiddenPlaces, returned) : closed
      if (closing) closings.set(place.destinationKey, closing)
    }
    return { closings, gone, hidden, isIncomplete: false }
  },
)

/** The place at midnight of a destination that is shown now. */
interface ClosedPlace {
  rank: number
  stood: BoardCursor
}

/** @returns undefined if it had the rank that it has now */
function closingOf(
  place: ListedPlace,
  { rank, stood }: ClosedPlace,
  hidden: readonly BoardCursor[],
  returned: readonly Change[],
): Closing | undefined {
  const hiddenAhead = hidden.filter(each => boardOrder.isAhead(each, stood)).length
  const { totalCents } = stood
  // `rank` counts these, too.
  const returnedAhead = returned.filter(({ closed }) => closed && boardOrder.isAhead(closed, stood)).length
  const closingRank = rank + hiddenAhead - returnedAhead
  // If only a listing that is shown again changed its rank, neither cause did.
  if (closingRank === place.rank || rank + hiddenAhead === place.rank) return undefined
  const causes = { isByMoney: rank !== place.rank, isByHiding: hiddenAhead > 0 }
  return { rank: closingRank, totalCents, ...causes }
}

/** A destination's position when the day closed, and its position now; undefined means none. */
interface Change {
  destinationKey: string
  closed: BoardCursor | undefined
  now: BoardCursor | undefined
}

/** @returns undefined if that is unknown */
async function closedPlaceOf(
  runner: Runner,
  day: string,
  place: ListedPlace,
  changes: readonly Change[],
): Promise<ClosedPlace | 'none' | undefined> {
  const { rank, destinationKey } = place
  if (rank === undefined) return undefined
  const own = changes.find(change => change.destinationKey === destinationKey)
  if (own && !own.closed) return 'none'
  const stood = own?.closed ?? place
  // Unchanged destinations that are ahead of it now, plus changed ones that were ahead then.
  const aheadNow = own ? await placesAheadOn(runner, day, stood) : rank - 1
  if (aheadNow >= RANKED_MAX) return undefined
  const others = changes.filter(change => change !== own)
  const unchanged = aheadNow - changes.filter(({ now }) => now && boardOrder.isAhead(now, stood)).length
  const closingRank = 1 + unchanged + others.filter(({ closed }) => closed && boardOrder.isAhead(closed, stood)).length
  return { rank: closingRank, stood }
}

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
 * All that was paid on the day for some destinations. It looks up one after another: for a join, PostgreSQL may decide
 * to read all payments.
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

/** Shown destinations with a payment that changed after the day. */
const changedOf = statement({ day: 'text' }, ({ day }) =>
  paidOn(
    day,
    sql`
      select distinct payment."destinationKey" from payment
      where day = ${day} and "netCents" <> "closingCents" and ${itsHiddenAt} is null
      limit ${sql.lit(CHANGED_MAX + 1)}`,
  ),
)

const itsListing = sql`(select id from listing where listing."destinationKey" = payment."destinationKey")`

/** SQL for whether a listing was hidden at midnight, by the last decision before. */
const wasHidden = (listingId: RawBuilder<unknown>, midnight: number) => sql`coalesce((
  select kind from decision
  where decision."listingId" = ${listingId} and kind <> 'accept' and kind in ('hide', 'restore') and at < ${midnight}
  order by at desc, id desc limit 1
), '') = 'hide'`

/** Shown destinations with a payment on the day that were hidden at midnight. So they were restored since. */
const returnedOn = statement({ day: 'text', midnight: 'bigint' }, ({ day, midnight }) =>
  paidOn(
    day,
    sql`
      select "destinationKey" from listing
      where "hiddenAt" is null and ${hasPaidOn(day)} and ${wasHidden(sql`listing.id`, midnight)}
        and id in (select "listingId" from decision where kind = 'restore' and at >= ${midnight})
      limit ${sql.lit(HIDDEN_MAX + 1)}`,
  ),
)

const hasPaidOn = (day: string) => sql`(
  select count(*) from payment where payment."destinationKey" = listing."destinationKey" and payment.day = ${day}
) > 0`

/**
 * Listings hidden since midnight, with a payment on the day. A listing whose money counts has no end. If its money no
 * longer counts, its payment changed later. Payments are looked up per listing, as in `paidOn`.
 */
const hiddenOf = statement({ day: 'text', midnight: 'bigint' }, ({ day, midnight }) =>
  paidOn(
    day,
    sql`
      select "destinationKey" from (
        select "destinationKey" from listing where "hiddenAt" >= ${midnight} and "expiresAt" is null
          and ${hasPaidOn(day)} and not ${wasHidden(sql`listing.id`, midnight)}
        limit ${sql.lit(HIDDEN_MAX + 1)}
      ) as paid
      union
      select "destinationKey" from (
        select distinct payment."destinationKey" from payment
        where day = ${day} and "netCents" <> "closingCents" and ${itsHiddenAt} >= ${midnight}
          and not ${wasHidden(itsListing, midnight)}
        limit ${sql.lit(HIDDEN_MAX + 1)}
      ) as changed`,
  ),
)
