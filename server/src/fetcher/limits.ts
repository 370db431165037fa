/** What a visit to a website may cost, whatever is fetched there. Tests pass smaller ones. */
export interface FetchLimits {
  /** Everything, all documents and all their hops, from the moment the visit has its turn. */
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
  redirectsMax: number
  /** Visits under way at one time; one at most for each registrable domain. */
  atOnceMax: number
  /** Visits that may wait for their turn, and how long. */
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
  redirectsMax: 4,
  atOnceMax: 8,
  waitersMax: 64,
  waitMs: 5_000,
}
