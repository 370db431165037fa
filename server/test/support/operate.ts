import { format } from 'node:util'
import { vi } from 'vitest'
import { type Env, SETTINGS } from '../../src/platform/config/settings.ts'
import { NO_OPTIMISED_CODE, run } from './process.ts'

export interface Operated {
  code: number | NodeJS.Signals
  /** Everything it printed, on both streams. */
  output: string
}

/** Runs the operator's command as an operator would: in its own process, with the service's settings. */
export async function operate(env: Env, ...args: string[]): Promise<Operated> {
  const { output, ended } = run('server/bundled/placard.js', args, env, { nodeArgs: NO_OPTIMISED_CODE })
  return { code: (await ended) ?? 0, output: output() }
}

const OPERATOR = new URL('../../src/ops/cli/cli.ts', import.meta.url).pathname

let runs = 0
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs the same file in this process, which takes milliseconds, for tests of what a command does. Other tests run it as
 * a process. Commands run one after another.
 */
export function operateHere(env: Env, ...args: string[]): Promise<Operated> {
  const operated = last.then(() => runHere(env, args))
  last = operated.catch(() => {})
  return operated
}

async function runHere(env: Env, args: string[]): Promise<Operated> {
  const before = { argv: process.argv, exitCode: process.exitCode }
  let output = ''
  const print = (...words: unknown[]) => {
    output += `${format(...words)}\n`
  }
  const printers = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')]
  for (const printer of printers) printer.mockImplementation(print)
  for (const name of Object.keys(SETTINGS)) vi.stubEnv(name, env[name as keyof Env])
  process.argv = ['node', 'operator.js', ...args]
  process.exitCode = 0
  try {
    await import(/* @vite-ignore */ `${OPERATOR}?run=${++runs}`)
    return { code: Number(process.exitCode), output }
  } finally {
    for (const printer of printers) printer.mockRestore()
    vi.unstubAllEnvs()
    Object.assign(process, before)
  }
}
