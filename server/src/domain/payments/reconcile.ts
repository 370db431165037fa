import { DISPLAY_DAYS } from '@placard/contract'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Db, readOneMoment, type Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'
import { CHANGES_KEPT } from '../boards/counts.ts'
import { DOLLAR_LEVEL, type DollarMove, sumAfter, sumOfCounts } from '../boards/dollar-counts.ts'
import { CENTS_PER_NODE, MS_PER_NODE, TIME_LEVELS } from '../boards/rank.ts'
import { newestDay } from '../boards/totals.ts'
import { compareOrders, comparePayments, comparePlacesTaken, type Difference, rowText } from './reconcile-payments.ts'

export interface Reconciled {
  differences: Difference[]
  payments: number
  totals: number
}

/** Of each kind. More add no information. */
const DIFFERENCES_MAX = 100

/**
 * Proves the boards. Computes the payments again from their events, the totals from the payments, the counts from the
 * totals, and the ends of listings. Compares them with what is stored. Also checks the amounts of orders, the changes
 * of the counts, and the places that payments took.
 *
 * Reads one moment, changes nothing, and does not block the service. It computes totals in SQL, so by another method
 * than the one that updates them.
 *
 * @param now decides which day is the current one
 */
export const reconcile = (store: Store, now: number): Promise<Reconciled> =>
  readOneMoment(store, db => reconcileIn(db, now))

/** Proves the boards for a caller that already reads one moment. */
export async function reconcileIn(db: Db, now: number): Promise<Reconciled> {
  // The newest payment counts, too, because this machine's clock may be behind that of the service.
  const presentDay = [utcDay(now), (await newestDay(db)) ?? ''].sort().at(-1) ?? ''
  const payments = await comparePayments(db, DIFFERENCES_MAX)
  const { rows } = await sql<{ n: number }>`select count(*) as n from board_total`.execute(db)
  const differences = [
    ...payments.differences,
    ...(await compareRows(db, 'board total', derivedTotals, storedTotals(presentDay))),
    ...(await compareRows(db, 'board count', derivedCounts, storedCounts)),
    ...(await compareEnds(db)),
    ...(await compareOrders(db, DIFFERENCES_MAX)),
    ...(await compareChanges(db)).slice(0, DIFFERENCES_MAX),
    ...(await comparePlacesTaken(db, now)).slice(0, DIFFERENCES_MAX),
  ]
  return { differences, payments: payments.compared, totals: rows[0]?.n ?? 0 }
}

const shown = sql`case when exists (
  select 1 from listing where listing."destinationKey" = payment."destinationKey" and "hiddenAt" is null
) then 1 else 0 end`

const itsListing = sql`(select id from listing where listing."destinationKey" = payment."destinationKey")`

const itsCategory = sql`(select category from listing where listing."destinationKey" = payment."destinationKey")`

const derivedTotals = sql`
  select 'all' as board, "destinationKey", cast(sum("netCents") as bigint) as "totalCents", max("paidAt") as "reachedAt",
    ${shown} as shown, ${itsListing} as "listingId", ${itsCategory} as category
  from payment where "netCents" > 0 group by "destinationKey"
  union all
  select day, "destinationKey", cast(sum("netCents") as bigint), max("paidAt"), ${shown}, ${itsListing}, ''
  from payment where "netCents" > 0 group by day, "destinationKey"`

/** On a past day, a hidden listing may have kept its place: see `showOnBoards`. */
const storedTotals = (presentDay: string) => sql`
  select board, "destinationKey", "totalCents", "reachedAt",
    case when board < ${presentDay} and exists (
      select 1 from listing where listing.id = "listingId" and "hiddenAt" is not null
    ) then 0 else shown end as shown, "listingId", category
  from board_total`

const derivedCounts = sql.join(
  [
    sql`select board, ${sql.lit(DOLLAR_LEVEL)} as level, "totalCents" / ${sql.lit(CENTS_PER_NODE)} as amount,
      0 as time, count(*) as destinations from board_total where shown = 1
      group by board, "totalCents" / ${sql.lit(CENTS_PER_NODE)}`,
    ...MS_PER_NODE.map(
      (size, index) => sql`select board, ${sql.lit(TIME_LEVELS[index])}, "totalCents",
        "reachedAt" / ${sql.lit(size)}, count(*) from board_total where shown = 1
        group by board, "totalCents", "reachedAt" / ${sql.lit(size)}`,
    ),
  ],
  sql` union all `,
)

const storedCounts = sql`
  select board, level, amount, time, destinations from board_count where destinations <> 0`

/** The rows that only one of two queries returns. */
async function compareRows(
  db: Db,
  what: Difference['what'],
  derived: RawBuilder<unknown>,
  stored: RawBuilder<unknown>,
): Promise<Difference[]> {
  const onlyIn = async (here: RawBuilder<unknown>, there: RawBuilder<unknown>, how: string) => {
    const { rows } = await sql`
      select * from (${here}) as here except select * from (${there}) as there limit ${DIFFERENCES_MAX}`.execute(db)
    return rows.map(row => ({ what, detail: `${how} ${rowText(row as object)}` }))
  }
  return [
    ...(await onlyIn(stored, derived, 'stored, but not derived:')),
    ...(await onlyIn(derived, stored, 'derived, but not stored:')),
  ]
}

/** A listing has no scheduled end exactly while it has verified money. Otherwise, it ends like a free one. */
async function compareEnds(db: Db): Promise<Difference[]> {
  const paid = sql`exists (
    select 1 from payment where payment."destinationKey" = listing."destinationKey" and "netCents" > 0
  )`
  const { rows } = await sql<{ slug: string; expiresAt: number | null }>`
    select slug, "expiresAt" from listing
    where (${paid} and "expiresAt" is not null)
      or (not ${paid} and ("expiresAt" is null or "expiresAt" <> "publishedAt" + ${sql.lit(daysMs(DISPLAY_DAYS))}))
    limit ${DIFFERENCES_MAX}`.execute(db)
  return rows.map(row => ({
    what: 'end of listing',
    detail: `stored, but not derived: ${rowText(row)}`,
  }))
}

type Change = Selectable<Database['board_change']>

/** How many changes to read at a time. */
const CHUNK = 1000

/**
 * Proves the changes that processes follow with their counts in memory: none is missing or altered, and the last one
 * leads to the stored counts.
 */
async function compareChanges(db: Db): Promise<Difference[]> {
  const { rows } = await sql<{ sum: number; counted: number; last: number | null }>`
    select ${sumOfCounts} as sum, (select count(*) from board_count where level = 3) as counted,
      (select max(version) from board_change) as last`.execute(db)
  const [stored = { sum: 0, counted: 0, last: null }] = rows
  if (stored.last === null) {
    return stored.counted > 0 ? [different('there are counts, and no change that led to them')] : []
  }
  const differences: Difference[] = []
  let before: Change | undefined
  for (;;) {
    const changes = await nextChanges(db, before?.version ?? 0)
    for (const change of changes) {
      const fault = before ? faultAfter(before, change) : faultOfFirst(change, stored.last)
      if (fault) differences.push(different(fault))
      before = change
    }
    if (changes.length < CHUNK) break
  }
  if (before && before.countsSum !== null && Number(before.countsSum) !== Number(stored.sum)) {
    differences.push(different(`change ${before.version} is the last, but the counts are not those that it led to`))
  }
  return differences
}

const different = (detail: string): Difference => ({ what: 'board change', detail })

const nextChanges = (db: Db, after: number): Promise<Change[]> =>
  db.selectFrom('board_change').selectAll().where('version', '>', after).orderBy('version').limit(CHUNK).execute()

/** Older changes are deleted, but never one of the last thousand. A history can also begin with an empty change. */
function faultOfFirst({ version, moves }: Change, last: number): string | undefined {
  const isDue = version === 1 || moves === '[]' || version <= last - CHANGES_KEPT + 1
  return isDue ? undefined : `changes before ${version} are missing`
}

function faultAfter(before: Change, { version, moves, token, countsSum }: Change): string | undefined {
  if (version !== before.version + 1) return `changes between ${before.version} and ${version} are missing`
  // Older versions of the service write no checksum.
  if (before.countsSum === null) return undefined
  if (countsSum === null || !token) return `change ${version} has no token or no checksum`
  try {
    const read = JSON.parse(moves) as DollarMove[]
    if (sumAfter(Number(before.countsSum), read) === Number(countsSum)) return undefined
    const text = read.map(moveText).join(', ') || 'no place'
    return `change ${version} was altered: ${text} does not lead from the counts before it to those after it`
  } catch {
    return `change ${version} was altered: it cannot be read`
  }
}

const moveText = ([board, dollars, by]: DollarMove) => `${by > 0 ? `+${by}` : by} at $${dollars} on ${board}`
