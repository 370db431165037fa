import type { Generated } from 'kysely'

/** What the pages add to a listing. */
export interface SiteTables {
  picture: PictureTable
  listing_day: ListingDayTable
  report: ReportTable
  blocked_host: BlockedHostTable
  search_word: SearchWordTable
  search_stale: SearchStaleTable
}

/** The picture of a listing: what its own page offers as a preview, made anew by us. */
export interface PictureTable {
  listingId: number
  /** `wanted` until it was tried with an outcome; `none`: there is no usable one, and a placard is drawn. */
  state: 'wanted' | 'stored' | 'none'
  /** What the page names as its preview image, absolute; null where it names none. */
  sourceUrl: string | null
  attempts: number
  /** When it is to be fetched; null when nothing is left to do. */
  tryAt: number | null
  mediaType: string | null
  /** In pixels. */
  width: number | null
  height: number | null
  /** Part of the SHA-256 of the bytes. */
  version: string | null
  bytes: Buffer | null
  storedAt: number | null
}

/** Views of the public page and clicks on the way out, of one UTC day, or later of a whole month. They never touch rank. */
interface ListingDayTable {
  listingId: number
  /** YYYY-MM-DD, or YYYY-MM for what was added up of its days: that comes before any day that still stands alone. */
  day: string
  views: number
  clicks: number
}

/** What a visitor, or the service itself, says is wrong with a listing. */
interface ReportTable {
  id: Generated<number>
  listingId: number
  reason: string
  details: string
  /** How to reach the reporter, if they want; else empty. */
  contact: string
  createdAt: number
  settledAt: number | null
  /** What the operator did about it. */
  settlement: string | null
  /** The decision that recorded it. */
  decisionId: string | null
  /** SHA-256 of the key in the reporter's link; null where the service itself reported. */
  keyHash: string | null
}

/** A host that an operator has blocked. One that is in force for each host. */
interface BlockedHostTable {
  id: Generated<number>
  /** In lower case ASCII, without `www.`. */
  host: string
  /** Whether everything below it is blocked, too, 0 or 1. */
  subdomains: number
  reason: string
  /** An operator's name. */
  blockedBy: string
  blockedAt: number
  decisionId: string
  endedAt: number | null
}

/** A word that a listing has or had, for finding it inside longer words and in spite of typos. */
interface SearchWordTable {
  id: Generated<number>
  word: string
  /** Each three letters in a row, with the ends of the word, with blanks between. */
  parts: string
}

/** A listing whose entries were made by older rules. */
interface SearchStaleTable {
  listingId: number
}
