import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { QUOTE_PATH } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Env } from '../../../src/platform/config/settings.ts'
import { type Authority, type KeyAndCertificate, makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import {
  fromDocs,
  isInstalled,
  PROXIES,
  type ProxyName,
  PUBLIC_NAME,
  type RunningProxy,
  startProxy,
} from '../../support/proxies.ts'
import { PUBLIC, startTestService, type TestService } from '../../support/service.ts'
import { respond, startWebServer } from '../../support/web-server.ts'

const QUOTES_MAX = 3
const PUBLIC_URL = `https://${PUBLIC_NAME}`
const QUOTE = JSON.stringify({
  destination: 'https://bakery.com/',
  category: 'Games',
  board: 'all',
  targetBid: 25,
})

let authority: Authority
let certificate: KeyAndCertificate
beforeAll(async () => {
  authority = await makeAuthority()
  certificate = await authority.issue(PUBLIC_NAME)
})

interface Asking {
  /** Address on loopback that the client has. */
  from?: string
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string
}

/** Calls a proxy like a client of the public name. */
async function ask(proxy: RunningProxy, path: string, { from = '127.0.0.9', method, headers, body }: Asking = {}) {
  const asked = httpsRequest({
    host: '127.0.0.1',
    port: proxy.httpsPort,
    servername: PUBLIC_NAME,
    ca: authority.cert,
    localAddress: from,
    path,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { host: PUBLIC_NAME, ...headers },
    agent: false,
  })
  asked.on('error', () => {})
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, text: await textOf(response) }
}

const missing = PROXIES.filter(name => !isInstalled(name))
if (missing.length > 0) {
  console.warn(`not tried, since not installed: ${missing.join(', ')} (Debian: apt-get install nginx-light caddy)`)
}

describe.each(PROXIES)('behind %s, as the docs configure it, the service', name => {
  describe.skipIf(missing.includes(name))(`(${name} is installed)`, () => behind(name))
})

function behind(name: ProxyName): void {
  let service: TestService
  let proxy: RunningProxy
  beforeAll(async () => {
    service = await startTestService({
      env: { ...PUBLIC, ...settingsOfDocs(), LIMIT_QUOTES_PER_MINUTE_PER_IP: String(QUOTES_MAX) },
    })
    proxy = await startProxy(name, { servicePort: Number(new URL(service.url).port), certificate })
  })
  afterAll(async () => {
    await proxy?.stop()
    await service?.stop()
  })

  const quote = async (from: string, headers: OutgoingHttpHeaders = {}) =>
    (
      await ask(proxy, QUOTE_PATH, {
        from,
        body: QUOTE,
        headers: { 'content-type': 'application/json', ...headers },
      })
    ).status

  test('is reached over https alone, and every link has the public address', async () => {
    const asked = httpRequest({
      port: proxy.httpPort,
      path: '/newest?a=b',
      headers: { host: PUBLIC_NAME },
      agent: false,
    }).end()
    const [redirect] = (await once(asked, 'response')) as [IncomingMessage]
    redirect.resume()
    expect([301, 308]).toContain(redirect.statusCode)
    expect(redirect.headers.location?.replace(/:\d+/, '')).toBe(`${PUBLIC_URL}/newest?a=b`)
    const home = await ask(proxy, '/')
    expect([home.status, home.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
    expect(home.text).toContain(`<link rel="canonical" href="${PUBLIC_URL}/"`)
    const capabilities = JSON.parse((await ask(proxy, '/api/v1/agent/capabilities')).text)
    expect(capabilities.agentGuide).toBe(`${PUBLIC_URL}/agent-guide.md`)
  })

  test('has no address with a secret in the logs of the proxy', async () => {
    const accesses = join(mkdtempSync(join(tmpdir(), 'placard-logs-')), 'accesses')
    writeFileSync(accesses, '')
    // No service listens there, so each request is an error, too.
    const failing = await startProxy(name, {
      servicePort: await freePort(),
      certificate,
      change: text => text.replaceAll('server {\n', `server {\n  access_log ${accesses};\n  error_log stderr;\n`),
    })
    const logged = () => failing.logged() + readFileSync(accesses, 'utf8')
    for (const path of ['/approve/secret', '/console/enter/secret', '/feed/secret', '/mail/off/secret', '/limits']) {
      const asked = httpRequest({ port: failing.httpPort, path, headers: { host: PUBLIC_NAME }, agent: false }).end()
      const [redirect] = (await once(asked, 'response')) as [IncomingMessage]
      redirect.resume()
      expect([path, (await ask(failing, path)).status]).toEqual([path, 502])
    }
    await expect.poll(logged).toContain('/limits')
    expect(logged()).not.toContain('secret')
    await failing.stop()
    rmSync(dirname(accesses), { recursive: true })
  })

  test('limits each client separately, whatever address a client claims', async () => {
    for (let nth = 0; nth < QUOTES_MAX; nth++) expect(await quote('127.0.0.5')).toBe(200)
    expect(await quote('127.0.0.5')).toBe(429)
    expect(await quote('127.0.0.6')).toBe(200)
    for (const headers of [
      { 'x-forwarded-for': '8.8.8.8' },
      { 'x-forwarded-for': '8.8.8.8, 127.0.0.1' },
      { 'x-forwarded-for': '127.0.0.6' },
      { forwarded: 'for=8.8.8.8' },
      { 'x-real-ip': '8.8.8.8' },
    ]) {
      expect([headers, await quote('127.0.0.5', headers)]).toEqual([headers, 429])
    }
    // Nobody can use up the limit of somebody else.
    for (let nth = 0; nth < 5; nth++) await quote('127.0.0.7', { 'x-forwarded-for': '127.0.0.6' })
    expect(await quote('127.0.0.6')).toBe(200)
  })

  test('answers a body that is too large in its own shape, up to what the proxy takes', async () => {
    const refusal = (size: number) =>
      ask(proxy, QUOTE_PATH, {
        from: `127.0.1.${++clients}`,
        body: 'x'.repeat(size),
        headers: { 'content-type': 'application/json', 'content-length': size },
      })
    let clients = 0
    for (const size of [4097, 200_000]) {
      const { status, text } = await refusal(size)
      expect([size, status, JSON.parse(text).code]).toEqual([size, 413, 'body_too_large'])
    }
    // More than the service reads, but its reply still arrives.
    for (const size of [400_000, 3_000_000]) expect([size, (await refusal(size)).status]).toEqual([size, 413])
  })

  test('gets uncompressed replies compressed by the proxy, but no page with a secret', async () => {
    const codingOf = async (path: string) =>
      (await ask(proxy, path, { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']
    expect(await codingOf('/api/v1/agent/capabilities')).toBe('gzip')
    expect(await codingOf('/search?q=bread')).toBe('gzip')
    for (const path of ['/promote', '/promote?destination=https://a.com/', '/manage/0199-none']) {
      expect([path, await codingOf(path)]).toEqual([path, undefined])
    }
  })

  test('accepts posts from its own pages, and refuses others', async () => {
    const post = async (site: string) =>
      (
        await ask(proxy, '/promote/proof', {
          body: new URLSearchParams({
            destination: 'https://a.com/',
            category: 'Games',
            board: 'all',
            target: '5',
          }).toString(),
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            origin: site === 'same-origin' ? PUBLIC_URL : 'https://elsewhere.com',
            'sec-fetch-site': site,
          },
        })
      ).status
    expect([await post('same-origin'), await post('cross-site')]).toEqual([303, 403])
  })

  test('plays no payments through it if BASE_URL was forgotten', async () => {
    const forgetful = await startTestService()
    const { port } = new URL(forgetful.url)
    const through = await startProxy(name, { servicePort: Number(port), certificate })
    expect(await (await fetch(`${forgetful.url}/sandbox/`)).text()).toContain('<h1>')
    for (const host of [PUBLIC_NAME, `127.0.0.1:${port}`, 'localhost']) {
      const { text } = await ask(through, '/sandbox/', { headers: { host } })
      expect([host, text.includes('<h1>')]).toEqual([host, false])
    }
    await through.stop()
    await forgetful.stop()
  })

  if (name === 'nginx') nginxAlone()
}

function nginxAlone(): void {
  test('plays no payments through nginx that passes on and says nothing', async () => {
    const forgetful = await startTestService()
    const bare = await startProxy('nginx', {
      servicePort: Number(new URL(forgetful.url).port),
      certificate,
      change: text => text.replaceAll(/^ *proxy_(?!pass).*\n/gm, ''),
    })
    expect((await ask(bare, '/healthz')).status).toBe(200)
    expect((await ask(bare, '/sandbox/')).status).toBe(404)
    await bare.stop()
    await forgetful.stop()
  })

  test('receives only complete requests, with one address and the public name', async () => {
    const heardBy = await startWebServer(socket => respond(socket, { body: 'heard' }))
    const proxy = await startProxy('nginx', { servicePort: heardBy.port, certificate })
    const asked = httpsRequest({
      host: '127.0.0.1',
      port: proxy.httpsPort,
      servername: PUBLIC_NAME,
      ca: authority.cert,
      localAddress: '127.0.0.5',
      path: QUOTE_PATH,
      method: 'POST',
      headers: { host: PUBLIC_NAME, 'content-length': 6, 'x-forwarded-for': '8.8.8.8' },
    })
    asked.write('abc')
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(heardBy.accepted()).toBe(0)
    asked.end('def')
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect(await textOf(response)).toBe('heard')
    expect(heardBy.heard.map(({ headers }) => [headers.host, headers['x-forwarded-for']])).toEqual([
      [PUBLIC_NAME, '127.0.0.5'],
    ])
    await proxy.stop()
    await heardBy.close()
  })
}

/** The settings that the docs name for a proxy on the same machine. */
function settingsOfDocs(): Env {
  const lines = fromDocs('install', 'sh', /^BASE_URL=.*\nTRUSTED_PROXIES=.*\n$/)
    .trim()
    .split('\n')
  return Object.fromEntries(lines.map(line => line.split('=') as [string, string]))
}
