import { type Generated, sql } from 'kysely'
import { FOREVER, forDays, type RetentionRules, SUPPORT_DAYS, WITH_ITS_LISTING } from './retention.ts'

/** Listed pages as they were last seen, and what has become of them. */
export interface ContinuityTables {
  seen_page: SeenPageTable
  finding: FindingTable
}

/** One for each listing. */
interface SeenPageTable {
  listingId: number
  /** JSON, see `domain/listings/seen-page.ts`; null until the first look. */
  snapshot: string | null
  /** When to look next. A look begins by scheduling the next one, which is its lease. */
  lookAt: number
  /** When a look last began; 0 before the first. */
  lookedAt: Generated<number>
  /** Looks in a row that found something to tell, and when the first of them was. */
  tries: Generated<number>
  troubledSince: number | null
}

/** Something about a listing for the operator to see. One that is open for each listing and kind. */
interface FindingTable {
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

export const CONTINUITY: RetentionRules<ContinuityTables> = {
  seen_page: [
    {
      what: 'What a listed page looked like when we last read it: its title, a fingerprint and some words of its text, its certificate, and the websites it links to',
      kept: WITH_ITS_LISTING,
      why: 'We read listed pages again, and see by it whether somebody else has taken one over.',
    },
  ],
  finding: [
    {
      what: 'Something for the operator to see about a listed page, until it is settled',
      kept: FOREVER,
      why: 'The operator decides what it means.',
    },
    {
      what: 'One that is settled',
      kept: forDays(SUPPORT_DAYS, 'after it was settled'),
      why: 'It can be looked up, and is not told again.',
      end: {
        days: SUPPORT_DAYS,
        key: ['id'],
        where: before => sql`"settledAt" is not null and "settledAt" < ${before}`,
        order: sql`"settledAt"`,
      },
    },
  ],
}
