import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const allowed: Record<string, RegExp> = {
  contract: /^(typebox|\.)/,
  client: /^(node:|@placard\/contract$|\.)/,
  server: /^(?!@placard\/client)/,
}

/** Every module a source file imports, and the file. */
const importsOf = (workspace: string) =>
  globSync(`${workspace}/src/**/*.{ts,tsx}`, { cwd: root }).flatMap(file =>
    [...readFileSync(root + file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(match => ({
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
