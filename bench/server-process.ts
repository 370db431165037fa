import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { watchOwnDelay } from './own-delay.ts'

/** A server under load, in its own process. */
export interface ServerProcess {
  url: string
  /** CPU time it has used so far, user and system, in microseconds. */
  cpuMicros(): Promise<number>
  /** What its event loop took from one turn to the next since the last question: the 99th percentile, in milliseconds. */
  delayP99Ms(): Promise<number>
  /** The same without waiting for a processor. Linux only. */
  ownDelayP99Ms(): Promise<number>
  /** Stops it in its tracks, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  stop(): Promise<void>
}

/** Starts one of the servers of this folder and waits until it listens. */
export async function startServer(
  name: 'bare' | 'bare-postgres' | 'placard' | 'reading' | 'sites',
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  const child = fork(new URL(`./${name}.ts`, import.meta.url), args, {
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [url] = (await once(child, 'message')) as [string]
  const ask = async (question: Question) => {
    child.send(question)
    const [answer] = (await once(child, 'message')) as [number]
    return answer
  }
  return {
    url,
    cpuMicros: () => ask('cpuMicros'),
    delayP99Ms: () => ask('delayP99Ms'),
    ownDelayP99Ms: () => ask('ownDelayP99Ms'),
    signal: signal => void child.kill(signal),
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** For the server: reports where it listens, then its CPU time and delays on request. */
export function answerQuestions(url: string): void {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  let ownP99Ms: ReturnType<typeof watchOwnDelay> | undefined
  const answers: Record<Question, () => number> = {
    cpuMicros() {
      const { user, system } = process.cpuUsage()
      return user + system
    },
    delayP99Ms() {
      // The first question starts it, since it wakes the process a thousand times a second.
      delays ??= monitorEventLoopDelay({ resolution: 1 })
      delays.enable()
      const p99Ms = delays.percentile(99) / 1e6
      delays.reset()
      return p99Ms
    },
    ownDelayP99Ms() {
      ownP99Ms ??= watchOwnDelay()
      return ownP99Ms()
    },
  }
  process.on('message', (question: Question) => process.send?.(answers[question]()))
  process.send?.(url)
}

type Question = 'cpuMicros' | 'delayP99Ms' | 'ownDelayP99Ms'
