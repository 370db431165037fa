import { chmodSync, readdirSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HANDLED_EVENTS } from '../../../src/domain/payments/stripe-events.ts'
import type { Finding } from '../../../src/ops/doctor/finding.ts'
import type { Env } from '../../../src/platform/config/settings.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { SECRET_KEY, type StripeApi, startStripeApi } from '../../support/stand-in.ts'
import { WEBHOOK_SECRET } from '../../support/stripe-events.ts'

describe.each(SQLITE_FIRST)('placard doctor on %s', engine => {
  let stripe: StripeApi
  let service: TestService
  /** The settings of the service, with an address for Stripe to send to. */
  let env: Env
  let dns: string
  beforeAll(async () => {
    stripe = await startStripeApi()
    service = await startTestService({ engine, env: stripe.env })
    env = { ...stripe.env, ...service.database.env, PORT: new URL(service.url).port }
  })
  afterAll(async () => {
    await service.stop()
    await stripe.close()
  })
  beforeEach(async () => {
    service.clock.now = Date.now()
    stripe.mood = 'well'
    stripe.webhookEndpoints = [
      { url: `${service.url}/webhooks/stripe`, status: 'enabled', enabled_events: [...HANDLED_EVENTS] },
    ]
    const server = await startDnsServer(({ name, type }) => ({
      records: type === 'A' ? [{ name, type: 'A', ttl: 60, data: '93.184.216.34' }] : [],
    }))
    dns = server.address
  })

  /** What it finds with the settings of the service, and others. */
  async function examine(others: Env = {}) {
    const { code, output } = await operateHere({ ...env, DNS_SERVERS: dns, ...others }, 'doctor', '--json')
    const { ok, findings } = JSON.parse(output) as { ok: boolean; findings: Finding[] }
    expect(code).toBe(ok ? 0 : 1)
    for (const secret of [SECRET_KEY, WEBHOOK_SECRET, env.SERVICE_KEY ?? SECRET_KEY]) {
      expect(output).not.toContain(secret)
    }
    return (about: string) =>
      findings.filter(each => each.about === about).map(({ state, says }) => `${state}: ${says}`)
  }

  it('warns of a blocklist that is missing, without a failure', async () => {
    const blocklists = `missing=${join(service.database.dataDir, 'missing.txt')}`
    const found = await examine({ BLOCKLISTS: blocklists, REVIEWERS: 'blocklists' })
    expect(found('lists')).toEqual([expect.stringMatching(/^warning: .*missing/)])
    const unused = await examine({ BLOCKLISTS: blocklists, REVIEWERS: 'page-rules' })
    expect(unused('lists')).toEqual([expect.stringMatching(/^warning: BLOCKLISTS is set, but REVIEWERS does not /)])
  })

  it('finds nothing wrong where nothing is, in one line each, and changes nothing', async () => {
    const filesOf = () => readdirSync(service.database.dataDir).sort()
    // The service writes it within a second.
    await expect.poll(filesOf).toContain('log-checkpoint')
    const files = filesOf()
    const { code, output } = await operateHere({ ...env, DNS_SERVERS: dns }, 'doctor')
    expect(output.split('\n').filter(line => !/^(ok|warning) +/.test(line))).toEqual([''])
    expect(code).toBe(0)
    expect(filesOf()).toEqual(files)
    const found = await examine()
    for (const about of [
      'address',
      'proxy',
      'clock',
      'DNS',
      'database',
      'schema',
      'locks',
      'key',
      'log',
      'payments',
      'settings',
    ]) {
      expect([about, found(about)]).toEqual([about, [expect.stringMatching(/^ok: /)]])
    }
    expect(found('disk').length).toBe(engine === 'sqlite' ? 1 : 0)
  })

  it('says that the service does not answer, or has another address', async () => {
    const gone = await examine({ PORT: '1' })
    expect(gone('address')).toEqual([expect.stringMatching(/^failed: http:\/\/127\.0\.0\.1:1 does not answer \(/)])
    const other = await examine({ BASE_URL: `http://localhost:${env.PORT}` })
    expect(other('address')).toEqual([expect.stringMatching(/^failed: .* calls itself http:\/\/127\.0\.0\.1:\d+: /)])
  })

  it('notices a service that cannot serve, and one with another time', async () => {
    const sick = createServer((_request, response) =>
      response.writeHead(503, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }).end('{}'),
    ).listen(0, '127.0.0.1')
    await new Promise(resolve => sick.once('listening', resolve))
    const found = await examine({ PORT: String((sick.address() as AddressInfo).port) })
    expect(found('address')).toEqual([expect.stringMatching(/^failed: .*\/readyz answers 503: /)])
    // The same cause is not said twice.
    expect(found('proxy')).toEqual([])
    expect(found('clock')).toEqual([expect.stringMatching(/^failed: the service's clock is \d+ s away/)])
    sick.close()
  })

  it('notices a proxy that removes headers, and a site without TLS', async () => {
    let base = ''
    const bare = createServer((_request, response) => {
      response.sendDate = false
      response.end(JSON.stringify({ agentGuide: `${base}/llms.txt` }))
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => bare.once('listening', resolve))
    base = `http://0.0.0.0:${(bare.address() as AddressInfo).port}`
    const found = await examine({ BASE_URL: base })
    expect(found('address')).toEqual([`warning: ${base} answers without TLS: put a proxy with https in front of it`])
    expect(found('proxy')).toEqual([expect.stringMatching(/^failed: replies have no RateLimit header: /)])
    expect(found('clock')).toEqual(['warning: the service sends no Date header: a proxy may remove it'])
    bare.close()
  })

  it('notices a resolver that does not answer', async () => {
    const found = await examine({ DNS_SERVERS: `${dns},127.0.0.1:1` })
    expect(found('DNS')).toEqual([
      expect.stringMatching(/^ok: /),
      expect.stringMatching(/^failed: 127\.0\.0\.1:1 does not answer/),
    ])
  })

  it('looks whether Stripe sends every event', async () => {
    const url = `${service.url}/webhooks/stripe`
    const payments = async () => (await examine())('payments')
    stripe.webhookEndpoints = [{ url: 'https://other.example/hook', status: 'enabled', enabled_events: ['*'] }]
    expect(await payments()).toEqual([expect.stringMatching(/^failed: Stripe has no webhook endpoint /)])
    stripe.webhookEndpoints = [{ url, status: 'disabled', enabled_events: ['*'] }]
    expect(await payments()).toEqual([expect.stringMatching(/^failed: .* is disabled: enable it/)])
    stripe.webhookEndpoints = [{ url, status: 'enabled', enabled_events: HANDLED_EVENTS.slice(1) }]
    expect(await payments()).toEqual([
      expect.stringMatching(/^failed: .* does not send checkout\.session\.completed: /),
    ])
    stripe.webhookEndpoints = [{ url, status: 'enabled', enabled_events: ['*'] }]
    expect(await payments()).toEqual([expect.stringMatching(/^ok: the key is for live money/)])
    const { code, output } = await operateHere({ ...env, STRIPE_SECRET_KEY: 'sk_live_of_somebody_else' }, 'doctor')
    expect([code, output]).toEqual([1, expect.stringMatching(/^failed +payments +Stripe rejected STRIPE_SECRET_KEY/m)])
    expect(output).not.toContain('sk_live_of')
    stripe.mood = 'forbidden'
    expect(await payments()).toEqual([
      expect.stringMatching(/^warning: STRIPE_SECRET_KEY may not read webhook endpoints/),
    ])
    stripe.mood = 'broken'
    expect(await payments()).toEqual([expect.stringMatching(/^failed: Stripe does not answer/)])
  })

  it('names settings to think of', async () => {
    const found = await examine({
      FETCH_CONNECT_TO: ':80:127.0.0.1:9',
      SUBMISSIONS_END_AT: '2020-01-01T00:00:00Z',
    })
    expect(found('settings')).toEqual([
      expect.stringMatching(/^warning: FETCH_CONNECT_TO is set/),
      expect.stringMatching(/^warning: SUBMISSIONS_END_AT has passed/),
    ])
  })

  it('notices a key that is not the database’s', async () => {
    const found = await examine({ SERVICE_KEY: 'ab'.repeat(32) })
    expect(found('key')).toEqual([expect.stringMatching(/^failed: .*key/)])
  })
})

describe('placard doctor', () => {
  let service: TestService
  afterEach(() => service.stop())
  const found = async (env: Env, about: string) => {
    const { output } = await operateHere(
      { ...service.database.env, PORT: new URL(service.url).port, ...env },
      'doctor',
      '--json',
    )
    const { findings } = JSON.parse(output) as { findings: Finding[] }
    return findings.filter(each => each.about === about).map(({ state, says }) => `${state}: ${says}`)
  }

  it('notices a key file that others can read', async () => {
    service = await startTestService()
    const file = join(service.database.dataDir, 'service.key')
    chmodSync(file, 0o644)
    expect(await found({}, 'key')).toEqual([expect.stringMatching(/^failed: .*chmod 600$/)])
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  it('notices that clients can choose their address', async () => {
    service = await startTestService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
    expect(await found({ TRUSTED_PROXIES: '127.0.0.0/8' }, 'proxy')).toEqual([
      expect.stringMatching(/^failed: the service believed each X-Forwarded-For/),
    ])
  })

  it('does not call a client that has used up its allowance, or begins a new one, several clients', async () => {
    service = await startTestService({ env: { LIMIT_QUOTES_PER_MINUTE_PER_IP: '1' } })
    const fine = [expect.stringMatching(/^ok: none, and none is trusted/)]
    expect(await found({}, 'proxy')).toEqual(fine)
    expect(await found({}, 'proxy')).toEqual(fine)
    const left = [5, 119, 118, 117, 116]
    const other = createServer(({ method }, response) => {
      const next = method === 'POST' ? left.shift() : 0
      response.writeHead(400, { ratelimit: `"quotes";r=${next};t=60` }).end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    expect(await found({ PORT: String((other.address() as AddressInfo).port) }, 'proxy')).toEqual(fine)
    other.close()
  })

  it.each([
    ['<p>This name is for sale.</p>', 200],
    ['{}', 200],
    ['null', 200],
    ['<p>Bad gateway</p>', 502],
  ])('says that another program answers at the address: %s', async (body, status) => {
    service = await startTestService()
    const other = createServer((request, response) =>
      response.writeHead(request.url === '/readyz' ? 200 : status).end(body),
    ).listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    expect(await found({ PORT: String(port) }, 'address')).toEqual([
      `failed: http://127.0.0.1:${port} answers, but not as Placard: does its name lead here, and does the proxy pass on /api?`,
    ])
    other.close()
  })

  it('notices a proxy that is not trusted, and one that is not there', async () => {
    service = await startTestService()
    const port = Number(new URL(service.url).port)
    const proxy: Server = createServer(async (request, response) => {
      const body = await text(request)
      const { headers, status } = await forwarded(request.url ?? '', port, request.method ?? '', body)
      response.writeHead(status, { ratelimit: headers.get('ratelimit') ?? '', server: 'nginx' }).end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => proxy.once('listening', resolve))
    const at = { PORT: String((proxy.address() as AddressInfo).port) }
    expect(await found(at, 'proxy')).toEqual([
      expect.stringMatching(/^warning: there is a proxy in front, but TRUSTED_PROXIES is not set/),
    ])
    expect(await found({ ...at, TRUSTED_PROXIES: '127.0.0.1' }, 'proxy')).toEqual([
      expect.stringMatching(/^ok: the proxy is trusted/),
    ])
    expect(await found({ TRUSTED_PROXIES: '127.0.0.1' }, 'proxy')).toEqual([
      expect.stringMatching(/^warning: TRUSTED_PROXIES is set, but no proxy/),
    ])
    proxy.close()
  })

  it('does not make a database where there is none', async () => {
    service = await startTestService()
    const none = join(service.database.dataDir, 'none')
    expect(await found({ DATA_DIR: none, DATABASE_URL: '' }, 'database')).toEqual([
      expect.stringMatching(/^failed: there is no database in DATA_DIR/),
    ])
    expect(() => statSync(none)).toThrow('ENOENT')
  })
})

const forwarded = (path: string, port: number, method: string, body: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(method === 'POST' && { body }),
  })
