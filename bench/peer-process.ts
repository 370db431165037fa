import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const INSTALL_MS = 15 * 60_000
export const START_MS = 120_000
const END_MS = 10_000

/** Installs packages into a folder of their own. */
export async function install(place: string, wanted: object): Promise<void> {
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, ...wanted }))
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  await runToEnd('npm', args, { cwd: place, env: { ...process.env, JOBS: 'max' }, timeout: INSTALL_MS })
}

/** Runs a command to its end. @throws Error with what it said, if it fails or takes longer than `timeout` milliseconds */
export async function runToEnd(
  command: string,
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; timeout: number },
): Promise<void> {
  const env = { PATH: process.env.PATH, ...options.env } as NodeJS.ProcessEnv
  const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0)
    throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed: ${said.trim().slice(0, 200)}`)
}

/** Starts a server with this Node, and asks until it answers. */
export async function startNode(
  args: string[],
  env: object,
  address: string,
): Promise<{ pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv,
    stdio: 'ignore',
  })
  const givesUpAt = performance.now() + START_MS
  for (;;) {
    if (await answers(address)) return { pid: child.pid ?? 0, stop: () => end(child) }
    if (child.exitCode !== null || performance.now() > givesUpAt) {
      await end(child)
      throw new Error(`${args[0]} did not start`)
    }
    await sleep(10)
  }
}

const answers = (address: string) =>
  fetch(address, { signal: AbortSignal.timeout(START_MS) }).then(
    async response => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await ended
  clearTimeout(patience)
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
