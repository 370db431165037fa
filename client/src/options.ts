import { fieldsOf, milliseconds, optionalFunction, optionalText } from './check.ts'
import type { PlacardError } from './error.ts'
import { serviceAddress } from './service.ts'

/** How to reach a service. Only `service` must be given. */
export interface ClientOptions {
  /** Address of the service, such as `https://placard.example`. http:// only on loopback. */
  service: string
  /** File that keeps the credentials of each publish. Default: `defaultJournalPath()`. */
  journalPath?: string
  /** Longest wait for one answer. Default: 30,000. */
  requestTimeoutMs?: number
  /** No try begins later than this after the first. Default: 120,000, and 10,000 for reading. */
  waitBudgetMs?: number
  /** Wait before the second try, unless the service says how long; doubled each time. Default: 500. */
  firstBackoffMs?: number
  /** Called for each failure that is followed by another try. */
  onRetry?: (error: PlacardError, waitMs: number) => void
}

/** Options of one call. */
export interface CallOptions {
  /** From an `AbortController`. Spelled out, so that these types need neither the DOM's nor Node's. */
  signal?: { readonly aborted: boolean; readonly reason: unknown; throwIfAborted(): void }
}

/** Checked options with defaults. `service` is normalised. */
export interface CheckedOptions {
  service: string
  journalPath: string | undefined
  requestTimeoutMs: number
  waitBudgetMs: number
  firstBackoffMs: number
  onRetry: ClientOptions['onRetry']
}

/** Throws `invalid_service_address` and `invalid_option`. */
export function checkOptions(options: ClientOptions): CheckedOptions {
  const given = fieldsOf('The options', options)
  return {
    service: serviceAddress(given.service),
    journalPath: optionalText('journalPath', given.journalPath),
    requestTimeoutMs: milliseconds('requestTimeoutMs', given.requestTimeoutMs, 1, 30_000),
    waitBudgetMs: milliseconds('waitBudgetMs', given.waitBudgetMs, 0, 120_000),
    firstBackoffMs: milliseconds('firstBackoffMs', given.firstBackoffMs, 1, 500),
    onRetry: optionalFunction('onRetry', given.onRetry as ClientOptions['onRetry']),
  }
}
