import { sql } from 'kysely'
import { parseDestination } from '../../domain/destinations/destination.ts'
import { isPublished } from '../../domain/listings/listed-row.ts'
import { addNotice } from '../../domain/notifications/owner/notice.ts'
import { PAGE } from '../../domain/review/fetcher/fetch-page.ts'
import type { GuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../../domain/review/fetcher/limits.ts'
import { DueQueue, workOnAllRows } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { DAY_MS, SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition } from './job.ts'

const CHECK_EVERY_MS = DAY_MS
const CONCURRENT_MAX = 8
const BATCH = 16

/** Limits for a fetcher of its own: these checks must not delay other requests. */
export const FOLLOWED_FETCH_LIMITS: Partial<FetchLimits> = {
  atOnceMax: CONCURRENT_MAX,
  waitMs: 15 * SECOND_MS,
}

/** Loads the page of every followed listing that is shown once a day, and notifies its owner if it fails for a day. */
export const checkFollowedPages: JobDefinition<'fetchers' | 'clock'> = {
  name: 'pages',
  does: 'loads the pages of followed listings',
  everyMs: SECOND_MS,
  countDue: (store, now) => pages.count(store, now),
  start:
    ({ fetchers: { followed: fetcher }, clock }) =>
    ({ store, signal }) =>
      workOnAllRows(
        () => duePages(store, { now: clock() }),
        CONCURRENT_MAX,
        signal,
        page => checkPage({ store, fetcher, clock }, page, signal),
      ),
}

/** All that are due, public or not. If those that are not stayed due, every read would look at all of them. */
const pages = new DueQueue({ table: 'watch', key: 'listingId', dueAt: 'checkAt' })

interface DuePage {
  listingId: number
  url: string
  checkAt: number
  isShown: boolean | number
}

const duePages = statement(
  { now: 'bigint' },
  ({ now }) => sql<DuePage>`
    select due."listingId", listing.url, due."checkAt", ${isPublished(now)} as "isShown"
    from (select "listingId", "checkAt" ${pages.from(now)} order by "checkAt" limit ${sql.lit(BATCH)}) as due
    join listing on listing.id = due."listingId"`,
)

interface Check {
  store: Store
  fetcher: GuardedFetcher
  clock: () => number
}

async function checkPage({ store, fetcher, clock }: Check, due: DuePage, stop: AbortSignal): Promise<void> {
  const now = clock()
  // The lease is the schedule: even if this process dies, the next check is a day later.
  const leased = await pages.lease(store, due, { checkAt: now + CHECK_EVERY_MS })
  if (!leased?.isShown) return
  const found = await load(fetcher, due.url, stop)
  if (found === 'loads') return recordSuccess(store, due.listingId)
  if (found !== 'unknown') await recordFailure(store, due.listingId, found.httpStatus, now)
}

/** Loads a page. @returns how it failed; `unknown` if no request was sent, or the website limits requests */
export async function load(
  fetcher: GuardedFetcher,
  url: string,
  stop: AbortSignal,
): Promise<'loads' | 'unknown' | { httpStatus: number | null }> {
  const destination = parseDestination(url)
  const visit = await fetcher.visit(destination, async get => ({ page: await get(destination, PAGE) }), { stop })
  if (stop.aborted || visit instanceof FetchEnded) return 'unknown'
  const { page } = visit
  if (!(page instanceof FetchEnded)) return 'loads'
  return page.httpStatus === 429 ? 'unknown' : { httpStatus: page.httpStatus ?? null }
}

/** Records that the page loads, so that the owner is notified again when it fails for a day again. */
export function recordSuccess(store: Store, listingId: number): Promise<void> {
  return store.transact(async trx => {
    await trx.updateTable('watch').set({ failingSince: null, goneTold: 0 }).where('listingId', '=', listingId).execute()
  })
}

/** Notifies the owner once, as soon as the first failure is a day old. */
function recordFailure(store: Store, listingId: number, httpStatus: number | null, now: number): Promise<void> {
  return store.transact(async trx => {
    const watch = trx.updateTable('watch').where('listingId', '=', listingId)
    await watch.set({ failingSince: now }).where('failingSince', 'is', null).execute()
    const notified = await watch
      .set({ goneTold: 1 })
      .where('goneTold', '=', 0)
      .where('failingSince', '<=', now - CHECK_EVERY_MS)
      .returning('failingSince')
      .executeTakeFirst()
    if (!notified?.failingSince) return
    const facts = { failingSince: notified.failingSince, httpStatus }
    await addNotice(trx, listingId, { kind: 'page_gone', facts }, now)
  })
}
