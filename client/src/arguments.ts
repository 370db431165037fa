import { parseArgs } from 'node:util'
import { BOARDS, type Board } from '@placard/contract'
import type { QuoteRequest } from './client.ts'
import { messageOf, usageError } from './error.ts'
import type { PublishRequest } from './publication.ts'

const OPTIONS = {
  service: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  category: { type: 'string' },
  board: { type: 'string' },
  target: { type: 'string' },
  journal: { type: 'string' },
  wait: { type: 'string' },
  'user-approved': { type: 'boolean' },
  'show-private-link': { type: 'boolean' },
} as const

const EVERYWHERE = ['service', 'json', 'help', 'version']

const OWN_OPTIONS = new Map([
  ['help', []],
  ['capabilities', []],
  ['quote', ['category', 'board', 'target']],
  ['publish', ['category', 'user-approved', 'show-private-link', 'journal', 'wait']],
])

/** The given options and positional arguments: the command and its destination. */
export type Arguments = ReturnType<typeof parse>

/** Parses the command line. Throws a usage error for unknown or conflicting arguments. */
export function readArguments(argv: string[]): Arguments {
  const read = parse(argv)
  const [command = 'help'] = read.words
  const own = OWN_OPTIONS.get(command)
  if (!own) {
    throw wrongUsage(
      `There is no command "${command}". The commands are ${[...OWN_OPTIONS.keys()].join(', ')}.`,
    )
  }
  const stray = Object.keys(read.values).find(name => !EVERYWHERE.includes(name) && !own.includes(name))
  if (stray) throw wrongUsage(`The command ${command} has no option --${stray}.`)
  if (read.words.length > (command === 'capabilities' ? 1 : 2))
    throw wrongUsage(`The command ${command} has too many arguments.`)
  return read
}

/** The request of `quote DESTINATION --category C --board B --target USD`. */
export function quoteRequest({ words, values }: Arguments): QuoteRequest {
  const board = BOARDS.find(one => one === values.board) ?? missingBoard()
  return {
    destination: words[1] ?? missingDestination(),
    category: values.category ?? missingCategory(),
    board,
    targetBid: wholeNumber('--target', values.target, 'whole US dollars'),
  }
}

/** The request of `publish DESTINATION --category C --user-approved`. */
export function publishRequest({ words, values }: Arguments): PublishRequest {
  return {
    destination: words[1] ?? missingDestination(),
    category: values.category ?? missingCategory(),
    userApproved: values['user-approved'] === true,
  }
}

/** The service address of `--service` or `PLACARD_SERVICE`. */
export function serviceOf({ values }: Arguments, env: NodeJS.ProcessEnv): string {
  const service = values.service ?? env.PLACARD_SERVICE
  if (!service) throw wrongUsage('No service given. Use --service URL, or set PLACARD_SERVICE.')
  return service
}

/** `--wait SECONDS` in milliseconds, or undefined. */
export function waitBudgetMs({ values }: Arguments): number | undefined {
  return values.wait === undefined
    ? undefined
    : wholeNumber('--wait', values.wait, 'seconds, a week at most', WEEK_SECONDS) * 1000
}

function parse(argv: string[]) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
    return { values, words: positionals }
  } catch (error) {
    throw wrongUsage(whatIsWrong(error))
  }
}

/** Node's own message, without its advice on words that begin with a dash. */
function whatIsWrong(error: unknown): string {
  const message = messageOf(error)
  const [, unknown] = /^Unknown option '(--?[^']+)'/.exec(message) ?? []
  return unknown ? `There is no option ${unknown}.` : `${message.replace(/\.$/, '')}.`
}

const WEEK_SECONDS = 7 * 24 * 60 * 60

function wholeNumber(option: string, text: string | undefined, unit: string, max = 999_999_999): number {
  if (!text || !/^\d{1,9}$/.test(text) || Number(text) > max)
    throw wrongUsage(`${option} needs a number of ${unit}.`)
  return Number(text)
}

function missingDestination(): never {
  throw wrongUsage('Name the destination, such as https://shop.example.')
}

function missingCategory(): never {
  throw wrongUsage('Name a --category; the command capabilities lists them.')
}

function missingBoard(): Board {
  throw wrongUsage(`Name a --board: ${BOARDS.join(' or ')}.`)
}

const wrongUsage = (error: string) => usageError('usage', error, 'See placard-agent help.')
