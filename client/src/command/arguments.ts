import { parseArgs } from 'node:util'
import { editDistance } from '@placard/contract/plain'
import { messageOf } from '../error.ts'
import type { Command } from './context.ts'
import { EVERYWHERE, OPTIONS, type OptionName } from './options.ts'
import { wrongUsage } from './read-arguments.ts'

/** A parsed command line. `command` is absent if help or the version is requested without one. */
export interface Arguments {
  command: Command | undefined
  positionals: string[]
  values: { [K in OptionName]?: string | boolean | undefined }
}

/** Parses the command line. Throws a usage error for unknown or conflicting arguments. */
export function readArguments(argv: string[], commands: readonly Command[]): Arguments {
  const { values, positionals } = parse(argv)
  const [name, ...rest] = positionals
  if (name === 'help') {
    return {
      command: rest[0] === undefined || rest[0] === 'help' ? undefined : named(rest[0], commands),
      positionals: [],
      values: { ...values, help: true },
    }
  }
  if (name === undefined) return { command: undefined, positionals: [], values }
  const command = named(name, commands)
  const unexpected = Object.keys(values).find(
    option => !EVERYWHERE.some(one => one === option) && !command.options.some(one => one === option),
  )
  if (unexpected) throw wrongUsage(`The command ${name} has no option --${unexpected}.`)
  if (rest.length > command.positionals.length) throw wrongUsage(`The command ${name} has too many arguments.`)
  return { command, positionals: rest, values }
}

function named(name: string, commands: readonly Command[]): Command {
  const found = commands.find(command => command.name === name)
  if (found) return found
  const names = commands.map(command => command.name)
  throw wrongUsage(`There is no command "${name}".${didYouMean(name, names)} The commands are ${names.join(', ')}.`)
}

/** Returns what can be read of a command line, even of an invalid one. */
export function guessArguments(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
  })
  const text = (name: OptionName) => (typeof values[name] === 'string' ? values[name] : undefined)
  return {
    command: positionals[0] ?? 'help',
    word: positionals[1],
    category: text('category'),
    service: text('service'),
    journal: text('journal'),
  }
}

const options = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, option]) => {
    const type = 'value' in option ? ('string' as const) : ('boolean' as const)
    return [name, name === 'help' ? { type, short: 'h' } : { type }]
  }),
)

function parse(argv: string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({ args: argv, options, allowPositionals: true, tokens: true })
    const given = tokens.flatMap(token => (token.kind === 'option' && token.value !== undefined ? [token.name] : []))
    // Node would use the last value without an error.
    const twice = given.find((name, at) => given.indexOf(name) < at)
    if (twice) throw new Error(`--${twice} is given twice`)
    if (values.journal === '') throw new Error('--journal needs a value')
    return { values: values as Arguments['values'], positionals }
  } catch (error) {
    throw wrongUsage(whatIsWrong(error))
  }
}

/** Returns Node's own message, without its advice on words that begin with a dash. */
function whatIsWrong(error: unknown): string {
  const message = messageOf(error)
  const [, unknown] = /^Unknown option '(--?[^']+)'/.exec(message) ?? []
  const [, dashed] = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message) ?? []
  if (dashed) return `${dashed} needs a value. Write one that begins with a dash as ${dashed}=VALUE.`
  const [, name, isMissing] =
    /^Option '(?:-h, )?(--[\w-]+)(?: [^']*)?' (?:(argument missing)|does not take an argument)/.exec(message) ?? []
  if (name) return isMissing ? `${name} needs a value.` : `${name} takes no value.`
  return unknown
    ? `There is no option ${unknown}.${didYouMean(
        unknown,
        Object.keys(OPTIONS).map(name => `--${name}`),
      )}`
    : `${message.replace(/\.$/, '')}.`
}

const LONGEST_NAME = 30
/** At most one for every three letters: nearly every short word is near another. */
const EDITS_MAX = 2

function didYouMean(given: string, names: string[]): string {
  if (given.length > LONGEST_NAME) return ''
  const editsMax = Math.min(EDITS_MAX, Math.floor(given.replace(/^-+/, '').length / 3))
  const [nearest] = names
    .map(name => ({ name, edits: editDistance(given, name, editsMax) }))
    .sort((one, other) => one.edits - other.edits)
  return nearest && nearest.edits <= editsMax ? ` Did you mean ${nearest.name}?` : ''
}
