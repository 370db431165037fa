// Spelled out, so that these types need neither the DOM's nor Node's.

/** An `AbortSignal`. */
export interface Signal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What this client asks of a `fetch`. The global one of every runtime fits, and undici's with a proxy. */
export type Fetch = {
  fetch(url: string, init: FetchInit): Promise<FetchResponse>
}['fetch']

/** The second argument of `fetch`. `redirect` is always `manual`: a secret must not follow one. */
export interface FetchInit {
  method?: string
  headers?: unknown
  body?: unknown
  redirect?: string
  signal?: unknown
}

/** The part of a `Response` that is used. */
export interface FetchResponse {
  readonly status: number
  readonly ok: boolean
  readonly type: string
  readonly headers: { get(name: string): string | null }
  readonly body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
    cancel(): Promise<void>
  } | null
}
