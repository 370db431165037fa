import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Engine } from '../../platform/db/tables/index.ts'
import type { Job } from './job.ts'

/** How long a lease lasts without renewal. After a process is killed, its jobs are idle until then. */
export const LEASE_MS = 12_000

/** The right to do a job. */
export interface Lease {
  name: string
  /**
   * A random number for each lease, so that a process that lost the job can't write any more. Consecutive numbers could
   * repeat after a failover to a standby that lacks the last lease.
   */
  fence: number
}

/** How the runs of a job went, in milliseconds on this process's monotonic clock. */
export interface RunState {
  startedAt?: number
  endedAt?: number
  nextAt: number
  /** Consecutive failed runs. */
  failures: number
  failedAt?: number
  succeededAt?: number
  error?: string
}

const FENCE_MAX = 2 ** 47

/** Another process has the job. */
export class LeaseLost extends Error {}

/**
 * The database's clock. On PostgreSQL, it is the start of the transaction, so leases that are
 * renewed together end together. On SQLite, it is the machine's clock.
 */
export const clockOf = (engine: Engine): RawBuilder<number> =>
  engine === 'postgres'
    ? sql`floor(extract(epoch from now()) * 1000)::bigint`
    : sql`cast(unixepoch('subsec') * 1000 as integer)`

/** A lease that ends too far ahead was made before the clock was set back, so it counts as ended. */
export const isHeld = (now: RawBuilder<number>, leaseMs: number) =>
  sql<boolean>`("heldUntil" > ${now} and "heldUntil" < ${now} + ${sql.lit(2 * leaseMs)})`

/** Adds a row for each job that has none. */
export async function addJobs(store: Store, jobs: readonly Job[]): Promise<void> {
  const known = await store.db.selectFrom('job').select('name').execute()
  const missing = jobs.filter(({ name }) => known.every(job => job.name !== name))
  if (missing.length === 0) return
  const now = clockOf(store.engine)
  await store.transact(trx =>
    trx
      .insertInto('job')
      .values(
        missing.map(({ name, everyMs, skipsNewDatabase }) => ({
          name,
          nextAt: skipsNewDatabase ? sql<number>`${now} + ${everyMs}` : null,
        })),
      )
      .onConflict(conflict => conflict.column('name').doNothing())
      .execute(),
  )
}

export async function freeJobs(store: Store, leaseMs: number): Promise<string[]> {
  const free = sql<{ name: string }>`
    select name from job where not coalesce(${isHeld(clockOf(store.engine), leaseMs)}, false)`
  return (await store.executeQuery(free.compile(store.db))).rows.map(({ name }) => name)
}

/**
 * Takes a job that no process has.
 *
 * @param holder names this process to operators
 * @returns in how many milliseconds its next run is due, and its failures so far; undefined if another process has it
 */
export async function take(
  trx: Trx,
  name: string,
  holder: string,
  leaseMs: number,
): Promise<{ lease: Lease; waitMs: number; failures: number } | undefined> {
  const now = clockOf(trx.engine)
  const taken = await trx
    .updateTable('job')
    .set({
      holder,
      heldUntil: sql<number>`${now} + ${sql.lit(leaseMs)}`,
      fence: randomInt(FENCE_MAX),
    })
    .where('name', '=', name)
    .where(sql<boolean>`not coalesce(${isHeld(now, leaseMs)}, false)`)
    .returning(['fence', 'failures', sql<number>`coalesce("nextAt" - ${now}, 0)`.as('waitMs')])
    .executeTakeFirst()
  if (!taken) return undefined
  const { fence, failures, waitMs } = taken
  return { lease: { name, fence: Number(fence) }, waitMs: Number(waitMs), failures }
}

/** Renews a lease, and records how the runs went. @returns false if another process has the job */
export function renew(trx: Trx, lease: Lease, state: RunState, leaseMs: number): Promise<boolean> {
  return record(trx, lease, state, {
    heldUntil: sql<number>`${clockOf(trx.engine)} + ${sql.lit(leaseMs)}`,
  })
}

/** Ends a lease, so that another process can have the job at once. */
export function release(trx: Trx, lease: Lease, state: RunState): Promise<boolean> {
  return record(trx, lease, state, { holder: null, heldUntil: null })
}

async function record(
  trx: Trx,
  { name, fence }: Lease,
  { failures, error, ...times }: RunState,
  held: { holder?: null; heldUntil: RawBuilder<number> | null },
): Promise<boolean> {
  const now = clockOf(trx.engine)
  const recorded = Object.entries(times).map(([column, at]) => [
    column,
    sql<number>`${now} + ${Math.round(at - performance.now())}`,
  ])
  const { numUpdatedRows } = await trx
    .updateTable('job')
    .set({ ...held, ...Object.fromEntries(recorded), failures, ...(error !== undefined && { error }) })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Returns a store for the process with a lease. Its transactions end with `LeaseLost` once another process has the job.
 * A process that tries to take the job during a transaction waits until it has ended.
 */
export const fenced = (store: Store, lease: Lease): Store => ({
  ...store,
  transact: work =>
    store.transact(async trx => {
      const done = await work(trx)
      await requireLease(trx, lease)
      return done
    }),
})

/** Call it last in a transaction, so that others wait for the row only as long as a commit takes. */
async function requireLease(trx: Trx, { name, fence }: Lease): Promise<void> {
  const held = await trx
    .selectFrom('job')
    .select('name')
    .where('name', '=', name)
    .where('fence', '=', fence)
    // SQLite has only one writer.
    .$if(trx.engine === 'postgres', query => query.forShare())
    .executeTakeFirst()
  if (!held) throw new LeaseLost(`another process runs ${name}`)
}
