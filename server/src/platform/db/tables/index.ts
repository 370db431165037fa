// Columns have the names that the code uses for their values, so no row has to be renamed by hand. Kysely's
// `CamelCasePlugin` would copy every row, and doesn't reach statements that are built once.

import { DECISIONS, type DecisionTables } from './decisions.ts'
import { SITE, type SiteTables } from './listings.ts'
import { NOTICES, type NoticeTables } from './notifications.ts'
import { CONSOLE, type ConsoleTables, JOBS, type JobTables, TELLING, type TellingTables } from './operator.ts'
import { LEDGER, type LedgerTables } from './payments.ts'
import { PUBLISHING, type PublishingTables } from './publishing.ts'
import { CONTINUITY, type ContinuityTables } from './recheck.ts'
import type { RetentionRules } from './retention.ts'

export * from './listings.ts'
export * from './notifications.ts'

export * from './operator.ts'

export * from './recheck.ts'

/**
 * Whether each table goes along when a board moves, in an order in which each comes after those it refers to. The type
 * makes sure that no table is missing. What is derived goes along, too, and is proved afterwards.
 */
const GOES_ALONG: Record<keyof Database, boolean> = {
  service_key: true,
  attempt: true,
  listing: true,
  search_word: true,
  search_stale: true,
  claim: true,
  renewed_link: true,
  decision: true,
  decision_chain: true,
  decision_count: true,
  checkout: true,
  processor_event: true,
  payment: true,
  settled_payment: true,
  board_total: true,
  board_count: true,
  board_change: true,
  board_mark: true,
  place_taken: true,
  picture: true,
  listing_day: true,
  report: true,
  blocked_host: true,
  watch: true,
  watched_place: true,
  notice: true,
  webhook: true,
  seen_page: true,
  finding: true,
  told: true,
  warning: true,
  console_operator: true,
  // Operators enter anew.
  console_link: false,
  console_session: false,
  // Says which process does what.
  job: false,
  // Says nothing.
  write_probe: false,
  // The migrations say it.
  oldest_service: false,
  // Counts of the minutes before.
  allowance_window: false,
}

export type Table = keyof Database

/** The tables that go along, each after those it refers to. */
export const TABLES = (Object.keys(GOES_ALONG) as Table[]).filter(table => GOES_ALONG[table])

/** Tables that only exports of older schemas have. Their migrations empty and drop them. */
const FORMER_TABLES: readonly string[] = ['audit_event']

/**
 * Refuses tables that no export has. A file with one is not from Placard: a row of `console_session` would open the
 * console to its author.
 *
 * @throws Error in one line
 */
export function refuseOtherTables(tables: unknown): void {
  const isList = Array.isArray(tables) && tables.every(each => typeof each?.table === 'string')
  if (!isList) throw new Error('it is damaged: it does not list its tables')
  const names = tables.map(({ table }) => table as string)
  const other = names.find((name, at) => !([...TABLES, ...FORMER_TABLES].includes(name) && names.indexOf(name) === at))
  if (other === undefined) return
  throw new Error(`its table ${other} is in no export of Placard: use a file that Placard wrote`)
}

/**
 * How long each table's rows are kept, and why. The job deletes by this table, and the docs and the privacy page are
 * made from it. The type requires an entry for every table.
 */
export const RETENTION: RetentionRules<Database> = {
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

export type Engine = 'sqlite' | 'postgres'
