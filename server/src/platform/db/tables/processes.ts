import type { Generated } from 'kysely'
import { daysAfter, FOREVER, type TablePolicies } from './retention.ts'

/** What the processes on a database record about themselves, and share. An import begins without it. */
export interface ProcessTables {
  /** The lease on a background job, and how its runs went. All times are by the database's clock. */
  job: {
    /** See the definitions in `ops/jobs/`. */
    name: string
    /** Names the process with the lease to operators; null if the lease was released. */
    holder: string | null
    /** The end of the lease. */
    heldUntil: number | null
    /** A random number for each lease. A process writes only under its own. */
    fence: Generated<number>
    startedAt: number | null
    /** When the last run that was not aborted ended. */
    endedAt: number | null
    /** When the next run is due; null before the first. */
    nextAt: number | null
    /** Consecutive failed runs. */
    failures: Generated<number>
    failedAt: number | null
    /** When the last successful run ended; null if none has since the version that records it. */
    succeededAt: number | null
    /** The last error, even if later runs succeeded. */
    error: string | null
  }
  /** One row. It is rewritten to prove that the database accepts writes. */
  write_probe: {
    id: number
    filler: Buffer
  }
  /** One row: which versions can use this database. */
  oldest_service: {
    id: number
    /** Only processes that know this migration may use the database. */
    schema: string
    /** The first release with that migration, shown to operators. */
    version: string
  }
  /** What a client did in the current window of a request limit, if instances share a PostgreSQL. */
  allowance_window: {
    /** Keyed hash of the limit and its client. */
    key: string
    /** By the database's clock. */
    endsAt: number
    granted: number
    /** What instances hold in addition to what clients asked for. */
    spare: number
  }
}

export const processPolicies: TablePolicies<ProcessTables> = {
  job: {
    isExported: false,
    what: 'The process that runs a background job, and the result of its last run',
    kept: FOREVER,
    why: 'One process at a time runs each job, and the operator can check it. There is one row for each job.',
  },
  write_probe: {
    isExported: false,
    what: 'One row, rewritten every second',
    kept: FOREVER,
    why: 'It proves that the database accepts writes.',
  },
  oldest_service: {
    // The migrations of the importing version write it.
    isExported: false,
    what: 'One row: the oldest version of the software that can use this database',
    kept: FOREVER,
    why: 'Older versions need what was removed, so they do not start.',
  },
  allowance_window: {
    isExported: false,
    what: 'The requests of a client in the current window of a limit, by a hash of its address',
    kept: 'an hour after the window ended',
    why: 'With PostgreSQL, all instances count a client’s requests together.',
    end: daysAfter(1 / 24, 'endsAt', 'key'),
  },
}
