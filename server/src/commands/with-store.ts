import { existsSync } from 'node:fs'
import { type Config, configFrom } from '../config.ts'
import { Links } from '../http/links.ts'
import { requireServiceKeys } from '../keys/recorded-keys.ts'
import { misspeltSettings } from '../settings/misspelt.ts'
import { readEnv } from '../settings/settings.ts'
import { databaseFile } from '../storage/data-dir.ts'
import { openMigrated } from '../storage/open.ts'
import type { Store } from '../storage/store.ts'

/** The service's settings. Tells of misspelt ones. @throws Error in one line if one is wrong */
export function settingsOfService(): Config {
  for (const line of misspeltSettings(process.env)) console.error(`placard: ${line}`)
  return configFrom(readEnv())
}

/** The addresses that the service gives out. */
export function linksOf(config: Config): Links {
  const links = new Links(config)
  links.listeningOn(config.host, config.port)
  return links
}

/**
 * Works on the service's store, by the service's settings.
 *
 * @param anyKey for work that checks the service keys itself; otherwise they must be the database's
 * @throws Error in one line if a setting, the store or a key is wrong
 */
export async function withStore(
  work: (store: Store, config: Config) => Promise<void>,
  { anyKey = false } = {},
): Promise<void> {
  const config = settingsOfService()
  refuseNoDatabase(config)
  const store = await openMigrated(config)
  try {
    if (!anyKey) await requireServiceKeys(store.db, config)
    await work(store, config)
  } finally {
    await store.close()
  }
}

/** @throws Error in one line: a mistyped folder must not create an empty board */
export function refuseNoDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(databaseFile(dataDir))) return
  throw new Error(`there is no database in DATA_DIR ${dataDir}; use the service's own value`)
}
