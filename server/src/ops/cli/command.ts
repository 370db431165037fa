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

/** Every option of any command. */
export const OPTIONS = {
  reason: { type: 'string' },
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

/** The options that were given. */
export type Given = { [O in Option]?: (typeof OPTIONS)[O]['type'] extends 'string' ? string : boolean }

/** One of the operator's commands: a file here, and a line in `cli.ts`. */
export interface Command {
  name: string
  /** What follows the name in the help. */
  usage?: string
  /** One line for the help. */
  does: string
  /** How many words it takes at most; none if left out. */
  words?: number
  options?: readonly Option[]
  /** Checks the command line, then does the work. @throws UsageError before it begins, Error in one line after */
  run(given: Given, ...words: string[]): Promise<void>
}

/** A bad command line: printed with the usage, exit code 2. */
export class UsageError extends Error {}

/** The command's one word. @throws UsageError without it */
export function needWord(command: string, what: string, word: string | undefined): string {
  if (!word) throw new UsageError(`${command} needs ${what}`)
  return word
}

/** In characters: it is kept with the decision and is shown on one line. */
const REASON_MAX_LENGTH = 500

/** The reason, which is kept with the decision. @throws UsageError without one */
export function readReason(command: string, { reason: given = '' }: Given): string {
  const reason = plainText(given, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is kept with the decision`)
  return reason
}

/** Whether each thing is to be printed as a line of JSON. */
export const asJson = ({ json = false }: Given): boolean => json

/** Who decides. @throws UsageError if it is no name */
export const readName = ({ as }: Given): string => checkName('--as', as)

/**
 * The name of an operator. The same name in another spelling, or with a blank too many, is the same operator: nobody decides
 * the appeal against a decision of their own by such a slip.
 *
 * @throws UsageError if it is no name
 */
export function checkName(what: string, given = NAMELESS): string {
  const name = given.normalize('NFC').replaceAll(/ +/g, ' ').trim()
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’_-]{0,39}$/u.test(name)) return name
  throw new UsageError(`${what} must be a name of at most 40 letters, digits, spaces, dots, dashes, apostrophes`)
}

/** @throws UsageError if it is no number */
export function readLimit({ limit = '50' }: Given): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

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
