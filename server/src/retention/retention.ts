import type { Database } from '../storage/schema.ts'
import type { Kept } from './kept.ts'
import { CONSOLE } from './tables/console.ts'
import { CONTINUITY } from './tables/continuity.ts'
import { DECISIONS } from './tables/decisions.ts'
import { JOBS } from './tables/jobs.ts'
import { LEDGER } from './tables/ledger.ts'
import { NOTICES } from './tables/notices.ts'
import { PUBLISHING } from './tables/publishing.ts'
import { SITE } from './tables/site.ts'
import { TELLING } from './tables/telling.ts'

/**
 * How long each table's rows are kept, and why. The job deletes by this table, and the docs and the privacy page are
 * made from it. The type makes sure that no table is missing.
 */
export const RETENTION: Record<keyof Database, readonly Kept[]> = {
  ...PUBLISHING,
  ...SITE,
  ...LEDGER,
  ...DECISIONS,
  ...CONTINUITY,
  ...NOTICES,
  ...CONSOLE,
  ...TELLING,
  ...JOBS,
}
