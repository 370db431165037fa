import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { CHANGES_KEPT } from '../../domain/boards/counts.ts'
import { changeLedger } from '../../domain/boards/ledger.ts'
import { addTraffic, type TrafficRow } from '../../domain/listings/traffic.ts'
import type { Store } from '../../platform/db/store.ts'
import { isOpenAppeal } from '../../platform/db/tables/decisions.ts'
import { RETENTION_RULES, type Table } from '../../platform/db/tables/index.ts'
import type { DeleteOldRows, NamedStep } from '../../platform/db/tables/retention.ts'
import { daysMs, HOUR_MS, utcDay } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

/** Deletes the rows whose retention period has ended. */
export const deleteOldRows: JobDefinition<'clock' | 'log'> = {
  name: 'retention',
  does: 'deletes old rows',
  everyMs: HOUR_MS,
  start:
    ({ clock, log }) =>
    async ({ store, signal }) => {
      const rows = await deleteDueRows({ store, clock }, signal)
      if (Object.keys(rows).length > 0) log.info({ rows }, 'deleted old rows')
    },
}

/** The most rows that one transaction handles: few enough to take milliseconds. */
export const ROWS_AT_ONCE = 200

/**
 * The pause after a step, as a multiple of the step's time. Deleting then takes a tenth of the time. It takes less
 * while others write, because a step includes waiting for them.
 */
const PAUSE = 9

interface DeletionDependencies {
  store: Store
  clock: () => number
}

/**
 * Deletes in short, complete steps. If it is interrupted, the next run continues, because the rows themselves say what
 * is due.
 *
 * @param signal ends it after the current step
 * @returns for each table, how many rows were deleted, folded, shortened or marked to be kept
 */
export async function deleteDueRows(deps: DeletionDependencies, signal: AbortSignal): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  for (const { table, end } of RETENTION_RULES) {
    const rows = end ? await repeatStep({ days: end.days, step: stepOf(table, end) }, deps, signal) : 0
    if (rows > 0) done[table] = (done[table] ?? 0) + rows
  }
  return done
}

/**
 * Handles the oldest few rows from before a time, in one short transaction. Repeating it, or running it in two
 * processes at once, has the same effect as running it once.
 *
 * @returns how many rows it has handled; fewer than `ROWS_AT_ONCE` if none are left
 */
type DeletionStep = (store: Store, before: number, now: number) => Promise<number>

/** Repeats a step until nothing is left, with pauses. @returns how many rows it has handled */
export async function repeatStep(
  { days, step }: { days: number; step: DeletionStep },
  { store, clock }: DeletionDependencies,
  signal: AbortSignal,
): Promise<number> {
  let done = 0
  while (!signal.aborted) {
    const startedAt = performance.now()
    const now = clock()
    const rows = await step(store, now - daysMs(days), now)
    done += rows
    if (rows < ROWS_AT_ONCE) break
    await sleep(PAUSE * (performance.now() - startedAt), undefined, { signal }).catch(() => {})
  }
  return done
}

const stepOf = (table: Table, end: DeleteOldRows<never> | NamedStep): DeletionStep =>
  'step' in end
    ? STEPS[end.step]
    : (store, before) => deleteSome(store, table, { key: end.key, where: end.where(before), order: end.order })

const STEPS: Record<NamedStep['step'], DeletionStep> = {
  'unpaid-orders': deleteUnpaidOrders,
  traffic: foldTraffic,
  'client-hashes': removeClientHashes,
  'decision-facts': removeFacts,
  'count-changes': deleteOldChanges,
}

/** Deletes the first few matching rows of a table. The policy of the table explains `key`, `where` and `order`. */
function deleteSome(
  store: Store,
  table: Table,
  { key, where, order }: { key: readonly string[]; where: RawBuilder<unknown>; order: RawBuilder<unknown> },
): Promise<number> {
  const columns = sql.join(key.map(column => sql.ref(column)))
  // The condition is there twice, because a row may have been renewed after it was selected.
  return change(
    store,
    sql`
      delete from ${sql.table(table)} where ${where} and (${columns}) in (
        select ${columns} from ${sql.table(table)} where ${where} order by ${order} limit ${sql.lit(ROWS_AT_ONCE)}
      )`,
  )
}

/** Runs a statement in a durable transaction. @returns how many rows it changed */
async function change(store: Store, query: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await store.transact(trx => query.execute(trx))
  return Number(numAffectedRows ?? 0)
}

/**
 * Deletes the oldest orders without any event: they were never paid. Marks the others, which are kept permanently, as
 * the record of what was paid for.
 *
 * @returns how many it deleted or marked
 */
function deleteUnpaidOrders(store: Store, before: number, now: number): Promise<number> {
  // Under the ledger's lock, a concurrent event is credited to an existing order or to none.
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
        ).as('hasEvent'),
      ])
      .where('keptAt', 'is', null)
      .where('createdAt', '<', before)
      .orderBy('createdAt')
      .limit(ROWS_AT_ONCE)
      .execute()
    const kept = orders.filter(({ hasEvent }) => hasEvent).map(({ id }) => id)
    const unpaid = orders.filter(({ hasEvent }) => !hasEvent).map(({ id }) => id)
    if (kept.length > 0) await trx.updateTable('checkout').set({ keptAt: now }).where('id', 'in', kept).execute()
    if (unpaid.length > 0) await trx.deleteFrom('checkout').where('id', 'in', unpaid).execute()
    return orders.length
  })
}

/**
 * Adds the oldest views and clicks from before a day to their months, in one transaction, so that sums never change.
 *
 * @returns how many rows it folded
 */
function foldTraffic(store: Store, before: number): Promise<number> {
  return store.transact(async trx => {
    // It deletes first: if two instances fold the same days, the second waits here and then finds none.
    const { rows } = await sql<TrafficRow>`
      delete from listing_day where ("listingId", day) in (
        select "listingId", day from listing_day where length(day) = 10 and day < ${utcDay(before)}
        order by day limit ${sql.lit(ROWS_AT_ONCE)}
      ) returning "listingId", day, views, clicks`.execute(trx)
    await addTraffic(trx, monthsOf(rows))
    return rows.length
  })
}

/** Sums by listing and month. */
function monthsOf(days: readonly TrafficRow[]): TrafficRow[] {
  const months = new Map<string, TrafficRow>()
  for (const { listingId, day, views, clicks } of days) {
    const month = day.slice(0, 'YYYY-MM'.length)
    const sum = months.get(`${listingId} ${month}`) ?? { listingId, day: month, views: 0, clicks: 0 }
    sum.views += views
    sum.clicks += clicks
    months.set(`${listingId} ${month}`, sum)
  }
  return [...months.values()]
}

/** Removes the hashes of client and network from attempts of past days: quotas count them only within their day. */
function removeClientHashes(store: Store, before: number): Promise<number> {
  return change(
    store,
    sql`
      update attempt set "clientHash" = '', "networkHash" = '' where "requestId" in (
        select "requestId" from attempt where "clientHash" <> '' and day < ${utcDay(before)}
        order by day limit ${sql.lit(ROWS_AT_ONCE)}
      )`,
  )
}

/**
 * Removes the facts of old decisions. Their hash stays, so the log can still be verified. An appeal without an outcome
 * keeps its statement, and the decision that it appeals what it relies on.
 */
function removeFacts(store: Store, before: number): Promise<number> {
  return change(
    store,
    // The condition is spelled as in the index.
    sql`
      update decision set facts = null where id in (
        select id from decision
        where facts is not null and kind in ('refuse', 'report', 'settle', 'appeal', 'outcome')
          and at < ${before}
          and not ${isOpenAppeal} and id not in (select about from decision where ${isOpenAppeal})
        order by at limit ${sql.lit(ROWS_AT_ONCE)}
      )`,
  )
}

/** Deletes old changes of the counts, and keeps the newest ones: the last has the version. */
export function deleteOldChanges(store: Store): Promise<number> {
  return deleteSome(store, 'board_change', {
    key: ['version'],
    where: sql`version <= (select max(version) from board_change) - ${sql.lit(CHANGES_KEPT)}`,
    order: sql`version`,
  })
}
