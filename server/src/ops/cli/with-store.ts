import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { type Config, configFrom } from '../../platform/config/config.ts'
import { type Env, misspeltSettings, readEnv } from '../../platform/config/settings.ts'
import { mayHaveDatabase } from '../../platform/db/data-folder.ts'
import { openMigrated } from '../../platform/db/open.ts'
import type { Store } from '../../platform/db/store.ts'
import { Links } from '../../platform/http/links.ts'
import { COMMAND } from '../../platform/lib/package.ts'

/** Returns the service's settings and `more`, and warns of misspelt ones. @throws Error in one line if one is invalid */
export function settingsOfService(more: Env = {}): Config {
  for (const line of misspeltSettings(process.env)) console.error(`placard: ${line}`)
  return configFrom({ ...readEnv(), ...more })
}

export function linksOf(config: Config): Links {
  const links = new Links(config)
  links.listeningOn(config.host, config.port)
  return links
}

/**
 * Runs `work` on the service's database, with the service's settings.
 *
 * @param anyKey for work that checks the service keys itself; otherwise they must be the database's
 * @throws Error in one line if a setting, the database or a key is invalid
 */
export async function withStore(
  work: (store: Store, config: Config) => Promise<void>,
  { anyKey = false } = {},
): Promise<void> {
  const config = settingsOfService()
  refuseNoDatabase(config)
  await using store = await openMigrated(config)
  if (!anyKey) await requireServiceKeys(store.db, config)
  await work(store, config)
}

/** Checks that there is a database: a mistyped folder must not create an empty site. @throws Error in one line */
export function refuseNoDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || mayHaveDatabase(dataDir)) return
  throw new Error(
    `there is no database in DATA_DIR ${dataDir}: set DATA_DIR to the folder of the site, or start a new site with “${COMMAND} serve”`,
  )
}
