import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const FOLDER = new URL('../../assets/styles/', import.meta.url)

/** Set the whole site, or only how it is printed: they may style any class. */
const GENERAL = ['base.css', 'tokens.css', 'media.css']

/** Parts of many pages, which other sheets refine. */
const SHARED = ['btn', 'err', 'field', 'on-green', 'rail', 'sheet']

/** The classes that rules of a sheet begin with, such as `steps` in `.steps li`. */
function classesOf(sheet: string): Set<string> {
  const css = readFileSync(new URL(sheet, FOLDER), 'utf8')
  const selectors = css
    .replaceAll(/\/\*[^*]*\*\//g, '')
    .replaceAll(/\([^()]*\)/g, '')
    .split(/[{}]/)
    .flatMap(part => part.split(','))
    .map(part => part.trim())
  return new Set(selectors.flatMap(selector => /^\.([\w-]+)/.exec(selector)?.[1] ?? []))
}

test('no two style sheets mean different things by the same class', () => {
  const sheetsByClass = new Map<string, string[]>()
  for (const sheet of readdirSync(FOLDER).filter(name => !GENERAL.includes(name))) {
    for (const name of classesOf(sheet)) sheetsByClass.set(name, [...(sheetsByClass.get(name) ?? []), sheet])
  }
  const twice = [...sheetsByClass].filter(([, sheets]) => sheets.length > 1).map(([name]) => name)
  expect(twice.sort()).toEqual(SHARED)
})
