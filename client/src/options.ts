import { fieldsOf, milliseconds, optionalFunction, optionalStore } from './check.ts'
import { serviceAddress } from './service/address.ts'
import type { Fetch, FetchInit, FetchResponse } from './service/fetch.ts'
import type { OnRetry } from './service/retry.ts'
import { guarded, type SubmissionStore } from './submissions/store.ts'

/** How to reach a service. Only `service` is required. */
export interface ClientOptions {
  /** Address of the service, such as `https://placard.example`. http:// only on loopback. */
  service: string
  /** Stores the credentials of each publish: `fileStore()`, or your own. Reading needs none. */
  store?: SubmissionStore
  /** Sends the requests, for example through a proxy. Default: the runtime's own. */
  fetch?(url: string, init: FetchInit): Promise<FetchResponse>
  /** Longest wait for one answer. Default: 30,000. */
  requestTimeoutMs?: number
  /** No retry starts later than this after the first try. Default: 120,000, and 10,000 for reading. */
  waitBudgetMs?: number
  /** Wait before the first retry, unless the service says how long. It doubles with each retry. Default: 500. */
  firstBackoffMs?: number
  /** Called for each failure that is followed by a retry after `waitMs`. `leftMs` is the budget that then remains. */
  onRetry?: OnRetry
}

/** Options of one call. */
export interface CallOptions {
  /** From an `AbortController`. Spelled out, so that these types need neither the DOM's nor Node's. */
  signal?: { readonly aborted: boolean; readonly reason: unknown; throwIfAborted(): void }
}

/** Checked options with defaults. `service` is normalised. */
export interface CheckedOptions {
  service: string
  store: SubmissionStore | undefined
  fetch: Fetch
  requestTimeoutMs: number
  waitBudgetMs: number
  firstBackoffMs: number
  onRetry: ClientOptions['onRetry']
}

/** Throws `invalid_service_address` and `invalid_option`. */
export function checkOptions(options: ClientOptions): CheckedOptions {
  const given = fieldsOf('The options', options)
  const store = optionalStore('store', given.store)
  return {
    service: serviceAddress(given.service),
    store: store && guarded(store),
    // Looked up on every call: a program may replace the global `fetch` later, and workers insist on their `this`.
    fetch: optionalFunction('fetch', given.fetch as Fetch) ?? ((url, init) => fetch(url, init as RequestInit)),
    requestTimeoutMs: milliseconds('requestTimeoutMs', given.requestTimeoutMs, 1, 30_000),
    waitBudgetMs: milliseconds('waitBudgetMs', given.waitBudgetMs, 0, 120_000),
    firstBackoffMs: milliseconds('firstBackoffMs', given.firstBackoffMs, 1, 500),
    onRetry: optionalFunction('onRetry', given.onRetry as ClientOptions['onRetry']),
  }
}
