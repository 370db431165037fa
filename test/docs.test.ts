import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ERRORS, REVIEW_REASONS } from '@placard/contract'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../docs/pages.ts'
import { SETTINGS } from '../server/src/platform/config/settings.ts'
import { newestSchema } from '../server/src/platform/db/migrate.ts'

/** Every page of the project, by its path. */
const MARKDOWN = globSync('**/*.md', {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  exclude: path => /(^|\/)(node_modules|dist|coverage|data)$/.test(path),
})
/** Every source file, by its path: a page may name one by the end of it. */
const SOURCES = globSync('**/*.{ts,tsx,js,mjs,conf}', {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  exclude: path => /(^|\/)(node_modules|dist|coverage|data)$/.test(path),
})
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
/** The anchors of a page's headings, as GitHub makes them. */
const headingsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
const firstCells = (markdown: string, column: number) =>
  [...markdown.matchAll(/^\|(.+)\|$/gm)]
    .map(match => match[1]?.split('|')[column]?.trim() ?? '')
    .filter(cell => cell.startsWith('`'))
    .map(cell => cell.replaceAll('`', ''))

describe('the docs', () => {
  it.each(Object.keys(PAGES))('%s is what `npm run docs` writes', name => {
    expect(read(`docs/${name}`)).toBe(PAGES[name])
  })

  it('name every error code, every review reason and every setting, and no others', () => {
    const [codes, reasons] = read('docs/errors.md').split('## Reasons')
    expect(firstCells(codes ?? '', 1)).toEqual(Object.keys(ERRORS))
    expect(firstCells(reasons ?? '', 0)).toEqual(Object.keys(REVIEW_REASONS))
    expect(firstCells(read('docs/settings.md'), 0).sort()).toEqual(Object.keys(SETTINGS).sort())
  })

  it.each(MARKDOWN)('%s names only npm scripts that exist', file => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(match => match[1] ?? '')
    expect(named.filter(script => !(script in scripts))).toEqual([])
  })

  it("name the operator's command as in the package, and messages as it is typed where they appear", () => {
    const inClone = /npm run placard --/
    const docs = MARKDOWN.filter(file => file.startsWith('docs/') && file !== 'docs/install.md')
    expect(docs.filter(file => inClone.test(read(file)))).toEqual([])
    // Messages take it from COMMAND, in this file.
    const code = SOURCES.filter(file => file.startsWith('server/src/') && inClone.test(read(file)))
    expect(code).toEqual(['server/src/platform/lib/package.ts'])
  })

  it.each(MARKDOWN)('%s leads only to files and headings that exist', file => {
    const links = [...read(file).matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)/g)].map(match => match[1] ?? '')
    const broken = links.filter(link => {
      const [path = '', heading] = link.split('#')
      const target = path === '' ? file : join(dirname(file), path)
      if (!existsSync(new URL(`../${target}`, import.meta.url))) return true
      return heading !== undefined && !headingsOf(read(target)).includes(heading)
    })
    expect(broken).toEqual([])
  })

  it.each(MARKDOWN)('%s names only source files that exist', file => {
    const paths = /`((?:[\w./-]+\.(?:tsx?|mjs|conf))|(?:[\w.-]+\/[\w./-]+\.js))`/g
    const named = [...read(file).matchAll(paths)].map(match => match[1] ?? '')
    expect(named.filter(path => !SOURCES.some(source => `/${source}`.endsWith(`/${path}`)))).toEqual([])
  })

  it('name the schema of every release in the changelog, and that of the code under Unreleased', () => {
    const [, ...releases] = read('CHANGELOG.md').split(/^## /m)
    const schemas = releases.map(each => /^### Upgrading\n\nSchema: (\d{4})$/m.exec(each)?.[1])
    expect(schemas).toEqual(
      schemas
        .map(each => each ?? 'a schema')
        .sort()
        .reverse(),
    )
    expect(schemas[0]).toBe(newestSchema())
  })

  it('draw every folder of the server in ARCHITECTURE.md, and no other', () => {
    const [, plan = ''] = /^server\/src\/\n(.*?)^```/ms.exec(read('ARCHITECTURE.md')) ?? []
    let storey = ''
    const drawn = [...plan.matchAll(/^( +)([\w/-]+)\/ /gm)].flatMap(([, indent, folder = '']) => {
      if (indent?.length === 4) return [`${storey}/${folder}`]
      storey = folder
      return folder === 'web' ? [folder] : []
    })
    const folders = SOURCES.map(path => /^server\/src\/(.+)\/[^/]+$/.exec(path)?.[1]).filter(
      folder => folder !== undefined,
    )

    expect(drawn.sort()).toEqual([...new Set(folders)].sort())
  })

  it('have a list of decisions that names each of them once', () => {
    const pages = MARKDOWN.filter(file => file.startsWith('docs/decisions/') && !file.endsWith('/README.md'))
    const listed = [...read('docs/decisions/README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)]
    expect(listed.map(([, , page]) => `docs/decisions/${page}`).sort()).toEqual(pages.sort())
    for (const [, title, page] of listed) {
      expect([page, read(`docs/decisions/${page}`).split('\n')[0]]).toEqual([page, `# ${title}`])
    }
  })
})
