import { channelsOf } from '../../domain/notifications/operator/channels.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Links } from '../../platform/http/links.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { counted } from '../../platform/lib/text.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/lib/time.ts'
import { siteOf } from '../backup/automatic.ts'
import { isComplete, openPlace } from '../backup/places.ts'
import { readJobs } from '../jobs/status.ts'
import { type Check, failed, ok, warning } from './finding.ts'

/** Checks whether background jobs fail, or mail to an operator. That of backups has a check of its own. */
export const checkJobs = (config: Config, store: Store, links: Links): Check => ({
  about: 'jobs',
  async run() {
    const { jobs } = await readJobs({ store, clock: Date.now, config })
    const failing = jobs.filter(({ name, failures }) => failures > 0 && name !== 'backup')
    const late = await store.db.selectFrom('told').select(['channel', 'attempts']).where('attempts', '>', 1).execute()
    const unreached = channelsOf(config.notifications, links).mail.flatMap(({ name }, nth) => {
      const { attempts } = late.find(({ channel }) => channel === name) ?? {}
      return attempts ? [{ nth, attempts }] : []
    })
    if (failing.length === 0 && unreached.length === 0) return ok(`none of ${jobs.length} fails`)
    return [
      ...failing.map(({ name, does, failures, error }) =>
        warning(`${name} (${does}) has failed ${counted(failures, 'time')}, the last time with: ${error}`),
      ),
      ...unreached.map(({ nth, attempts }) =>
        warning(
          `no mail reaches recipient ${nth + 1} of OPERATOR_MAIL_TO, after ${counted(attempts, 'attempt')}: check that address. The log says why`,
        ),
      ),
    ]
  },
})

/** Shorter than the time of a check, so that the finding names the storage. */
const ANSWER_TIMEOUT_MS = 10 * SECOND_MS

/** Checks the place of the automatic backups, and the age of the last one. */
export const checkBackup = (config: Config, store: Store): Check => ({
  about: 'backup',
  async run() {
    const { backup, s3 } = config
    if (!backup)
      return ok(`BACKUP_TO is not set, so Placard makes no backups by itself: make them with “${COMMAND} backup”`)
    const place = openPlace(backup.to, s3, ANSWER_TIMEOUT_MS)
    place.requireWritable()
    const there = [...(await place.list(await siteOf(store.db)))].filter(([, files]) => isComplete(files)).length
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
    const age = `the last one succeeded ${counted(Math.round((now - succeededAt) / MINUTE_MS), 'minute')} ago`
    if (failures > 0) return failed(`${age}, and the next one failed${why}`)
    if (there === 0) {
      return failed(
        `${age}, but BACKUP_TO has none of this site: if you changed BACKUP_TO, the next one goes there, and “${COMMAND} jobs” says when`,
      )
    }
    if (now - succeededAt > 2 * backup.everyMs + MINUTE_MS)
      return failed(`${age}, more than twice BACKUP_EVERY: is the service running? “${COMMAND} jobs” shows the job`)
    const all = `${age}; BACKUP_TO has ${there} of this site`
    return there > backup.keep
      ? warning(`${all}, more than BACKUP_KEEP: if the log says “could not delete old backups”, it says why`)
      : ok(all)
  },
})
