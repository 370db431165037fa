import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server under load, in its own process. */
export interface ServerProcess {
  url: string
  /** CPU time it has used so far, user and system, in microseconds. */
  cpuMicros(): Promise<number>
  stop(): Promise<void>
}

/** Starts one of the servers of this folder and waits until it listens. */
export async function startServer(
  name: 'bare' | 'placard' | 'reading' | 'sites',
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  const child = fork(new URL(`./${name}.ts`, import.meta.url), args, {
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    async cpuMicros() {
      child.send('cpu')
      const [micros] = (await once(child, 'message')) as [number]
      return micros
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** For the server: reports where it listens, then its CPU time on request. */
export function answerCpuQuestions(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  process.send?.(url)
}
