/** What one fetch may cost. Tests pass smaller ones. */
export interface FetchLimits {
  /** Everything, all hops, from the moment the fetch has its turn. */
  totalMs: number
  /** Both DNS questions of a hop. */
  dnsMs: number
  /** TCP to one of the vetted addresses, and TLS. */
  connectMs: number
  /** From the request to the end of the final response's headers. */
  headersMs: number
  headersMaxBytes: number
  /** Informational (1xx) responses before the final one. */
  informationalMax: number
  /** Of the body on the wire, and again of the decoded body. */
  bodyMaxBytes: number
  redirectsMax: number
  /** Elements inside each other. */
  depthMax: number
  /** Fetches under way at one time; one at most for each registrable domain. */
  atOnceMax: number
  /** Fetches that may wait for their turn, and how long. */
  waitersMax: number
  waitMs: number
}

export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  totalMs: 10_000,
  dnsMs: 2_000,
  connectMs: 3_000,
  headersMs: 5_000,
  headersMaxBytes: 16 * 1024,
  informationalMax: 8,
  bodyMaxBytes: 1024 * 1024,
  redirectsMax: 4,
  depthMax: 256,
  atOnceMax: 8,
  waitersMax: 64,
  waitMs: 5_000,
}
