import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { closeUnreleased, releaseNotes } from './changelog.ts'
import { manifestsOf, withVersion } from './manifests.ts'
import { developmentAfter, isLower, isRelease } from './versions.ts'

const USAGE = 'Usage: npm run release -- VERSION [--dry-run]'

/** Runs git in the project's folder. */
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()

/**
 * Bumps the version everywhere, closes the changelog's section, commits and tags. Then opens the next development version
 * in a commit of its own. Pushes nothing.
 *
 * @throws Error in one line if something has to be done first; then nothing changes
 */
function release(version: string, isDryRun: boolean): void {
  const { version: present } = manifestsOf(process.cwd())
  checkVersion(version, present)
  checkRepository(version, isDryRun)
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  const notes = releaseNotes(changelog)
  const day = new Date().toISOString().slice(0, 10)
  const next = developmentAfter(version)
  write(isDryRun, [...inManifests(version), ['CHANGELOG.md', closeUnreleased(changelog, version, day)]])
  console.log(
    `${isDryRun ? 'would commit' : 'commits'} "Release ${version}" and ${isDryRun ? 'tag it' : 'tags it'} v${version}, with:\n\n${notes}\n`,
  )
  if (!isDryRun) {
    git('commit', '-m', `Release ${version}`)
    git('tag', '-a', `v${version}`, '-m', `Placard ${version}`, '-m', notes, '--cleanup=verbatim')
  }
  write(isDryRun, inManifests(next))
  console.log(`${isDryRun ? 'would commit' : 'commits'} "Open ${next}"`)
  if (isDryRun) return
  git('commit', '-m', `Open ${next}`)
  console.log('Now: git push --follow-tags')
}

type Change = readonly [file: string, text: string]

/** Every file that names the version, with a new one. */
const inManifests = (version: string): Change[] =>
  manifestsOf(process.cwd()).files.map(file => [file, withVersion(file, readFileSync(file, 'utf8'), version)])

function write(isDryRun: boolean, changes: readonly Change[]): void {
  for (const [file, text] of changes) {
    console.log(`${isDryRun ? 'would change' : 'changes'} ${file}`)
    if (!isDryRun) writeFileSync(file, text)
  }
  if (!isDryRun) git('add', ...changes.map(([file]) => file))
}

function checkVersion(version: string, present: string): void {
  if (!isRelease(version)) throw new Error(`${version} is not a version such as 1.4.0`)
  // The current version may still be unreleased: then it has no tag, which is checked too.
  if (isLower(version, present)) throw new Error(`${version} is lower than ${present}, the current version`)
}

function checkRepository(version: string, isDryRun: boolean): void {
  if (git('tag', '--list', `v${version}`)) throw new Error(`v${version} is already released`)
  if (isDryRun) return
  const branch = git('branch', '--show-current')
  if (branch !== 'main') throw new Error(`releases are cut on main, but this is ${branch || 'no branch'}`)
  if (git('status', '--porcelain')) throw new Error('there are uncommitted changes: commit them first')
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' } },
  })
  const [version, ...rest] = positionals
  if (!version || rest.length > 0) throw new Error(USAGE)
  release(version, values['dry-run'] ?? false)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
