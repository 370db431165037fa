import './node-version.ts'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { configFrom } from './config.ts'
import { plainText } from './destinations/plain-text.ts'
import { statusOf } from './listings/listing.ts'
import { hideListing, listListings, type Moderated, restoreListing } from './moderation/moderate.ts'
import { settle, showReports } from './moderation/report-commands.ts'
import { proveBoards, showUnplaced } from './placement/operator-commands.ts'
import { readEnv } from './settings.ts'
import { databaseFile } from './storage/data-dir.ts'
import { openStore } from './storage/open.ts'
import type { Store } from './storage/store.ts'
import { utcDay } from './time.ts'

const USAGE = `Usage: npm run placard -- COMMAND

  list [--limit N]               the newest listings, of any status
  hide SLUG --reason TEXT        take a listing out of sight
  restore SLUG --reason TEXT     show a hidden listing again, or begin the time of an ended one anew
  reports [--limit N]            what was reported and nobody has settled yet, the oldest first
  settle REPORT_ID --reason TEXT close a report, with what was done about it
  payments --unplaced            payments that are credited to nobody, and why
  reconcile                      prove that boards and payments follow from the recorded events

It reads the same settings as the service (DATA_DIR or DATABASE_URL) and may run beside it.`

/** Kept in the audit log and shown in one line. */
const REASON_MAX_LENGTH = 500

/** Wrong words on the command line: printed with the usage, exit code 2. */
class UsageError extends Error {}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args)
  const [command, subject, ...rest] = positionals
  if (values.help || !command) return void console.log(USAGE)
  if (rest.length > 0) throw new UsageError(`too many words: ${rest.join(' ')}`)
  const work = workOf(command, subject, values)
  return withStore(work)
}

type Options = ReturnType<typeof readArgs>['values']

/** What a command does, once its words are checked. */
function workOf(
  command: string,
  subject: string | undefined,
  given: Options,
): (store: Store) => Promise<void> {
  const allow = (...options: (keyof Options)[]) => {
    const other = (Object.keys(given) as (keyof Options)[]).find(option => !options.includes(option))
    if (other) throw new UsageError(`${command} takes no --${other}`)
  }
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
  if (subject) throw new UsageError(`${command} takes no further words`)
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
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const config = configFrom(readEnv())
  // A mistyped folder must not become an empty board.
  if (config.databaseUrl === undefined && !existsSync(databaseFile(config.dataDir))) {
    throw new Error(`there is no database in DATA_DIR ${config.dataDir}; set it as it is set for the service`)
  }
  const store = await openStore({ ...config, patient: true })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** Kept in the audit log. */
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
    const why = listing.hidden_reason === null ? '' : `  (${listing.hidden_by}: ${listing.hidden_reason})`
    const day = utcDay(listing.published_at)
    console.log(`${day}  ${listing.status.padEnd(11)}  ${listing.slug}  ${listing.url}${why}`)
  }
}

function showModerated(command: 'hide' | 'restore', slug: string, moderated: Moderated | undefined): void {
  if (!moderated) throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
  const status = statusOf(moderated.listing, Date.now())
  const already = command === 'hide' ? 'was hidden already' : 'was neither hidden nor ended'
  console.log(`${slug} ${moderated.changed ? 'is now' : `${already}; it is`} ${status}.`)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(`placard: ${(error as Error).message}`)
  if (error instanceof UsageError) console.error(`\n${USAGE}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
