import { sql } from 'kysely'
import { parseDestination } from '../destinations/destination.ts'
import { FetchEnded } from '../fetcher/fetch-ended.ts'
import { PAGE } from '../fetcher/fetch-page.ts'
import type { GuardedFetcher } from '../fetcher/guarded-fetcher.ts'
import type { FetchLimits } from '../fetcher/limits.ts'
import { statement } from '../storage/statement.ts'
import type { Store } from '../storage/store.ts'
import { daysMs } from '../time.ts'
import { addNotice } from './notice.ts'

const AT_ONCE = 2
const CHECK_EVERY_MS = daysMs(1)
const BATCH = 16

/** For its own fetcher, so that nobody waits for these checks. */
export const FOLLOWED_FETCH_LIMITS: Partial<FetchLimits> = { atOnceMax: AT_ONCE, waitMs: 15_000 }

interface CheckDependencies {
  store: Store
  fetcher: GuardedFetcher
  clock: () => number
}

interface DueCheck {
  listingId: number
  url: string
  checkAt: number | null
  failingSince: number | null
}

/**
 * Loads the page of every followed listing that is due, once a day, and tells when it has not loaded twice, at least a
 * day apart. The next check is scheduled before this one, so a crash does not check twice a day.
 */
export async function checkPages(deps: CheckDependencies, stop: AbortSignal): Promise<void> {
  for (;;) {
    const due = await dueChecks(deps.store, { now: deps.clock() })
    if (due.length === 0) return
    const takeNext = async () => {
      for (let next = due.shift(); next && !stop.aborted; next = due.shift()) {
        await checkPage(deps, next, stop)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, takeNext))
    if (stop.aborted) return
  }
}

async function checkPage(
  { store, fetcher, clock }: CheckDependencies,
  due: DueCheck,
  stop: AbortSignal,
): Promise<void> {
  const now = clock()
  if (!(await schedule(store, due, now + CHECK_EVERY_MS))) return
  const destination = parseDestination(due.url)
  const page = await fetcher.visit(destination, async get => ({ ended: await get(destination, PAGE) }), stop)
  // Without a turn, nothing was learnt about the page.
  if (stop.aborted || page instanceof FetchEnded) return
  const { ended } = page
  if (!(ended instanceof FetchEnded)) return settle(store, due.listingId, undefined)
  // It answers, and asks for patience.
  if (ended.httpStatus === 429) return
  await settle(store, due.listingId, { at: now, httpStatus: ended.httpStatus ?? null })
}

/** @returns false if another process was faster, or nobody follows it any more */
async function schedule(store: Store, { listingId, checkAt }: DueCheck, next: number): Promise<boolean> {
  const { numUpdatedRows } = await store.transact(trx =>
    trx
      .updateTable('watch')
      .set({ checkAt: next })
      .where('listingId', '=', listingId)
      .where('checkAt', '=', checkAt)
      .executeTakeFirst(),
  )
  return numUpdatedRows > 0n
}

function settle(
  store: Store,
  listingId: number,
  failure: { at: number; httpStatus: number | null } | undefined,
): Promise<void> {
  return store.transact(async trx => {
    const watch = trx.updateTable('watch').where('listingId', '=', listingId)
    if (!failure) {
      await watch.set({ failingSince: null, goneTold: 0 }).execute()
      return
    }
    await watch.set({ failingSince: failure.at }).where('failingSince', 'is', null).execute()
    const told = await watch
      .set({ goneTold: 1 })
      .where('goneTold', '=', 0)
      .where('failingSince', '<=', failure.at - CHECK_EVERY_MS)
      .returning('failingSince')
      .executeTakeFirst()
    if (!told?.failingSince) return
    const facts = { failingSince: told.failingSince, httpStatus: failure.httpStatus }
    await addNotice(trx, listingId, { kind: 'page_gone', facts }, failure.at)
  })
}

/** How many wait. */
export async function checksDue(store: Store, now: number): Promise<number> {
  const [due] = await countDue(store, { now })
  return Number(due?.all ?? 0)
}

const countDue = statement(
  { now: 'bigint' },
  ({ now }) => sql<{ all: number | string }>`
    select count(*) as "all" from watch join listing on listing.id = watch."listingId"
    where watch."checkAt" <= ${now} and listing."hiddenAt" is null
      and (listing."expiresAt" is null or listing."expiresAt" > ${now})`,
)

/** Skips listings that are not shown; theirs stay due until they are restored. */
const dueChecks = statement({ now: 'bigint' }, ({ now }, db) =>
  db
    .selectFrom('watch')
    .innerJoin('listing', 'listing.id', 'watch.listingId')
    .select(['watch.listingId', 'listing.url', 'watch.checkAt', 'watch.failingSince'])
    .where('watch.checkAt', '<=', now)
    .where('listing.hiddenAt', 'is', null)
    .where(({ eb, or }) => or([eb('listing.expiresAt', 'is', null), eb('listing.expiresAt', '>', now)]))
    .orderBy('watch.checkAt')
    .limit(BATCH),
)
