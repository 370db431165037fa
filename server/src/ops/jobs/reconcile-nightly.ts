import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import { compareCounts } from '../../domain/boards/counts.ts'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import type { Reconciled } from '../../domain/payments/reconcile.ts'
import type { StoreSettings } from '../../platform/db/open.ts'
import type { Store } from '../../platform/db/store.ts'
import { yieldToTheService } from '../../platform/lib/child-process.ts'
import { countsDiffered, reconciled } from '../../platform/lib/diagnostics.ts'
import { scriptFile } from '../../platform/lib/package.ts'
import { MINUTE_MS, utcDay } from '../../platform/lib/time.ts'
import type { JobDefinition } from './runner.ts'

/** UTC. A process that starts after these hours waits for the next night. */
const [FROM_HOUR, UNTIL_HOUR] = [3, 6]

/** The lowest priority, because no request waits for it. */
const NICENESS = 19
const SHOWN_MAX = 10

interface ReconcileDependencies {
  config: StoreSettings
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Reconciles once a night, and warns the operator of differences. A process that gets the job then may repeat it. */
export const reconcileNightly: JobDefinition<ReconcileDependencies> = {
  name: 'reconcile',
  does: 'checks the boards, once a night',
  everyMs: MINUTE_MS,
  start({ config, clock, log }) {
    let lastDay = ''
    return async ({ store, signal }) => {
      const now = clock()
      const hour = new Date(now).getUTCHours()
      if (hour < FROM_HOUR || hour >= UNTIL_HOUR || lastDay === utcDay(now)) return
      const { differences, payments, totals } = await reconcileInProcess(config, now, signal)
      lastDay = utcDay(now)
      reconciled.tell({ differences: differences.length })
      if (differences.length === 0) return log.info({ payments, totals }, 'reconcile found no difference')
      log.warn(
        { count: differences.length, differences: differences.slice(0, SHOWN_MAX) },
        'reconcile found differences: the boards do not follow from the events',
      )
      await warn(store, 'boards_differ', now)
    }
  },
}

/** Reconciles in a process of its own. @throws Error if that failed or was stopped */
async function reconcileInProcess(
  { databaseUrl, dataDir }: StoreSettings,
  now: number,
  signal: AbortSignal,
): Promise<Reconciled> {
  const child = fork(scriptFile('ops/processes/reconcile'), { execArgv: [], stdio: 'ignore', signal })
  yieldToTheService(child.pid, NICENESS)
  child.send({ databaseUrl, dataDir, now })
  // An `error` event of the child, such as after the signal, is thrown.
  const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    Reconciled | { error: string } | number | null,
  ]
  if (typeof answer !== 'object' || answer === null) throw new Error('the process of reconcile ended early')
  if ('error' in answer) throw new Error(`reconcile failed: ${answer.error}`)
  return answer
}

interface RecountDependencies {
  store: Store
  clock: () => number
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** Compares this process's counts with the database, replaces those that differ, and warns the operator of them. */
export async function recount({ store, clock, log }: RecountDependencies): Promise<void> {
  const boards = await compareCounts(store)
  for (const board of boards) countsDiffered.tell({ board })
  if (boards.length === 0) return
  log.warn({ boards }, 'counts in memory differed from the database; counted again')
  await warn(store, 'counts_differed', clock())
}
