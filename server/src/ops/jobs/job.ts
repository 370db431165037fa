import type { FastifyBaseLogger } from 'fastify'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import type { CheckSiteProof } from '../../domain/ownership/site-proof.ts'
import type { GuardedFetcher } from '../../domain/review/fetcher/guarded-fetcher.ts'
import type { Reviewers } from '../../domain/review/reviewers/reviewers.ts'
import type { Purger } from '../../platform/cdn/purger.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'

/** What a run of a job may use. */
export interface Run {
  /** Its transactions fail once another process has the job, so a process that was paused writes nothing. */
  store: Store
  /** Aborted at a stop, and when another process may have the job: the run ends after its current step. */
  signal: AbortSignal
  /** True until a run has succeeded since this process got the job: what it remembers from earlier is outdated. */
  isFirst: boolean
}

/** Does all that is due, in short steps, and ends soon after its signal. If it throws, it is retried. */
export interface Step {
  (run: Run): Promise<void>
  /** Ends the processes that the job keeps. Called once, after the last run. */
  close?(): void | Promise<void>
}

export interface Job extends Pick<JobDefinition<never>, 'name' | 'everyMs' | 'retryMaxMs' | 'skipsNewDatabase'> {
  step: Step
}

/** The settings that turn jobs on. */
export type JobConfig = Pick<Config, 'rechecksPerHour' | 'notifications' | 'purge' | 'databaseUrl' | 'backup'>

/** What the jobs need, all together. */
export interface JobDependencies {
  config: JobConfig & Pick<Config, 'dataDir' | 'log' | 'payments' | 'serviceKeys' | 's3' | 'storage'>
  clock: () => number
  log: Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>
  links: Links
  serviceKeys: ServiceKeys
  /** One for each purpose, with its limits. */
  fetchers: Record<'pictures' | 'followed' | 'webhooks' | 'looks', GuardedFetcher>
  reviewers: Reviewers
  checkSiteProofAgain: CheckSiteProof
  purger: Purger | undefined
}

/**
 * All about a background job: what operators read about it, when it runs, what is due, and what a run does. `Needs` names
 * what it needs.
 */
export interface JobDefinition<Needs extends keyof JobDependencies = never> {
  /** Stored in the database, and shown to operators. */
  name: string
  does: string
  /** From the end of a run to the next. */
  everyMs: number
  /** The first run on a database is after `everyMs`: there is nothing to do in a new one, and its start is quicker. */
  skipsNewDatabase?: true
  /** The longest wait before a retry, up to `everyMs`. Left out if retries cost little: then it is a minute. */
  retryMaxMs?: number
  /** Replaces `everyMs` if a setting decides it. */
  everyMsBy?(config: JobConfig): number
  /** Left out if every configuration needs the job. */
  isOn?(config: JobConfig): boolean
  /** Left out if what is due can't be counted. */
  countDue?(store: Store, now: number): Promise<number>
  /** Called once per process. What the job remembers between runs is kept in this call. */
  start(deps: Pick<JobDependencies, Needs>): Step
}

/** Counting what is due stops here. */
export const DUE_COUNT_MAX = 10_000
