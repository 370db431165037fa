import { aborted, messageOf, PlacardError } from '../error.ts'
import type { Signal } from './fetch.ts'

const LONGEST_BACKOFF_MS = 30_000

/**
 * Called for each failure that is followed by another try, after `waitMs`. `leftMs` is what then remains of the budget:
 * no try begins later.
 */
export type OnRetry = (error: PlacardError, waitMs: number, leftMs: number) => void

/** How long and how often to try. */
export interface RetryOptions {
  /** No new try begins later than this after the first one began. */
  waitBudgetMs: number
  /** Roughly how long to wait before the second try, unless the service says; doubled each time. */
  firstBackoffMs: number
  signal?: Signal | undefined
  onRetry?: OnRetry | undefined
}

/**
 * Runs `attempt` until it succeeds, fails permanently, or the next wait would exceed the budget; then throws the last
 * error. Retries errors of the kinds `postponed` and `unknown`.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const startedMs = performance.now()
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTemporary(error) || options.signal?.aborted) throw error
      const waitMs = retryWaitMs(error, failures, options.firstBackoffMs)
      const leftMs = Math.floor(options.waitBudgetMs - (performance.now() - startedMs) - waitMs)
      if (leftMs < 0) throw error
      reportRetry(options, error, waitMs, leftMs)
      if (!(await waited(waitMs, options.signal))) throw aborted(error.kind)
    }
  }
}

// An error in the caller's own function must not look like a fault of the request, whose state is known.
function reportRetry({ onRetry }: RetryOptions, error: PlacardError, waitMs: number, leftMs: number): void {
  try {
    onRetry?.(error, waitMs, leftMs)
  } catch (thrown) {
    throw error.with({
      code: 'on_retry_failed',
      error: `onRetry failed: ${messageOf(thrown)}`,
      field: 'onRetry',
    })
  }
}

/** Waits. @returns false if the signal ended it */
function waited(waitMs: number, signal: Signal | undefined): Promise<boolean> {
  return new Promise(resolve => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve(!signal?.aborted)
    }
    const timer = setTimeout(finish, waitMs)
    if (signal?.aborted) finish()
    else signal?.addEventListener('abort', finish)
  })
}

const isTemporary = (error: unknown): error is PlacardError =>
  error instanceof PlacardError && (error.kind === 'postponed' || error.kind === 'unknown')

// "Retry-After: 0" does not mean to retry without pause. The random part keeps many clients from returning at once.
function retryWaitMs(error: PlacardError, failures: number, firstBackoffMs: number): number {
  if (error.retryAfterSeconds) return error.retryAfterSeconds * 1000
  const backoffMs = Math.min(firstBackoffMs * 2 ** failures, LONGEST_BACKOFF_MS)
  return backoffMs * (0.5 + Math.random() / 2)
}
