import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyAndCertificate } from './certificates.ts'
import { freePort } from './free-port.ts'

/** The proxies whose configuration the docs show. */
export const PROXIES = ['nginx', 'caddy'] as const
export type ProxyName = (typeof PROXIES)[number]

/** The name that the configurations in the docs serve. */
export const PUBLIC_NAME = 'placard.example.org'

/** The load balancers whose configuration is in deploy/. */
export const BALANCERS = ['nginx', 'haproxy'] as const
export type Balancer = (typeof BALANCERS)[number]

export const isInstalled = (name: ProxyName | Balancer): boolean =>
  spawnSync(name, [name === 'caddy' ? 'version' : '-v']).error === undefined

/** The only block of this language in a page of docs/ that matches `about`. */
export function fromDocs(page: 'install' | 'operate' | 'scaling', language: string, about: RegExp): string {
  const docs = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
  const blocks = [...docs.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of, text]) => of === language && text?.match(about))
    .map(([, , text]) => text ?? '')
  if (blocks.length !== 1) throw new Error(`docs/${page}.md has ${blocks.length} blocks of ${about}, not one`)
  return blocks[0] as string
}

export interface RunningProxy {
  httpPort: number
  httpsPort: number
  /** What it has logged to standard error. */
  logged(): string
  stop(): Promise<void>
}

/** A test that fails half-way must not leave its proxy running. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

interface ProxyOptions {
  servicePort: number
  certificate: KeyAndCertificate
  /** Changes the docs' configuration before use. */
  change?: (configuration: string) => string
}

/** Starts a real proxy on loopback, as the docs configure it but for ports and files. @throws Error with its output */
export async function startProxy(
  name: ProxyName,
  { servicePort, certificate, change = text => text }: ProxyOptions,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `placard-${name}-`))
  const at = (file: string) => join(folder, file)
  writeFileSync(at('cert.pem'), certificate.cert)
  writeFileSync(at('key.pem'), certificate.key)
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const known = { folder, httpPort, httpsPort, servicePort }
  const configuration = (name === 'nginx' ? nginxFile : caddyFile)(
    change(fromDocs('install', name, name === 'nginx' ? /ssl_certificate/ : /proxy/)),
    known,
  )
  writeFileSync(at('configuration'), configuration)
  const child =
    name === 'nginx'
      ? spawn('nginx', ['-p', folder, '-c', at('configuration'), '-e', 'stderr'])
      : spawn('caddy', ['run', '--config', at('configuration'), '--adapter', 'caddyfile'], {
          env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let logged = ''
  child.stderr?.on('data', chunk => {
    logged += chunk
  })
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await listening(child, [httpPort, httpsPort])
  } catch (error) {
    await stop()
    throw new Error(`the proxy did not start:\n${logged}`, { cause: error })
  }
  return { httpPort, httpsPort, logged: () => logged, stop }
}

interface Known {
  folder: string
  httpPort: number
  httpsPort: number
  servicePort: number
}

function nginxFile(server: string, { folder, httpPort, httpsPort, servicePort }: Known): string {
  const placed = replaced(server, [
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ', `listen 127.0.0.1:${httpsPort} `],
    ['/etc/ssl/placard/fullchain.pem', `${folder}/cert.pem`],
    ['/etc/ssl/placard/privkey.pem', `${folder}/key.pem`],
    ['http://127.0.0.1:8080', `http://127.0.0.1:${servicePort}`],
  ])
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    each => `${each}_temp_path ${folder}/${each};`,
  )
  return `daemon off; master_process off; pid ${folder}/pid;
events {}
http { access_log off; ${folders.join(' ')}
${placed} }`
}

function caddyFile(site: string, { folder, httpPort, httpsPort, servicePort }: Known): string {
  const ports = `http_port ${httpPort}\n  https_port ${httpsPort}\n  default_bind 127.0.0.1`
  return replaced(site, [
    ['{\n  log {', `{\n  admin off\n  ${ports}\n  log {`],
    [`${PUBLIC_NAME} {`, `${PUBLIC_NAME} {\n  tls ${folder}/cert.pem ${folder}/key.pem`],
    ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
  ])
}

/** @throws Error if a part is missing from the docs */
function replaced(text: string, parts: [from: string, to: string][]): string {
  return parts.reduce((rest, [from, to]) => {
    if (!rest.includes(from)) throw new Error(`the configuration in docs/install.md has no "${from}"`)
    return rest.replaceAll(from, to)
  }, text)
}

async function listening(child: ChildProcess, ports: number[]): Promise<void> {
  while (child.exitCode === null) {
    if ((await Promise.all(ports.map(isOpen))).every(Boolean)) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error('it ended')
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
