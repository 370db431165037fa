import { type Generated, sql } from 'kysely'
import { FACTS_DAYS } from './decisions.ts'
import { FOREVER, forDays, type RetentionRules, SUPPORT_DAYS, WITH_ITS_LISTING } from './retention.ts'

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
  /** Keyed hash of the reporter's network while the report is open; null once it is settled, and for the service's own. */
  networkHash: string | null
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

/** Longer than any daily chart. */
const DAYS_OF_TRAFFIC = 90

export const SITE: RetentionRules<SiteTables> = {
  picture: [
    {
      what: 'The picture of a listing',
      kept: WITH_ITS_LISTING,
      why: 'It is shown again when the listing is restored.',
    },
  ],
  listing_day: [
    {
      what: 'Views and clicks of a listing on a day',
      kept: `${DAYS_OF_TRAFFIC} days, then as part of their month`,
      why: 'The private page shows the last days one by one.',
      end: { days: DAYS_OF_TRAFFIC, step: 'traffic' },
    },
    {
      what: 'Views and clicks of a listing in a month',
      kept: WITH_ITS_LISTING,
      why: 'Together they give the listing’s lifetime numbers.',
    },
  ],
  report: [
    {
      what: 'A report that nobody has settled yet',
      kept: 'until it is settled',
      why: 'Somebody has to look at it.',
    },
    {
      what: 'A report that was settled',
      kept: forDays(FACTS_DAYS, 'after it was settled'),
      why: 'The sender may contest what was done for six months.',
      end: {
        days: FACTS_DAYS,
        key: ['id'],
        where: before => sql`"settledAt" is not null and "settledAt" < ${before}`,
        order: sql`"settledAt"`,
      },
    },
  ],
  blocked_host: [
    {
      what: 'A host whose websites the operator does not list',
      kept: 'until the operator ends it',
      why: 'Review refuses it.',
    },
    {
      what: 'One that was ended',
      kept: forDays(SUPPORT_DAYS, 'after it was ended'),
      why: 'It can be looked up.',
      end: {
        days: SUPPORT_DAYS,
        key: ['id'],
        where: before => sql`"endedAt" is not null and "endedAt" < ${before}`,
        order: sql`"endedAt"`,
      },
    },
  ],
  search_word: [
    {
      what: 'A word that some listing uses or used',
      kept: FOREVER,
      why: 'Search finds it by a part of it, or with a typo. It says nothing about which listing.',
    },
  ],
  search_stale: [
    {
      what: 'A listing that search does not find by all of its words yet',
      kept: 'until it does',
      why: 'A new version of this software has changed what search finds a listing by.',
    },
  ],
}
