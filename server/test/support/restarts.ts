import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import type { Balancer } from './proxies.ts'

/** A service that can be stopped and started again on the same port. */
interface Restarted {
  port: number
  restart(): Promise<void>
}

/** Clients that post all the time, each over its own connection to the load balancer. */
const CLIENTS = 8
/** Without a pause, they and the instances take a sixth more CPU. */
const PAUSE_MS = 5

/**
 * Restarts two instances in turn behind a load balancer, as deploy/ configures it, while clients post. Requests that
 * change something are sent to no second instance, so each that meets a closing connection is a 502.
 *
 * @returns how often each status was answered
 */
export async function restartBehind(
  balancer: Balancer,
  instances: readonly [Restarted, Restarted],
  restarts: number,
  post: { path: string; body: string },
): Promise<Record<number, number>> {
  const folder = mkdtempSync(join(tmpdir(), `placard-${balancer}-`))
  const port = await freePort()
  const file = join(folder, 'configuration')
  writeFileSync(file, CONFIGURATIONS[balancer](folder, port, instances))
  const child =
    balancer === 'nginx'
      ? spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'])
      : spawn('haproxy', ['-db', '-f', file])
  const agent = new Agent({ keepAlive: true })
  const statuses: Record<number, number> = {}
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const status = await send(agent, port, post)
      statuses[status] = (statuses[status] ?? 0) + 1
      await sleep(PAUSE_MS)
    }
  }
  try {
    await listening(child, port)
    const clients = Array.from({ length: CLIENTS }, client)
    for (let nth = 0; nth < restarts; nth++) await instances[nth % 2 === 0 ? 0 : 1].restart()
    isOver = true
    await Promise.all(clients)
    return statuses
  } finally {
    isOver = true
    agent.destroy()
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file of deploy/, with the ports of the instances. @throws Error if it names another number of instances */
function deployed(file: string, instances: readonly Restarted[]): string {
  let nth = 0
  const text = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8')
  const placed = text.replace(/127\.0\.0\.1:808\d/g, () => `127.0.0.1:${instances[nth++]?.port}`)
  if (nth !== instances.length) throw new Error(`deploy/${file} has another number of instances`)
  return placed
}

type Configure = (folder: string, port: number, instances: readonly Restarted[]) => string

const CONFIGURATIONS: Record<Balancer, Configure> = { nginx: nginxFile, haproxy: haproxyFile }

/** Without TLS, and with checks that suit the shorter STOP_DELAY of tests. */
function haproxyFile(_folder: string, port: number, instances: readonly Restarted[]): string {
  const text = deployed('haproxy/haproxy.cfg', instances)
  const placed = text
    .replace('  bind :80\n', `  bind 127.0.0.1:${port}\n`)
    .replace(/ {2}bind :443 .*\n {2}http-request redirect .*\n/, '')
    .replace('inter 1s', 'inter 200ms')
  if (placed.includes(' :') || !placed.includes('200ms')) throw new Error('deploy/haproxy/haproxy.cfg has other lines')
  return placed
}

function nginxFile(folder: string, port: number, instances: readonly Restarted[]): string {
  const upstream = deployed('nginx/upstream.conf', instances).concat(`server { listen 127.0.0.1:${port}; location / {
      proxy_set_header Connection ""; proxy_http_version 1.1; proxy_set_header Host $host:$server_port;
      proxy_pass http://placard; } }`)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    each => `${each}_temp_path ${folder}/${each};`,
  )
  return `daemon off; master_process off; pid ${folder}/pid; events {}
http { access_log off; ${folders.join(' ')} ${upstream} }`
}

/** @returns the status; 0 if there was no answer */
const send = (agent: Agent, port: number, { path, body }: { path: string; body: string }): Promise<number> =>
  new Promise(resolve => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', () => resolve(0))
      .end(body)
  })

async function listening(child: ChildProcess, port: number): Promise<void> {
  let output = ''
  child.stderr?.on('data', chunk => {
    output += chunk
  })
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`the load balancer did not start:\n${output}`)
}
