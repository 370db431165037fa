import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { CHANGES_KEPT } from '../../domain/boards/counts.ts'
import { changeLedger } from '../../domain/boards/ledger.ts'
import type { Store } from '../../platform/db/store.ts'
import { type Database, RETENTION } from '../../platform/db/tables/index.ts'
import type { DeleteOldRows, NamedStep } from '../../platform/db/tables/retention.ts'
import { daysMs, utcDay } from '../../platform/lib/time.ts'

/**
 * Deletes or folds the oldest few rows from before a time, in one short transaction. Doing it twice, or in two places
 * at once, has the same effect as doing it once.
 *
 * @returns how many rows it has handled; fewer than `ROWS_AT_ONCE` if none are left
 */
type DeletionStep = (store: Store, before: number, now: number) => Promise<number>

/** Deletes old changes of the counts. Keeps the newest, which says the version. */
export const forgetChanges = (store: Store): Promise<number> =>
  deleteSome(store, 'board_change', {
    key: ['version'],
    where: sql`version <= (select max(version) from board_change) - ${sql.lit(CHANGES_KEPT)}`,
    order: sql`version`,
  })

/** The most rows that one transaction deletes: few enough to take milliseconds. */
export const ROWS_AT_ONCE = 200

/** The ends that are more than a plain delete. */
const STEPS: Record<NamedStep['step'], DeletionStep> = {
  'unpaid-orders': forgetUnpaidOrders,
  traffic: foldTraffic,
  'client-hashes': forgetClients,
  'decision-facts': endFacts,
  'count-changes': forgetChanges,
}

/**
 * How long to rest after a step, as a multiple of the step's time, so that deleting takes a tenth of the time, and less
 * while others write, since a step includes waiting for them.
 */
const REST = 9

interface DeletingDependencies {
  store: Store
  clock: () => number
}

/**
 * Deletes old rows in short, complete steps. If interrupted, the next run continues, because the rows themselves say what
 * is due.
 *
 * @param signal ends it after the current step
 * @returns how many rows it has handled, by table: deleted, folded, or kept
 */
export async function deleteOld(deps: DeletingDependencies, signal: AbortSignal): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  for (const table of Object.keys(RETENTION) as (keyof Database)[]) {
    for (const { end } of RETENTION[table]) {
      const rows = end ? await runToEnd({ days: end.days, step: stepOf(table, end) }, deps, signal) : 0
      if (rows > 0) done[table] = (done[table] ?? 0) + rows
    }
  }
  return done
}

const stepOf = (table: keyof Database, end: DeleteOldRows<never> | NamedStep): DeletionStep =>
  'step' in end
    ? STEPS[end.step]
    : (store, before) => deleteSome(store, table, { key: end.key, where: end.where(before), order: end.order })

/** Repeats a step until nothing is left, with rests. @returns how many rows it has handled */
export async function runToEnd(
  { days, step }: { days: number; step: DeletionStep },
  { store, clock }: DeletingDependencies,
  signal: AbortSignal,
): Promise<number> {
  let done = 0
  while (!signal.aborted) {
    const startedAt = performance.now()
    const now = clock()
    const rows = await step(store, now - daysMs(days), now)
    done += rows
    if (rows < ROWS_AT_ONCE) break
    await sleep(REST * (performance.now() - startedAt), undefined, { signal }).catch(() => {})
  }
  return done
}

/**
 * Decides on the oldest orders from before a time: one without any event was never paid, and is deleted. All others
 * stay for good, as the record of what was paid for.
 *
 * @returns how many it decided on
 */
function forgetUnpaidOrders(store: Store, before: number, now: number): Promise<number> {
  // Under the ledger's lock: a concurrent event is credited to an existing order or to none.
  return changeLedger(store, async trx => {
    const orders = await trx
      .selectFrom('checkout')
      .select(({ exists, selectFrom }) => [
        'id',
        exists(
          selectFrom('processor_event as event')
            .select('event.eventId')
            .whereRef('event.processor', '=', 'checkout.processor')
            .whereRef('event.sessionId', '=', 'checkout.sessionId'),
        ).as('isHeardOf'),
      ])
      .where('keptAt', 'is', null)
      .where('createdAt', '<', before)
      .orderBy('createdAt')
      .limit(ROWS_AT_ONCE)
      .execute()
    const [heardOf, unpaid] = [true, false].map(wanted =>
      orders.filter(({ isHeardOf }) => Boolean(isHeardOf) === wanted).map(({ id }) => id),
    ) as [string[], string[]]
    if (heardOf.length > 0) {
      await trx.updateTable('checkout').set({ keptAt: now }).where('id', 'in', heardOf).execute()
    }
    if (unpaid.length > 0) await trx.deleteFrom('checkout').where('id', 'in', unpaid).execute()
    return orders.length
  })
}

/**
 * Deletes the facts of old decisions, and leaves their hash, by which the chain still proves itself. An appeal that
 * nobody has decided keeps its statement.
 */
async function endFacts(store: Store, before: number): Promise<number> {
  const { numAffectedRows } = await store.transact(trx =>
    // The condition is spelt as in the index.
    sql`
      update decision set facts = null where id in (
        select id from decision
        where facts is not null and kind in ('refuse', 'report', 'settle', 'appeal', 'outcome')
          and at < ${before}
          and (kind <> 'appeal' or exists (
            select 1 from decision as answer where answer.about = decision.about and answer.kind = 'outcome'))
        order by at limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}

type Row = Selectable<Database['listing_day']>

/**
 * Moves the oldest views and clicks from before a day into their months, in one transaction, so that the sums never
 * change.
 *
 * @returns how many rows it folded
 */
function foldTraffic(store: Store, before: number): Promise<number> {
  return store.transact(async trx => {
    // Delete first: if two instances fold the same days, the second waits here and then finds none.
    const { rows } = await sql<Row>`
      delete from listing_day where ("listingId", day) in (
        select "listingId", day from listing_day where length(day) = 10 and day < ${utcDay(before)}
        order by day, "listingId" limit ${sql.lit(ROWS_AT_ONCE)}
      ) returning "listingId", day, views, clicks`.execute(trx)
    if (rows.length === 0) return 0
    await trx
      .insertInto('listing_day')
      .values(monthsOf(rows))
      .onConflict(conflict =>
        conflict.columns(['listingId', 'day']).doUpdateSet(({ ref, eb }) => ({
          views: eb('listing_day.views', '+', ref('excluded.views')),
          clicks: eb('listing_day.clicks', '+', ref('excluded.clicks')),
        })),
      )
      .execute()
    return rows.length
  })
}

/** Sums by listing and month, always in the same order, so that two instances never deadlock. */
function monthsOf(days: readonly Row[]): Row[] {
  const months = new Map<string, Row>()
  for (const { listingId, day, views, clicks } of days) {
    const month = day.slice(0, 'YYYY-MM'.length)
    const sum = months.get(`${listingId} ${month}`) ?? { listingId, day: month, views: 0, clicks: 0 }
    sum.views += views
    sum.clicks += clicks
    months.set(`${listingId} ${month}`, sum)
  }
  return [...months.values()].sort((a, b) => a.listingId - b.listingId || (a.day < b.day ? -1 : 1))
}

/** Removes the hashes of client and network from attempts of past days, since they only served to count within their day. */
async function forgetClients(store: Store, before: number): Promise<number> {
  const { numAffectedRows } = await store.transact(trx =>
    sql`
      update attempt set "clientHash" = '', "networkHash" = '' where "requestId" in (
        select "requestId" from attempt where "clientHash" <> '' and day < ${utcDay(before)}
        order by day limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}

/**
 * Deletes the first few matching rows of a table, in one durable transaction.
 *
 * @param key the columns that identify a row
 * @param where SQL; to use a partial index, spell its values exactly as in the index
 * @param order SQL; use an index, or each step would rescan what earlier ones deleted
 * @returns how many rows it deleted: fewer than `ROWS_AT_ONCE` if none are left
 */
async function deleteSome(
  store: Store,
  table: keyof Database,
  { key, where, order }: { key: readonly string[]; where: RawBuilder<unknown>; order: RawBuilder<unknown> },
): Promise<number> {
  const columns = sql.join(key.map(column => sql.ref(column)))
  // The condition stands twice, since a row may have been renewed after it was selected.
  const { numAffectedRows } = await store.transact(trx =>
    sql`
      delete from ${sql.table(table)} where ${where} and (${columns}) in (
        select ${columns} from ${sql.table(table)} where ${where} order by ${order} limit ${sql.lit(ROWS_AT_ONCE)}
      )`.execute(trx),
  )
  return Number(numAffectedRows ?? 0)
}
