import { setTimeout as sleep } from 'node:timers/promises'
import { atMostEvery, MINUTE_MS, succeeds, within } from '../../lib/time.ts'
import type { Ask, Lease, LeaseStore } from './lease-store.ts'

export interface AllowanceLog {
  warn(about: object, message: string): void
}

/** The longest a client waits for the shared counter, unless told otherwise. */
const ANSWER_TIMEOUT_MS = 500
const RETRY_MS = 1000
const BATCH_MAX = 500

/** Something that needs a lease. */
interface LeaseRequest {
  ask(): Ask
  /** @param askedAt on the monotonic clock */
  take(lease: Lease, askedAt: number): void
  /** Called instead if the shared counter cannot be reached. */
  countLocally(): void
}

/**
 * Requests leases from the shared counter: one request at a time, for all that arrived in the meantime. So a process
 * sends one statement or message at a time, however many clients there are. While the shared counter is unreachable, no
 * request waits for it.
 */
export class LeaseRequests {
  readonly #leases: LeaseStore
  readonly #warn: (err: unknown) => void
  readonly #timeoutMs: number
  #waiting: LeaseRequest[] = []
  #isSending = false
  #isClosed = false
  isUnreachable = false

  constructor(leases: LeaseStore, log: AllowanceLog | undefined, timeoutMs = ANSWER_TIMEOUT_MS) {
    this.#leases = leases
    this.#timeoutMs = timeoutMs
    this.#warn = atMostEvery(MINUTE_MS, err =>
      log?.warn(
        { err },
        'The shared request counter is unreachable: until it returns, this process counts its own part of each limit.',
      ),
    )
  }

  add(request: LeaseRequest): void {
    this.#waiting.push(request)
    if (this.#isSending) return
    this.#isSending = true
    // Requests of the same turn of the event loop are sent together.
    setImmediate(() => void this.#sendAll())
  }

  close(): void {
    this.#isClosed = true
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX)
      const askedAt = performance.now()
      const answer = this.#leases.lease(batch.map(request => request.ask()))
      try {
        const leases = await within(this.#timeoutMs, answer, this.#late)
        for (const [index, request] of batch.entries()) request.take(leases[index] as Lease, askedAt)
      } catch (error) {
        this.isUnreachable = true
        for (const request of batch.concat(this.#waiting.splice(0))) request.countLocally()
        this.#warn(error)
        await this.#awaitReturn(answer)
      }
    }
    this.#isSending = false
  }

  /** Retries until there is an answer. While one request is unanswered, no other is sent. */
  async #awaitReturn(answer: Promise<unknown>): Promise<void> {
    let asked = succeeds(answer)
    for (;;) {
      const [isBack] = await Promise.all([asked, sleep(RETRY_MS, undefined, { ref: false })])
      if (isBack) this.isUnreachable = false
      if (isBack || this.#isClosed) return
      asked = succeeds(this.#leases.lease([]))
    }
  }

  readonly #late = () => {
    throw new Error(`no answer within ${this.#timeoutMs} ms`)
  }
}
