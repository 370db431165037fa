import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import type { Store } from '../../platform/db/store.ts'
import { Repeated } from '../../platform/lib/repeat.ts'
import {
  addJobs,
  fenced,
  freeJobs,
  giveBack,
  LEASE_MS,
  type Lease,
  LeaseLost,
  renew,
  type Standing,
  take,
} from './lease.ts'

interface JobsDependencies {
  store: Store
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** A job that this process has. */
interface Held {
  job: Job
  lease: Lease
  standing: Standing
  /** Aborted once the lease may be another's, or at a stop. */
  end: AbortController
  /** Ends the lease here before it ends in the database, whatever this machine's clock says. */
  expiry: NodeJS.Timeout
  next: NodeJS.Timeout
  underWay: Promise<void>
  isFirst: boolean
  /** Whether something happened that the operator should see soon. */
  isNews: boolean
}

const LOOK_EVERY_MS = 1000
const FIRST_RETRY_MAX_MS = 1000
const LAST_RETRY_MS = 60_000

/** From here on it does not look like a passing trouble. */
const WARN_AFTER_FAILURES = 3
const ERROR_MAX_LENGTH = 500

/**
 * Does the service's background work. Each job is done by one process at a time, of all on the same database, under a
 * lease in it. A process keeps the jobs it got until it stops; who is killed or hangs loses them when the leases run out.
 */
export class Jobs {
  readonly #deps: JobsDependencies
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #leaseMs: number
  readonly #holder = `${hostname()}, process ${process.pid}`
  readonly #held = new Map<string, Held>()
  readonly #keeping: Repeated
  #isKnown = false
  #renewedAt = 0

  /** @param leaseMs shorter in a test, where nobody wants to wait */
  constructor(deps: JobsDependencies, jobs: readonly Job[], leaseMs = LEASE_MS) {
    this.#deps = deps
    this.#jobs = new Map(jobs.map(job => [job.name, job]))
    this.#leaseMs = leaseMs
    this.#keeping = new Repeated(
      () => this.#keep(),
      err => deps.log.info({ err }, 'could not look for background work; will retry'),
    )
  }

  start(): void {
    this.#keeping.start(Math.min(LOOK_EVERY_MS, this.#leaseMs / 4))
    void this.#keeping.run()
  }

  /** Ends each run after its step, and gives the jobs back. Once this resolves, nothing touches the store. */
  async close(): Promise<void> {
    await this.#keeping.close()
    const held = [...this.#held.values()]
    for (const each of held) this.#end(each)
    await Promise.all(held.map(({ underWay }) => underWay))
    if (held.length === 0) return
    // If it fails, the leases run out.
    await this.#deps.store
      .transact(async trx => {
        for (const { lease, standing } of inOrder(held)) await giveBack(trx, lease, standing)
      })
      .catch(() => {})
  }

  /** Renews what this process has, and takes what nobody has. */
  async #keep(): Promise<void> {
    const { store } = this.#deps
    if (!this.#isKnown) await addJobs(store, [...this.#jobs.keys()])
    this.#isKnown = true
    const free = (await freeJobs(store, this.#leaseMs)).filter(name => this.#jobs.has(name) && !this.#held.has(name))
    const held = [...this.#held.values()].filter(({ end }) => !end.signal.aborted)
    const isTime = performance.now() - this.#renewedAt >= this.#leaseMs / 3
    const isNews = held.some(each => each.isNews)
    if (free.length === 0 && !isNews && !(isTime && held.length > 0)) return
    // Before the database's clock is read, so that a lease ends here first.
    const asOf = performance.now()
    for (const each of held) each.isNews = false
    const { lost, taken } = await store.transact(async trx => {
      const lost: Held[] = []
      for (const each of inOrder(held)) {
        if (!(await renew(trx, each.lease, each.standing, this.#leaseMs))) lost.push(each)
      }
      const taken = []
      for (const name of free.sort()) taken.push(await take(trx, name, this.#holder, this.#leaseMs))
      return { lost, taken }
    })
    this.#renewedAt = asOf
    for (const each of held) {
      if (lost.includes(each)) this.#lose(each)
      else if (!each.end.signal.aborted) this.#hold(each, asOf)
    }
    for (const each of taken) if (each) this.#begin(each, asOf)
  }

  #begin({ lease, waitMs, failures }: NonNullable<Awaited<ReturnType<typeof take>>>, asOf: number): void {
    const job = this.#jobs.get(lease.name) as Job
    // A clock that was set back must not hold it up.
    const wait = Math.max(0, Math.min(waitMs, Math.max(job.everyMs, LAST_RETRY_MS)))
    const held: Held = {
      ...{ job, lease, standing: { nextAt: asOf + wait, failures } },
      ...{ end: new AbortController(), underWay: Promise.resolve(), isFirst: true, isNews: false },
      ...{ expiry: setTimeout(() => {}).unref(), next: setTimeout(() => {}).unref() },
    }
    this.#held.set(lease.name, held)
    this.#hold(held, asOf)
    this.#runAfter(held, wait)
  }

  #hold(held: Held, asOf: number): void {
    clearTimeout(held.expiry)
    held.expiry = setTimeout(() => this.#lose(held), asOf + this.#leaseMs - performance.now()).unref()
  }

  #end({ end, expiry, next }: Held): void {
    end.abort()
    clearTimeout(expiry)
    clearTimeout(next)
  }

  /** Until its run has ended, this process does not take the job again. */
  #lose(held: Held): void {
    if (held.end.signal.aborted) return
    this.#deps.log.warn(
      { job: held.job.name },
      'lost a background job: this process, or the database, did not answer in time',
    )
    this.#end(held)
    void held.underWay.then(() => this.#held.delete(held.job.name))
  }

  #runAfter(held: Held, waitMs: number): void {
    held.next = setTimeout(() => {
      held.underWay = this.#run(held)
    }, waitMs).unref()
  }

  /** Never throws. */
  async #run(held: Held): Promise<void> {
    const { job, lease, standing, end } = held
    const { signal } = end
    standing.startedAt = performance.now()
    let waitMs = job.everyMs
    try {
      await job.step({ store: fenced(this.#deps.store, lease), signal, isFirst: held.isFirst })
      if (signal.aborted) return
      if (standing.failures > 0) this.#deps.log.info({ job: job.name }, 'a background job works again')
      held.isNews = standing.failures > 0
      held.isFirst = false
      standing.failures = 0
    } catch (error) {
      if (error instanceof LeaseLost) return this.#lose(held)
      if (signal.aborted) return
      waitMs = await this.#failed(held, error)
    }
    standing.endedAt = performance.now()
    standing.nextAt = standing.endedAt + waitMs
    if (!signal.aborted) this.#runAfter(held, waitMs)
  }

  /** @returns in how many milliseconds to try again */
  async #failed(held: Held, error: unknown): Promise<number> {
    const { store, clock, log } = this.#deps
    const { job, standing } = held
    const failures = standing.failures + 1
    const words = String((error as Error)?.message ?? error).slice(0, ERROR_MAX_LENGTH)
    Object.assign(standing, { failures, failedAt: performance.now(), error: words })
    held.isNews = true
    const waitMs = Math.min(LAST_RETRY_MS, Math.min(job.everyMs, FIRST_RETRY_MAX_MS) * 2 ** failures)
    log.info({ err: error, job: job.name, failures, waitMs }, 'a background job failed; will retry')
    if (failures >= WARN_AFTER_FAILURES) await warn(store, 'job_failed', clock())
    return waitMs
  }
}

/** Always the same, so that two processes never deadlock. */
const inOrder = (held: readonly Held[]): Held[] =>
  [...held].sort((one, other) => (one.lease.name < other.lease.name ? -1 : 1))

/** What a run of a job may use. */
interface Run {
  /** Its transactions fail once another process has the job, so a process that was stopped for a while writes nothing. */
  store: Store
  /** Aborted at a stop, and when another process may have the job: the run ends after the step under way. */
  signal: AbortSignal
  /** Until a run has succeeded since this process got the job. What it remembers from earlier is old. */
  isFirst: boolean
}

/** Does all that is due, in short steps, and ends soon after its signal. @throws whatever went wrong: it is tried again */
export type Step = (run: Run) => Promise<void>

/** Something that the service does by itself, in one process at a time. */
export interface Job {
  name: string
  /** From the end of a run to the next. */
  everyMs: number
  step: Step
}
