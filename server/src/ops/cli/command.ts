import { existsSync } from 'node:fs'
import { NAMELESS } from '../../domain/moderation/moderate.ts'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { type Config, configFrom } from '../../platform/config/config.ts'
import { misspeltSettings, readEnv } from '../../platform/config/settings.ts'
import { databaseFile } from '../../platform/db/data-folder.ts'
import { openMigrated } from '../../platform/db/open.ts'
import type { Store } from '../../platform/db/store.ts'
import { Links } from '../../platform/http/links.ts'
import { plainText } from '../../platform/lib/text.ts'

export const OPTIONS = {
  reason: { type: 'string' },
  note: { type: 'string' },
  limit: { type: 'string' },
  unplaced: { type: 'boolean' },
  lost: { type: 'boolean' },
  'with-key': { type: 'boolean' },
  check: { type: 'boolean' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  as: { type: 'string' },
  ground: { type: 'string' },
  head: { type: 'string' },
  days: { type: 'string' },
  subdomains: { type: 'boolean' },
  'hide-listings': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

type Option = keyof typeof OPTIONS

export type Given = { [O in Option]?: (typeof OPTIONS)[O]['type'] extends 'string' ? string : boolean }

/** One of the operator's commands: a file here, and a line in `cli.ts`. */
export interface Command {
  name: string
  /** Shown after the name in the help. */
  usage?: string
  /** One line for the help, starting with an imperative. */
  does: string
  /** The maximum number of words. The default is 0. */
  words?: number
  options?: readonly Option[]
  /** Checks the command line, then does the work. @throws UsageError before the work begins, Error in one line after */
  run(given: Given, ...words: string[]): Promise<void>
}

/** An invalid command line. It is printed with the usage, and the exit code is 2. */
export class UsageError extends Error {}

/** Returns the command's one word. @throws UsageError without it */
export function needWord(command: string, what: string, word: string | undefined): string {
  if (!word) throw new UsageError(`${command} needs ${what}`)
  return word
}

const REASON_MAX_LENGTH = 500

/** Returns the reason, which is stored with the decision. @throws UsageError without one */
export function readReason(command: string, { reason: given = '' }: Given): string {
  const reason = plainText(given, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is stored with the decision`)
  return reason
}

export const asJson = ({ json = false }: Given): boolean => json

/** Returns the name of the operator who decides. @throws UsageError if it is not a name */
export const readName = ({ as }: Given): string => checkName('--as', as)

/**
 * Returns the name of an operator in its one spelling. Another spelling or a second space must not make another
 * operator: operators must not decide appeals against their own decisions.
 *
 * @throws UsageError if it is not a name
 */
export function checkName(what: string, given = NAMELESS): string {
  const name = given.normalize('NFC').replaceAll(/ +/g, ' ').trim()
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’_-]{0,39}$/u.test(name)) return name
  throw new UsageError(`${what} must be a name of at most 40 letters, digits, spaces, dots, dashes, apostrophes`)
}

/** Returns the number of `--limit`. @throws UsageError if it is invalid */
export function readLimit({ limit = '50' }: Given): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

/** Returns the service's settings, and warns of misspelt ones. @throws Error in one line if a setting is invalid */
export function settingsOfService(): Config {
  for (const line of misspeltSettings(process.env)) console.error(`placard: ${line}`)
  return configFrom(readEnv())
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
  const store = await openMigrated(config)
  try {
    if (!anyKey) await requireServiceKeys(store.db, config)
    await work(store, config)
  } finally {
    await store.close()
  }
}

/**
 * Checks that there is a database, because a mistyped folder must not create an empty site. @throws Error in one line
 */
export function refuseNoDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(databaseFile(dataDir))) return
  throw new Error(`there is no database in DATA_DIR ${dataDir}; use the service's own value`)
}
