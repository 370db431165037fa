// @module-tag programs
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workflowFaults } from './github-workflow.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifests = ['package.json', ...['contract', 'sandbox', 'server', 'client'].map(name => `${name}/package.json`)]
const OTHERS = ['package-lock.json', 'server.json', 'client/src/version.ts']
const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n### Upgrading\n\nSchema: 0042\n\nNothing to do.\n\n### Changes\n\n- Something new.\n'

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  packages?: Record<string, Manifest>
}

/** A repository with the manifests of this one. */
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-release-'))
  for (const file of [...manifests, ...OTHERS]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  write('CHANGELOG.md', CHANGELOG)
  git('init', '--initial-branch', 'main')
  git('config', 'user.name', 'A test')
  git('config', 'user.email', 'test@placard.invalid')
  commit()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
function commit(): void {
  git('add', '.')
  git('commit', '-m', 'Work')
}
function release(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/release.ts'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

describe('a release', () => {
  /** Every version that the files of a commit name, by file. */
  function versionsIn(commit: string): [string, string[]][] {
    const at = (file: string) => git('show', `${commit}:${file}`)
    const ownIn = ({ dependencies = {} }: Manifest) =>
      Object.keys(dependencies).flatMap(name => (name.startsWith('@placard/') ? [dependencies[name] ?? ''] : []))
    const named = (file: string): string[] => {
      if (file.endsWith('.ts')) return [/VERSION = '(.*)'/.exec(at(file))?.[1] ?? '']
      const manifest: Manifest = JSON.parse(at(file))
      const packages = Object.entries(manifest.packages ?? {}).filter(([folder]) => !folder.includes('node_modules/'))
      return [manifest, ...packages.map(([, each]) => each)].flatMap(each => [each.version, ...ownIn(each)])
    }
    return [...manifests, ...OTHERS].map(file => [file, named(file)])
  }

  it('has one version everywhere, a section of the changelog, a commit and a tag', () => {
    expect(release('98.76.54')).toMatchObject({ status: 0 })
    for (const [file, versions] of versionsIn('v98.76.54')) {
      expect([file, ...new Set(versions)]).toEqual([file, '98.76.54'])
    }
    expect(read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n### Upgrading\n\nSchema: 0042\n\n### Changes\n\n## 98\.76\.54 - \d{4}-\d\d-\d\d\n\n### Upgrading\n\nSchema: 0042\n\nNothing to do\.\n/,
    )
    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '-1', '--format=%s %D', 'HEAD~1')).toBe('Release 98.76.54 tag: v98.76.54')
    expect(git('tag', '--list', '--format=%(contents)')).toContain('### Upgrading\n\nSchema: 0042\n\nNothing to do.')
  })

  it('opens the next development version, which the next release closes', () => {
    release('98.76.54')
    expect(git('log', '-1', '--format=%s %D')).toBe('Open 98.77.0-dev HEAD -> main')
    for (const [file, versions] of versionsIn('HEAD')) {
      expect([file, ...new Set(versions)]).toEqual([file, '98.77.0-dev'])
    }
    // npm accepts that lock file and manifests belong together.
    expect(() =>
      execFileSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline'], {
        cwd: folder,
        stdio: 'pipe',
      }),
    ).not.toThrow()
    expect(release('98.76.55').output).toContain('98.76.55 is lower than 98.77.0-dev')
    write('CHANGELOG.md', CHANGELOG)
    commit()
    expect(release('98.77.0')).toMatchObject({ status: 0 })
    expect(new Set(versionsIn('v98.77.0').flatMap(([, versions]) => versions))).toEqual(new Set(['98.77.0']))
  })

  it('says what it would do, and does nothing, in a dry run', () => {
    const before = git('rev-parse', 'HEAD')
    const { status, output } = release('98.76.54', '--dry-run')
    expect(status).toBe(0)
    for (const file of [...manifests, ...OTHERS, 'CHANGELOG.md']) {
      expect(output).toContain(`would change ${file}\n`)
    }
    expect(output).toContain('would commit "Release 98.76.54" and tag it v98.76.54')
    expect(output).toContain('would commit "Open 98.77.0-dev"')
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([before, '', ''])
  })

  it.each([
    ['a development version', () => {}, ['98.76.54-dev'], '98.76.54-dev is not a version such as 1.4.0'],
    ['a version that is none', () => {}, ['1.0'], '1.0 is not a version such as 1.4.0'],
    ['a lower version', () => {}, ['0.0.9'], '0.0.9 is lower than'],
    ['no version', () => {}, [], 'Usage: npm run release'],
    ['a version that has a tag', () => git('tag', 'v98.76.54'), ['98.76.54'], 'v98.76.54 is already released'],
    ['work that is not committed', () => write('new.txt', ''), ['98.76.54'], 'uncommitted'],
    ['another branch', () => git('switch', '-c', 'side'), ['98.76.54'], 'this is side'],
    [
      'an empty section of the changelog',
      () => write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n### Changes\n\n## 0.0.1\n\n### Changes\n\n- Old.\n'),
      ['98.76.54', '--dry-run'],
      'under "### Changes"',
    ],
    [
      'no schema',
      () => write('CHANGELOG.md', CHANGELOG.replace('Schema: 0042\n\n', '')),
      ['98.76.54', '--dry-run'],
      'no line "Schema: NNNN"',
    ],
    [
      'no word on upgrading',
      () => write('CHANGELOG.md', CHANGELOG.replace('Nothing to do.\n\n', '')),
      ['98.76.54', '--dry-run'],
      'under "### Upgrading"',
    ],
  ])('is refused with %s', (_, prepare, args, why) => {
    prepare()
    const before = read('package.json')
    const { status, output } = release(...args)
    expect([status, output.trim().split('\n').length]).toEqual([1, 1])
    expect(output).toContain(why)
    expect(read('package.json')).toBe(before)
  })

  it('finds its parts in this very changelog', () => {
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toMatch(
      /^# Changelog\n\n## Unreleased\n\n(?:[^#\n].*\n\n)?### Upgrading\n(?:(?!#)[^\n]*\n)*### Changes\n/,
    )
  })
})

describe('the workflows', () => {
  const workflow = (name: string) => readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8')

  it.each(['ci', 'release'])("%s is one that GitHub's parser accepts, with every action by its commit", async name => {
    expect(await workflowFaults(workflow(name))).toEqual([])
    const used = [...workflow(name).matchAll(/uses: (.*)/g)].map(([, action]) => action)
    expect(used.length).toBeGreaterThan(1)
    expect(used.filter(action => !/^[\w./-]+@[0-9a-f]{40} # v[\d.]+$/.test(action ?? ''))).toEqual([])
    // Nothing else runs every test on both engines.
    const run = [...workflow(name).matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
    expect(run).toContain('test:both')
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(run.filter(script => !(script in scripts))).toEqual([])
  })

  it('publish every file that the docs download', () => {
    const release = workflow('release')
    for (const script of ['pack', 'image']) expect(release).toContain(`npm run ${script} -- dist`)
    const docs = readFileSync(join(root, 'docs/install.md'), 'utf8')
    const downloaded = [...docs.matchAll(/releases\/latest\/download\/(\S+?\.tgz)/g)].map(([, name]) => name)
    expect(new Set(downloaded)).toEqual(new Set(['placard.tgz', 'placard-compose.tgz']))
    for (const name of downloaded) expect(release).toContain(`dist/${name}\n`)
  })
})
