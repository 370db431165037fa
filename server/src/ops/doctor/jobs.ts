import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { readJobs } from '../jobs/status.ts'
import { type Check, ok, warning } from './finding.ts'

/** Checks whether background jobs fail. That of backups has a check of its own. */
export const checkJobs = (config: Config, store: Store): Check => ({
  about: 'jobs',
  async run() {
    const { jobs } = await readJobs({ store, clock: Date.now, config })
    const failing = jobs.filter(({ name, failures }) => failures > 0 && name !== 'backup')
    if (failing.length === 0) return ok(`none of ${jobs.length} fails`)
    return failing.map(({ name, does, failures, error }) =>
      warning(`${name} (${does}) has failed ${failures} times, the last time with: ${error}`),
    )
  },
})
