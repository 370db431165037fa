import { sql } from 'kysely'
import { appendEntries } from '../../domain/log/append.ts'
import { Checkpoints } from '../../domain/log/checkpoint.ts'
import { firstKey, signingSeeds } from '../../domain/log/signing-keys.ts'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import { scheduleWebhooks } from '../../domain/publishing/submission-webhooks.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Store } from '../../platform/db/store.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import { DUE_COUNT_MAX, type JobDefinition, type Run } from './job.ts'

/** Gives decisions and effects on boards their entries in the public log, and signs it. */
export const writeLog: JobDefinition<'config' | 'clock' | 'log' | 'links' | 'serviceKeys'> = {
  name: 'log',
  does: 'writes and signs the public log',
  everyMs: SECOND_MS,
  countDue: async store => (await countPending(store, {}))[0]?.count ?? 0,
  start: ({ config, clock, log, links, serviceKeys }) => {
    const seeds = signingSeeds(
      config.log,
      serviceKeys.all.map(({ secret }) => secret),
    )
    const writer = { clock, begins: () => firstKey(seeds, links.base), onLogged: scheduleWebhooks }
    const append = (store: Store, signal: AbortSignal) => appendEntries(store, writer, { signal })
    const checkpoints = new Checkpoints({ config, seeds, append, clock, log })
    const step = async (run: Run) => {
      await append(run.store, run.signal)
      if (run.signal.aborted) return
      if ((await checkpoints.publish(run)) === 'stopped') await warn(run.store, 'log_broken', clock())
    }
    return Object.assign(step, { close: () => checkpoints.close() })
  },
}

const countPending = statement(
  {},
  () => sql<{ count: number }>`
    select count(*) as count from (
      select 1 from decision where position is null union all select 1 from log_outbox limit ${sql.lit(DUE_COUNT_MAX)}
    ) as due`,
)
