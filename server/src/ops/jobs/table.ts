import { backUpSite } from './back-up.ts'
import { checkDatabase } from './check-database.ts'
import { checkFollowedPages } from './check-followed-pages.ts'
import { deleteOldRows } from './delete-old-rows.ts'
import { deliverEvents, deliverWebhooks, mailOwners } from './deliver.ts'
import { drawByLot } from './draw-by-lot.ts'
import { fetchPictures } from './fetch-pictures.ts'
import type { Job, JobConfig, JobDefinition, JobDependencies } from './job.ts'
import { writeLog } from './log.ts'
import { mailOperator, postToOperator } from './notify-operator.ts'
import { notifyOwners } from './notify-owners.ts'
import { purgeCdn } from './purge-cdn.ts'
import { recheckListings } from './recheck-listings.ts'
import { recheckProofs } from './recheck-proofs.ts'
import { reconcileNightly } from './reconcile-nightly.ts'
import { mergeSearch, rebuildSearch } from './search-index.ts'

/** All background jobs, in the order in which operators see them. */
const JOBS: readonly JobDefinition<keyof JobDependencies>[] = [
  writeLog,
  drawByLot,
  checkDatabase,
  backUpSite,
  notifyOwners,
  recheckListings,
  recheckProofs,
  deliverWebhooks,
  deliverEvents,
  mailOwners,
  checkFollowedPages,
  fetchPictures,
  purgeCdn,
  reconcileNightly,
  deleteOldRows,
  rebuildSearch,
  mergeSearch,
  mailOperator,
  postToOperator,
]

export const jobsOf = (config: JobConfig): readonly JobDefinition<keyof JobDependencies>[] =>
  JOBS.filter(({ isOn }) => isOn?.(config) ?? true).map(job => ({
    ...job,
    everyMs: job.everyMsBy?.(config) ?? job.everyMs,
  }))

/** Starts the jobs that the configuration turns on. Call it once per process. */
export const startJobs = (deps: JobDependencies): Job[] =>
  jobsOf(deps.config).map(({ start, ...job }) => ({ ...job, step: start(deps) }))
