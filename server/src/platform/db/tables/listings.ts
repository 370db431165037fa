import { type Generated, sql } from 'kysely'
import { FACTS_DAYS } from './decisions.ts'
import { forDays, SUPPORT_DAYS, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** What belongs to listings, other than the listing itself (`publishing.ts`). */
export interface ListingTables {
  picture: PictureTable
  listing_day: ListingDayTable
  report: ReportTable
  blocked_host: BlockedHostTable
}

/** The picture of a listing, made from the preview image that its page names. */
export interface PictureTable {
  listingId: number
  /** `wanted` before the first attempt with a result. `none`: there is no usable image, so a placard is drawn. */
  state: 'wanted' | 'stored' | 'none'
  /** The absolute URL of the preview image; null if the page names none. */
  sourceUrl: string | null
  attempts: number
  /** When the next fetch is due; null if there is nothing left to do. */
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

/** Views of the public page and clicks on its link, on one UTC day, later in a month. They never affect rank. */
interface ListingDayTable {
  listingId: number
  /** YYYY-MM-DD, or YYYY-MM for the sum of a month. The sum sorts before the days that are not in it yet. */
  day: string
  views: number
  clicks: number
}

/** What a visitor, or Placard itself, says is wrong with a listing. */
interface ReportTable {
  id: Generated<number>
  listingId: number
  reason: string
  details: string
  /** How to reach the reporter; empty if they don't want to say. */
  contact: string
  createdAt: number
  settledAt: number | null
  /** What the operator did about it. */
  settlement: string | null
  /** The decision that recorded it. */
  decisionId: string | null
  /** SHA-256 of the key in the reporter's link; null if Placard itself reported. */
  keyHash: string | null
  /** Keyed hash of the reporter's network; null if the report is settled, or if Placard itself reported. */
  networkHash: string | null
}

/** A host that an operator has blocked. At most one block per host is in force. */
interface BlockedHostTable {
  id: Generated<number>
  /** In lower case ASCII, without `www.`. */
  host: string
  /** Whether its subdomains are blocked, too: 0 or 1. */
  subdomains: number
  reason: string
  /** An operator's name. */
  blockedBy: string
  blockedAt: number
  decisionId: string
  endedAt: number | null
}

/** Longer than any daily chart. */
const DAYS_OF_TRAFFIC = 90

/** Retention and export of these tables. */
export const listingPolicies: TablePolicies<ListingTables> = {
  picture: {
    isExported: true,
    retention: [
      {
        what: 'The picture of a listing',
        kept: WITH_ITS_LISTING,
        why: 'It is shown again if the listing is restored.',
      },
    ],
  },
  listing_day: {
    isExported: true,
    retention: [
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
  },
  report: {
    isExported: true,
    retention: [
      { what: 'An open report', kept: 'until it is settled', why: 'An operator must check it.' },
      {
        what: 'A settled report',
        kept: forDays(FACTS_DAYS, 'after it was settled'),
        why: 'Its sender can appeal the outcome for six months.',
        end: {
          days: FACTS_DAYS,
          key: ['id'],
          where: before => sql`"settledAt" is not null and "settledAt" < ${before}`,
          order: sql`"settledAt"`,
        },
      },
    ],
  },
  blocked_host: {
    isExported: true,
    retention: [
      {
        what: 'A host whose websites the operator does not list',
        kept: 'until the operator unblocks it',
        why: 'Review refuses it.',
      },
      {
        what: 'A block that was ended',
        kept: forDays(SUPPORT_DAYS, 'after it was ended'),
        why: 'Operators can look it up.',
        end: {
          days: SUPPORT_DAYS,
          key: ['id'],
          where: before => sql`"endedAt" is not null and "endedAt" < ${before}`,
          order: sql`"endedAt"`,
        },
      },
    ],
  },
}
