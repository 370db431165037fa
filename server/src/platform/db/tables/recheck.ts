import type { Generated } from 'kysely'
import { daysAfter, FOREVER, forDays, SUPPORT_DAYS, type TablePolicies, WITH_ITS_LISTING } from './retention.ts'

/** The last recheck of each listed page, and what rechecks found. */
export interface RecheckTables {
  /** One for each listing. */
  seen_page: {
    listingId: number
    /** JSON, see `domain/listings/seen-page.ts`; null before the first recheck. */
    snapshot: string | null
    /** When the next recheck is due. A recheck begins by scheduling the next one, which is its lease. */
    lookAt: number
    /** When the last recheck began; 0 before the first. */
    lookedAt: Generated<number>
    /** Consecutive rechecks that found something. */
    tries: Generated<number>
    /** When the first of them was. */
    troubledSince: number | null
  }
  /** A change of a listed page, for the operator. Only one is open for each listing and kind. */
  finding: {
    id: Generated<number>
    listingId: number
    /** See `FINDING_KINDS`. */
    kind: string
    /** JSON of plain values. */
    evidence: string
    firstSeenAt: number
    lastSeenAt: number
    settledAt: number | null
    /** An operator's name, or `automatic`. */
    settledBy: string | null
    settlement: string | null
    /** The decision that settled it. */
    decisionId: string | null
  }
}

export const recheckPolicies: TablePolicies<RecheckTables> = {
  seen_page: {
    isExported: true,
    what: 'The last snapshot of a listed page: its title, a fingerprint and some words of its text, its certificate, and the websites it links to',
    kept: WITH_ITS_LISTING,
    why: 'We recheck listed pages, and compare them with it to find takeovers.',
  },
  finding: {
    isExported: true,
    retention: [
      {
        what: 'An open finding about a listed page',
        kept: FOREVER,
        why: 'The operator decides what it means.',
      },
      {
        what: 'A settled finding',
        kept: forDays(SUPPORT_DAYS, 'after it was settled'),
        why: 'Operators can look it up, and it is not raised again.',
        end: daysAfter(SUPPORT_DAYS, 'settledAt', 'id'),
      },
    ],
  },
}
