import { type Selectable, sql } from 'kysely'
import type { Store } from '../../platform/db/store.ts'
import type { JobTable } from '../../platform/db/tables/operator.ts'
import { clockOf, isHeld, LEASE_MS } from './lease.ts'
import { type KindName, kindsFor } from './table.ts'

/** What a reading needs. */
export interface Due {
  store: Store
  clock: () => number
  config: Parameters<typeof kindsFor>[0]
}

/** How a background job goes. Times are Unix milliseconds by the database's clock, and some seconds old. */
export interface JobReading {
  name: KindName
  /** What it does, for people. */
  does: string
  /** How many things wait for it, ten thousand where there may be more; where they cannot be counted, 1 if it is late, and 0 if not. */
  due: number
  /** From the end of a run to the next. */
  everyMs: number
  /** The process that has it; null if none. */
  holder: string | null
  isRunning: boolean
  startedAt: number | null
  /** When the last whole run ended. */
  endedAt: number | null
  nextAt: number | null
  /** In a row. */
  failures: number
  failedAt: number | null
  /** The last error, even if it works again. */
  error: string | null
}

type Row = Omit<Selectable<JobTable>, 'heldUntil' | 'fence'> & { isHeld: boolean | number; now: number }

/** The jobs that the settings want, and the database's time. */
export async function readJobs({ store, clock, config }: Due): Promise<{ jobs: JobReading[]; now: number }> {
  const clockNow = clockOf(store.engine)
  const read = sql<Row>`
    select name, holder, "startedAt", "endedAt", "nextAt", failures, "failedAt", error,
      coalesce(${isHeld(clockNow, LEASE_MS)}, false) as "isHeld", ${clockNow} as now
    from job`
  const { rows } = await store.executeQuery(read.compile(store.db))
  const jobs: JobReading[] = []
  for (const [name, { does, everyMs, due }] of kindsFor(config)) {
    const row = rows.find(job => job.name === name) ?? NEVER
    const { isHeld: hasHolder, now: _now, holder, ...known } = row
    const isRunning = Boolean(hasHolder) && (row.startedAt ?? 0) > (row.endedAt ?? 0)
    const counted = due ? await due(store, clock()) : Number(isLate(row))
    jobs.push({ ...known, name, does, everyMs, due: counted, holder: hasHolder ? holder : null, isRunning })
  }
  return { jobs, now: rows[0]?.now ?? clock() }
}

/** How many things wait for each job; NaN where the database does not say. */
export async function dueNow(due: Due): Promise<Record<string, number>> {
  const read = await readJobs(due).catch(() => undefined)
  return Object.fromEntries(
    kindsFor(due.config).map(([name]) => [name, read?.jobs.find(job => job.name === name)?.due ?? Number.NaN]),
  )
}

const NEVER: Row = {
  ...{ name: '', holder: null, startedAt: null, endedAt: null, nextAt: null, failures: 0 },
  ...{ failedAt: null, error: null, isHeld: false, now: 0 },
}

/** Told only every few seconds, so a little later is on time. */
const isLate = ({ nextAt, failures, now }: Row): boolean => failures > 0 || nextAt === null || nextAt + LEASE_MS < now
