import { sql } from 'kysely'
import { appendEntries } from '../../domain/log/append.ts'
import { firstOrigin, logSigners, signingSeeds } from '../../domain/log/signing-keys.ts'
import type { ServiceKeys } from '../../domain/ownership/service-keys/service-keys.ts'
import { lookAfter } from '../../domain/publishing/submission-webhooks.ts'
import type { Config } from '../../platform/config/config.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Links } from '../../platform/http/links.ts'
import { SECOND_MS } from '../../platform/lib/time.ts'
import { DUE_COUNT_MAX, type JobDefinition } from './runner.ts'

interface Writing {
  config: Pick<Config, 'log'>
  clock: () => number
  links: Links
  serviceKeys: ServiceKeys
}

/** Gives decisions and effects on boards their entries in the public log. */
export const writeLog: JobDefinition<Writing> = {
  name: 'log',
  does: 'writes the public log',
  everyMs: SECOND_MS,
  countDue: async store => (await countPending(store, {}))[0]?.count ?? 0,
  start: ({ config, clock, links, serviceKeys }) => {
    const begins = () => {
      const origin = firstOrigin(links.base)
      const secrets = serviceKeys.all.map(({ secret }) => secret)
      const [signer] = logSigners(signingSeeds(config.log, secrets), origin)
      return { origin, vkey: signer?.vkey ?? '' }
    }
    const writer = { clock, begins, onLogged: lookAfter }
    return async ({ store, signal }) => {
      await appendEntries(store, writer, { signal })
    }
  },
}

const countPending = statement(
  {},
  () => sql<{ count: number }>`
    select count(*) as count from (
      select 1 from decision where position is null union all select 1 from log_outbox limit ${sql.lit(DUE_COUNT_MAX)}
    ) as due`,
)
