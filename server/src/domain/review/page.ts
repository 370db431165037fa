import type { Destination } from '../destinations/destination.ts'
import type { PageMetadata } from './page-metadata.ts'
import type { CannotTell, Opinion, Reject } from './verdict.ts'

/** What identifies a page's text without storing it. */
export interface Gist {
  /**
   * SimHash of its words in groups of three: 64 bits in hex. Similar texts have fingerprints that differ in few bits.
   */
  fingerprint: string
  /** The words that say most about its subject, at most `GIST_WORDS_MAX`. */
  words: readonly string[]
}

/** The certificate of the connection that returned a page. */
export interface Certificate {
  /** The organization that issued it. */
  issuer: string
  /** DNS names that it is valid for, at most 20. */
  names: readonly string[]
}

/** A form that asks for a password. `action` is the absolute address it posts to. */
interface PasswordForm {
  action: string
}

/** A page, fetched and parsed once. Reviewers use this and never fetch it again. */
export interface FetchedPage {
  /** Final address after redirects. */
  url: string
  /** Response headers of the final hop, names in lower case. */
  headers: Readonly<Record<string, string>>
  metadata: PageMetadata
  /** Visible text, white space folded, at most 20,000 characters. */
  text: string
  hasScript: boolean
  /** Values of `<meta name=rating>`, lower case. */
  ratings: readonly string[]
  /** Contents of `<meta name=placard-challenge>` in the head, as written; at most 20, each of at most 200 characters. */
  verifications: readonly string[]
  /** Absolute target of a `<meta http-equiv=refresh>`, or null. */
  refreshTo: string | null
  /** Whether it does so within a second. */
  refreshesAtOnce: boolean
  passwordForms: readonly PasswordForm[]
  gist: Gist
  /** Host names in the page's scripts, frames, images and links, in lower case, without duplicates. */
  linkedHosts: readonly string[]
  /** Judged in the reader process, so that the service's own process never searches the text. */
  judged: Judged
}

/** The hosts that a destination and its page have: one, or two after a redirect. */
export const hostsOf = (page: FetchedPage, { hostname }: Destination): string[] => [
  ...new Set([hostname, new URL(page.url).hostname]),
]

/** The opinions that follow from the page alone. */
export interface Judged {
  pageRules: Opinion
  phrases: Opinion
  parking: readonly ParkingSign[]
}

/** A sign that a domain is unused: a server's own page, a phrase of a group, a parking service, or only its script. */
export type ParkingSign = 'default_page' | 'for_sale' | 'parked' | 'buy' | 'service' | 'bare'

export type UnjudgedPage = Omit<FetchedPage, 'judged'>

export interface Fetched {
  verdict: 'pass'
  page: FetchedPage
  /** SHA-256 of the body as it was fetched. */
  bodyHash: string
  /** Null without TLS. */
  certificate: Certificate | null
}

/** A parsed and judged page, without the details of its connection. */
export type Read = Omit<Fetched, 'certificate'>

/**
 * Reads a destination's page through the guarded fetcher. Never throws for network errors.
 *
 * @param networks of the client who requested the page, broadest first: the fetcher limits what one network uses
 */
export type FetchPage = (
  destination: Destination,
  networks?: readonly string[],
) => Promise<Fetched | Reject | CannotTell>
