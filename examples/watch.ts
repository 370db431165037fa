import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { type Config, configFrom } from '../server/dist/platform/config/config.js'
import { readEnv } from '../server/dist/platform/config/settings.js'
import { serveSampleSites } from './sample-sites.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What a running service consists of. Sources are compiled into the first three. */
const WATCHED = ['contract/dist', 'sandbox/dist', 'server/dist', 'sandbox/assets', 'server/assets']

/**
 * Runs the compiler and the service, both following changes, until it is told to end. The sample websites keep running.
 *
 * @throws Error in one line if a setting or the port cannot be used
 */
export async function dev(): Promise<void> {
  const stopped = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map(signal => once(process, signal)))
  const config = configFrom(readEnv())
  const port = await usablePort(config)
  const address = `http://${config.host}:${port}`
  const sites = await serveSampleSites()
  const watch = WATCHED.map(folder => `--watch-path=${folder}`)
  const children = [
    start(['node_modules/typescript/bin/tsc', '-b', '--watch', '--preserveWatchOutput']),
    start(['--watch-preserve-output', ...watch, 'server/dist/main.js'], {
      PAYMENTS: 'sandbox',
      PORT: String(port),
      STOP_DELAY: '0',
      FETCH_CONNECT_TO: sites.connectTo,
    }),
  ]
  const ended = children.map(child => once(child, 'close'))
  const ready = new AbortController()
  void untilReady(address, ready.signal).then(isReady => isReady && printAddresses(address))
  await Promise.race([stopped, ...ended])
  ready.abort()
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(ended)
  await sites.close()
}

/** In its own process group, so that Ctrl-C reaches only this process, which then ends the others once each. */
function start(args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
    detached: true,
  })
}

/** The port to listen on after every change; for 0, a free one. @throws Error if the port is taken */
async function usablePort({ host, port }: Config): Promise<number> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  const { port: usable } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return usable
}

/** @returns false if aborted */
async function untilReady(address: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const answer = await fetch(`${address}/readyz`).catch(() => undefined)
    if (answer?.ok) return true
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return false
}

function printAddresses(address: string): void {
  const publish = 'npx --no-install placard-agent publish http://juniper-lane-bakery.com/'
  const row = (name: string, text: string) => `  ${styleText('bold', name.padEnd(8))} ${text}`
  console.log(
    [
      row('Open', `${address}/`),
      row('Publish', `${publish} --category "Food & Drink" --user-approved --service ${address}`),
      row('As well', 'http://knotwork-tools.dev/ and http://tidepool-journal.org/. Ctrl-C ends it all.'),
    ].join('\n'),
  )
}
