import type { Store } from '../../platform/db/store.ts'
import { counted } from '../../platform/lib/text.ts'
import { LEASE_MS } from '../jobs/lease.ts'
import { type JobStatus, readJobs, type StatusDependencies } from '../jobs/status.ts'
import { asJson, type Command } from './command.ts'
import { withStore } from './with-store.ts'

export const jobs: Command = {
  name: 'jobs',
  does: 'list background jobs: pending work, the process that runs them, the last run',
  async run(values) {
    await withStore((store, config) => showJobs(store, config, asJson(values)))
  },
}

async function showJobs(store: Store, config: StatusDependencies['config'], asJson: boolean): Promise<void> {
  const { jobs, now } = await readJobs({ store, clock: Date.now, config })
  if (asJson) {
    for (const job of jobs) console.log(JSON.stringify(job))
    return
  }
  const rows = jobs.map(job => [job.name, job.does, `${job.due}`, lastRun(job, now), next(job, now), doneBy(job)])
  const all = [['job', 'what it does', 'due', 'last run', 'next run', 'done by'], ...rows]
  const widths = all.reduce(
    (most, row) => most.map((width, nth) => Math.max(width, row[nth]?.length ?? 0)),
    Array(6).fill(0),
  )
  all.forEach((row, nth) => {
    const isNumber = (column: number) => column === 2
    const cells = row.map((cell, column) =>
      isNumber(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    )
    console.log(cells.join('  ').trimEnd())
    const job = jobs[nth - 1]
    if (job?.error) console.log(`    ${failed(job, now)}`)
  })
}

const doneBy = ({ holder }: JobStatus): string => holder ?? 'none'

function lastRun({ isRunning, startedAt, endedAt }: JobStatus, now: number): string {
  if (isRunning) return `for ${span(now - (startedAt ?? now))}`
  return endedAt === null ? 'never' : `${span(now - endedAt)} ago`
}

function next({ isRunning, holder, failures, everyMs, nextAt }: JobStatus, now: number): string {
  if (isRunning) return 'running'
  // If the interval is shorter than the lease, the recorded times can be out of date.
  if (holder !== null && failures === 0 && everyMs < LEASE_MS) return `every ${span(everyMs)}`
  return nextAt === null || nextAt <= now ? 'now' : `in ${span(nextAt - now)}`
}

function failed({ failures, failedAt, error }: JobStatus, now: number): string {
  const when = `${span(now - (failedAt ?? now))} ago`
  const often = failures === 0 ? `failed ${when}, works again` : `failed ${counted(failures, 'time')}, last ${when}`
  return `${often}: ${error}`
}

/** A duration in the largest unit that is exact enough. */
function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
