import type { Store } from '../../db/store.ts'
import type { Secret } from '../../lib/secret.ts'
import { type AllowanceLog, LeaseRequests } from './lease-requests.ts'
import { type Ask, type Lease, type LeaseStore, type Limit, Windows } from './lease-store.ts'
import { DatabaseLeaseStore, PrimaryLeaseStore } from './shared-counters.ts'

/** The result of counting one request. */
export interface Counted {
  isRefused: boolean
  /** What the window has left, as far as this process knows. */
  left: number
  /** On the monotonic clock. */
  endsAt: number
}

interface Window {
  endsAt: number
  used: number
  /** How many requests this process may allow. */
  leased: number
  /** Of the last lease. */
  spare: number
  /** What no process has leased, when this one last asked. */
  left: number
  /** Whether further leases are useless. */
  isSettled: boolean
  waiting: Waiter[]
}

interface Waiter {
  /** 0 if it only reads. */
  wanted: 0 | 1
  answer(): void
}

interface Shared {
  /** Undefined if this process is the only one. */
  leases?: LeaseStore | undefined
  /** How many processes share an allowance, as far as known. */
  processes?: number
  log?: AllowanceLog | undefined
  /** How long a client waits for the shared counter, before its process counts alone. */
  answerTimeoutMs?: number
}

/**
 * What clients may do, over all processes. Each process takes small leases from a shared counter, and most requests are
 * counted here, without a request to it (docs/decisions/limits-and-quotas.md).
 */
export class Allowances {
  readonly #leases: LeaseRequests | undefined
  readonly #processes: number

  constructor({ leases, processes = 1, log, answerTimeoutMs }: Shared = {}) {
    this.#leases = leases && new LeaseRequests(leases, log, answerTimeoutMs)
    this.#processes = processes
  }

  of(limit: Limit): Counter {
    const share = Math.max(1, Math.floor(limit.max / this.#processes))
    return new Counter(limit, share, this.#leases)
  }

  close(): void {
    this.#leases?.close()
  }
}

/** Counts one limit by key. */
export class Counter {
  readonly #limit: Limit
  /** How many requests this process allows while the shared counter is unreachable. */
  readonly #share: number
  readonly #leases: LeaseRequests | undefined
  readonly #windows = new Windows<Window>()

  constructor(limit: Limit, share: number, leases: LeaseRequests | undefined) {
    this.#limit = limit
    this.#share = share
    this.#leases = leases
  }

  /** Counts one request. @returns a promise only if a lease must be requested first; it never rejects */
  count(key: string): Counted | Promise<Counted> {
    return this.#answer(key, 1, countIn)
  }

  /** Returns what a key has left, without counting anything. */
  left(key: string): number | Promise<number> {
    return this.#answer(key, 0, leftIn)
  }

  #answer<T>(key: string, wanted: Waiter['wanted'], read: (window: Window) => T): T | Promise<T> {
    const window = this.#windowOf(key)
    if (isDecidable(window)) return read(window)
    return new Promise(resolve => {
      window.waiting.push({ wanted, answer: () => resolve(read(window)) })
      // Otherwise, a request was already sent, or is about to be.
      if (window.waiting.length === 1) this.#ask(key, window)
    })
  }

  /** Undoes one count that was just made and not refused. */
  uncount(key: string): void {
    const window = this.#windowOf(key)
    window.used = Math.max(0, window.used - 1)
  }

  #windowOf(key: string): Window {
    const now = performance.now()
    const known = this.#windows.of(key, now)
    if (known) {
      if (this.#leases?.isUnreachable) this.#countLocally(known)
      return known
    }
    const began = this.#windows.begin(
      key,
      {
        endsAt: now + this.#limit.windowMs,
        used: 0,
        leased: 0,
        spare: 0,
        left: this.#limit.max,
        isSettled: false,
        waiting: [],
      },
      now,
    )
    if (!this.#leases || this.#leases.isUnreachable) this.#countLocally(began)
    return began
  }

  /** Earlier leases of this process remain valid. */
  #countLocally(window: Window): void {
    if (window.isSettled) return
    window.leased = Math.max(window.leased, this.#share)
    window.left = 0
    window.isSettled = true
  }

  #ask(key: string, window: Window): void {
    const { waiting } = window
    this.#leases?.add({
      ask: (): Ask => ({
        ...this.#limit,
        key,
        spent: window.spare,
        wanted: waiting.reduce((sum, { wanted }) => sum + wanted, 0),
      }),
      take: ({ granted, spare, left, endsInMs }: Lease, askedAt) => {
        window.leased += granted
        window.spare = spare
        window.left = left
        // Never later than in the shared counter.
        window.endsAt = askedAt + endsInMs
        window.isSettled = left === 0
        while (waiting[0] && (isDecidable(window) || waiting[0].wanted === 0)) waiting.shift()?.answer()
        // These arrived after the request was sent.
        if (waiting.length > 0) this.#ask(key, window)
      },
      countLocally: () => {
        this.#countLocally(window)
        for (const { answer } of waiting.splice(0)) answer()
      },
    })
  }
}

/** Returns whether this process can decide about the next request on its own. */
const isDecidable = ({ used, leased, isSettled }: Window) => used < leased || isSettled

const leftIn = ({ left, leased, used }: Window) => left + leased - used

function countIn(window: Window): Counted {
  const isRefused = window.used >= window.leased
  if (!isRefused) window.used++
  return { isRefused, left: leftIn(window), endsAt: window.endsAt }
}

/**
 * Returns the counter that several processes share: the database, or the primary process. Undefined for a single
 * process.
 */
export function leaseStoreFor(
  store: Store,
  secret: Secret,
  { isWorker }: { isWorker: boolean },
): LeaseStore | undefined {
  if (store.engine === 'postgres') return new DatabaseLeaseStore(store, secret)
  return isWorker ? new PrimaryLeaseStore() : undefined
}
