import { DISPLAY_DAYS } from '@placard/contract'
import { sql } from 'kysely'
import { daysMs } from '../../platform/lib/time.ts'

/** A listing as cards show it. Its texts come from the web: treat them as hostile. */
export interface Shown {
  id: number
  slug: string
  title: string
  description: string
  hostname: string
  category: string
  /** As the page declared it; it may not be a language at all. */
  language: string
  /** Unix milliseconds. */
  publishedAt: number
  /** Unix milliseconds; null if no end is scheduled. */
  expiresAt: number | null
  /** Null if no picture is stored. */
  pictureVersion: string | null
}

/** A page of listings, newest first, and where it ends if more follow. */
export interface ShownPage {
  listings: Shown[]
  next: DiscoveryCursor | undefined
}

/** The earliest time at which a listing with the usual end, still published at `now`, can have been published. */
export const oldestYoung = (now: number): number => now - daysMs(DISPLAY_DAYS)

/** The columns of a `Shown`, from `listing` and `itsPicture`. */
export const shownColumns = sql`
  listing.id, listing.slug, listing.title, listing.description, listing.hostname, listing.category, listing.language,
  listing."publishedAt", listing."expiresAt", picture.version as "pictureVersion"`

export const itsPicture = sql`left join picture on picture."listingId" = listing.id and picture.state = 'stored'`

/** Cuts rows, queried with one extra, to a page. */
export function pageOf(rows: Shown[], limit: number): ShownPage {
  const listings = rows.slice(0, limit)
  const last = listings.at(-1)
  const next = rows.length > limit && last ? { publishedAt: last.publishedAt, id: last.id } : undefined
  return { listings, next }
}

/** A position in discovery: the next page begins right after it. */
export interface DiscoveryCursor {
  /** Unix milliseconds. */
  publishedAt: number
  id: number
}

/** Where the first page begins. */
export const START: DiscoveryCursor = { publishedAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/** Encodes a cursor for an address, such as `1757160000000-42`. It is not secret. */
export const writeDiscoveryCursor = ({ publishedAt, id }: DiscoveryCursor): string => `${publishedAt}-${id}`

/** Parses a cursor; undefined for anything `writeDiscoveryCursor` would not write. */
export function readDiscoveryCursor(text: unknown): DiscoveryCursor | undefined {
  const [, publishedAt, id] = (typeof text === 'string' && SHAPE.exec(text)) || []
  return publishedAt !== undefined && id !== undefined
    ? { publishedAt: Number(publishedAt), id: Number(id) }
    : undefined
}

/** Exact numbers, each with one spelling. */
const SHAPE = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/
