// @module-tag programs
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from './fixtures.ts'

/** The completion of a shell in a file, as one would source it. */
async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await runHere(['completion', shell])
  expect(code).toBe(0)
  const file = join(mkdtempSync(join(tmpdir(), 'placard-completion-')), `placard-agent.${shell}`)
  writeFileSync(file, stdout)
  return file
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

const typed: [string[], string[]][] = [
  [['st'], ['status']],
  [['help', 'exp'], ['export']],
  [['publish', 'https://a.dev', '--us'], ['--user-approved']],
  [['publish', 'https://a.dev', '--category', 'Dev'], ['Developer Tools']],
  [['quote', 'https://a.dev', '--board', 't'], ['today']],
  [['completion', 'z'], ['zsh']],
  [['verify', 're'], ['receipt']],
  [['capabilities', '--cat'], []],
]

test.each(typed)('bash completes %j with %j', async (words, offered) => {
  const file = await scriptFor('bash')
  const [last = '', before = ''] = words.toReversed()
  const script = `source ${file}
    COMP_WORDS=(placard-agent ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
    _placard_agent placard-agent '${last}' '${before || 'placard-agent'}'
    for each in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $each"; done`
  const lines = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean)
  expect(lines).toEqual(offered)
})

test.skipIf(!has('fish')).each(typed)('fish completes %j with %j', async (words, offered) => {
  const file = await scriptFor('fish')
  const line = ['placard-agent', ...words].join(' ')
  const said = execFileSync('fish', ['-N', '-c', `source ${file}; complete -C '${line}'`], {
    encoding: 'utf8',
  })
  const lines = said
    .split('\n')
    .filter(Boolean)
    .map(each => each.split('\t')[0])
  expect(lines).toEqual(offered)
})

const names = `placard-agent() { printf '<%s>' "$@"; echo; }`

/** What a shell at a terminal runs for each line, in a folder with two files, when Tab is pressed at its end. */
async function tabbed(shell: string, start: string, lines: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-tab-'))
  for (const name of ['a file.jsonl', "q'x.jsonl"]) writeFileSync(join(folder, name), '')
  const input = [
    start,
    `source ${await scriptFor(shell.split(' ')[0] ?? '')}`,
    names,
    ...lines.map(line => `${line}\t`),
    'exit',
  ]
  const { stdout } = spawnSync('script', ['-qec', shell, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'dumb', LC_ALL: 'C' },
    input: input.map(line => `${line}\n`).join(''),
    encoding: 'utf8',
    timeout: 300_000,
  })
  return stdout.split(/\r*\n/).filter(line => line.startsWith('<'))
}

const pressed: [string, string][] = [
  ['placard-agent import a', '<import><a file.jsonl>'],
  ['placard-agent import "a', '<import><a file.jsonl>'],
  ['placard-agent import q', "<import><q'x.jsonl>"],
  ['placard-agent list --journal a', '<list><--journal><a file.jsonl>'],
  ['placard-agent verify receipt a', '<verify><receipt><a file.jsonl>'],
  ['placard-agent verify bo', '<verify><board>'],
  ['placard-agent publish --category Food', '<publish><--category><Food & Drink>'],
  ['placard-agent publish --category "Food', '<publish><--category><Food & Drink>'],
  ["placard-agent publish --category 'Developer T", '<publish><--category><Developer Tools>'],
]
const lines = pressed.map(([line]) => line)
const ran = pressed.map(([, words]) => words)

test.skipIf(!has('script'))('bash completes names with spaces and quotes when Tab is pressed', async () => {
  expect(await tabbed('bash --norc --noprofile -i', '', lines)).toEqual(ran)
})

test.skipIf(!has('script') || !has('zsh'))(
  'zsh completes names with spaces and quotes when Tab is pressed',
  async () => {
    expect(await tabbed('zsh -fi', 'autoload -U compinit; compinit -u -D', lines)).toEqual(ran)
  },
)

test.skipIf(!has('zsh'))('zsh reads its completion', async () => {
  expect(execFileSync('zsh', ['-n', await scriptFor('zsh')], { encoding: 'utf8' })).toBe('')
})
