import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { needs } from './tags.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface ServiceProcess {
  url: string
  child: ChildProcess
  /** Everything it printed so far, on both streams. */
  output(): string
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
  /** Ends it with a signal. @returns the exit code, or the signal that ended it */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** A test that fails half-way must not leave its service running. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const INHERITED = { PATH: process.env.PATH, PLACARD_DRAWS_AHEAD: 'no' }
/** What is built keeps its compiled code next to it. Elsewhere, a start that compiles takes three times as long. */
const COMPILED = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/** Runs an entry point of the project with its own environment. */
export function run(
  entry: string,
  args: string[],
  env: Record<string, string | undefined>,
  {
    nodeArgs = [],
    stdout = 'pipe',
    node = process.execPath,
  }: { nodeArgs?: string[]; stdout?: 'pipe' | number; node?: string } = {},
) {
  needs('programs')
  const child = spawn(node, [...nodeArgs, entry, ...args], {
    cwd: root,
    env: {
      ...INHERITED,
      TMPDIR: process.env.TMPDIR,
      ...(entry.endsWith('.ts') && COMPILED),
      // A start checks its port first, and another test may use the default.
      ...(entry.endsWith('main.js') && { PORT: '0' }),
      ...env,
    } as NodeJS.ProcessEnv,
    stdio: ['ignore', stdout, 'pipe'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  let output = ''
  child.stdout?.on('data', chunk => {
    output += chunk
  })
  child.stderr?.on('data', chunk => {
    output += chunk
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, output: () => output, ended: ended.then(([code, signal]) => code ?? signal) }
}

/** The programs of most tests live too briefly for optimised code to pay: compiling it takes an eighth of a start. */
export const NO_OPTIMISED_CODE = ['--no-opt', '--no-maglev']

/**
 * Starts the built service as its own process and waits until it is ready.
 *
 * @param nodeArgs none where it has much to do
 * @param node the program that runs it
 * @throws Error with its output
 */
export async function startProcess(
  env: Record<string, string | undefined>,
  nodeArgs: string[] = NO_OPTIMISED_CODE,
  node?: string,
): Promise<ServiceProcess> {
  const settings = { PORT: '0', STOP_DELAY: '0', ...env }
  const { child, output, ended } = run('server/bundled/main.js', [], settings, { nodeArgs, ...(node && { node }) })
  const ready = new Promise<string>(resolve => {
    child.stdout?.on('data', () => {
      const port = /"port":(\d+),"engine"/.exec(output())?.[1]
      if (port) resolve(port)
    })
  })
  const port = await Promise.race([ready, ended.then(() => undefined)])
  if (port === undefined) throw new Error(`the service did not start:\n${output()}`)
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output,
    ended,
    end(signal) {
      child.kill(signal)
      return ended
    },
  }
}

/** The processes of a service that run a script, such as `parse-pages`. */
export const processesOf = (parent: number | undefined, script: string): number[] =>
  execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(([, ppid, ...args]) => Number(ppid) === parent && args.some(arg => arg.includes(script)))
    .map(([pid]) => Number(pid))

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
