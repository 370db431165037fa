import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LockFile {
  packages: Record<string, { optionalDependencies?: Record<string, string>; gypfile?: boolean }>
}

// npm leaves out packages that its registry lacks at that moment, and `npm ci` elsewhere then refuses the whole file.
it.each(['', 'test/tools'])('the lock file of ./%s names the optional packages of every platform', folder => {
  const lock = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as LockFile
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      name => !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`],
    ),
  )
  expect(missing).toEqual([])
})

// Without it, `npm ci` of npm 10 and 11 compiles what the package already contains, or fails without Python. It takes
// `gypfile` from the lock file only, and `npm install` removes it there: put it back.
it('npm ci compiles nothing: packages with a binding.gyp have "gypfile": false in the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile
  const native = Object.keys(packages).filter(path => existsSync(join(root, path, 'binding.gyp')))
  expect(native).toContain('node_modules/better-sqlite3')
  expect(native.filter(path => packages[path]?.gypfile !== false)).toEqual([])
})

// A large tool that few tests need belongs into test/tools, so that contributors do not wait for it.
it('npm ci installs at most 800 MB', () => {
  const modules = join(root, 'node_modules')
  // Folders such as `.vitest-cache` grow with every run.
  const installed = readdirSync(modules).filter(name => !name.startsWith('.'))
  const sizes = execFileSync('du', ['-sck', ...installed], { cwd: modules, encoding: 'utf8' })
  const megabytes = Number.parseInt(sizes.trim().split('\n').at(-1) ?? '', 10) / 1024
  expect(megabytes).toBeGreaterThan(100)
  expect(megabytes).toBeLessThanOrEqual(800)
})
