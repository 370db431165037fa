import { compareCounts } from '../../domain/boards/counts.ts'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import type { Reconciled } from '../../domain/payments/reconcile.ts'
import type { Store } from '../../platform/db/store.ts'
import { runInProcess } from '../../platform/lib/child-process.ts'
import { countsDiffered, reconciled } from '../../platform/lib/diagnostics.ts'
import { MINUTE_MS, utcDay } from '../../platform/lib/time.ts'
import type { JobDefinition, JobDependencies } from './job.ts'

/** UTC. A process that starts after these hours waits for the next night. */
const [FROM_HOUR, UNTIL_HOUR] = [3, 6]

const SHOWN_MAX = 10

/** Reconciles once a night, and warns the operator of differences. A process that gets the job then may repeat it. */
export const reconcileNightly: JobDefinition<'config' | 'clock' | 'log'> = {
  name: 'reconcile',
  does: 'checks the boards, once a night',
  everyMs: MINUTE_MS,
  start({ config, clock, log }) {
    let lastDay = ''
    return async ({ store, signal }) => {
      const now = clock()
      const hour = new Date(now).getUTCHours()
      if (hour < FROM_HOUR || hour >= UNTIL_HOUR || lastDay === utcDay(now)) return
      const { databaseUrl, dataDir } = config
      const message = { databaseUrl, dataDir, now }
      const answer = runInProcess<Reconciled>('ops/processes/reconcile', message, signal)
      const { differences, payments, totals } = await answer.catch(cause => {
        throw new Error(`reconcile failed: ${(cause as Error).message}`, { cause })
      })
      lastDay = utcDay(now)
      reconciled.publish({ differences: differences.length })
      if (differences.length === 0) return log.info({ payments, totals }, 'reconcile found no difference')
      log.warn(
        { count: differences.length, differences: differences.slice(0, SHOWN_MAX) },
        'reconcile found differences: the boards do not follow from the events',
      )
      await warn(store, 'boards_differ', now)
    }
  },
}

/** Compares this process's counts with the database, replaces those that differ, and warns the operator of them. */
export async function recount(store: Store, { clock, log }: Pick<JobDependencies, 'clock' | 'log'>): Promise<void> {
  const boards = await compareCounts(store)
  for (const board of boards) countsDiffered.publish({ board })
  if (boards.length === 0) return
  log.warn({ boards }, 'counts in memory differed from the database; counted again')
  await warn(store, 'counts_differed', clock())
}
