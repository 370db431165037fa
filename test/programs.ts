import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const execute = promisify(execFile)

/** What no program may print: a private link, and a submission's secret. */
export const PRIVATE = /#owner=|[0-9a-f]{64}/i

/**
 * Whether these programs, which no npm package brings, are installed. If not, says which tests are left out.
 * @throws Error in CI, where they have to be
 */
export function areInstalled(...names: string[]): boolean {
  const missing = names.filter(name => spawnSync(name, ['--version']).error !== undefined)
  if (missing.length === 0) return true
  const words = `${missing.join(' and ')} not found: the tests that run ${names.join(' and ')} `
  if (process.env.CI) throw new Error(`${words}cannot be left out in CI`)
  console.warn(`${words}are skipped`)
  return false
}

export interface Workplace {
  /** Runs a program there. @returns what it printed and its exit code */
  run(program: string, args: string[], env?: Record<string, string>): Promise<Ran>
  path(name: string): string
  read(name: string): string
  /** The permissions of a file, such as `600`. */
  mode(name: string): string
  remove(): void
}

interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** An empty folder as a stranger has it, where the packages of this project are installed. */
export function workplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'placard-workplace-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const path = (name: string) => join(folder, name)
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  return {
    path,
    read: name => readFileSync(path(name), 'utf8'),
    mode: name => (statSync(path(name)).mode & 0o777).toString(8),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    async run(program, args, env = {}) {
      const { NODE_COMPILE_CACHE } = process.env
      const options = { cwd: folder, env: { PATH, HOME: folder, NO_COLOR: '1', NODE_COMPILE_CACHE, ...env } }
      try {
        return { code: 0, ...(await execute(program, args, options)) }
      } catch (error) {
        const { code, stdout = '', stderr = String(error) } = error as Ran
        return { code, stdout, stderr }
      }
    },
  }
}
