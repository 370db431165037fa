import type { Generated } from 'kysely'

/** Listed pages as they were last seen, and what has become of them. */
export interface ContinuityTables {
  seen_page: SeenPageTable
  finding: FindingTable
}

/** One for each listing. */
interface SeenPageTable {
  listingId: number
  /** JSON, see `continuity/snapshot.ts`; null until the first look. */
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
