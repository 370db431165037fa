import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const allowed: Record<string, RegExp> = {
  contract: /^(typebox|\.)/,
  client: /^(node:|@placard\/contract\/plain$|@modelcontextprotocol\/server(\/stdio)?$|\.)/,
  sandbox: /^(node:|fastify$|stripe$|better-sqlite3$|preact|\.)/,
  server: /^(?!placard-agent)/,
}

/** Every module a source file imports, and the file. */
const importsOf = (workspace: string) =>
  globSync(`${workspace}/src/**/*.{ts,tsx}`, { cwd: root }).flatMap(file =>
    [...readFileSync(root + file, 'utf8').matchAll(/(?<!')(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
      match => ({
        file,
        module: match[1] ?? '',
      }),
    ),
  )

describe('the direction of imports', () => {
  it.each(Object.entries(allowed))('%s imports only what it may', (workspace, may) => {
    const imports = importsOf(workspace)
    expect(imports.length).toBeGreaterThan(5)
    expect(imports.filter(({ module }) => !may.test(module))).toEqual([])
    // No workspace reaches into another's folder past its package.
    const depth = ({ file, module }: { file: string; module: string }) =>
      module.split('/').filter(part => part === '..').length - (file.split('/').length - 2)
    expect(imports.filter(each => depth(each) > 0)).toEqual([])
  })
})

it('only what starts the sandbox knows of it', () => {
  const knowing = importsOf('server').filter(({ module }) => module.startsWith('@placard/sandbox'))
  expect(knowing).toEqual([{ file: 'server/src/start-sandbox.ts', module: '@placard/sandbox' }])
})

it('only what is packed into one file at the build imports MCP’s library in the client', () => {
  const files = importsOf('client').filter(({ module }) => module.startsWith('@modelcontextprotocol/'))
  expect(new Set(files.map(({ file }) => file))).toEqual(new Set(['client/src/mcp/sdk.ts']))
})

/**
 * The rooms of the server, from the ground up. Each may import only the rooms before it, so no room imports one that
 * imports it back, at any distance. Rooms before `web` know nothing about pages.
 */
const ROOMS = [
  ...[
    'site',
    'storage',
    'log',
    'decisions',
    'warnings',
    'allowances',
    'edge',
    'http',
    'destinations',
    'reading',
    'review',
    'review/online',
    'fetcher',
    'art',
    'pictures',
    'search',
  ],
  ...[
    'listings',
    'keys',
    'boards',
    'payments',
    'moderation',
    'ownership',
    'notices',
    'continuity',
    'publishing',
    'appeals',
    'telling',
    'checkout',
    'console',
    'retention',
    'jobs',
    'moving',
    'metrics',
    'announce',
    'mcp',
    'doctor',
    'commands',
  ],
  ...[
    'web/site',
    'web/ui',
    'web/decisions',
    'web/boards',
    'web/directory',
    'web/listing',
    'web/private-page',
    'web/start',
    'web/checkout',
    'web/texts',
    'web/transparency',
    'web/console',
  ],
  'web',
  'processes',
]
/** Small modules outside all rooms, which every room may use. */
const EVERYWHERE =
  /^(apart|config|files|remembered|repeated|secret|slots|time|uuid|version|metrics\/measured|settings\/[a-z-]+)\.ts$/
/** Modules that put the rooms together are in none of them, and may use all. So may the settings, to parse values. */
const NO_ROOM = ''

const folderOf = (path: string) => posix.dirname(`./${path}`).replace(/^\.\/?/, '')
/** Migrations are part of storage, and its tables of retention. */
const roomOf = (path: string) =>
  folderOf(path)
    .replace(/^(storage|retention)\/.*/, '$1')
    .replace(/^settings$/, NO_ROOM)

describe('the rooms of the server', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: `${root}server/src` })
  const imports = importsOf('server')
    .filter(({ module }) => module.startsWith('.'))
    .map(({ file, module }) => {
      const from = posix.relative('server/src', file)
      return { from, to: posix.join(posix.dirname(from), module) }
    })

  it('are all named', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set([NO_ROOM, ...ROOMS]))
  })

  it('import only rooms below them', () => {
    const isAllowed = ({ from, to }: { from: string; to: string }) => {
      const [importing, imported] = [roomOf(from), roomOf(to)]
      if (importing === NO_ROOM || EVERYWHERE.test(to)) return true
      return imported !== NO_ROOM && ROOMS.indexOf(imported) <= ROOMS.indexOf(importing)
    }
    expect(imports.length).toBeGreaterThan(100)
    expect(imports.filter(each => !isAllowed(each))).toEqual([])
  })

  it('hold no more than twenty files each', () => {
    const counts = Object.entries(Object.groupBy(files, folderOf)).map(([room, all]) => ({
      room,
      files: all?.length ?? 0,
    }))
    expect(counts.filter(each => each.files > 20)).toEqual([])
  })
})
