import { parseArgs } from 'node:util'
import { diskAdvice } from '../../platform/db/failures.ts'
import { COMMAND, FULL_VERSION } from '../../platform/lib/package.ts'
import { messageOf } from '../../platform/lib/text.ts'
import { backup, exportCommand, importCommand, restoreBackupCommand } from './backup.ts'
import { block, blocks, unblock } from './blocks.ts'
import { changeKey } from './change-key.ts'
import { type Command, OPTIONS, type OptionValues, UsageError } from './command.ts'
import { consoleEnd, consoleInvite, consoleLink, consoleRemove, consoleUsers } from './console.ts'
import { doctor } from './doctor.ts'
import { exclude, include, pick, unpick } from './featured.ts'
import { jobs } from './jobs.ts'
import { end, extend, hide, reissueLink, restore } from './listing-acts.ts'
import { list, show } from './listings.ts'
import { audit, log } from './log.ts'
import { migrateCommand } from './migrate.ts'
import {
  appeals,
  decideAppealCommand as decideAppeal,
  findings,
  reports,
  settle,
  settleFindingCommand as settleFinding,
} from './open-items.ts'
import { payments, reconcileCommand as reconcile, settlePaymentCommand as settlePayment } from './payments.ts'
import { pictures } from './pictures.ts'
import { reviewAgain } from './review-again.ts'
import { settings } from './settings.ts'

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args)
  const [name, ...words] = positionals
  if (values.version) return void console.log(FULL_VERSION)
  const wanted = name === 'help' ? words[0] : values.help && name
  if (wanted) return void console.log(usageOf([commandNamed(wanted, DESCRIBED)]))
  if (values.help || !name || name === 'help') return void console.log(usageOf(DESCRIBED))
  const command = commandNamed(name, COMMANDS)
  check(command, values, words)
  await command.run(values, ...words)
}

function check(command: Command, values: OptionValues, words: string[]): void {
  const { name, argumentsMax: wordsMax = 0, options = [] } = command
  const tooMany = words.slice(Math.max(1, wordsMax))
  if (tooMany.length > 0) throw new UsageError(`too many arguments: ${tooMany.join(' ')}`)
  if (words.length > wordsMax) throw new UsageError(`${name} takes no arguments`)
  const other = Object.keys(values).find(option => option !== 'json' && !options.some(each => each === option))
  if (other) throw new UsageError(`${name} takes no --${other}`)
}

function commandNamed<C extends Described>(name: string, commands: readonly C[]): C {
  const command = commands.find(each => each.name === name)
  if (command) return command
  throw new UsageError(`there is no command "${name}"`)
}

function readArgs(args: string[]): { values: OptionValues; positionals: string[] } {
  try {
    const { tokens, ...parsed } = parseArgs({ args, allowPositionals: true, options: OPTIONS, tokens: true })
    const given = tokens.flatMap(token => (token.kind === 'option' && token.value !== undefined ? [token.name] : []))
    // Node would use the last value without an error.
    const twice = given.find((name, at) => given.indexOf(name) < at)
    if (twice) throw new Error(`--${twice} is given twice`)
    return parsed
  } catch (error) {
    const { message } = error as Error
    const dashed = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message)?.[1]
    // What Node adds in further sentences and lines is about an argument that begins with a dash.
    const problem = message.replace(/\.\s.*/s, '')
    throw new UsageError(
      dashed ? `${dashed} needs a value; write one that begins with a dash as ${dashed}=VALUE` : problem,
    )
  }
}

type Described = Pick<Command, 'name' | 'usage' | 'does' | 'options'>

/** The column in which the help says what a command does. */
const MEANING_AT = 33
/** The same on a terminal with fewer than 60 columns, where no sentence fits beside a command. */
const NARROW_MEANING_AT = 6
const NARROW_COLUMNS = 60
/** Where there is no terminal, such as in a pipe. */
const COLUMNS = 100

const DECIDES = `
With --reason, --as NAME names the operator who decides. Without --as, the name
is "operator".
`

/** Returns the help, of all commands or of one. */
function usageOf(commands: readonly Described[]): string {
  const columns = Math.min(process.stdout.columns || COLUMNS, COLUMNS)
  const meaningAt = columns < NARROW_COLUMNS ? NARROW_MEANING_AT : MEANING_AT
  const lines = commands.map(({ name, usage = '', does }) => {
    const command = `  ${name} ${usage} `.padEnd(meaningAt)
    const below = `\n${' '.repeat(meaningAt)}`
    const meaning = wrapped(does, columns - meaningAt).join(below)
    // A long command has its meaning on the next line, in the same column.
    return command.length > meaningAt ? `${command.trimEnd()}${below}${meaning}` : command + meaning
  })
  const decides = commands.some(({ options }) => options?.includes('reason'))
  return `Usage: ${COMMAND} COMMAND

${lines.join('\n')}
${decides ? DECIDES : ''}
With --json, every command prints one line of JSON per item.

--version prints the version, and the commit of an unreleased build.

The commands read the same settings as the service (DATA_DIR or DATABASE_URL,
and SERVICE_KEY). You can use them while the service runs.`
}

/** Breaks a text at its spaces, into lines of at most `width` characters where words allow. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

export const COMMANDS: readonly Command[] = [
  list,
  show,
  hide,
  restore,
  end,
  extend,
  block,
  unblock,
  blocks,
  reissueLink,
  pick,
  unpick,
  exclude,
  include,
  reports,
  settle,
  findings,
  settleFinding,
  reviewAgain,
  appeals,
  decideAppeal,
  consoleInvite,
  consoleUsers,
  consoleRemove,
  consoleEnd,
  consoleLink,
  audit,
  log,
  payments,
  settlePayment,
  reconcile,
  changeKey,
  migrateCommand,
  backup,
  restoreBackupCommand,
  exportCommand,
  importCommand,
  pictures,
  jobs,
  settings,
  doctor,
]

const DESCRIBED: readonly Described[] = [
  { name: 'serve', does: 'start the service; the command settings lists its settings' },
  ...COMMANDS,
  { name: 'help', usage: '[COMMAND]', does: 'show this help, or the help of one command' },
]

try {
  await run(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(
    `placard: ${messageOf(error)}${diskAdvice(error)}${isUsage ? '; "help" shows how to use each command' : ''}`,
  )
  process.exitCode = isUsage ? 2 : 1
}
