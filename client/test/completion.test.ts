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

test.skipIf(!has('zsh'))('zsh reads its completion', async () => {
  expect(execFileSync('zsh', ['-n', await scriptFor('zsh')], { encoding: 'utf8' })).toBe('')
})
