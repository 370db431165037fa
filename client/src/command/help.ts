import type { Command } from './context.ts'
import { EVERYWHERE, OPTIONS, type OptionName } from './options.ts'

export const helpText = (commands: readonly Command[]): string[] => [
  'placard-agent: list a website on a Placard site, and get its receipt again',
  '',
  ...commands.map(one => `  ${usage(one).padEnd(27)} ${one.summary}`),
  `  ${'help [COMMAND]'.padEnd(27)} show this help, or the help of one command`,
  '',
  'Most commands',
  ...optionLines(['service', 'journal']),
  '',
  'Every command',
  ...optionLines(EVERYWHERE),
  '',
  ...ENDING,
]

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
  'The journal is $PLACARD_JOURNAL, or placard/journal.jsonl in $XDG_STATE_HOME or',
  '~/.local/state. It holds secrets: without it, a receipt cannot be recovered.',
  '',
  'Exit codes',
  '  0  done',
  '  1  refused by the service. Of check: a publish would be refused. Of verify:',
  '     something does not agree',
  '  2  wrong usage, no approval, or an unusable journal: nothing was sent',
  '  3  unknown or temporary: run the same command later; the credentials are saved',
]

const usage = ({ name, positionals }: Command) => [name, ...positionals].join(' ')

const optionLines = (names: readonly OptionName[]) =>
  names.map(name => {
    const option = OPTIONS[name]
    const shown = 'value' in option ? `--${name} ${option.value}` : `--${name}`
    return `  ${shown.padEnd(22)} ${option.help}`
  })
