import type { Command } from '../context.ts'
import { EVERYWHERE, OPTIONS, type OptionName } from '../options.ts'
import { wrongUsage } from '../read-arguments.ts'

const SHELLS = { bash, zsh, fish } as const

export const completion: Command = {
  name: 'completion',
  positionals: ['bash|zsh|fish'],
  choices: Object.keys(SHELLS),
  options: [],
  summary: "print a shell's completion of this command",
  details: [
    'bash: eval "$(placard-agent completion bash)" in ~/.bashrc',
    'zsh:  eval "$(placard-agent completion zsh)" in ~/.zshrc, after compinit',
    'fish: placard-agent completion fish | source, in ~/.config/fish/config.fish',
  ],
  example: 'eval "$(placard-agent completion bash)"',
  async run({ positionals, commands }) {
    const shell = Object.entries(SHELLS).find(([name]) => name === positionals[0])
    if (!shell) throw wrongUsage(`Name a shell: ${Object.keys(SHELLS).join(', ')}.`)
    const script = shell[1](commands)
    return { text: script, json: { shell: shell[0], script: script.join('\n') } }
  },
}

/** Options that take one of a few values, each with those. */
const chosen = () =>
  Object.entries(OPTIONS).flatMap(([name, option]) => ('choices' in option ? [{ name, choices: option.choices }] : []))
const fileAt = ({ positionals }: Command) => positionals.findIndex(word => word.includes('FILE'))
const named = ({ name }: Command) => name
const flags = (options: readonly OptionName[]) => [...options, ...EVERYWHERE].map(name => `--${name}`)
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const helped = (commands: readonly Command[]) => [...commands.map(named), 'help'].join(' ')

// Bash splits a line at blanks even inside a word, so values are completed one per line and quoted here.
function bash(commands: readonly Command[]): string[] {
  return [
    '_placard_agent() {',
    `  local word=$2 before=$3 IFS=$'\\n'`,
    '  COMPREPLY=()',
    '  case $before in',
    ...chosen().flatMap(({ name, choices }) => [
      `    --${name})`,
      `      local choice typed=\${word#[\\"\\']} form=%q`,
      // Within quotes, a backslash becomes part of the value.
      `      [[ \${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]] && form=%s`,
      `      for choice in ${choices.map(quoted).join(' ')}; do`,
      '        [[ $choice == "$typed"* ]] && COMPREPLY+=("$(printf $form "$choice")")',
      '      done',
      '      return ;;',
    ]),
    '    --journal) COMPREPLY=($(compgen -f -- "$word")); compopt -o filenames 2>/dev/null; return ;;',
    '  esac',
    '  if ((COMP_CWORD == 1)) || [[ $before == help ]]; then',
    `    COMPREPLY=($(IFS=' '; compgen -W ${quoted(helped(commands))} -- "$word")); return`,
    '  fi',
    `  case \${COMP_WORDS[1]} in`,
    ...commands.map(command => {
      const { name, options } = command
      const what = [...(name === 'completion' ? [] : flags(options)), ...(command.choices ?? [])]
      const at = fileAt(command)
      const files = `; ((COMP_CWORD > ${at + 1})) && COMPREPLY+=($(compgen -f -- "$word")); compopt -o filenames 2>/dev/null`
      return `    ${name}) COMPREPLY=($(IFS=' '; compgen -W ${quoted(what.join(' '))} -- "$word"))${at < 0 ? '' : files} ;;`
    }),
    '  esac',
    '}',
    'complete -F _placard_agent placard-agent',
  ]
}

function zsh(commands: readonly Command[]): string[] {
  const optionSpec = (name: OptionName) => {
    const option = OPTIONS[name]
    const help = option.help.replaceAll(/[[\]:']/g, ' ')
    if (!('value' in option)) return quoted(`--${name}[${help}]`)
    const values =
      'choices' in option
        ? `(${option.choices.map(choice => choice.replaceAll(/[ &,]/g, '\\$&')).join(' ')})`
        : name === 'journal'
          ? '_files'
          : ' '
    return quoted(`--${name}[${help}]:${option.value}:${values}`)
  }
  const wordSpec = (command: Command) =>
    command.positionals.map((_word, at) => {
      if (at === 0 && command.choices) return quoted(`1:word:(${command.choices.join(' ')})`)
      return quoted(`${at + 1}:${at === fileAt(command) ? 'file:_files' : 'destination: '}`)
    })
  return [
    '_placard_agent() {',
    '  local -a commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', ' ')}`)}`),
    "    'help:all about one command'",
    '  )',
    '  if ((CURRENT == 2)) || [[ $words[2] == help ]]; then _describe command commands; return; fi',
    '  shift words; ((CURRENT--))',
    '  case $words[1] in',
    ...commands.map(command => {
      const specs = [...[...command.options, ...EVERYWHERE].map(optionSpec), ...wordSpec(command)]
      return `    ${command.name}) _arguments ${specs.join(' ')} ;;`
    }),
    '  esac',
    '}',
    'compdef _placard_agent placard-agent',
  ]
}

function fish(commands: readonly Command[]): string[] {
  const complete = 'complete -c placard-agent'
  const escaped = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
  return [
    `${complete} -f`,
    ...commands.map(({ name, summary }) => `${complete} -n __fish_use_subcommand -a ${name} -d ${escaped(summary)}`),
    `${complete} -n __fish_use_subcommand -a help -d 'all about one command'`,
    `${complete} -n '__fish_seen_subcommand_from help' -a '${commands.map(named).join(' ')}'`,
    ...commands.flatMap(({ name, choices }) =>
      choices ? [`${complete} -n '__fish_seen_subcommand_from ${name}' -a '${choices.join(' ')}'`] : [],
    ),
    ...commands.flatMap(({ name, options }) =>
      [...options, ...EVERYWHERE].map(option => {
        const { help, ...more } = OPTIONS[option] as {
          help: string
          value?: string
          choices?: readonly string[]
        }
        const value = more.choices
          ? ` -x -a ${escaped(more.choices.map(choice => `"${choice}"`).join(' '))}`
          : more.value === 'FILE'
            ? ' -r -F'
            : more.value
              ? ' -x'
              : ''
        return `${complete} -n '__fish_seen_subcommand_from ${name}' -l ${option}${value} -d ${escaped(help)}`
      }),
    ),
    ...commands
      .filter(command => fileAt(command) >= 0)
      .map(({ name, choices }) => {
        const isSecond = choices ? `; and __fish_seen_subcommand_from ${choices.join(' ')}` : ''
        return `${complete} -n '__fish_seen_subcommand_from ${name}${isSecond}' -F`
      }),
  ]
}
