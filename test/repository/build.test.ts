// @module-tag programs
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commitOf } from '../../server/commit.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('the commit of a build', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'placard-commit-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  function commit(): string {
    git('init', '--quiet')
    git('-c', 'user.name=A', '-c', 'user.email=a@placard.invalid', 'commit', '--quiet', '--allow-empty', '-m', 'One')
    return git('rev-parse', 'HEAD')
  }

  it('is that of the checkout', () => {
    const made = commit()
    expect(commitOf(folder, '')).toBe(made.slice(0, 12))
  })

  it('is absent without git, without a commit, and in a folder of another checkout', () => {
    expect(commitOf(folder, '')).toBeUndefined()
    git('init', '--quiet')
    expect(commitOf(folder, '')).toBeUndefined()
    commit()
    mkdirSync(join(folder, 'unpacked'))
    expect(commitOf(join(folder, 'unpacked'), '')).toBeUndefined()
  })

  it('can be given where there is no git, if it is one', () => {
    const given = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'
    expect(commitOf(folder, given)).toBe('a94a8fe5ccb1')
    for (const other of ['unknown', '"; exit', 'a94a8f'])
      expect([other, commitOf(folder, other)]).toEqual([other, undefined])
  })
})

it('the versions of manifests, lock file, registry entry and client are one', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const { version, workspaces } = JSON.parse(read('package.json'))
  for (const folder of workspaces)
    expect([folder, JSON.parse(read(`${folder}/package.json`)).version]).toEqual([folder, version])
  const { packages, version: locked } = JSON.parse(read('package-lock.json'))
  const server = JSON.parse(read('server.json'))
  const copy = /VERSION = '(.*)'/.exec(read('client/src/version.ts'))?.[1]
  const others = [locked, packages[''].version, server.version, copy]
  expect(new Set([...others, ...workspaces.map((folder: string) => packages[folder].version)])).toEqual(
    new Set([version]),
  )
})
