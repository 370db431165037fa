import { DueQueue } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Db, Store, Trx } from '../../platform/db/store.ts'
import { daysMs, HOUR_MS, MINUTE_MS, utcDay } from '../../platform/lib/time.ts'
import type { DatedRow } from '../listings/listed-row.ts'
import { lockListing, statusOf } from '../listings/listing.ts'
import type { Snapshot } from '../listings/seen-page.ts'

/** What decides how often a listing is rechecked. */
export interface RecheckedListing extends Pick<DatedRow, 'id' | 'publishedAt' | 'expiresAt'> {
  /** Views and clicks of the last seven days. */
  visits: number
}

const YOUNG_DAYS = 14
const POPULAR_VISITS = 50

/** How often a page is rechecked: the first row that fits. The same table is in docs/moderation.md. */
const SCHEDULE: readonly { fits(listing: RecheckedListing, now: number): boolean; everyDays: number }[] = [
  // A page that only poses until it is listed changes soon.
  { fits: ({ publishedAt }, now) => publishedAt > now - daysMs(YOUNG_DAYS), everyDays: 1 },
  { fits: ({ expiresAt }) => expiresAt === null, everyDays: 1 },
  { fits: ({ visits }) => visits >= POPULAR_VISITS, everyDays: 3 },
  { fits: () => true, everyDays: 7 },
]

/** Waits after the first recheck with a finding, the second, and so on. After the last, the operator is notified. */
const WAITS_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const
export const TRIES_MAX = WAITS_MS.length + 1

/** When a listing that is not shown is considered again. Restoring it schedules a recheck at once. */
const NOT_SHOWN_WAIT_MS = daysMs(7)

/** After a recheck without a result. */
export const UNSURE_WAIT_MS = HOUR_MS

/** Longer than any recheck takes. If the process dies, another recheck begins after this time. */
const LEASE_MS = 15 * MINUTE_MS

/** Each wait is up to a tenth shorter or longer, always the same for a listing, so that those of one day are spread. */
const spread = (id: number): number => 1 + ((id * 7919) % 201) / 1000 - 0.1

/** Returns the wait until the next recheck. @param tries consecutive rechecks with a finding */
export function waitBetweenRechecks(listing: RecheckedListing, tries: number, now: number): number {
  const wait = WAITS_MS[tries - 1]
  if (wait !== undefined) return wait
  const { everyDays = 7 } = SCHEDULE.find(({ fits }) => fits(listing, now)) ?? {}
  return Math.round(daysMs(everyDays) * spread(listing.id))
}

export interface DueRecheck {
  listingId: number
  lookAt: number
}

export const rechecks = new DueQueue({ table: 'seen_page', key: 'listingId', dueAt: 'lookAt', countMax: 10_000 })

/** Published listings, those not rechecked for the longest time first. */
export const notRecheckedSince = statement(
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

/** Everything that a recheck needs to know. */
export interface LeasedRecheck {
  listingId: number
  /** The lease: the row keeps it unless another recheck is requested. */
  lookAt: number
  snapshot: Snapshot | undefined
  tries: number
  troubledSince: number | null
}

/**
 * Schedules the next recheck before this one, so that it happens even if the process dies, and so that the operator's
 * command and the service do not recheck at the same time.
 *
 * @returns undefined if another process has the lease
 */
export function leaseRecheck(store: Store, due: DueRecheck, now: number): Promise<LeasedRecheck | undefined> {
  return store.transact(async trx => {
    const isLeased = await rechecks.settle(trx, due, { lookAt: now + LEASE_MS, lookedAt: now })
    if (!isLeased) return undefined
    const row = await trx
      .selectFrom('seen_page')
      .select(['listingId', 'lookAt', 'snapshot', 'tries', 'troubledSince'])
      .where('listingId', '=', due.listingId)
      .executeTakeFirstOrThrow()
    const snapshot = row.snapshot === null ? undefined : (JSON.parse(row.snapshot) as Snapshot)
    return { ...row, snapshot }
  })
}

/** Schedules a listing's next recheck. @returns false if another one was requested; then nothing changes */
export function scheduleRecheck(
  trx: Trx,
  { listingId, lookAt }: LeasedRecheck,
  next: { lookAt: number; snapshot?: Snapshot | undefined; tries?: number; troubledSince?: number | null },
): Promise<boolean> {
  const { snapshot, ...rest } = next
  const changes = { ...rest, ...(snapshot && { snapshot: JSON.stringify(snapshot) }) }
  return rechecks.settle(trx, { listingId, lookAt }, changes)
}

/**
 * Postpones what is due for a listing, if that is not shown.
 *
 * @param postpone to the time `until`, in the transaction
 */
export function postponeUnlessShown(
  store: Store,
  listingId: number,
  clock: () => number,
  postpone: (trx: Trx, until: number) => Promise<unknown>,
): Promise<void> {
  return store.transact(async trx => {
    // Restoring it locks it, too, and then makes it due again.
    const isShown = statusOf(await lockListing(trx, listingId), clock()) === 'published'
    if (!isShown) await postpone(trx, clock() + NOT_SHOWN_WAIT_MS)
  })
}

/** Returns views and clicks of a listing in the last seven days. */
export async function visitsOf(db: Db, listingId: number, now: number): Promise<number> {
  const { visits } = await db
    .selectFrom('listing_day')
    .select(({ fn, eb }) => fn.sum<number | null>(eb('views', '+', eb.ref('clicks'))).as('visits'))
    .where('listingId', '=', listingId)
    .where('day', '>=', utcDay(now - daysMs(7)))
    .executeTakeFirstOrThrow()
  return Number(visits ?? 0)
}

/** The scheduled recheck of a listing. */
export const recheckOf = statement({ slug: 'text' }, ({ slug }, db) =>
  db
    .selectFrom('seen_page')
    .innerJoin('listing', 'listing.id', 'seen_page.listingId')
    .select(['seen_page.listingId', 'seen_page.lookAt'])
    .where('slug', '=', slug),
)
