import { readFileSync } from 'node:fs'
import { ERRORS, REVIEW_REASONS } from '@placard/contract'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../docs/pages.ts'
import { SETTINGS } from '../server/src/settings.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
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
    expect(firstCells(read('docs/settings.md'), 0)).toEqual(Object.keys(SETTINGS))
  })

  it('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    for (const file of [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'docs/operating.md',
      'docs/payments.md',
    ]) {
      for (const [, script = ''] of read(file).matchAll(/npm run ([\w:-]+)/g)) {
        expect([file, script, script in scripts]).toEqual([file, script, true])
      }
    }
  })

  it('lead only to files that exist', () => {
    for (const file of [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'docs/operating.md',
      'docs/payments.md',
    ]) {
      const folder = file.includes('/') ? `${file.split('/')[0]}/` : ''
      for (const [, target = ''] of read(file).matchAll(/\]\(((?!https?:|#)[^)#]+)/g)) {
        expect(() => read(folder + target), `${file} leads to ${target}`).not.toThrow()
      }
    }
  })
})
