import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { WIDE_ENV } from './requests.ts'

/** A server in a process of its own. */
export interface Program {
  url: string
  pid: number
  /** CPU time that it and all processes it started have used so far, in microseconds. Linux only. */
  cpuMicros(): number
  /** The memory of its first process. Linux only. */
  megabytes(): number
  stop(): Promise<void>
  /** Ends it at once, with SIGKILL. */
  kill(): Promise<void>
}

export type Env = Record<string, string>

const ROOT = new URL('..', import.meta.url)
/** What `npm start` runs, and its options. */
const { start: START } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).scripts

/** Starts the service as an operator does, with limits that no load reaches. */
export const startPlacard = (env: Env) => start(START.split(' ').slice(1), { ...WIDE_ENV, STOP_DELAY: '0', ...env })

/** Starts one of the servers of this folder. */
export const startHelper = (name: 'bare-reader' | 'baseline' | 'slow-sites' | 'stub-fetch', env: Env) =>
  start([`bench/${name}.ts`], env)

/** A benchmark that fails half-way must not leave a program running. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

async function start(args: string[], env: Env): Promise<Program> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  running.add(child)
  child.once('exit', () => running.delete(child))
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return {
    url: `http://127.0.0.1:${await portOf(child)}`,
    pid,
    cpuMicros: () => cpuMicrosOf(pid),
    megabytes: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** Reads the log to its end: a service that cannot write it would wait for that when it stops. */
function portOf({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout as Readable })
    lines.on('line', line => {
      const [, port] = /"port":(\d+),"engine"/.exec(line) ?? []
      if (port) resolve(port)
    })
    lines.once('close', () => reject(new Error('the service did not start')))
  })
}

/** Of all threads of a process, and of the processes that they started. */
function cpuMicrosOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const read = (name: string) => readFileSync(`/proc/${pid}/task/${thread}/${name}`, 'utf8').trim().split(' ')
      const children = read('children').reduce((all, child) => all + cpuMicrosOf(Number(child)), 0)
      return sum + Number(read('schedstat')[0]) / 1000 + children
    }, 0)
  } catch {
    // It ended since.
    return 0
  }
}
