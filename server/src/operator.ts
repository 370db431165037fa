import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { decide, showAppeals } from './appeals/commands.ts'
import { RESULTS } from './appeals/decide-appeal.ts'
import { type Config, configFrom } from './config.ts'
import { settleOne, showFindings } from './continuity/commands.ts'
import { auditDecisions } from './decisions/audit-command.ts'
import { type GroundId, isGround } from './decisions/grounds.ts'
import { operatorNamed } from './decisions/record.ts'
import { changeKey } from './keys/change-key.ts'
import { requireServiceKeys } from './keys/recorded-keys.ts'
import { showListings, showModerated } from './moderation/listing-commands.ts'
import { hideListing, NAMELESS, restoreListing } from './moderation/moderate.ts'
import { settle, showReports } from './moderation/report-commands.ts'
import { proveBoards, showUnplaced } from './payments/operator-commands.ts'
import { plainText } from './reading/plain-text.ts'
import { misspeltSettings } from './settings/misspelt.ts'
import { readEnv } from './settings/settings.ts'
import { databaseFile } from './storage/data-dir.ts'
import { openStore } from './storage/open.ts'
import type { Store } from './storage/store.ts'

const USAGE = `Usage: npm run placard -- COMMAND

  list [--limit N]               the newest listings, of any status
  hide SLUG --reason TEXT        hide a listing; --ground law/illegal-content where the law demands it
  restore SLUG --reason TEXT     show a hidden listing again, or restart an ended one's time
  reports [--limit N]            open reports, oldest first
  settle REPORT_ID --reason TEXT close a report, saying what you did about it
  findings [--limit N] [--json]  what there is to see about listed pages, oldest first
  settle-finding ID --reason TEXT  close a finding, saying what you did about it
  review-again SLUG|--all [--limit N] [--json]  read listed pages again now, those that waited longest first
  appeals [--limit N]            open appeals, oldest first
  decide-appeal ID uphold|reverse --reason TEXT  decide an appeal, and carry it out
  audit verify [--head HASH]     prove that no decision was changed; --head: a hash that an earlier proof printed
  payments --unplaced            payments credited to nobody, and why
  reconcile                      prove that boards and payments follow from the recorded events
  change-key [--lost]            make a new service key and keep the old ones; --lost: continue without lost keys
  help [COMMAND]                 this text, or one command

Say who decides with --as NAME (hide, restore, settle, settle-finding, decide-appeal); without it, the name is "operator".

It reads the same settings as the service (DATA_DIR or DATABASE_URL, and SERVICE_KEY) and may run beside it.`

/** The usage text, cut to one command. */
function helpOn(command: string): string {
  const isOther = (line: string) => line.startsWith('  ') && !line.startsWith(`  ${command} `)
  const lines = USAGE.split('\n').filter(line => !isOther(line))
  if (lines.every(line => !line.startsWith('  '))) throw new UsageError(`there is no command "${command}"`)
  return lines.join('\n')
}

/** In characters: it is kept with the decision and shown on one line. */
const REASON_MAX_LENGTH = 500

/** A bad command line: printed with the usage, exit code 2. */
class UsageError extends Error {}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args)
  const [command, subject, ...rest] = positionals
  const wanted = command === 'help' ? subject : values.help && command
  if (wanted) return void console.log(helpOn(wanted))
  if (values.help || !command || command === 'help') return void console.log(USAGE)
  if (command === 'decide-appeal') return withStore(decisionOf(subject, rest, values))
  if (rest.length > 0) throw new UsageError(`too many arguments: ${rest.join(' ')}`)
  if (command === 'change-key') {
    if (subject) throw new UsageError('change-key takes no arguments')
    allowOnly(command, values, ['lost'])
    return withStore((store, config) => changeKey(store, config, values.lost === true), { anyKey: true })
  }
  if (command === 'review-again') return withStore(await lookingAgain(subject, values))
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
    allow('reason', 'as', ...(command === 'hide' ? (['ground'] as const) : []))
    if (!subject)
      throw new UsageError(`${command} needs the slug: the last part of the product page's address`)
    const reason = readReason(command, given.reason)
    const act = command === 'hide' ? hideListing : restoreListing
    const by = { actor: operatorNamed(readName(given.as)), ...groundFrom(given.ground) }
    return async store => showModerated(command, subject, await act(store, subject, reason, Date.now(), by))
  }
  if (command === 'settle' || command === 'settle-finding') {
    allow('reason', 'as')
    const [id, reason, name] = [
      readNumber(command, subject),
      readReason(command, given.reason),
      readName(given.as),
    ]
    if (command === 'settle') return store => settle(store, id, reason, operatorNamed(name))
    return store => settleOne(store, id, reason, name)
  }
  if (command === 'audit') {
    allow('head')
    if (subject !== 'verify') throw new UsageError('audit needs the word "verify"')
    if (given.head !== undefined && !/^[0-9a-f]{64}$/.test(given.head)) {
      throw new UsageError('--head must be a hash that "audit verify" printed')
    }
    return store => auditDecisions(store, given.head)
  }
  if (!WITHOUT_WORDS.includes(command)) throw new UsageError(`there is no command "${command}"`)
  if (subject) throw new UsageError(`${command} takes no arguments`)
  const show = LISTS[command]
  if (show) {
    allow('limit', ...(command === 'findings' ? (['json'] as const) : []))
    const count = readLimit(given.limit)
    return store => show(store, count, given.json === true)
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

const LISTS: Record<string, (store: Store, count: number, asJson: boolean) => Promise<void>> = {
  list: showListings,
  reports: showReports,
  appeals: showAppeals,
  findings: showFindings,
}
const WITHOUT_WORDS = [...Object.keys(LISTS), 'payments', 'reconcile']

function decisionOf(id: string | undefined, rest: string[], given: Options): (store: Store) => Promise<void> {
  allowOnly('decide-appeal', given, ['reason', 'as'])
  const [verdict = '', ...more] = rest
  if (!id || !isResult(verdict) || more.length > 0) {
    throw new UsageError('decide-appeal needs the id of a decision, and then "uphold" or "reverse"')
  }
  const explanation = readReason('decide-appeal', given.reason)
  const name = readName(given.as)
  return store => decide(store, id, RESULTS[verdict], { name, explanation })
}

const isResult = (word: string): word is keyof typeof RESULTS => Object.hasOwn(RESULTS, word)

async function lookingAgain(slug: string | undefined, given: Options) {
  allowOnly('review-again', given, ['all', 'limit', 'json'])
  if ((slug === undefined) !== (given.all === true)) {
    throw new UsageError('review-again needs the slug of a listing, or --all')
  }
  const count = readLimit(given.limit ?? '999999')
  // Only this command reads pages.
  const { reviewAgain } = await import('./continuity/review-again.ts')
  return (store: Store, config: Config) =>
    reviewAgain(store, config, { slug, count, json: given.json === true })
}

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
        as: { type: 'string' },
        ground: { type: 'string' },
        head: { type: 'string' },
        all: { type: 'boolean' },
        json: { type: 'boolean' },
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

/** The reason, which is kept with the decision. @throws UsageError without one */
function readReason(command: string, given = ''): string {
  const reason = plainText(given, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is kept with the decision`)
  return reason
}

/** Who decides. @throws UsageError if it is no name */
function readName(name = NAMELESS): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u.test(name)) return name
  throw new UsageError('--as must be a name of at most 40 letters, digits, spaces, dots, dashes')
}

/** @throws UsageError if there is no such ground */
function groundFrom(id: string | undefined): { ground?: GroundId; reason?: string } {
  if (id === undefined) return {}
  if (id === 'rules/content') return { ground: id }
  if (isGround(id) && id.startsWith('law/')) return { ground: id, reason: 'illegal' }
  throw new UsageError('--ground must be rules/content, law/illegal-content or law/notice')
}

/** @throws UsageError if it is not the number of a report or finding */
function readNumber(command: string, given = ''): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given)
  throw new UsageError(`${command} needs the number of a ${command === 'settle' ? 'report' : 'finding'}`)
}

function readLimit(limit = '50'): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(`placard: ${(error as Error).message}`)
  if (error instanceof UsageError) console.error(`\n${USAGE}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
