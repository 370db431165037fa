import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { AT_ONCE } from '../../domain/recheck/fetch-twice.ts'
import { type LookAgainDependencies, lookAgain } from '../../domain/recheck/recheck.ts'
import { type DueLook, looks } from '../../domain/recheck/schedule.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'

interface ContinuityDependencies extends LookAgainDependencies {
  /** Looks that begin within an hour. */
  looksPerHour: number
  log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * Looks at some listed pages again that are due. The store says what is due, so a crash loses nothing. Where nothing is
 * due, it looks at one index.
 *
 * @param signal aborts looks under way, which are begun again later
 */
export async function lookAtDue(deps: ContinuityDependencies, signal: AbortSignal): Promise<void> {
  const { store, clock, looksPerHour, log } = deps
  const due = await dueLooks(store, clock(), looksPerHour)
  const takeNext = async () => {
    for (let next = due.shift(); next && !signal.aborted; next = due.shift()) {
      const looked = await lookAgain(deps, next, signal)
      if (looked && 'hidden' in looked && looked.hidden) log.info(looked, 'hid a listing that was taken over')
    }
  }
  // All lanes end before the first failure is reported, so that a stop waits for each of them.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, takeNext))
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
}

const BATCH = 16

/** The longest due looks, at most as many as the hour has left. */
export async function dueLooks(store: Store, now: number, perHour: number): Promise<DueLook[]> {
  const due = await dueNow(store, { now, limit: Math.min(BATCH, perHour) })
  if (due.length === 0) return due
  const [looked] = await lookedSince(store, { since: now - HOUR_MS, limit: perHour })
  return due.slice(0, Math.max(0, perHour - Number(looked?.count ?? 0)))
}

const dueNow = statement(
  { now: 'bigint', limit: 'bigint' },
  ({ now, limit }) => sql<DueLook>`
    select "listingId", "lookAt" ${looks.from(now)} order by "lookAt" limit ${limit}`,
)

/** Counts the looks that are due, up to ten thousand. */
export const countDueLooks = (store: Store, now: number): Promise<number> => looks.count(store, now)

/** Counts no further than the limit. */
const lookedSince = statement(
  { since: 'bigint', limit: 'bigint' },
  ({ since, limit }) => sql<{ count: number }>`
    select count(*) as count from (select 1 from seen_page where "lookedAt" > ${since} limit ${limit}) as looked`,
)
