// @module-tag programs
// @module-tag slow
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newCredentials, publish, publishBody } from '../../server/test/support/service.ts'
import { type Sites, startSites } from '../../server/test/support/sites.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** A folder outside the project, like an operator's. */
const outside = mkdtempSync(join(tmpdir(), 'placard-server-package-'))
const tarball = join(outside, `placard-${version}.tgz`)
const project = join(outside, 'project')
const execute = promisify(execFile)
/** The Node.js of these tests comes first. npm takes what it has already downloaded from its cache. */
const environment = {
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: process.env.HOME,
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
}
const INSTALL = ['install', '--omit=dev', '--no-audit', '--no-fund']
const npm = (...args: string[]) => execute('npm', args, { cwd: project, env: environment })
const nativeIn = (folder: string) => globSync('**/*.{node,so,so.*}', { cwd: folder })

const children: ChildProcess[] = []
let sites: Sites
let seconds: number

beforeAll(async () => {
  sites = await startSites()
  execFileSync(process.execPath, ['scripts/pack.ts', outside], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  const began = performance.now()
  await npm(...INSTALL, tarball)
  seconds = (performance.now() - began) / 1000
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await sites?.close()
  rmSync(outside, { recursive: true, force: true })
})

/** Starts the service from the installed package. @returns its address once it is ready */
async function serve(): Promise<{ url: string; child: ChildProcess }> {
  const command = join(project, 'node_modules/.bin/placard')
  const env = { ...environment, PORT: '0', PLACARD_DRAWS_AHEAD: 'no', FETCH_CONNECT_TO: sites.connectTo }
  const child = spawn(command, ['serve'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += chunk
    })
  }
  await expect.poll(() => output).toMatch(/is ready|cannot start/)
  return { url: /is ready at (\S+)"/.exec(output)?.[1] ?? output, child }
}

describe('the package of the server', () => {
  it('installs what it needs, is small, and runs a site that publishes', async () => {
    const files = globSync('node_modules/**', { cwd: project, withFileTypes: true }).filter(each => each.isFile())
    const bytes = files.reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0)
    console.log(`installed in ${seconds.toFixed(1)} s: ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB`)
    expect(bytes).toBeLessThan(260e6)

    const { url, child } = await serve()
    const { status, body } = await publish({ url }, newCredentials(), publishBody('http://sunrise-bakery.com/'))
    expect([status, body.status]).toEqual([201, 'published'])
    const picture = await fetch(`${url}/picture/sunrise-bakery-com/share.png`)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    // The sandbox has its style sheet.
    expect((await fetch(`${url}/sandbox/`)).status).toBe(200)
    const { stdout } = await npm('exec', '--no', '--', 'placard', 'list')
    expect(stdout).toContain('sunrise-bakery-com')
    child.kill('SIGTERM')
    await expect.poll(() => child.exitCode).toBe(0)
  })

  it('has the exact versions that the tests ran with, and the license of everything bundled', () => {
    const installed = (path: string) => readFileSync(join(project, 'node_modules/placard', path), 'utf8')
    // In a registry, the name may be free, or another program’s.
    const [install] = /^npm install .*$/m.exec(readFileSync(join(root, 'docs/install.md'), 'utf8')) ?? []
    expect(installed('README.md')).toContain(install)
    const { dependencies, engines, bundleDependencies } = JSON.parse(installed('package.json'))
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    for (const [name, exact] of Object.entries(dependencies)) {
      if (!bundleDependencies.includes(name))
        expect([name, exact]).toEqual([name, packages[`node_modules/${name}`].version])
    }
    // All others are bundled: OpenTelemetry alone would be 6,700 files.
    expect(Object.keys(dependencies)).toEqual(['@placard/sandbox', 'better-sqlite3', 'sharp'])
    expect(engines).toEqual({ node: '>=24' })
    for (const name of ['fastify', 'kysely', 'preact', 'htmlparser2', '@fontsource-variable/noto-sans']) {
      expect(installed('licenses.txt')).toMatch(new RegExp(`(^|, )${name}(,|$)`, 'm'))
    }
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
    expect(files).toContain('package/bundled/placard.js')
    expect(files.filter(path => /\.(ts|tsx|map)$|\/compiled\//.test(path))).toEqual([])
  })

  it('names the command as it is typed: in a folder, and in a global install for another processor', async () => {
    const help = (placard: string) => execute(placard, [], { env: environment }).then(({ stdout }) => stdout)
    expect(await help(join(project, 'node_modules/.bin/placard'))).toMatch(/^Usage: npx placard COMMAND\n/)
    const prefix = join(outside, 'global')
    await npm(...INSTALL, '--global', '--prefix', prefix, '--os=linux', '--cpu=arm64', '--libc=glibc', tarball)
    expect(await help(join(prefix, 'bin/placard'))).toMatch(/^Usage: placard COMMAND\n/)
    // The systemd unit that docs/install.md copies from there.
    expect(readFileSync(join(prefix, 'lib/node_modules/placard/placard.service'), 'utf8')).toContain(
      'bin/placard serve',
    )
    const native = nativeIn(prefix).filter(path => !path.includes('/prebuilds/') || path.includes('/linux-arm64'))
    expect(native).toHaveLength(3)
    for (const path of native) {
      // In the header of ELF, the number of its processor: AArch64.
      expect([path, readFileSync(join(prefix, path)).readUInt16LE(18)]).toEqual([path, 0xb7])
    }
  })
})
