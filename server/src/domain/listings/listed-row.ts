import { DISPLAY_DAYS } from '@placard/contract'
import { sql } from 'kysely'
import { daysMs } from '../../platform/lib/time.ts'

/** What every list shows of a listing. Its texts come from the listed page, so escape them. */
export interface ListedRow {
  slug: string
  title: string
  description: string
  hostname: string
  category: string
  /** As the page declared it, so it may not be a language at all. */
  language: string
  /** Null if the listing has no picture of its own. */
  pictureVersion: string | null
  /** When its owner proved the website; null if they did not, or the proof is gone. */
  provenAt: number | null
}

/** A listing outside of boards, where its dates matter. */
export interface DatedRow extends ListedRow {
  id: number
  publishedAt: number
  /** Null if the listing has no end date. */
  expiresAt: number | null
}

/** The columns of a `ListedRow`, from `listing` and `joinPicture`. */
export const listedColumns = sql`
  listing.slug, listing.title, listing.description, listing.hostname, listing.category, listing.language,
  picture.version as "pictureVersion",
  (select "provenAt" from site_owner where site_owner."listingId" = listing.id) as "provenAt"`

/** The columns of a `DatedRow`, from `listing` and `joinPicture`. */
export const datedColumns = sql`${listedColumns}, listing.id, listing."publishedAt", listing."expiresAt"`

export const joinPicture = sql`left join picture on picture."listingId" = listing.id and picture.state = 'stored'`

/** The condition that a listing is published. `hiddenAt` is spelled as in the partial indexes. */
export const isPublished = (now: number) =>
  sql`listing."hiddenAt" is null and (listing."expiresAt" is null or listing."expiresAt" > ${now})`

/**
 * Returns the earliest publication time of a listing that has the usual end date and is still published. Published
 * listings from before this time have no end date.
 */
export const youngSince = (now: number): number => now - daysMs(DISPLAY_DAYS)

/** Returns when the first of some listings ends after `now`. Until then, time alone changes no list of them. */
export const nextEnd = (listings: readonly Pick<DatedRow, 'expiresAt'>[], now: number): number =>
  Math.min(
    ...listings.map(({ expiresAt }) => (expiresAt !== null && expiresAt > now ? expiresAt : Number.POSITIVE_INFINITY)),
  )

/** A position in discovery. The next page begins right after it. */
export interface DiscoveryCursor {
  publishedAt: number
  id: number
}

/** Two whole numbers without leading zeros, so that each position has exactly one spelling. */
const CURSOR_TEXT = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/

/** Encodes a cursor for a URL, such as `1757160000000-42`. */
export const writeDiscoveryCursor = ({ publishedAt, id }: DiscoveryCursor): string => `${publishedAt}-${id}`

/** Parses a cursor from a URL. Returns undefined for anything that `writeDiscoveryCursor` does not write. */
export function readDiscoveryCursor(text: unknown): DiscoveryCursor | undefined {
  const match = typeof text === 'string' ? CURSOR_TEXT.exec(text) : null
  return match ? { publishedAt: Number(match[1]), id: Number(match[2]) } : undefined
}
