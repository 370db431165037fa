import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Config, configFrom } from './config.ts'
import { changeKey } from './keys/change-key.ts'
import { requireServiceKeys } from './keys/recorded-keys.ts'
import { statusOf } from './listings/listing.ts'
import { hideListing, listListings, type Moderated, restoreListing } from './moderation/moderate.ts'
import { settle, showReports } from './moderation/report-commands.ts'
import { proveBoards, showUnplaced } from './payments/operator-commands.ts'
import { plainText } from './reading/plain-text.ts'
import { misspeltSettings } from './settings/misspelt.ts'
import { readEnv } from './settings/settings.ts'
import { databaseFile } from './storage/data-dir.ts'
import { openStore } from './storage/open.ts'
import type { Store } from './storage/store.ts'
import { utcDay } from './time.ts'

const USAGE = `Usage: npm run placard -- COMMAND

  list [--limit N]               the newest listings, of any status
  hide SLUG --reason TEXT        hide a listing
  restore SLUG --reason TEXT     show a hidden listing again, or restart an ended one's time
  reports [--limit N]            open reports, oldest first
  settle REPORT_ID --reason TEXT close a report, saying what you did about it
  payments --unplaced            payments credited to nobody, and why
  reconcile                      prove that boards and payments follow from the recorded events
  change-key [--lost]            make a new service key and keep the old ones; --lost: continue without lost keys
  help [COMMAND]                 this text, or one command

It reads the same settings as the service (DATA_DIR or DATABASE_URL, and SERVICE_KEY) and may run beside it.`

/** The usage text, cut to one command. */
function helpOn(command: string): string {
  const isOther = (line: string) => line.startsWith('  ') && !line.startsWith(`  ${command} `)
  const lines = USAGE.split('\n').filter(line => !isOther(line))
  if (lines.every(line => !line.startsWith('  '))) throw new UsageError(`there is no command "${command}"`)
  return lines.join('\n')
}

/** In characters: it goes into the audit log and is shown on one line. */
const REASON_MAX_LENGTH = 500

/** A bad command line: printed with the usage, exit code 2. */
class UsageError extends Error {}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args)
  const [command, subject, ...rest] = positionals
  const wanted = command === 'help' ? subject : values.help && command
  if (wanted) return void console.log(helpOn(wanted))
  if (values.help || !command || command === 'help') return void console.log(USAGE)
  if (rest.length > 0) throw new UsageError(`too many arguments: ${rest.join(' ')}`)
  if (command === 'change-key') {
    if (subject) throw new UsageError('change-key takes no arguments')
    allowOnly(command, values, ['lost'])
    return withStore((store, config) => changeKey(store, config, values.lost === true), { anyKey: true })
  }
  const work = workOf(command, subject, values)
  return withStore(work)
}

type Options = ReturnType<typeof readArgs>['values']

/** Checks the command line and returns the work to do. */
function workOf(
  command: string,
  subject: string | undefined,
  given: Options,
): (store: Store) => Promise<void> {
  const allow = (...options: (keyof Options)[]) => allowOnly(command, given, options)
  if (command === 'hide' || command === 'restore') {
    allow('reason')
    if (!subject)
      throw new UsageError(`${command} needs the slug: the last part of the product page's address`)
    const reason = readReason(command, given.reason)
    const act = command === 'hide' ? hideListing : restoreListing
    return async store => showModerated(command, subject, await act(store, subject, reason, Date.now()))
  }
  if (command === 'settle') {
    allow('reason')
    if (!/^[1-9]\d{0,14}$/.test(subject ?? '')) throw new UsageError('settle needs the number of a report')
    const reason = readReason(command, given.reason)
    return store => settle(store, Number(subject), reason)
  }
  if (!WITHOUT_WORDS.includes(command)) throw new UsageError(`there is no command "${command}"`)
  if (subject) throw new UsageError(`${command} takes no arguments`)
  if (command === 'list' || command === 'reports') {
    allow('limit')
    const count = readLimit(given.limit)
    return store => (command === 'list' ? list : showReports)(store, count)
  }
  if (command === 'payments') {
    allow('unplaced', 'limit')
    if (!given.unplaced) throw new UsageError('payments needs --unplaced')
    const count = readLimit(given.limit)
    return store => showUnplaced(store, count)
  }
  allow()
  return proveBoards
}

function allowOnly(command: string, given: Options, options: (keyof Options)[]): void {
  const other = (Object.keys(given) as (keyof Options)[]).find(option => !options.includes(option))
  if (other) throw new UsageError(`${command} takes no --${other}`)
}

const WITHOUT_WORDS = ['list', 'reports', 'payments', 'reconcile']

function readArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        limit: { type: 'string' },
        unplaced: { type: 'boolean' },
        lost: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** @param anyKey for work that checks the service keys itself; otherwise they must be the database's */
async function withStore(
  work: (store: Store, config: Config) => Promise<void>,
  { anyKey = false } = {},
): Promise<void> {
  for (const line of misspeltSettings(process.env)) console.error(`placard: ${line}`)
  const config = configFrom(readEnv())
  // A mistyped folder must not create an empty board.
  if (config.databaseUrl === undefined && !existsSync(databaseFile(config.dataDir))) {
    throw new Error(`there is no database in DATA_DIR ${config.dataDir}; use the service's own value`)
  }
  const store = await openStore({ ...config, patient: true })
  try {
    if (!anyKey) await requireServiceKeys(store.db, config)
    await work(store, config)
  } finally {
    await store.close()
  }
}

/** The reason, for the audit log. @throws UsageError without one */
function readReason(command: string, given = ''): string {
  const reason = plainText(given, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is kept in the audit log`)
  return reason
}

function readLimit(limit = '50'): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

async function list(store: Store, count: number): Promise<void> {
  const listings = await listListings(store, Date.now(), count)
  if (listings.length === 0) return void console.log('There are no listings yet.')
  for (const listing of listings) {
    const why = listing.hiddenReason === null ? '' : `  (${listing.hiddenBy}: ${listing.hiddenReason})`
    const day = utcDay(listing.publishedAt)
    console.log(`${day}  ${listing.status.padEnd(11)}  ${listing.slug}  ${listing.url}${why}`)
  }
}

function showModerated(command: 'hide' | 'restore', slug: string, moderated: Moderated | undefined): void {
  if (!moderated) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
  const status = statusOf(moderated.listing, Date.now())
  const already = command === 'hide' ? 'was already hidden' : 'was neither hidden nor ended'
  console.log(`${slug} ${moderated.changed ? 'is now' : `${already}; it is`} ${status}.`)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(`placard: ${(error as Error).message}`)
  if (error instanceof UsageError) console.error(`\n${USAGE}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
