import { styleText } from 'node:util'
import { PlacardClient } from '../client.ts'
import { asPlacardError } from '../error.ts'
import { fileStore } from '../file-store/index.ts'
import { defaultJournalPath } from '../file-store/path.ts'
import { plain, shellWord } from '../service/text.ts'
import { VERSION } from '../version.ts'
import { type Arguments, guessArguments, readArguments } from './arguments.ts'
import type { Context, Io, Result } from './context.ts'
import { commandHelp, helpText } from './help.ts'
import { nextCommand } from './next.ts'
import { OWN_SITE, runnable } from './npx.ts'
import { exitCodeOf, failureText } from './print.ts'
import { progress } from './progress.ts'
import { WEEK_SECONDS, wholeNumber, wrongUsage } from './read-arguments.ts'
import { COMMANDS } from './table.ts'

const NAMES = COMMANDS.map(({ name }) => name)

/** Runs `placard-agent` with these arguments and prints the result. @returns the exit code (see `help.ts`) */
export async function run(argv: string[], io: Io): Promise<number> {
  const isJson = argv.includes('--json')
  try {
    const { text, json, next, exitCode = 0 } = await result(argv, io)
    if (json !== undefined) io.stdout.write(isJson ? line(json) : shown(text))
    // With --json, stderr holds only an error.
    if (next && !isJson) io.stderr.write(nextLine(inPlace(next, argv), io))
    return exitCode
  } catch (thrown) {
    // A bug in this program says nothing about the request, so it must not exit with the code of a refusal.
    const error = asPlacardError(thrown, 'unknown')
    const command = nextCommand(error, argv, NAMES)
    const next = command && inPlace(command, argv)
    io.stderr.write(
      isJson
        ? line({ ...error.toJSON(), next })
        : `${painted('red', plain(`placard-agent: ${failureText(error)}`), io)}\n${plain(error.whatNext)}\n${next ? nextLine(next, io) : ''}`,
    )
    return exitCodeOf(error)
  }
}

async function result(argv: string[], io: Io): Promise<Result> {
  const given = readArguments(argv, COMMANDS)
  if (given.values.version) return { text: [VERSION], json: { version: VERSION } }
  if (given.values.help || !given.command) {
    const text = given.command ? commandHelp(given.command) : helpText(COMMANDS)
    return { text, json: { help: text.join('\n') } }
  }
  const waiting = progress(io)
  try {
    return await given.command.run(contextOf(given, io, waiting.onRetry))
  } finally {
    waiting.stop()
  }
}

function contextOf(
  { positionals, values }: Arguments,
  io: Io,
  onRetry: ReturnType<typeof progress>['onRetry'],
): Context {
  const value: Context['value'] = name => {
    const given = values[name]
    return typeof given === 'string' ? given : undefined
  }
  const store = () => fileStore(value('journal') ?? defaultJournalPath(io.env))
  return {
    io,
    positionals,
    value,
    store,
    commands: COMMANDS,
    print: (text, json) => void io.stdout.write(values.json ? line(json) : shown(text)),
    has: name => values[name] !== undefined,
    service: () => {
      const service = value('service') ?? (io.env.PLACARD_SERVICE || OWN_SITE)
      if (!service) throw wrongUsage('No service given. Use --service URL, or set PLACARD_SERVICE.')
      return service
    },
    client: (service, { isQuiet, waitBudgetMs } = {}) => {
      const wait = value('wait')
      const budgetMs = wait === undefined ? waitBudgetMs : waitMs(wait)
      return new PlacardClient({
        service,
        store: store(),
        ...(budgetMs === undefined ? {} : { waitBudgetMs: budgetMs }),
        ...(values.json || isQuiet ? {} : { onRetry }),
      })
    },
  }
}

const waitMs = (wait: string) => wholeNumber('--wait', wait, 'seconds, a week at most', WEEK_SECONDS) * 1000

/** Returns a command as it can be run here, with the site and the journal that this one was given. */
function inPlace(next: string, argv: readonly string[]): string {
  const { service, journal } = guessArguments(argv)
  const options = COMMANDS.find(({ name }) => next.startsWith(`placard-agent ${name}`))?.options ?? []
  const given = Object.entries({ service, journal }).flatMap(([name, value]) =>
    value !== undefined && options.some(one => one === name) && !next.includes(` --${name}`)
      ? [`--${name}`, shellWord(value)]
      : [],
  )
  return [runnable(next), ...given].join(' ')
}

const nextLine = (next: string, io: Io) => `${painted('bold', 'Next:', io)} ${plain(next)}\n`

/** Returns a text for stderr, with style on a terminal that shows it. */
function painted(style: 'bold' | 'red', text: string, { env, stderr }: Io): string {
  const isColourful = stderr.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return isColourful ? styleText(style, text, { validateStream: false }) : text
}

const shown = (text: string[]) => text.map(each => `${plain(each)}\n`).join('')
/** Returns a line of JSON. It may be printed on a terminal, so control and direction characters are escaped. */
const line = (value: unknown) => `${JSON.stringify(value).replace(/[\p{Cc}\p{Cf}]/gu, escaped)}\n`
const escaped = (character: string) =>
  Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
