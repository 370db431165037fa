import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { openPlace } from '../backup/places.ts'
import { readJobs } from '../jobs/status.ts'
import { type Check, failed, ok, warning } from './finding.ts'

/** Checks the place of the automatic backups, and the age of the last one. */
export const checkBackup = (config: Config, store: Store): Check => ({
  about: 'backup',
  async run() {
    const { backup, s3 } = config
    if (!backup)
      return ok(`BACKUP_TO is not set, so Placard makes no backups by itself: make them with “${COMMAND} backup”`)
    await openPlace(backup.to, s3).list('placard-')
    const { jobs, now } = await readJobs({ store, clock: Date.now, config })
    const job = jobs.find(({ name }) => name === 'backup')
    const { succeededAt = null, failures = 0, error = null } = job ?? {}
    const why = failures > 0 && error !== null ? `: ${error}` : ''
    if (succeededAt === null) {
      const none = 'no automatic backup has succeeded yet'
      // The service of a new site, which has just started.
      if (failures === 0 && typeof job?.holder === 'string')
        return warning(`${none}: the service makes the first one now. Check again in a minute`)
      return failed(`${none}${why || ': is the service running?'}`)
    }
    const age = `the last one succeeded ${Math.round((now - succeededAt) / MINUTE_MS)} minutes ago`
    if (failures > 0) return failed(`${age}, and the next one failed${why}`)
    return now - succeededAt > 2 * backup.everyMs + MINUTE_MS
      ? failed(`${age}, more than twice BACKUP_EVERY: is the service running? “${COMMAND} jobs” shows the job`)
      : ok(age)
  },
})
