// @module-tag programs
// @module-tag slow
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BOARDS_PATH, type BoardPage, CONTRACT_VERSION, QUOTE_PATH } from '@placard/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { type EmptyDatabase, ENGINES, migratedDatabase } from '../../support/engines.ts'
import { run, type ServiceProcess, startProcess } from '../../support/process.ts'
import { newCredentials, publish, publishAtLast, publishBody, startTestService } from '../../support/service.ts'
import { goodPage, type Sites, startSites } from '../../support/sites.ts'
import { newVisitor } from '../../web/visitor.ts'

const QUOTE = JSON.stringify({
  destination: 'https://bakery.com/',
  category: 'Games',
  board: 'all',
  targetBid: 25,
})

/** Asks for a quote. Without an agent that keeps connections, each goes to the next worker. @returns the status */
const quote = (url: string, agent = new Agent({ keepAlive: false }), from = '203.0.113.0') =>
  new Promise<number>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from }
    request(url + QUOTE_PATH, { method: 'POST', headers, agent }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end(QUOTE)
  })

/** How many of some quotes are let through, twelve at a time. @throws Error for any but 200 and 429 */
async function letThrough(url: string, count: number, agent?: Agent, from?: string): Promise<number> {
  const statuses: number[] = []
  for (let sent = 0; sent < count; sent += 12) {
    const length = Math.min(12, count - sent)
    statuses.push(...(await Promise.all(Array.from({ length }, () => quote(url, agent, from)))))
  }
  expect(statuses.filter(status => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter(status => status === 200).length
}

let clients = 0
/** An address for one count: if a busy database does not answer in time, each process counts alone until it does. */
const newClient = () => `203.0.113.${++clients}`
const isBetween = (least: number, most: number) => (count: number) => count >= least && count <= most

/** The processes that have listened so far. */
const workersOf = (service: ServiceProcess) =>
  [...service.output().matchAll(/"pid":(\d+),[^\n]*"listening on/g)].map(([, pid]) => Number(pid))

for (const engine of ENGINES) {
  describe(`several processes (${engine})`, () => {
    let database: EmptyDatabase
    let sites: Sites
    beforeAll(async () => {
      database = await migratedDatabase(engine)
      sites = await startSites()
    })
    afterAll(async () => {
      await sites.close()
      await database.remove()
    })

    const start = (workers: number) =>
      startProcess({
        WORKERS: String(workers),
        FETCH_CONNECT_TO: sites.connectTo,
        TRUSTED_PROXIES: '127.0.0.1',
        ...database.env,
      })

    describe('of one service', () => {
      let service: ServiceProcess
      let url: string
      beforeAll(async () => {
        service = await start(3)
        url = service.url
      })
      afterAll(async () => {
        expect(await service.end('SIGTERM')).toBe(0)
      })

      it('let 120 quotes a minute through together', async () => {
        expect(workersOf(service).length).toBe(3)
        expect(service.output().match(/is ready at/g)?.length).toBe(1)
        await expect.poll(() => letThrough(url, 150, undefined, newClient())).toSatisfy(isBetween(114, 120))
        expect(service.output()).not.toContain('Another instance')
      })

      it('publish once, recover receipts whichever is asked, and sell a place at the sandbox', async () => {
        sites.set('sold.com', goodPage)
        const credentials = newCredentials()
        const send = () => publishAtLast({ url }, credentials, publishBody('http://sold.com'), { connection: 'close' })
        const replies = await Promise.all([send(), send(), send(), send()])
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
        expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
        expect(sites.visits('sold.com')).toBe(1)

        const visitor = newVisitor({ url })
        const step = (path: string, fields: Record<string, string>) =>
          visitor.post(path, fields, { connection: 'close' })
        const choice = {
          destination: 'http://sold.com/',
          category: 'Food & Drink',
          board: 'all',
          target: '25',
          amount: '2500',
          rules: CONTRACT_VERSION,
        }
        const { privateRecoveryUrl: link = '' } = replies[0]?.body.ownership ?? {}
        expect((await step('/promote/link', { ...choice, link })).status).toBe(303)
        const order = await step('/promote/checkout', choice)
        expect(order.status).toBe(303)
        const { headers } = await visitor.get(order.location ?? '', { connection: 'close' })
        const payAt = /url=(\S+)/.exec(headers.get('refresh') ?? '')?.[1] ?? ''
        expect((await step(new URL(payAt).pathname, { act: 'pay' })).status).toBe(303)
        // The other process may be the one that delivers the event, and the board may be read before it has.
        const totals = async () => {
          const page = (await (await fetch(`${url}${BOARDS_PATH}/all`)).json()) as BoardPage
          return page.entries.map(({ totalCents }) => totalCents)
        }
        await expect.poll(totals).toEqual([2500])
      })
    })

    it('go on serving when one is killed, have it replaced, and finish a publish before they exit with 0', async () => {
      let finish = () => {}
      sites.set('slow.com', (request, response) => {
        finish = () => goodPage(request, response)
      })
      const service = await start(2)
      const [first = 0] = workersOf(service)
      process.kill(first, 'SIGKILL')
      await expect.poll(() => workersOf(service).length).toBe(3)
      expect(await letThrough(service.url, 8)).toBe(8)
      expect(service.output()).toContain('a worker died; starting another')
      const answer = publish(service, newCredentials(), publishBody('http://slow.com'))
      await expect.poll(() => sites.visits('slow.com')).toBe(1)
      const ended = service.end('SIGTERM')
      await expect.poll(() => service.output()).toContain('finishing requests in progress')
      finish()
      expect((await answer).status).toBe(201)
      expect(await ended).toBe(0)
    })
  })
}

describe('the workers of a primary', () => {
  let database: EmptyDatabase
  beforeEach(async () => {
    database = await migratedDatabase('sqlite')
  })
  afterEach(() => database.remove())

  /** Connections that are open before the primary stops handing out new ones. */
  async function connected(service: ServiceProcess) {
    const agent = new Agent({ keepAlive: true, maxSockets: 12 })
    await Promise.all(Array.from({ length: 12 }, () => quote(service.url, agent)))
    return agent
  }

  it('that hangs count their part by themselves, warn once each, and answer', async () => {
    const service = await startProcess({ WORKERS: '2', ...database.env })
    const agent = await connected(service)
    service.child.kill('SIGSTOP')
    const count = await letThrough(service.url, 150, agent)
    // Sixty each, of which the connections have used twelve. One of them may have got few of the connections.
    expect(count).toBeGreaterThanOrEqual(60 - 12)
    expect(count).toBeLessThanOrEqual(120 - 12)
    const warned = [...service.output().matchAll(/"pid":(\d+)[^\n]*request counter is unreachable/g)]
    expect(warned.length).toBeGreaterThan(0)
    expect(new Set(warned.map(([, pid]) => pid)).size).toBe(warned.length)
    service.child.kill('SIGCONT')
    agent.destroy()
    expect(await service.end('SIGTERM')).toBe(0)
  })

  it('that is gone end after what is under way', async () => {
    const sites = await startSites()
    let finish = () => {}
    sites.set('slow.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const service = await startProcess({
      WORKERS: '2',
      ...database.env,
      FETCH_CONNECT_TO: sites.connectTo,
    })
    const answer = publish(service, newCredentials(), publishBody('http://slow.com'))
    await expect.poll(() => sites.visits('slow.com')).toBe(1)
    // Its output ends with the last worker.
    const ended = service.end('SIGKILL')
    await expect.poll(() => service.output().match(/the primary is gone/g)?.length).toBe(2)
    finish()
    expect((await answer).status).toBe(201)
    await ended
    await sites.close()
  })

  it('are started again until the system can start one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'placard-node-'))
    const [node, away] = [join(folder, 'node'), join(folder, 'away')]
    copyFileSync(process.execPath, node)
    const service = await startProcess({ WORKERS: '2', ...database.env }, undefined, node)
    const [first = 0] = workersOf(service)
    renameSync(node, away)
    process.kill(first, 'SIGKILL')
    await expect.poll(() => service.output()).toContain('could not start a worker')
    renameSync(away, node)
    await expect.poll(() => workersOf(service).length).toBe(3)
    expect(await letThrough(service.url, 8)).toBe(8)
    expect(await service.end('SIGTERM')).toBe(0)
    rmSync(folder, { recursive: true })
  })

  it('say in one line that the port is taken, and it exits with 1', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const taken = run('server/bundled/main.js', [], { ...database.env, WORKERS: '2', PORT: String(port) })
    expect(await taken.ended).toBe(1)
    expect(taken.output()).toMatch(/^Placard cannot start: HOST \S+ PORT \d+ [^\n]*EADDRINUSE[^\n]*\n$/)
    server.close()
  })

  it.each(['0', '65', 'two'])('are not started for a bad number: %s', workers => {
    expect(() => configFrom({ WORKERS: workers })).toThrow(/^WORKERS must be a whole number [^\n]+$/)
  })
})

describe.runIf(ENGINES.includes('postgres'))('instances that share a PostgreSQL', () => {
  let database: EmptyDatabase
  let instances: { url: string; stop(): Promise<void> }[]
  beforeEach(async () => {
    database = await migratedDatabase('postgres')
    const env = { LIMIT_QUOTES_PER_MINUTE_PER_IP: '40', TRUSTED_PROXIES: '127.0.0.1' }
    instances = [
      await startTestService({ engine: 'postgres', database, env }),
      await startTestService({ engine: 'postgres', database, env }),
    ]
  })
  afterEach(async () => {
    for (const instance of instances) await instance.stop()
    await database.remove()
  })
  function both() {
    const from = newClient()
    return Promise.all(instances.map(({ url }) => letThrough(url, 50, undefined, from)))
  }

  it('let through together what one would', async () => {
    const together = async () => (await both()).reduce((sum, count) => sum + count)
    await expect.poll(together).toSatisfy(isBetween(38, 40))
  })

  it('count by themselves while the database does not answer about limits', async () => {
    const store = await database.openStore()
    await store.transact(async trx => {
      await sql`lock table allowance_window in access exclusive mode`.execute(trx)
      expect(await both()).toEqual([40, 40])
    })
  })
})
