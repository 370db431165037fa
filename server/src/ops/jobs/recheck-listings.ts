import { sql } from 'kysely'
import { AT_ONCE, RECHECK_READER_LIMITS } from '../../domain/recheck/fetch-twice.ts'
import { type RecheckParts, recheckListing } from '../../domain/recheck/recheck.ts'
import { type DueRecheck, rechecks } from '../../domain/recheck/schedule.ts'
import { PageReaders } from '../../domain/review/page-parser/page-readers.ts'
import { workOnRows } from '../../platform/db/due-queue.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { HOUR_MS, SECOND_MS } from '../../platform/lib/time.ts'
import type { JobDefinition, JobDependencies, Step } from './job.ts'

const BATCH = 16

export const recheckListings: JobDefinition<'config' | 'fetchers' | 'reviewers' | 'clock' | 'log'> = {
  name: 'looks',
  does: 'rechecks listed pages',
  everyMs: SECOND_MS,
  isOn: ({ rechecksPerHour }) => rechecksPerHour > 0,
  countDue: (store, now) => rechecks.count(store, now),
  start({ config, fetchers, reviewers, clock, log }) {
    // Readers of its own, so that rechecks never delay publishing.
    const readers = new PageReaders({ limits: RECHECK_READER_LIMITS })
    const deps = { fetcher: fetchers.looks, readers, reviewers, clock, log, perHour: config.rechecksPerHour }
    const step: Step = ({ store, signal }) => recheckDue({ ...deps, store }, signal)
    return Object.assign(step, { close: () => readers.close() })
  },
}

interface Recheck extends RecheckParts {
  /** How many rechecks can begin within an hour. */
  perHour: number
  log: JobDependencies['log']
}

/** @param stop aborts the rechecks in progress; they are retried when their leases end */
async function recheckDue(deps: Recheck, stop: AbortSignal): Promise<void> {
  const { store, clock, perHour, log } = deps
  const due = await dueRechecks(store, clock(), perHour)
  await workOnRows(due, AT_ONCE, stop, async next => {
    const result = await recheckListing(deps, next, stop)
    if (result && 'hidden' in result && result.hidden) log.info(result, 'hid a listing that was taken over')
  })
}

/** Returns the rechecks that have been due for the longest time, at most as many as the hour has left. */
export async function dueRechecks(store: Store, now: number, perHour: number): Promise<DueRecheck[]> {
  const due = await nextRechecks(store, { now, limit: Math.min(BATCH, perHour) })
  if (due.length === 0) return due
  const [begun] = await countBegunSince(store, { since: now - HOUR_MS, now, limit: perHour })
  return due.slice(0, Math.max(0, perHour - (begun?.count ?? 0)))
}

const nextRechecks = statement(
  { now: 'bigint', limit: 'bigint' },
  ({ now, limit }) => sql<DueRecheck>`
    select "listingId", "lookAt" ${rechecks.from(now)} order by "lookAt" limit ${limit}`,
)

/** Stops counting at the limit. Times in the future are from before the clock was set back. */
const countBegunSince = statement(
  { since: 'bigint', now: 'bigint', limit: 'bigint' },
  ({ since, now, limit }) => sql<{ count: number }>`
    select count(*) as count from (
      select 1 from seen_page where "lookedAt" > ${since} and "lookedAt" <= ${now} limit ${limit}
    ) as begun`,
)
