import type { Generated } from 'kysely'

/** What the service does by itself. */
export interface JobTables {
  job: JobTable
}

/** A background job: who does it, and how its runs went. All times are by the database's clock. */
export interface JobTable {
  /** See `jobs/kinds.ts`. */
  name: string
  /** The process that has the lease, in words for people; null if it was given back. */
  holder: string | null
  /** The lease runs out then. */
  heldUntil: number | null
  /** How often the lease was taken. Who has it writes only under its own number. */
  fence: Generated<number>
  /** When the last run began. */
  startedAt: number | null
  /** When the last one that was not cut off ended. */
  endedAt: number | null
  /** When the next one is due; null before the first. */
  nextAt: number | null
  /** Failed runs in a row. */
  failures: Generated<number>
  /** When one last failed, and with which message. */
  failedAt: number | null
  error: string | null
}
