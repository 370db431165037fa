import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The service as an operator starts it, with all of its processes. */
export interface WholeService {
  url: string
  /** Of its first process. */
  pid: number
  /** CPU time that all its processes have used so far, in microseconds. Linux only, to a hundredth of a second. */
  cpuMicros(): number
  /** The memory that its first process holds now. Linux only. */
  megabytes(): number
  stop(): Promise<void>
  /** Ends it at once, with SIGKILL. */
  kill(): Promise<void>
}

const ROOT = new URL('..', import.meta.url)
/** What `npm start` runs, and its options. */
const { start: START } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).scripts

export async function startWhole(env: NodeJS.ProcessEnv): Promise<WholeService> {
  const child = spawn(process.execPath, START.split(' ').slice(1), {
    cwd: ROOT,
    env: { PATH: process.env.PATH, STOP_DELAY: '0', ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await follow(child)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    cpuMicros: () => familyOf(child.pid ?? 0).reduce((sum, { ticks }) => sum + ticks, 0) * 10_000,
    megabytes: () => residentKilobytes(child.pid ?? 0) / 1024,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** Reads the log to its end: a service that cannot write it would wait for that when it stops. */
function follow({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let isStarted = false
    const lines = createInterface({ input: stdout as Readable })
    lines.on('line', line => {
      if (isStarted) return
      const port = /"port":(\d+),"engine"/.exec(line)?.[1]
      isStarted = port !== undefined
      if (port) resolve(port)
    })
    lines.once('close', () => reject(new Error('the service did not start')))
  })
}

/** The memory that a process and all that it started hold now, in MB; what two share counts twice. Linux only. */
export const megabytesOfFamily = (pid: number): number =>
  familyOf(pid).reduce((sum, each) => sum + residentKilobytes(each.pid), 0) / 1024

const residentKilobytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

interface Process {
  pid: number
  parent: number
  /** Hundredths of a second. */
  ticks: number
}

/** A process and all that it started. */
function familyOf(pid: number): Process[] {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? statOf(Number(name)) : []))
  const grow = (family: Process[]): Process[] => {
    const pids = new Set(family.map(each => each.pid))
    const more = all.filter(each => !pids.has(each.pid) && pids.has(each.parent))
    return more.length === 0 ? family : grow([...family, ...more])
  }
  return grow(all.filter(each => each.pid === pid))
}

function statOf(pid: number): Process[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [{ pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
  } catch {
    return []
  }
}
