import { existsSync } from 'node:fs'
import { readHost } from '../../domain/destinations/hostname.ts'
import { nameFrom } from '../../domain/moderation/console/users.ts'
import { NAMELESS } from '../../domain/moderation/moderate.ts'
import type { Settled } from '../../domain/moderation/settle-reports.ts'
import { requireServiceKeys } from '../../domain/ownership/service-keys/recorded-keys.ts'
import { type Config, configFrom } from '../../platform/config/config.ts'
import { type Env, misspeltSettings, readEnv } from '../../platform/config/settings.ts'
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
  identity: { type: 'string' },
  check: { type: 'boolean' },
  'from-stripe': { type: 'boolean' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  as: { type: 'string' },
  role: { type: 'string' },
  ground: { type: 'string' },
  checkpoint: { type: 'string' },
  to: { type: 'string' },
  host: { type: 'string' },
  status: { type: 'string' },
  days: { type: 'string' },
  'new-log': { type: 'boolean' },
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
  /** Further ones. Every command takes `--json`, and then prints one line of JSON per item. */
  options?: readonly Exclude<Option, 'json' | 'help' | 'version'>[]
  /** Checks the command line, then does the work. @throws UsageError before the work begins, Error in one line after */
  run(given: Given, ...words: string[]): Promise<void>
}

/** An invalid command line. The error names the command's help, and the exit code is 2. */
export class UsageError extends Error {}

/** Returns the command's one word. @throws UsageError without it */
export function needWord(command: string, what: string, word: string | undefined): string {
  if (!word) throw new UsageError(`${command} needs ${what}`)
  return word
}

const REASON_MAX_LENGTH = 500

/** Returns the command's one word: a listing. @throws UsageError without it */
export const needSlug = (command: string, word: string | undefined): string =>
  needWord(command, "the slug: the last part of the product page's address", word)

/** Returns a host. @throws UsageError without it, or if it is not a host name, or is the site's own */
export function needHost(what: string, word: string | undefined): string {
  const raw = needWord(what, 'a host, such as evil.com', word)
  const read = readHost(raw, linksOf(settingsOfService()).hostname)
  if ('problem' in read) throw new UsageError(`"${raw}" ${read.problem}`)
  return read.host
}

/** Returns the reason, which is stored with the decision. @throws UsageError without one */
export function readReason(command: string, { reason: given = '' }: Given): string {
  const reason = plainText(given, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is stored with the decision`)
  return reason
}

export const asJson = ({ json = false }: Given): boolean => json

/** Returns the name of the operator who decides. @throws UsageError if it is not a name */
export const readName = ({ as }: Given): string => checkName('--as', as)

/** Returns the name of an operator in its one spelling. @throws UsageError if it is not a name */
export function checkName(what: string, given = NAMELESS): string {
  const name = nameFrom(given)
  if (name) return name
  throw new UsageError(`${what} must be a name of at most 40 letters, digits, spaces, dots, dashes, apostrophes`)
}

/** Returns the number of `--limit`. @throws UsageError if it is invalid */
export function readLimit({ limit = '50' }: Given): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

interface Printed<Item> {
  /** Printed if there are no items. */
  none: string
  print(item: Item): void
  toJson?: (item: Item) => object
}

/** Prints the result of a command: a line of JSON with `--json`, or else text. */
export const printResult = (given: Given, result: object, text: string): void =>
  console.log(asJson(given) ? JSON.stringify(result) : text)

/** Prints items as text, or with `--json` as one line each. */
export function printItems<Item extends object>(
  items: readonly Item[],
  given: Given,
  { none, print, toJson = item => item }: Printed<Item>,
): void {
  if (asJson(given)) for (const item of items) console.log(JSON.stringify(toJson(item)))
  else if (items.length === 0) console.log(none)
  else for (const item of items) print(item)
}

/** Creates a command that lists at most `--limit` items. */
export const listCommand = <Item extends object>({
  name,
  does,
  read,
  ...printed
}: Pick<Command, 'name' | 'does'> &
  Printed<Item> & { read(store: Store, count: number): Promise<readonly Item[]> }): Command => ({
  name,
  usage: '[--limit N]',
  does,
  options: ['limit'],
  async run(given) {
    const count = readLimit(given)
    await withStore(async store => printItems(await read(store, count), given, printed))
  },
})

/** Creates a command that closes a report or a finding by its number, as the operator `by`. */
export const settleCommand = ({
  name,
  usage,
  what,
  settle,
}: Required<Pick<Command, 'name' | 'usage'>> & {
  what: 'report' | 'finding'
  settle(store: Store, id: number, settlement: string, by: string): Promise<Settled | undefined>
}): Command => ({
  name,
  usage,
  does: `close a ${what}, and record what you did about it`,
  words: 1,
  options: ['reason', 'as'],
  async run(given, id = '') {
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError(`${name} needs the number of a ${what}`)
    const settlement = readReason(name, given)
    const by = readName(given)
    await withStore(async store => {
      const settled = await settle(store, Number(id), settlement, by)
      if (!settled) throw new Error(`there is no ${what} ${id}; "${what}s" shows the open ones`)
      if (asJson(given)) return void console.log(JSON.stringify({ id: Number(id), ...settled }))
      const which = `${what === 'report' ? 'Report' : 'Finding'} ${id} about ${settled.slug}`
      console.log(settled.changed ? `${which} is settled.` : `${which} was already settled: ${settled.settlement}`)
    })
  },
})

/**
 * Returns the service's settings, and warns of misspelt ones. @throws Error in one line if a setting is invalid
 *
 * @param more settings that the command adds
 */
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
