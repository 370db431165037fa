import { operatorNamed } from '../../domain/decisions/record.ts'
import { readHost } from '../../domain/destinations/hostname.ts'
import { nameFrom } from '../../domain/moderation/console/users.ts'
import { NAMELESS } from '../../domain/moderation/moderate.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Store } from '../../platform/db/store.ts'
import { plainText } from '../../platform/lib/text.ts'
import { linksOf, settingsOfService, withStore } from './with-store.ts'

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

export type OptionValues = { [O in Option]?: (typeof OPTIONS)[O]['type'] extends 'string' ? string : boolean }

/** One of the operator's commands: a file here, and a line in `cli.ts`. */
export interface Command {
  name: string
  /** Shown after the name in the help. */
  usage?: string
  /** One line for the help, starting with an imperative. */
  does: string
  /** 0 by default. */
  argumentsMax?: number
  /** Options in addition to `--json`, with which every command prints one line of JSON per item. */
  options?: readonly Exclude<Option, 'json' | 'help' | 'version'>[]
  /** Checks the command line, then does the work. @throws UsageError before the work begins, Error in one line after */
  run(values: OptionValues, ...words: string[]): Promise<void>
}

/** An invalid command line. The error names the command's help, and the exit code is 2. */
export class UsageError extends Error {}

/** Returns the command's only argument. @throws UsageError without it */
export function needArgument(command: string, what: string, word: string | undefined): string {
  if (!word) throw new UsageError(`${command} needs ${what}`)
  return word
}

const REASON_MAX_LENGTH = 500

/** Returns the command's only argument, a slug. @throws UsageError without it */
export const needSlug = (command: string, word: string | undefined): string =>
  needArgument(command, "the slug: the last part of the product page's address", word)

/** Returns a host. @throws UsageError if it is missing, not a host name, or the site's own host */
export function needHost(what: string, word: string | undefined): string {
  const raw = needArgument(what, 'a host, such as evil.com', word)
  const read = readHost(raw, linksOf(settingsOfService()).hostname)
  if ('problem' in read) throw new UsageError(`"${raw}" ${read.problem}`)
  return read.host
}

/** Returns the reason, which is stored with the decision. @throws UsageError without one */
function readReason(command: string, { reason: text = '' }: OptionValues): string {
  const reason = optionText('reason', text, REASON_MAX_LENGTH)
  if (!reason) throw new UsageError(`${command} needs --reason, which is stored with the decision`)
  return reason
}

/** Returns the text of an option. @throws UsageError if it is too long, because a cut text would mislead its readers */
export function optionText(option: 'reason' | 'note', text: string, maxLength: number): string {
  if (text.length > maxLength) throw new UsageError(`--${option} is longer than ${maxLength} characters`)
  return plainText(text, maxLength)
}

export const asJson = ({ json = false }: OptionValues): boolean => json

/** Returns the name of the operator who decides. @throws UsageError if it is not a name */
export const readName = ({ as }: OptionValues): string => checkName('--as', as)

/** Returns the canonical spelling of an operator's name. @throws UsageError if it is not a name */
export function checkName(what: string, text = NAMELESS): string {
  const name = nameFrom(text)
  if (name) return name
  throw new UsageError(`${what} must be a name of at most 40 letters, digits, spaces, dots, dashes, apostrophes`)
}

/** Returns the number of `--limit`. @throws UsageError if it is invalid */
export function readLimit({ limit = '50' }: OptionValues): number {
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1) throw new UsageError('--limit must be a whole number from 1 to 999999')
  return count
}

/** What a command prints: its result as a line of JSON, and as text. */
export type CommandOutput = readonly [result: object, text: string]

/** Prints the result of a command: a line of JSON with `--json`, or else text. */
export const printResult = (values: OptionValues, ...[result, text]: CommandOutput): void =>
  console.log(asJson(values) ? JSON.stringify(result) : text)

interface StoreCommand<Wanted> extends Omit<Command, 'run'> {
  /** Reads the command line. @throws UsageError */
  read(values: OptionValues, ...words: string[]): Wanted
  act(store: Store, wanted: Wanted, config: Config): Promise<CommandOutput>
}

/** Creates a command that does something with the database, and prints one result. */
export const storeCommand = <Wanted>({ read, act, ...command }: StoreCommand<Wanted>): Command => ({
  ...command,
  async run(values, ...words) {
    const wanted = read(values, ...words)
    await withStore(async (store, config) => printResult(values, ...(await act(store, wanted, config))))
  },
})

/** A decision as it is recorded: its reason, and who takes it. */
export interface Decision<Subject> {
  subject: Subject
  reason: string
  name: string
  actor: ReturnType<typeof operatorNamed>
  now: number
}

interface DecisionCommand<Subject, More> extends Omit<Command, 'run'> {
  /** Reads what is decided about. The default is the slug of a listing. @throws UsageError */
  subject?: (...words: string[]) => Subject
  /** Reads more options. @throws UsageError */
  more?: (values: OptionValues) => More
  act(store: Store, decision: Decision<Subject>, more: More, config: Config): Promise<CommandOutput>
}

/** Creates a command that decides something, and records that with a reason and the operator's name. */
export const decisionCommand = <Subject = string, More = undefined>({
  subject = word => needSlug(command.name, word) as Subject,
  more = () => undefined as More,
  act,
  options = [],
  ...command
}: DecisionCommand<Subject, More>): Command =>
  storeCommand({
    usage: 'SLUG --reason TEXT',
    argumentsMax: 1,
    ...command,
    options: ['reason', 'as', ...options],
    read(values, ...words) {
      const [about, reason, further] = [subject(...words), readReason(command.name, values), more(values)]
      const name = readName(values)
      return { decision: { subject: about, reason, name, actor: operatorNamed(name) }, further }
    },
    act: (store, { decision, further }, config) => act(store, { ...decision, now: Date.now() }, further, config),
  })

/** @throws Error */
export function noListing(slug: string): never {
  throw new Error(`there is no listing "${slug}"; "list" shows the slugs`)
}

interface Printed<Item> {
  /** Printed if there are no items. */
  none: string
  print(item: Item): void
  toJson?: ((item: Item) => object) | undefined
}

/** Prints items as text, or with `--json` as one line each. */
export function printItems<Item extends object>(
  items: readonly Item[],
  values: OptionValues,
  { none, print, toJson = item => item }: Printed<Item>,
): void {
  if (asJson(values)) for (const item of items) console.log(JSON.stringify(toJson(item)))
  else if (items.length === 0) console.log(none)
  else for (const item of items) print(item)
}

interface ListCommand<Item, Wanted> extends Omit<Command, 'run'>, Omit<Printed<Item>, 'none'> {
  /** Reads more options. @throws UsageError */
  wanted?: (values: OptionValues) => Wanted
  none: string | ((wanted: Wanted) => string)
  read(store: Store, count: number, wanted: Wanted): Promise<readonly Item[]>
}

/** Creates a command that lists at most `--limit` items. */
export const listCommand = <Item extends object, Wanted = undefined>({
  options = [],
  wanted: readWanted,
  none,
  read,
  print,
  toJson,
  ...command
}: ListCommand<Item, Wanted>): Command => ({
  usage: '[--limit N]',
  ...command,
  options: ['limit', ...options],
  async run(values) {
    const count = readLimit(values)
    const wanted = readWanted?.(values) as Wanted
    const printed = { none: typeof none === 'string' ? none : none(wanted), print, toJson }
    await withStore(async store => printItems(await read(store, count, wanted), values, printed))
  },
})
