import type { Destination } from '../destinations/destination.ts'
import type { CannotTell, Reject, Verdict } from '../destinations/verdict.ts'

/** What the page says of itself, as plain text: NFC, no control or bidi characters, lengths capped. */
export interface PageMetadata {
  /** From `<title>`, else og:title, else the first heading, else empty; at most 200 characters. */
  title: string
  /** From the description, else og:description, else empty; at most 500 characters. */
  description: string
  /** From og:site_name, else empty; at most 200 characters. */
  siteName: string
  /** BCP 47 tag from `<html lang>`, else of the language its words look like, else empty. */
  language: string
  /** Absolute http(s) address of the preview image (og:image), else null. Not fetched here. */
  imageUrl: string | null
}

/** A form of the page that asks for a password. `action` is the absolute address it posts to. */
interface PasswordForm {
  action: string
}

/** A page as fetched and read once; the reviewers work on this and never fetch it again. */
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
  /** Contents of `<meta name=placard-verification>` in the head, as written; at most 20 of 200 characters. */
  verifications: readonly string[]
  /** Absolute target of a `<meta http-equiv=refresh>`, else null. */
  refreshTo: string | null
  passwordForms: readonly PasswordForm[]
  /** Host names that scripts, frames, images and links of the page name, lower case, without duplicates. */
  linkedHosts: readonly string[]
  /** What the page rules say, judged where the page was read: its text is no work for the service's own process. */
  ruling: Verdict
}

/** A page before the page rules were asked. */
export type UnjudgedPage = Omit<FetchedPage, 'ruling'>

export interface Fetched {
  verdict: 'pass'
  page: FetchedPage
}

/** Reads the page of a destination through the guarded fetcher. Never throws for what the network does. */
export type FetchPage = (destination: Destination) => Promise<Fetched | Reject | CannotTell>
