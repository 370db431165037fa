import { sql } from 'kysely'
import type { Fetched } from '../reading/page.ts'
import { statement } from '../storage/statement.ts'
import type { Db, Store, Trx } from '../storage/store.ts'
import { daysMs, utcDay } from '../time.ts'
import { FIRST_WAIT_MS, LEASE_MS } from './schedule.ts'
import { type Snapshot, snapshotOf } from './snapshot.ts'

/** A listing whose page is due. */
export interface DueLook {
  listingId: number
  lookAt: number
}

const HOUR_MS = 60 * 60 * 1000
const BATCH = 16

/** What publishing keeps of the page it has just read, with the listing: a row of some kilobyte, and no look. */
export const firstSeen = (fetched: Fetched, now: number): { snapshot: string; lookAt: number } => ({
  snapshot: JSON.stringify(snapshotOf(fetched)),
  lookAt: now + FIRST_WAIT_MS,
})

/** The longest due looks, at most as many as the hour has left. */
export async function dueLooks(store: Store, now: number, perHour: number): Promise<DueLook[]> {
  const due = await dueNow(store, { now, limit: Math.min(BATCH, perHour) })
  if (due.length === 0) return due
  const [looked] = await lookedSince(store, { since: now - HOUR_MS, limit: perHour })
  return due.slice(0, Math.max(0, perHour - Number(looked?.count ?? 0)))
}

const dueNow = statement({ now: 'bigint', limit: 'bigint' }, ({ now, limit }, db) =>
  db
    .selectFrom('seen_page')
    .select(['listingId', 'lookAt'])
    .where('lookAt', '<=', now)
    .orderBy('lookAt')
    .limit(limit),
)

/** How many wait, up to ten thousand. */
export async function looksDue(store: Store, now: number): Promise<number> {
  const [due] = await countDue(store, { now })
  return Number(due?.all ?? 0)
}

const countDue = statement(
  { now: 'bigint' },
  ({ now }) =>
    sql<{ all: number | string }>`
    select count(*) as "all" from (select 1 from seen_page where "lookAt" <= ${now} limit 10000) as due`,
)

/** Counts no further than the limit. */
const lookedSince = statement(
  { since: 'bigint', limit: 'bigint' },
  ({ since, limit }) => sql<{ count: number }>`
    select count(*) as count from (select 1 from seen_page where "lookedAt" > ${since} limit ${limit}) as looked`,
)

/** Published listings, those not looked at for the longest time first. */
export const notLookedSince = statement(
  { before: 'bigint', now: 'bigint', limit: 'bigint' },
  ({ before, now, limit }, db) =>
    db
      .selectFrom('seen_page')
      .innerJoin('listing', 'listing.id', 'seen_page.listingId')
      .select(['seen_page.listingId', 'seen_page.lookAt'])
      .where('seen_page.lookedAt', '<', before)
      .where('listing.hiddenAt', 'is', null)
      .where(({ eb, or }) => or([eb('listing.expiresAt', 'is', null), eb('listing.expiresAt', '>', now)]))
      .orderBy('seen_page.lookedAt')
      .orderBy('seen_page.listingId')
      .limit(limit),
)

/** Everything that a look needs to know. */
export interface LeasedLook {
  listingId: number
  /** The lease: the row keeps it unless somebody else asks for a look. */
  lookAt: number
  snapshot: Snapshot | undefined
  tries: number
  troubledSince: number | null
}

/**
 * Schedules the next look before this one, so that it happens even if the process dies, and so that the operator's command
 * and the service do not look at the same time.
 *
 * @returns undefined if somebody else has it
 */
export function leaseLook(store: Store, due: DueLook, now: number): Promise<LeasedLook | undefined> {
  return store.transact(async trx => {
    const row = await trx
      .updateTable('seen_page')
      .set({ lookAt: now + LEASE_MS, lookedAt: now })
      .where('listingId', '=', due.listingId)
      .where('lookAt', '=', due.lookAt)
      .returning(['listingId', 'lookAt', 'snapshot', 'tries', 'troubledSince'])
      .executeTakeFirst()
    if (!row) return undefined
    const snapshot = row.snapshot === null ? undefined : (JSON.parse(row.snapshot) as Snapshot)
    return { ...row, snapshot }
  })
}

/** Plans a listing's next look. @returns false if somebody else has asked for one; then nothing changes */
export async function planLook(
  trx: Trx,
  { listingId, lookAt }: LeasedLook,
  next: { lookAt: number; snapshot?: Snapshot | undefined; tries?: number; troubledSince?: number | null },
): Promise<boolean> {
  const { snapshot, ...rest } = next
  const { numUpdatedRows } = await trx
    .updateTable('seen_page')
    .set({ ...rest, ...(snapshot && { snapshot: JSON.stringify(snapshot) }) })
    .where('listingId', '=', listingId)
    .where('lookAt', '=', lookAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Views and clicks of a listing in the last seven days. */
export async function visitsOf(db: Db, listingId: number, now: number): Promise<number> {
  const { visits } = await db
    .selectFrom('listing_day')
    .select(({ fn, eb }) => fn.sum<number | null>(eb('views', '+', eb.ref('clicks'))).as('visits'))
    .where('listingId', '=', listingId)
    .where('day', '>=', utcDay(now - daysMs(7)))
    .executeTakeFirstOrThrow()
  return Number(visits ?? 0)
}

/** The look that is planned at a listing. */
export const lookOf = statement({ slug: 'text' }, ({ slug }, db) =>
  db
    .selectFrom('seen_page')
    .innerJoin('listing', 'listing.id', 'seen_page.listingId')
    .select(['seen_page.listingId', 'seen_page.lookAt'])
    .where('slug', '=', slug),
)
