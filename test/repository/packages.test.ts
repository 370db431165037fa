// @module-tag programs
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../../client/src/version.ts'
import { startTestService, type TestService } from '../../server/test/support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Their folders, by their names. */
const FOLDERS = { '@placard/contract': 'contract', 'placard-agent': 'client' } as const
const PACKAGES = Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]

/** A folder outside the project, like a stranger's: `packed` tarballs, and `project` with them installed. */
const outside = mkdtempSync(join(tmpdir(), 'placard-packages-'))
const packed = join(outside, 'packed')
const project = join(outside, 'project')
const installed = (name: string) => join(project, 'node_modules', name)
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const readJson = (...path: string[]) => JSON.parse(read(...path))

const execute = promisify(execFile)

/** No registry can be reached: nothing here needs one. */
const environment = {
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: outside,
  npm_config_cache: join(outside, 'cache'),
  npm_config_registry: 'http://127.0.0.1:1',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
}

/** Runs a program and returns its output; on failure, throws an error with it. */
async function run(program: string, args: string[], cwd = project): Promise<string> {
  const env = environment
  try {
    const { stdout, stderr } = await execute(program, args, { cwd, env })
    return stdout + stderr
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string }
    throw new Error(`${message}\n${stdout}`)
  }
}

const tool = (path: string, ...args: string[]) => run(process.execPath, [join(root, path), ...args])
const ATTW = 'test/tools/node_modules/@arethetypeswrong/cli/dist/index.js'
/** The packages have modules only, which CommonJS imports dynamically. */
const attw = (path: string) => tool(ATTW, path, '--profile', 'strict', '--ignore-rules', 'cjs-resolves-to-esm')
const tarball = (name: string) => join(packed, `${name.replace('@', '').replace('/', '-')}-${VERSION}.tgz`)

/** Uses everything a caller of the library might. */
const PROGRAM = `
import { type CallOptions, type ClientOptions, memoryStore, mergeSubmissions, PlacardClient, PlacardError, PrivateLink,
  type Publication, type PublishRequest, type QuoteRequest, type SubmissionStatus, type SubmissionStore } from 'placard-agent'
import { defaultJournalPath, fileStore } from 'placard-agent/file-store'
import { CATEGORIES, suggestCategory } from '@placard/contract/plain'

declare const process: { argv: string[]; stdout: { write(text: string): void } }
const [service = '', host, journalPath = defaultJournalPath({ PLACARD_JOURNAL: 'j' })] = process.argv.slice(2)
const store: SubmissionStore = fileStore(journalPath)
const options: ClientOptions = { service, store, onRetry: (error: PlacardError, ms: number) => void [error.code, ms] }
const call: CallOptions = {}
const request: PublishRequest = { destination: \`http://\${host}/\`, category: CATEGORIES[0], userApproved: true }
const ask: QuoteRequest = { ...request, board: 'all', targetBid: 25 }
const client = new PlacardClient(options)
const publication: Publication = await client.publish(request, call)
const status: 'published' | 'expired' | 'unavailable' = publication.receipt.status
const found: SubmissionStatus = await client.status(host)
const { added } = await mergeSubmissions(store, memoryStore())
const link: PrivateLink | undefined = publication.privateLink
const wrong = await client.quote({ ...ask, category: 'ai agent' }).catch(error => error instanceof PlacardError && error.code)
const { chargeAmountCents } = await client.quote(ask)
const { version } = await client.capabilities()
process.stdout.write(JSON.stringify([status, found.state, added, String(link), chargeAmountCents, version, wrong, suggestCategory('gmaes')]))
`
const OUTCOME = ['published', 'accepted', 3, '[private link]', 2500, '2026-09-06', 'unknown_category', 'Games']

let service: TestService
/** The client that the service offers. */
let served: string
const textOf = async (path: string) => (await fetch(service.url + path)).text()
let runs = 0

/** Lets the program publish its own website. */
async function runProgram(file: string, cwd = project): Promise<unknown> {
  const journal = join(mkdtempSync(join(outside, 'journal-')), 'journal.jsonl')
  return JSON.parse(await run(process.execPath, [file, service.url, `stranger-${++runs}.com`, journal], cwd))
}

beforeAll(async () => {
  for (const folder of [packed, project]) mkdirSync(folder)
  const folders = Object.values(FOLDERS).map(folder => `./${folder}`)
  await run('npm', ['pack', ...folders, '--ignore-scripts', '--pack-destination', packed], root)
  writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }')
  const tarballs = readdirSync(packed).map(name => join(packed, name))
  await run('npm', ['install', ...tarballs, '--offline', '--no-audit', '--no-fund'])
  writeFileSync(join(project, 'program.ts'), PROGRAM)
  service = await startTestService()
  served = `${service.url}/client/placard-agent.tgz`
})
afterAll(async () => {
  await service?.stop()
  rmSync(outside, { recursive: true, force: true })
})

describe.each(PACKAGES)('the package %s', name => {
  it('holds what a package should, and its version everywhere', () => {
    expect(read(installed(name), 'LICENSE')).toBe(read(root, 'LICENSE'))
    expect(read(installed(name), 'README.md')).toContain(name)
    const manifest = readJson(installed(name), 'package.json')
    expect(manifest.version).toBe(VERSION)
    for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
      expect(readJson(project, 'node_modules', dependency, 'package.json').version).toBe(version)
    }
    const folders = readdirSync(installed(name), { recursive: true }).map(String)
    expect(folders.filter(path => /test|tsbuildinfo|tsconfig|\.(tgz|map)$/.test(path))).toEqual([])
  })

  it('passes publint', async () => {
    const buffer = readFileSync(tarball(name))
    const pack = {
      tarball: buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer,
    }
    expect((await publint({ pack, strict: true })).messages).toEqual([])
  })

  it('passes attw, also where TypeScript resolves like Node 10', async () => {
    expect(await attw(tarball(name))).toContain('node10')
    expect(readJson(installed(name), 'package.json').exports).toHaveProperty(['./package.json'])
  })
})

describe('a stranger who installs both', () => {
  it('gets less than a megabyte, nothing else, and nothing native', () => {
    const files = readdirSync(join(project, 'node_modules'), { recursive: true, withFileTypes: true })
      .filter(each => each.isFile())
      .map(each => join(each.parentPath, each.name))
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0)
    console.log(`installed: ${files.length} files, ${(bytes / 1e6).toFixed(2)} MB`)
    expect(bytes).toBeLessThan(1e6)
    expect(files.filter(path => /\.(node|wasm|so|gyp)$/.test(path))).toEqual([])
    expect(readdirSync(join(project, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
      '@placard',
      'placard-agent',
    ])
  })

  it.each([
    // Slow, since it also checks the types of all dependencies.
    ['no libraries but the language', { lib: ['es2024'], skipLibCheck: false }],
    ['the libraries of a browser', {}],
    ['the resolution of bundlers', { module: 'esnext', moduleResolution: 'bundler' }],
  ])(
    'compiles a program without the types of Node, with %s, and runs it',
    async (_with, more) => {
      expect(readdirSync(join(project, 'node_modules'))).not.toContain('@types')
      const common = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: true, types: [] }
      const compilerOptions = { ...common, ...more, outDir: 'out' }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
      await tool('node_modules/typescript/bin/tsc')
      expect(await runProgram('out/program.js')).toEqual(OUTCOME)
    },
    180_000,
  )

  it('bundles it into one file, which runs where nothing is installed', async () => {
    const bundle = join(mkdtempSync(join(outside, 'bundle-')), 'program.mjs')
    await build({
      entryPoints: [join(project, 'program.ts')],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    })
    expect(await runProgram(bundle, dirname(bundle))).toEqual(OUTCOME)
  })

  it('has the command', async () => {
    const npx = (...args: string[]) => run('npx', ['--offline', '--no-install', 'placard-agent', ...args])
    expect(await npx('--help')).toContain('publish DESTINATION')
    expect((await npx('--version')).trim()).toBe(VERSION)
    expect(await npx('capabilities', '--service', service.url)).toContain('Categories (28)')
  })

  it('gets the same bytes from every build, and their hash from the page and the agent guide', async () => {
    await run(process.execPath, [join(root, 'client/pack.ts'), join(outside, 'again')])
    const listed: { name: string; integrity: string; sha256: string }[] = readJson(outside, 'again', 'files.json').files
    const [page, guide] = await Promise.all(['/client/', '/agent-guide.md'].map(textOf))
    expect(guide).toContain(`npx -y ${served} publish `)
    expect(guide).toContain(listed[0]?.integrity)
    for (const { name, integrity, sha256 } of listed) {
      const response = await fetch(new URL(name, served))
      // Archives are compressed already.
      expect(response.headers.get('content-encoding')).toBe(name.endsWith('.py') ? 'gzip' : null)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(bytes.equals(readFileSync(join(outside, 'again', name)))).toBe(true)
      expect(`sha512-${hash('sha512', bytes, 'base64')}`).toBe(integrity)
      expect(page).toContain(`href="/client/${name}"`)
      expect(page).toContain(integrity)
      expect(page).toContain(sha256)
    }
    const { url, status } = await fetch(`${service.url}/client`)
    expect([url, status]).toEqual([`${service.url}/client/`, 200])
    expect((await fetch(`${service.url}/client/files.json`)).status).toBe(404)
    expect(await attw(join(outside, 'again', 'placard-agent.tgz'))).toContain('node10')
  })

  it('runs what the service serves with npx, without a registry and without naming the service again', async () => {
    const npx = (...args: string[]) => run('npx', ['-y', served, ...args])
    expect((await npx('--version')).trim()).toBe(VERSION)
    const journal = ['--journal', join(outside, 'npx.jsonl')]
    const site = 'http://stranger-with-npx.com/'
    const said = await npx('publish', site, '--category', 'Games', '--user-approved', ...journal)
    expect(said).toContain(`Public page   ${service.url}/product/stranger-with-npx-com\n`)
    // What it names next can be run as it stands.
    const [, next = ''] = /^Next: (npx .*)$/m.exec(said) ?? []
    expect(next).toBe(`npx -y ${served} link ${site} ${journal.join(' ')}`)
    expect(await run('sh', ['-c', `${next} --show-secret-link`])).toContain('#owner=')
  })

  it('has the MCP server, with the licenses of what is packed into it', async () => {
    const client = new Client({ name: 'stranger', version: '1.0.0' })
    const args = ['-y', served, 'mcp', '--service', service.url, '--trust-model']
    await client.connect(new StdioClientTransport({ command: 'npx', args, env: environment, cwd: project }))
    const { structuredContent } = await client.callTool({ name: 'capabilities', arguments: {} })
    expect(structuredContent).toMatchObject({ version: '2026-09-06' })
    const site = { destination: 'http://stranger-with-mcp.com/', category: 'Games' }
    const asked = await client.callTool({ name: 'publish', arguments: site })
    expect(JSON.stringify(asked.content)).toMatch(/this address, and nobody else: http:\S+\/approve\/[\w-]{22} \./)
    const published = await client.callTool({ name: 'publish', arguments: { ...site, userApproved: true } })
    expect(JSON.stringify(published.content)).toMatch(/npx -y http:\S+\.tgz link http:\/\/stranger-with-mcp\.com\//)
    await client.close()
    const licenses = read(installed('placard-agent'), 'dist', 'mcp', 'sdk.licenses.txt')
    expect(licenses).toMatch(
      /@modelcontextprotocol\/server 2\.4\.0[\s\S]+Apache License[\s\S]+zod [\d.]+[\s\S]+MIT License/,
    )
  })
})
