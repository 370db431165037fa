import type { ConsoleTables } from './schema/console.ts'
import type { ContinuityTables } from './schema/continuity.ts'
import type { DecisionTables } from './schema/decisions.ts'
import type { JobTables } from './schema/jobs.ts'
import type { LedgerTables } from './schema/ledger.ts'
import type { NoticeTables } from './schema/notices.ts'
import type { PublishingTables } from './schema/publishing.ts'
import type { SiteTables } from './schema/site.ts'
import type { TellingTables } from './schema/telling.ts'

export type * from './schema/console.ts'
export type * from './schema/continuity.ts'
export type * from './schema/decisions.ts'
export type * from './schema/jobs.ts'
export type * from './schema/ledger.ts'
export type * from './schema/notices.ts'
export type * from './schema/publishing.ts'
export type * from './schema/site.ts'
export type * from './schema/telling.ts'

/**
 * All times are Unix milliseconds, all hashes and digests lower-case hex, all days UTC as YYYY-MM-DD. How long the rows of
 * each table are kept: `retention/tables/`.
 */
export interface Database
  extends PublishingTables,
    LedgerTables,
    SiteTables,
    NoticeTables,
    ContinuityTables,
    DecisionTables,
    ConsoleTables,
    TellingTables,
    JobTables {}
