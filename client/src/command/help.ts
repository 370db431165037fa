import type { Command } from './context.ts'
import { EVERYWHERE, OPTIONS, type OptionName } from './options.ts'

/** What `placard-agent help` prints. */
export const helpText = (commands: readonly Command[]): string[] => [
  'placard-agent: list a website on a Placard board, and get its receipt again',
  '',
  ...commands.map(one => `  ${usage(one).padEnd(27)} ${one.summary}`),
  `  ${'help [COMMAND]'.padEnd(27)} this, or all about one command`,
  '',
  'Everywhere',
  ...optionLines(['service', 'journal', ...EVERYWHERE]),
  '',
  ...ENDING,
]

/** What `placard-agent help COMMAND` prints. */
export const commandHelp = (command: Command): string[] => [
  `placard-agent ${usage(command)}: ${command.summary}`,
  '',
  ...command.details,
  '',
  'Options',
  ...optionLines([...command.options, ...EVERYWHERE.filter(name => name !== 'version')]),
  '',
  'Example',
  `  ${command.example}`,
  '',
  ...ENDING,
]

const ENDING = [
  'The journal is $PLACARD_JOURNAL, else placard/journal.jsonl in $XDG_STATE_HOME or',
  '~/.local/state. It holds secrets, and without it a receipt cannot be recovered.',
  '',
  'Exit codes',
  '  0  done',
  '  1  refused by the service, or check says that it would be',
  '  2  wrong usage, no approval, or the journal cannot be used: nothing was sent',
  '  3  unknown or temporary: run the same command again later, the credentials are kept',
]

const usage = ({ name, words }: Command) => [name, ...words].join(' ')

const optionLines = (names: readonly OptionName[]) =>
  names.map(name => {
    const option = OPTIONS[name]
    const shown = 'value' in option ? `--${name} ${option.value}` : `--${name}`
    return `  ${shown.padEnd(22)} ${option.help}`
  })
