import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { MemoryLeaseStore } from '../../platform/http/rate-limits/lease-store.ts'
import type { AskMessage, LeaseMessage } from '../../platform/http/rate-limits/shared-counters.ts'
import { createLog } from '../../platform/lib/log.ts'
import { type Ready, type ReportedConfig, reportReady } from './startup-log.ts'

interface PrimaryOptions extends ReportedConfig {
  workers: number
  /** How long a stop may take. */
  stopTimeoutMs: number
}

/** A worker that lived shorter died at once. The next one waits, twice as long each time. */
const STEADY_MS = 10_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/**
 * The process that serves nothing itself. It starts the workers, restarts those that die, and counts the request limits
 * for all of them. The first worker starts alone, so that an invalid setting is reported once.
 */
export class Primary {
  readonly #options: PrimaryOptions
  readonly #log
  readonly #leases = new MemoryLeaseStore()
  readonly #running = new Map<Worker, { number: number; startedAt: number; isReady: boolean }>()
  /** How often in a row each worker died at once. */
  readonly #diedEarly = new Map<number, number>()
  #hasServed = false
  #isAnnounced = false
  #isStopping = false
  #exitCode = 0

  constructor(options: PrimaryOptions) {
    this.#options = options
    this.#log = createLog({ level: options.logLevel })
  }

  start(): void {
    onStopSignals(
      signal => this.#stop(signal),
      () => this.#kill(),
    )
    this.#startWorker(1)
  }

  #startWorker(number: number): void {
    if (this.#isStopping) return
    const worker = cluster.fork(workerEnv(number))
    this.#running.set(worker, { number, startedAt: performance.now(), isReady: false })
    worker.on('message', (message: Partial<AskMessage & { ready: Ready }>) => {
      if (message.asks) void this.#answer(worker, message as AskMessage)
      if (message.ready) this.#serves(worker, message.ready)
    })
    worker.on('error', err => {
      // A worker that just died cannot take its lease.
      if (worker.process.pid !== undefined) return
      // The system could not start it, for example because too many processes run. It has no exit.
      this.#log.error({ err }, 'could not start a worker')
      this.#ended(worker, null, null)
    })
    worker.once('exit', (code, signal) => this.#ended(worker, code, signal))
  }

  async #answer(worker: Worker, { asks, id }: AskMessage): Promise<void> {
    const leases = await this.#leases.lease(asks)
    if (worker.isConnected()) worker.send({ leases, id } satisfies LeaseMessage)
  }

  #serves(worker: Worker, ready: Ready): void {
    const running = this.#running.get(worker)
    if (running) running.isReady = true
    const { workers } = this.#options
    if (!this.#hasServed) {
      this.#hasServed = true
      for (let number = 2; number <= workers; number++) this.#startWorker(number)
    }
    const serving = [...this.#running.values()].filter(({ isReady }) => isReady).length
    if (this.#isAnnounced || serving < workers) return
    this.#isAnnounced = true
    reportReady(this.#log, this.#options, { ...ready, workers })
  }

  #ended(worker: Worker, code: number | null, signal: string | null): void {
    const running = this.#running.get(worker)
    if (!running) return
    this.#running.delete(worker)
    const { number, startedAt, isReady } = running
    if (this.#isStopping) {
      // A worker that did not serve yet had no requests in progress.
      if (code !== 0 && isReady) this.#exitCode = 1
      if (this.#running.size === 0) process.exit(this.#exitCode)
      return
    }
    // The worker has logged the reason. The others end when this process does.
    if (!this.#hasServed || code === OUTDATED_EXIT_CODE) process.exit(1)
    const early = performance.now() - startedAt < STEADY_MS ? (this.#diedEarly.get(number) ?? 0) + 1 : 0
    this.#diedEarly.set(number, early)
    const waitMs = early === 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (early - 1))
    this.#log.error({ worker: number, code, signal, waitMs }, 'a worker died; starting another')
    setTimeout(() => this.#startWorker(number), waitMs)
  }

  #stop(signal: NodeJS.Signals): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#log.info({ signal }, 'stopping: the workers finish requests in progress')
    if (this.#running.size === 0) process.exit(0)
    for (const worker of this.#running.keys()) worker.process.kill(signal)
    setTimeout(() => this.#kill(), this.#options.stopTimeoutMs).unref()
  }

  #kill(): void {
    for (const worker of this.#running.keys()) worker.process.kill('SIGKILL')
    process.exit(1)
  }
}

/** Environment variable with the number of a worker, from 1. */
const NUMBER = 'PLACARD_WORKER'

/** Which of a machine's processes this is. */
export interface Part {
  /**
   * Whether it does the tasks of only one process of a machine: the lock on DATA_DIR, warnings at start, the sandbox's
   * deliveries.
   */
  isFirst: boolean
  processes: number
  /** Whether a primary started it, which counts the request limits for all. */
  isWorker: boolean
}

/** Exit code of a process that must not use the database any more. */
export const OUTDATED_EXIT_CODE = 3

export const ALONE: Part = { isFirst: true, processes: 1, isWorker: false }

const workerEnv = (number: number) => ({ [NUMBER]: String(number) })

export const isPrimary = (workers: number): boolean => workers > 1 && cluster.isPrimary

/** Returns the part of this process. */
export const partOf = (workers: number): Part =>
  cluster.isWorker ? { isFirst: process.env[NUMBER] === '1', processes: workers, isWorker: true } : ALONE

/**
 * Reports to the primary that this worker serves. If the primary is gone, no process would restart this worker or give
 * it connections, so it stops.
 *
 * @param stop ends this process gracefully
 */
export function serveForPrimary(ready: Ready, stop: () => void): void {
  const { worker } = cluster
  if (!worker) return
  worker.once('disconnect', () => {
    // Otherwise, Node would end this process at once, with requests in progress.
    worker.exitedAfterDisconnect = true
    stop()
  })
  worker.send({ ready })
}

/** npm forwards to its child what a terminal or a service manager has sent to both. */
const SAME_SIGNAL_MS = 500

/**
 * Listens for the signals that stop a process.
 *
 * @param stop called at the first one
 * @param hasten called at a later one, whose sender does not want to wait
 */
export function onStopSignals(stop: (signal: NodeJS.Signals) => void, hasten: () => void): void {
  let firstAt: number | undefined
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, signal => {
      const now = performance.now()
      if (firstAt === undefined) {
        firstAt = now
        stop(signal)
      } else if (now - firstAt > SAME_SIGNAL_MS) hasten()
    })
  }
}
