import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const allowed: Record<string, RegExp> = {
  contract: /^(typebox|node:(crypto|zlib)$|\.)/,
  client: /^(node:|@placard\/contract\/(plain|log)$|@modelcontextprotocol\/server(\/stdio)?$|\.)/,
  sandbox: /^(node:|fastify$|stripe$|better-sqlite3$|preact|\.)/,
  server: /^(?!placard-agent)/,
}

/** Every module a source file imports, and the file. */
const importsOf = (workspace: string) =>
  globSync(`${workspace}/src/**/*.{ts,tsx}`, { cwd: root }).flatMap(file =>
    [...readFileSync(root + file, 'utf8').matchAll(/(?<!['.])(?:from|import)\s*\(?\s*'([^']+)'/g)].map(match => ({
      file,
      module: match[1] ?? '',
    })),
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
  expect(knowing).toEqual([{ file: 'server/src/sandbox.ts', module: '@placard/sandbox' }])
})

it('only what is packed into one file at the build imports MCP’s library in the client', () => {
  const files = importsOf('client').filter(({ module }) => module.startsWith('@modelcontextprotocol/'))
  expect(new Set(files.map(({ file }) => file))).toEqual(new Set(['client/src/mcp/sdk.ts']))
})

/**
 * The folders of the server, from the ground up. A module imports modules of its own folder and of the folders before
 * it, types included, so no folder imports one that imports it back, at any distance.
 */
const FOLDERS = [
  ...['platform/lib', 'platform/config', 'platform/db/tables', 'platform/db/migrations', 'platform/db'],
  ...['platform/cdn', 'platform/http', 'platform/http/rate-limits'],

  ...['domain/destinations', 'domain/decisions', 'domain/log'],
  ...['domain/review', 'domain/review/page-parser', 'domain/review/fetcher', 'domain/review/reviewers'],
  ...['domain/search', 'domain/pictures/posters', 'domain/pictures', 'domain/listings', 'domain/boards'],
  ...['domain/ownership/service-keys', 'domain/ownership'],
  ...['domain/notifications/operator', 'domain/notifications/owner', 'domain/payments', 'domain/publishing'],
  ...['domain/moderation', 'domain/moderation/appeals', 'domain/moderation/console'],
  ...['domain/featured', 'domain/recheck', 'domain/checkout'],

  ...['agents/discovery', 'agents/mcp'],

  ...[
    'web/ui',
    'web/boards',
    'web/featured',
    'web/browse',
    'web/home',
    'web/search',
    'web/listing',
    'web/list',
    'web/own',
    'web/checkout',
  ],
  ...['web/promote', 'web/manage', 'web/console', 'web/texts', 'web/proof', 'web'],

  ...['ops/jobs', 'ops/backup', 'ops/processes', 'ops/doctor', 'ops/metrics', 'ops/cli'],
  // The entry points, and the wiring.
  '',
]

const folderOf = (path: string) => posix.dirname(path).replace(/^\.$/, '')

describe('the folders of the server', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: `${root}server/src` })
  const imports = importsOf('server')
    .filter(({ module }) => module.startsWith('.'))
    .map(({ file, module }) => {
      const from = posix.relative('server/src', file)
      return { from, to: posix.join(posix.dirname(from), module) }
    })

  it('are all named', () => {
    expect(new Set(files.map(folderOf))).toEqual(new Set(FOLDERS))
  })

  it('import only folders before them', () => {
    const isAllowed = ({ from, to }: { from: string; to: string }) =>
      FOLDERS.indexOf(folderOf(to)) <= FOLDERS.indexOf(folderOf(from))
    expect(imports.length).toBeGreaterThan(100)
    expect(imports.filter(each => !isAllowed(each))).toEqual([])
  })

  it('hold no circle of files', () => {
    const importedBy = Map.groupBy(imports, ({ from }) => from)
    const circles: string[] = []
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      if (path.includes(file) || done.has(file)) return
      for (const { to } of importedBy.get(file) ?? []) visit(to, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(circles).toEqual([])
  })

  it.each(['start.ts', 'app.ts', 'web/routes.ts'])('are put together from few parts in %s', file => {
    expect(imports.some(({ from }) => from === file)).toBe(true)
    expect(importsOf('server').filter(each => each.file === `server/src/${file}`).length).toBeLessThanOrEqual(25)
  })

  it('keep pages and agent texts out of background work', () => {
    const isOutside = ({ from, to }: { from: string; to: string }) =>
      from.startsWith('ops/') && /^(agents|web)\//.test(to)
    expect(imports.filter(isOutside)).toEqual([])
  })
})
