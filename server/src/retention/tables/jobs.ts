import type { JobTables } from '../../storage/schema/jobs.ts'
import { FOR_GOOD, type Kept } from '../kept.ts'

export const JOBS: Record<keyof JobTables, readonly Kept[]> = {
  job: [
    {
      what: 'Which process does a background job, and how its last run went',
      ...FOR_GOOD,
      why: 'One process at a time does each, and the operator sees how it goes. There is one row for each job.',
    },
  ],
}
