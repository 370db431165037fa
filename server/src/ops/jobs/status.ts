import { type Selectable, sql } from 'kysely'
import type { Store } from '../../platform/db/store.ts'
import type { Database } from '../../platform/db/tables/index.ts'
import type { JobConfig } from './job.ts'
import { clockOf, isHeld, LEASE_MS } from './lease.ts'
import { jobsOf } from './table.ts'

export interface StatusDependencies {
  store: Store
  clock: () => number
  config: JobConfig
}

/** How the runs of a job went. `holder` is null if no process has the job. */
type Runs = Omit<Selectable<Database['job']>, 'heldUntil' | 'fence'>

/** The state of a background job. Times are Unix milliseconds by the database's clock, and up to some seconds old. */
export interface JobStatus extends Runs {
  does: string
  /** How many things are due, counted up to ten thousand. For a job without a count: 1 if it is late, else 0. */
  due: number
  /** From the end of a run to the next. */
  everyMs: number
  isRunning: boolean
}

type Row = Runs & { isHeld: boolean | number; now: number }

/** Reads the state of the jobs that the configuration turns on, and the database's time. */
export async function readJobs({ store, clock, config }: StatusDependencies): Promise<{
  jobs: JobStatus[]
  now: number
}> {
  const clockNow = clockOf(store.engine)
  const defined = jobsOf(config)
  const names = sql.join(defined.map(({ name }) => sql`(cast(${name} as text))`))
  // A job that never ran may have no row.
  const read = sql<Row>`
    with defined (name) as (values ${names})
    select defined.name, holder, "startedAt", "endedAt", "nextAt", coalesce(failures, 0) as failures, "failedAt",
      "succeededAt", error, coalesce(${isHeld(clockNow, LEASE_MS)}, false) as "isHeld", ${clockNow} as now
    from defined left join job on job.name = defined.name`
  const { rows } = await store.executeQuery(read.compile(store.db))
  const jobs: JobStatus[] = []
  for (const { name, does, everyMs, countDue } of defined) {
    const row = rows.find(job => job.name === name) as Row
    const { isHeld: hasHolder, now: _now, holder, ...known } = row
    const isRunning = Boolean(hasHolder) && (row.startedAt ?? 0) > (row.endedAt ?? 0)
    const due = countDue ? await countDue(store, clock()) : Number(isLate(row))
    jobs.push({ ...known, name, does, everyMs, due, holder: hasHolder ? holder : null, isRunning })
  }
  return { jobs, now: rows[0]?.now ?? clock() }
}

/** Returns what is due for each job, and its failed runs in a row; NaN if the database can't be read. */
export async function measureJobs(deps: StatusDependencies): Promise<Pick<JobStatus, 'name' | 'due' | 'failures'>[]> {
  const read = await readJobs(deps).catch(() => undefined)
  return read?.jobs ?? jobsOf(deps.config).map(({ name }) => ({ name, due: Number.NaN, failures: Number.NaN }))
}

/** `nextAt` is recorded only every few seconds, so a job that looks a little late may be on time. */
const isLate = ({ nextAt, failures, now }: Row): boolean => failures > 0 || nextAt === null || nextAt + LEASE_MS < now
