// @module-tag programs
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configFrom } from '../../src/config.ts'
import type { Env } from '../../src/settings.ts'
import { run, startProcess } from '../support/process.ts'
import { newCredentials, PUBLIC, publish, publishBody } from '../support/service.ts'
import { goodPage, startSites } from '../support/sites.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'placard-life-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('the life of the service', () => {
  it('starts on an empty folder, makes its key in private, answers its probes, and exits 0 on SIGTERM', async () => {
    const service = await startProcess({ DATA_DIR: join(dataDir, 'deep', 'er') })
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: 'alive' })
    expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ready' })
    const key = join(dataDir, 'deep', 'er', 'service.key')
    expect(statSync(key).mode & 0o777).toBe(0o600)
    expect(readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('finishes what is under way before it exits on SIGTERM', async () => {
    const sites = await startSites()
    let finish = () => {}
    sites.set('slow.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const service = await startProcess({ DATA_DIR: dataDir, FETCH_CONNECT_TO: sites.connectTo })
    const answer = publish(service, newCredentials(), publishBody('http://slow.com'))
    await expect.poll(() => sites.visits('slow.com')).toBe(1)
    const ended = service.end('SIGTERM')
    await expect.poll(() => service.output()).toContain('stopping')
    finish()
    expect((await answer).status).toBe(201)
    expect(await ended).toBe(0)
    await sites.close()
  })

  it('does not wait for connections on which nothing ever came', async () => {
    const service = await startProcess({ DATA_DIR: dataDir })
    const silent = connect(Number(new URL(service.url).port), '127.0.0.1')
    const closed = new Promise(resolve => silent.once('close', resolve))
    await new Promise(resolve => silent.once('connect', resolve))
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect(await service.end('SIGTERM')).toBe(0)
    await closed
  }, 15_000)

  it('warns loudly where FETCH_CONNECT_TO is set', async () => {
    const service = await startProcess({ DATA_DIR: dataDir, FETCH_CONNECT_TO: ':80:127.0.0.1:9' })
    expect(service.output()).toMatch(/"level":40.*FETCH_CONNECT_TO/)
    await service.end('SIGTERM')
  })

  it('warns where the public is told of no contact address', async () => {
    const warned = async (env: Env) => {
      const service = await startProcess({ DATA_DIR: dataDir, ...env })
      await service.end('SIGTERM')
      return /"level":40.*SUPPORT_URL/.test(service.output())
    }
    expect(await warned(PUBLIC)).toBe(true)
    expect(await warned({ ...PUBLIC, SUPPORT_URL: 'mailto:help@placard.example.org' })).toBe(false)
    expect(await warned({ BASE_URL: 'http://127.0.0.1:8080' })).toBe(false)
  })

  it.each([
    ['PORT', '80800'],
    ['BASE_URL', 'placard.com'],
    ['DATABASE_URL', 'mysql://root:hunter2@localhost/x'],
    ['SERVICE_KEY', 'hunter2'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['SUBMISSIONS_END_AT', 'tomorrow'],
    ['SUBMISSIONS_END_AT', '2026-02-30T00:00:00Z'],
    ['DNS_SERVERS', 'dns.example'],
    ['FETCH_CONNECT_TO', 'a:b:c:d'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['PAYMENTS', 'cash'],
    ['STRIPE_SECRET_KEY', 'hunter2'],
    ['STRIPE_WEBHOOK_SECRET', 'hunter2'],
    ['STRIPE_API_URL', 'not an address'],
  ])('names a bad %s in one line, and not what a secret is: %s', (name, value) => {
    const env = { ...(name.startsWith('STRIPE_') && PUBLIC), [name]: value }
    expect(() => configFrom(env)).toThrow(new RegExp(`^${name} [^\n]+$`))
    expect(() => configFrom(env)).not.toThrow('hunter2')
  })

  it.each([
    [{ BASE_URL: 'https://placard.example.org' }],
    [{ BASE_URL: 'http://127.0.0.1.example.org' }],
    [{ HOST: '192.0.2.1' }],
    [{ PAYMENTS: 'sandbox', BASE_URL: 'http://10.0.0.1' }],
  ])('does not play payments where the public could see it: %j', env => {
    expect(() => configFrom(env)).toThrow(/^PAYMENTS sandbox moves no money [^\n]+$/)
  })

  it.each([
    ['STRIPE_SECRET_KEY', { ...PUBLIC, STRIPE_SECRET_KEY: 'hunter2' }],
    ['PAYMENTS sandbox moves no money', { BASE_URL: 'https://placard.example.org' }],
  ])('exits 1 with that one line, here of %s', async (begin, env) => {
    const { output, ended } = run('server/dist/main.js', [], { DATA_DIR: dataDir, ...env })
    expect(await ended).toBe(1)
    expect(output()).toMatch(new RegExp(`^Placard cannot start: ${begin} [^\n]+\n$`))
    expect(output()).not.toContain('hunter2')
  })

  it('says in one line that PostgreSQL needs SERVICE_KEY, or cannot be reached', async () => {
    const without = run('server/dist/main.js', [], {
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://127.0.0.1:1/x',
    })
    expect(await without.ended).toBe(1)
    expect(without.output()).toMatch(
      /^Placard cannot start: SERVICE_KEY must be set with DATABASE_URL[^\n]+\n$/,
    )
    const unreachable = run('server/dist/main.js', [], {
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x',
      SERVICE_KEY: 'ab'.repeat(32),
    })
    expect(await unreachable.ended).toBe(1)
    expect(unreachable.output()).toMatch(/^Placard cannot start: [^\n]*database[^\n]*\n$/)
    expect(unreachable.output()).not.toContain('hunter2')
  })

  it('says in one line that the port is taken, the folder is a file, or the key is open to others', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const taken = run('server/dist/main.js', [], { DATA_DIR: dataDir, PORT: String(port) })
    expect(await taken.ended).toBe(1)
    expect(taken.output()).toMatch(/^Placard cannot start: HOST \S+ PORT \d+ [^\n]*EADDRINUSE[^\n]*\n$/)
    server.close()

    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    const blocked = run('server/dist/main.js', [], { DATA_DIR: file })
    expect(await blocked.ended).toBe(1)
    expect(blocked.output()).toMatch(/^Placard cannot start: DATA_DIR [^\n]+\n$/)

    chmodSync(join(dataDir, 'service.key'), 0o644)
    const open = run('server/dist/main.js', [], { DATA_DIR: dataDir })
    expect(await open.ended).toBe(1)
    expect(open.output()).toMatch(/^Placard cannot start: [^\n]+chmod 600\n$/)
  })

  it.each(['server/dist/main.js', 'server/dist/operator.js', 'examples/demo.ts', 'bench/run.ts'])(
    'says in one line that %s needs a newer Node',
    async entry => {
      const pretend = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})"
      const { output, ended } = run(entry, [], { DATA_DIR: dataDir }, ['--import', pretend])
      expect(await ended).toBe(1)
      expect(output()).toMatch(/^Placard needs Node 24 or newer, and this is 20\.20\.2\.[^\n]+\n$/)
    },
  )
})
