import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface LockFile {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>
}

// npm leaves out packages that its registry lacks at that moment, and `npm ci` elsewhere then refuses the whole file.
it('the lock file names the optional packages of every platform', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as LockFile
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      name => !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`],
    ),
  )
  expect(missing).toEqual([])
})
