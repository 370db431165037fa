import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { closeUnreleased, releaseNotes } from './changelog.ts'
import { manifestsOf, withVersion } from './manifests.ts'

const USAGE = 'Usage: npm run release -- VERSION [--dry-run]'

/** The example of a workflow, which runs the client of this version. */
const WORKFLOW = 'examples/github-action/list-at-release.yml'

/** Runs git in the project's folder. */
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()

/**
 * Bumps the version everywhere, closes the changelog's section, commits and tags. Pushes nothing.
 *
 * @throws Error in one line if something has to be done first; then nothing changes
 */
function release(version: string, isDryRun: boolean): void {
  const manifests = manifestsOf(process.cwd())
  checkVersion(version, manifests.version)
  checkRepository(version, isDryRun)
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  const notes = releaseNotes(changelog)
  const day = new Date().toISOString().slice(0, 10)
  const changes = new Map([
    ...manifests.files.map(file => [file, withVersion(readFileSync(file, 'utf8'), version)] as const),
    [WORKFLOW, readFileSync(WORKFLOW, 'utf8').replaceAll(clientOf(manifests.version), clientOf(version))] as const,
    ['CHANGELOG.md', closeUnreleased(changelog, version, day)] as const,
  ])

  for (const [file, text] of changes) {
    console.log(`${isDryRun ? 'would change' : 'changes'} ${file}`)
    if (!isDryRun) writeFileSync(file, text)
  }
  console.log(
    `${isDryRun ? 'would commit' : 'commits'} "Release ${version}" and ${isDryRun ? 'tag it' : 'tags it'} v${version}, with:\n\n${notes}\n`,
  )
  if (isDryRun) return
  git('add', ...changes.keys())
  git('commit', '-m', `Release ${version}`)
  git('tag', '-a', `v${version}`, '-m', `Placard ${version}`, '-m', notes, '--cleanup=verbatim')
  console.log('Now: git push --follow-tags')
}

const clientOf = (version: string) => `placard-agent@${version} `

function checkVersion(version: string, present: string): void {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) throw new Error(`${version} is not a version such as 1.4.0`)
  // The current version may still be unreleased: then it has no tag, which is checked too.
  if (version.localeCompare(present, 'en', { numeric: true }) < 0) {
    throw new Error(`${version} is lower than ${present}, the current version`)
  }
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
