import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Store, Trx } from '../../platform/db/store.ts'
import type { Engine } from '../../platform/db/tables/index.ts'

/** How long a process has a job without renewing: so long nobody does it after a kill. */
export const LEASE_MS = 12_000

/** The right to do a job. */
export interface Lease {
  name: string
  /**
   * Each taking has a random number, so that the process that had the job before can write nothing any more. After a
   * failover that lost a taking, the next number would be the same again.
   */
  fence: number
}

/** How the runs of a job went, in milliseconds on this process's monotonic clock. */
export interface Standing {
  startedAt?: number
  endedAt?: number
  nextAt: number
  /** In a row. */
  failures: number
  failedAt?: number
  error?: string
}

const FENCE_MAX = 2 ** 47

/** Another process has the job. */
export class LeaseLost extends Error {}

/**
 * The database's clock, in Unix milliseconds: on PostgreSQL as of the beginning of the transaction, so that leases renewed
 * together end together. On SQLite, it is the machine's.
 */
export const clockOf = (engine: Engine): RawBuilder<number> =>
  engine === 'postgres'
    ? sql`floor(extract(epoch from now()) * 1000)::bigint`
    : sql`cast(unixepoch('subsec') * 1000 as integer)`

/** One that reaches too far was made before the clock was set back, and nobody waits for its end. */
export const isHeld = (now: RawBuilder<number>, leaseMs: number) =>
  sql<boolean>`("heldUntil" > ${now} and "heldUntil" < ${now} + ${sql.lit(2 * leaseMs)})`

/** Makes sure that each job has a row. */
export async function addJobs(store: Store, names: readonly string[]): Promise<void> {
  const known = await store.db.selectFrom('job').select('name').execute()
  const missing = names.filter(name => known.every(job => job.name !== name))
  if (missing.length === 0) return
  await store.transact(trx =>
    trx
      .insertInto('job')
      .values(missing.map(name => ({ name })))
      .onConflict(conflict => conflict.column('name').doNothing())
      .execute(),
  )
}

/** The jobs that nobody has. */
export async function freeJobs(store: Store, leaseMs: number): Promise<string[]> {
  const free = sql<{ name: string }>`
    select name from job where not coalesce(${isHeld(clockOf(store.engine), leaseMs)}, false)`
  return (await store.executeQuery(free.compile(store.db))).rows.map(({ name }) => name)
}

/**
 * Takes a job that nobody has.
 *
 * @param holder this process, in words for people
 * @returns in how many milliseconds its next run is due, and what is known of the last ones; undefined if it is taken
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

/** Renews a lease and tells how the runs go. @returns false if another process has it */
export function renew(trx: Trx, lease: Lease, standing: Standing, leaseMs: number): Promise<boolean> {
  return tell(trx, lease, standing, {
    heldUntil: sql<number>`${clockOf(trx.engine)} + ${sql.lit(leaseMs)}`,
  })
}

/** Lets another process have the job at once. */
export function giveBack(trx: Trx, lease: Lease, standing: Standing): Promise<boolean> {
  return tell(trx, lease, standing, { holder: null, heldUntil: null })
}

async function tell(
  trx: Trx,
  { name, fence }: Lease,
  { failures, error, ...times }: Standing,
  held: { holder?: null; heldUntil: RawBuilder<number> | null },
): Promise<boolean> {
  const now = clockOf(trx.engine)
  const told = Object.entries(times).map(([column, at]) => [
    column,
    sql<number>`${now} + ${Math.round(at - performance.now())}`,
  ])
  const { numUpdatedRows } = await trx
    .updateTable('job')
    .set({ ...held, ...Object.fromEntries(told), failures, ...(error !== undefined && { error }) })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * The store for who has a lease: its transactions end with `LeaseLost` once another process has the job. Whoever would
 * take it just then waits until the transaction has ended.
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

/** Last in its transaction, so that nobody waits for the row longer than a commit takes. */
async function requireLease(trx: Trx, { name, fence }: Lease): Promise<void> {
  const held = await trx
    .selectFrom('job')
    .select('name')
    .where('name', '=', name)
    .where('fence', '=', fence)
    // SQLite has one writer anyway.
    .$if(trx.engine === 'postgres', query => query.forShare())
    .executeTakeFirst()
  if (!held) throw new LeaseLost(`another process does ${name}`)
}
