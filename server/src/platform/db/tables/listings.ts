import { type Generated, sql } from 'kysely'
import { FACTS_DAYS, withOpenAppeal } from './decisions.ts'
import { daysAfter, FOREVER, forDays, SUPPORT_DAYS, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** What belongs to listings, other than the listing itself (`publishing.ts`). */
export interface ListingTables {
  /** The picture of a listing, made from the preview image that its page names. */
  picture: {
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
    /** Null if the picture is in object storage. */
    bytes: Buffer | null
    /** Its object, which no other row names; null if the picture is here. */
    objectName: string | null
    storedAt: number | null
  }
  /** An object in object storage that no row names: not yet, or not any more. */
  unused_object: {
    name: string
    /** When it is deleted. */
    tryAt: number
  }
  /** Views of the public page and clicks on its link, on one UTC day, later in a month. They never affect rank. */
  listing_day: {
    listingId: number
    /** YYYY-MM-DD, or YYYY-MM for the sum of a month. The sum sorts before the days that are not in it yet. */
    day: string
    views: number
    clicks: number
  }
  /** What a visitor, or Placard itself, says is wrong with a listing. */
  report: {
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
  blocked_host: {
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
}

/** Longer than any daily chart. */
const DAYS_OF_TRAFFIC = 90

export const listingPolicies: TablePolicies<ListingTables> = {
  picture: {
    isExported: true,
    what: 'The picture of a listing',
    kept: WITH_ITS_LISTING,
    why: 'It is shown again if the listing is restored.',
  },
  // Left out of exports, because another site must not delete these objects.
  unused_object: {
    isExported: false,
    what: 'A picture in object storage that no listing uses any more',
    kept: 'a day',
    why: 'A backup or a request may have begun to read it.',
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
        kept: forDays(FACTS_DAYS, 'after it was settled, and until an appeal against that is decided'),
        why: 'Its sender can appeal the outcome for six months.',
        end: {
          ...daysAfter(FACTS_DAYS, 'settledAt', 'id'),
          where: before =>
            sql`"settledAt" is not null and "settledAt" < ${before} and id not in ${withOpenAppeal('reportId')}`,
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
        end: daysAfter(SUPPORT_DAYS, 'endedAt', 'id'),
      },
    ],
  },
}

/** What search needs in addition to `searchText` of a listing. */
export interface SearchTables {
  /** A word that a listing has or had. With it, search finds longer words by a part of them, and corrects typos. */
  search_word: {
    id: Generated<number>
    word: string
    /** Every three consecutive letters, with markers for both ends of the word, separated by spaces. */
    parts: string
  }
  /** A listing whose search entries were made by older rules. */
  search_stale: {
    listingId: number
  }
}

export const searchPolicies: TablePolicies<SearchTables> = {
  search_word: {
    isExported: true,
    what: 'A word that some listing uses or used',
    kept: FOREVER,
    why: 'Search uses it for parts of words and for typos. It does not show which listing has the word.',
  },
  search_stale: {
    isExported: true,
    what: 'A listing that search cannot find by all of its words yet',
    kept: 'until it does',
    why: 'A new version has changed what search finds a listing by.',
  },
}
