import { sql } from 'kysely'
import { FOREVER, forDays, SUPPORT_DAYS, type TablePolicies } from './retention.ts'

/** The unpaid part of the home page: the ten listings that are drawn by lot each day, and the operator's picks. */
export interface FeaturedTables {
  /** The draw of a UTC day. Never changes. */
  draw: {
    day: string
    at: number
    /** The number of the rules (`domain/featured/draw.ts`). */
    algorithm: number
    /** The root of the public log at midnight. */
    seed: string
    /** The size of the log then; null for draws from before the log. */
    logSize: number | null
    /** How many listings took part. */
    candidates: number
    /** SHA-256 of all slugs, each followed by a line feed. */
    candidatesHash: string
    /** How many pages the list of candidates has. */
    pages: number
  }
  /** A page of the list of candidates. */
  draw_candidates: {
    day: string
    /** From 1. */
    page: number
    /** Slugs, each followed by a line feed, compressed with gzip. */
    slugs: Buffer
  }
  drawn_listing: {
    day: string
    /** From 1. */
    place: number
    listingId: number
  }
  /** A listing that an operator leaves out of the draws. */
  draw_exclusion: {
    listingId: number
    decisionId: string
    at: number
  }
  /** A listing that an operator recommends, with a sentence. */
  pick: {
    /** The id of the decision. */
    id: string
    listingId: number
    note: string
    /** The operator's name, which is shown. */
    pickedBy: string
    at: number
    /** When it was taken back. */
    endedAt: number | null
  }
}

export const featuredPolicies: TablePolicies<FeaturedTables> = {
  draw: {
    isExported: true,
    what: 'A daily draw: its seed and the hash of its candidates',
    kept: FOREVER,
    why: 'Anyone can check it.',
  },
  draw_candidates: {
    isExported: true,
    what: 'The list of the listings that took part in a draw',
    kept: forDays(SUPPORT_DAYS, 'after the draw, and then as its hash'),
    why: 'The draw can be repeated with it. A list per day would otherwise outgrow the listings.',
    end: {
      days: SUPPORT_DAYS,
      key: ['day', 'page'],
      where: before => sql`day < ${new Date(before).toISOString().slice(0, 10)}`,
      order: sql`day, page`,
    },
  },
  drawn_listing: {
    isExported: true,
    what: 'A listing that was drawn',
    kept: FOREVER,
    why: 'Every draw has a page with its listings.',
  },
  draw_exclusion: {
    isExported: true,
    what: 'A listing that is left out of the draws',
    kept: 'until an operator includes it again',
    why: 'The draw skips it.',
  },
  pick: {
    isExported: true,
    what: 'A pick of the operator, with its note',
    kept: FOREVER,
    why: 'Earlier picks have a page, unless taken back.',
  },
}
