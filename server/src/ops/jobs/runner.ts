import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { warn } from '../../domain/notifications/operator/warnings.ts'
import { isStoreFailure } from '../../platform/db/failures.ts'
import type { Store, Trx } from '../../platform/db/store.ts'
import { Repeated } from '../../platform/lib/repeat.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { Job } from './job.ts'
import {
  addJobs,
  fenced,
  freeJobs,
  LEASE_MS,
  type Lease,
  LeaseLost,
  type RunState,
  release,
  renew,
  take,
} from './lease.ts'

interface JobsDependencies {
  store: Store
  clock: () => number
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** A job that this process has. */
interface HeldJob {
  job: Job
  lease: Lease
  state: RunState
  /** Aborted once another process may have the lease, and at a stop. */
  end: AbortController
  /** Ends the lease here before it ends in the database, even if this machine's clock changes. */
  expiry: NodeJS.Timeout
  next: NodeJS.Timeout
  running: Promise<void>
  isFirst: boolean
  /** Whether the operator should see the state soon: it is recorded before the next renewal. */
  isNews: boolean
}

const POLL_MS = 1000
const FIRST_RETRY_MAX_MS = 1000
const LAST_RETRY_MS = MINUTE_MS

/** Fewer consecutive failures may have a passing cause, such as a restart of the database. */
const WARN_AFTER_FAILURES = 3
const ERROR_MAX_LENGTH = 500
const FAILED = 'a background job failed; will retry'

/**
 * Runs the background jobs. Of all processes on a database, one at a time runs each job, under a lease in the database.
 * A process keeps its jobs until it stops. If it is killed or hangs, it loses them when their leases end.
 */
export class Jobs {
  readonly #deps: JobsDependencies
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #leaseMs: number
  readonly #holder = `${hostname()}, process ${process.pid}`
  readonly #held = new Map<string, HeldJob>()
  readonly #loop: Repeated
  #isRegistered = false
  #renewedAt = 0

  /** @param leaseMs shorter in tests */
  constructor(deps: JobsDependencies, jobs: readonly Job[], leaseMs = LEASE_MS) {
    this.#deps = deps
    this.#jobs = new Map(jobs.map(job => [job.name, job]))
    this.#leaseMs = leaseMs
    this.#loop = new Repeated(
      () => this.#renewAndTake(),
      err => deps.log.info({ err }, 'could not check for background work; will retry'),
    )
  }

  start(): void {
    this.#loop.start(Math.min(POLL_MS, this.#leaseMs / 4))
    void this.#loop.run()
  }

  /** Ends each run after its current step, and releases the jobs. Once this resolves, no job uses the store. */
  async close(): Promise<void> {
    await this.#loop.close()
    const held = [...this.#held.values()]
    for (const each of held) this.#end(each)
    await Promise.all(held.map(({ running }) => running))
    const releaseAll = async (trx: Trx) => {
      for (const { lease, state } of inOrder(held)) await release(trx, lease, state)
    }
    // If this fails, the leases end on their own.
    if (held.length > 0) await this.#deps.store.transact(releaseAll).catch(() => {})
    for (const { step } of this.#jobs.values()) await step.close?.()
  }

  async #renewAndTake(): Promise<void> {
    const { store } = this.#deps
    if (!this.#isRegistered) await addJobs(store, [...this.#jobs.values()])
    this.#isRegistered = true
    const free = (await freeJobs(store, this.#leaseMs)).filter(name => this.#jobs.has(name) && !this.#held.has(name))
    const held = [...this.#held.values()].filter(({ end }) => !end.signal.aborted)
    const isTime = performance.now() - this.#renewedAt >= this.#leaseMs / 3
    const isNews = held.some(each => each.isNews)
    if (free.length === 0 && !isNews && !(isTime && held.length > 0)) return
    // This is read before the database's clock, so that a lease ends here first.
    const asOf = performance.now()
    for (const each of held) each.isNews = false
    const { lost, taken } = await store.transact(async trx => {
      const lost: HeldJob[] = []
      for (const each of inOrder(held)) {
        if (!(await renew(trx, each.lease, each.state, this.#leaseMs))) lost.push(each)
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
    // A clock that was set back must not delay the run. After a restart, what made it fail may be corrected.
    const longestMs = failures > 0 ? LAST_RETRY_MS : Math.max(job.everyMs, LAST_RETRY_MS)
    const wait = Math.max(0, Math.min(waitMs, longestMs))
    const held: HeldJob = {
      job,
      lease,
      state: { nextAt: asOf + wait, failures },
      end: new AbortController(),
      expiry: setTimeout(() => {}).unref(),
      next: setTimeout(() => {}).unref(),
      running: Promise.resolve(),
      isFirst: true,
      isNews: false,
    }
    this.#held.set(lease.name, held)
    this.#hold(held, asOf)
    this.#runAfter(held, wait)
  }

  #hold(held: HeldJob, asOf: number): void {
    clearTimeout(held.expiry)
    // After a long pause of the process, nothing is left.
    const leftMs = Math.max(0, asOf + this.#leaseMs - performance.now())
    held.expiry = setTimeout(() => this.#lose(held), leftMs).unref()
  }

  #end({ end, expiry, next }: HeldJob): void {
    end.abort()
    clearTimeout(expiry)
    clearTimeout(next)
  }

  /** This process doesn't take the job again before its run has ended. */
  #lose(held: HeldJob): void {
    if (held.end.signal.aborted) return
    this.#deps.log.warn(
      { job: held.job.name },
      'lost a background job: this process, or the database, did not answer in time',
    )
    this.#end(held)
    void held.running.then(() => this.#held.delete(held.job.name))
  }

  #runAfter(held: HeldJob, waitMs: number): void {
    held.next = setTimeout(() => {
      held.running = this.#run(held)
    }, waitMs).unref()
  }

  /** Never throws. */
  async #run(held: HeldJob): Promise<void> {
    const { job, lease, state, end } = held
    const { signal } = end
    state.startedAt = performance.now()
    let waitMs = job.everyMs
    try {
      await job.step({ store: fenced(this.#deps.store, lease), signal, isFirst: held.isFirst })
      if (signal.aborted) return
      if (state.failures > 0) this.#deps.log.info({ job: job.name }, 'a background job works again')
      held.isNews = state.failures > 0
      held.isFirst = false
      state.failures = 0
      state.succeededAt = performance.now()
    } catch (error) {
      if (error instanceof LeaseLost) return this.#lose(held)
      if (signal.aborted) return
      waitMs = await this.#failed(held, error)
    }
    state.endedAt = performance.now()
    state.nextAt = state.endedAt + waitMs
    if (!signal.aborted) this.#runAfter(held, waitMs)
  }

  /** @returns in how many milliseconds to retry */
  async #failed(held: HeldJob, error: unknown): Promise<number> {
    const { store, clock, log } = this.#deps
    const { job, state } = held
    const failures = state.failures + 1
    const message = String((error as Error)?.message ?? error).slice(0, ERROR_MAX_LENGTH)
    Object.assign(state, { failures, failedAt: performance.now(), error: message })
    held.isNews = true
    const longestMs = Math.max(LAST_RETRY_MS, Math.min(job.everyMs, job.retryMaxMs ?? 0))
    const waitMs = Math.min(longestMs, Math.min(job.everyMs, FIRST_RETRY_MAX_MS) * 2 ** failures)
    const isLasting = failures >= WARN_AFTER_FAILURES
    // An outage of the database has a warning of its own.
    const level = isLasting && !isStoreFailure(error) ? 'warn' : 'info'
    log[level]({ err: error, job: job.name, failures, waitMs }, FAILED)
    if (isLasting) await warn(store, 'job_failed', clock())
    return waitMs
  }
}

/** By name, in every process, so that two never deadlock. */
const inOrder = (held: readonly HeldJob[]): HeldJob[] =>
  [...held].sort((one, other) => (one.lease.name < other.lease.name ? -1 : 1))
