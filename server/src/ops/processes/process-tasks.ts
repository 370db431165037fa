import type { FastifyBaseLogger } from 'fastify'
import { CompiledQuery } from 'kysely'
import type { StaleCache } from '../../domain/boards/first-page.ts'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import { Changes } from '../../platform/cdn/changes.ts'
import { Outdated, refuseOutdated } from '../../platform/db/migrate.ts'
import type { Migrations } from '../../platform/db/migrations/types.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Damper } from '../../platform/http/damper.ts'
import { databaseMoved } from '../../platform/lib/diagnostics.ts'
import { Repeated } from '../../platform/lib/repeat.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import { recount } from '../jobs/reconcile-nightly.ts'

interface ProcessTasksDependencies {
  store: Store
  migrations: Migrations
  staleCache: StaleCache
  damper: Damper
  clock: () => number
  log: FastifyBaseLogger
}

interface Task {
  everyMs: number
  /** Whether the first run is at the start instead of after `everyMs`. */
  runsAtStart?: boolean
  work: () => Promise<void>
  failed: (error: unknown) => void
}

/** Regular tasks of each process. A job, in contrast, is done by one process for all. */
export class ProcessTasks {
  /** Resolves when a newer version has changed the database so that this one must not use it. */
  readonly outdated: Promise<Outdated>
  readonly #tasks: (Task & { repeated: Repeated })[]
  readonly #stopLoggingMoves: () => void

  constructor({ store, migrations, staleCache, damper, clock, log }: ProcessTasksDependencies) {
    const { promise, resolve } = Promise.withResolvers<Outdated>()
    this.outdated = promise
    this.#stopLoggingMoves = databaseMoved.listen(moved => log.warn(moved, 'the database moved to another host'))
    const logAs = (message: string) => (err: unknown) => log.info({ err }, `${message}; will retry`)
    const changes = new Changes()
    let isUnreported = false
    const logVersion = logAs('could not read the version from the database')
    const tasks: Task[] = [
      {
        everyMs: SECOND_MS,
        work: () => refuseOutdated(store, migrations),
        failed: error => (error instanceof Outdated ? resolve(error) : logVersion(error)),
      },
      {
        // Drops cached boards soon after another process hides a listing. The first run only notes the latest decision.
        // A later start would miss listings that are hidden before it, although boards that show them are cached.
        everyMs: SECOND_MS,
        runsAtStart: true,
        async work() {
          const { acts, hasGoneBack } = await changes.look(store)
          if (hasGoneBack) log.warn('the database went back to an earlier state; cached boards are dropped')
          // Just after that, the database may refuse what follows. The warning is then repeated in the next run.
          isUnreported ||= hasGoneBack
          if (acts.length > 0 || hasGoneBack) await staleCache.drop(clock())
          if (isUnreported) isUnreported = !(await warn(store, 'database_went_back', clock()))
        },
        failed: logAs('could not read what changed'),
      },
      {
        // Limits the age of the boards that are shown while the database is unreachable.
        everyMs: MINUTE_MS,
        work: () => staleCache.renew(clock()),
        failed: logAs('could not read the boards to cache'),
      },
      {
        // Finds the end of an outage, even if no request arrives.
        everyMs: SECOND_MS,
        async work() {
          if (!damper.isOutage) return
          await store.executeQuery(CompiledQuery.raw('select 1'))
          await store.proveWrite()
          damper.end(log)
        },
        failed: () => {},
      },
      {
        // Limits how long ranks stay wrong if counts in memory are wrong and nothing in the ledger shows it.
        everyMs: 10 * MINUTE_MS,
        work: () => recount(store, { clock, log }),
        failed: logAs('could not compare the counts in memory'),
      },
    ]
    this.#tasks = tasks.map(task => ({ ...task, repeated: new Repeated(task.work, task.failed) }))
  }

  start(): void {
    for (const { everyMs, runsAtStart, repeated } of this.#tasks) {
      repeated.start(everyMs)
      if (runsAtStart) void repeated.run()
    }
  }

  /** Ends each task after the run in progress. */
  async close(): Promise<void> {
    this.#stopLoggingMoves()
    await Promise.all(this.#tasks.map(({ repeated }) => repeated.close()))
  }
}
