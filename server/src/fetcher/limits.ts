/** Limits of a visit to a website, whatever is fetched. Tests pass smaller ones. */
export interface FetchLimits {
  /** All documents with all hops, from when the visit gets its turn. */
  totalMs: number
  /** Both DNS queries of a hop. */
  dnsMs: number
  /** TCP to one of the checked addresses, and TLS. */
  connectMs: number
  /** From the request to the end of the final response's headers. */
  headersMs: number
  headersMaxBytes: number
  /** Informational (1xx) responses before the final one. */
  informationalMax: number
  redirectsMax: number
  /** Visits at a time, with at most one per registrable domain. */
  atOnceMax: number
  /** How many visits may wait for their turn, and how long. */
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
