// @module-tag programs
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { QUOTE_PATH } from '@placard/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { type ServiceProcess, startProcess } from '../../support/process.ts'
import { BALANCERS, isInstalled } from '../../support/proxies.ts'
import { restartBehind } from '../../support/restarts.ts'

const QUOTE = JSON.stringify({
  destination: 'https://bakery.com/',
  category: 'Games',
  board: 'all',
  targetBid: 25,
})

let database: EmptyDatabase
beforeEach(async () => {
  database = await migratedDatabase('sqlite')
})
afterEach(() => database.remove())

/** One request over a connection that its agent keeps. */
const ask = (service: ServiceProcess, path: string, agent: Agent) =>
  new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
    request(service.url + path, { agent }, response => {
      const { statusCode: status = 0, headers } = response
      response.resume().once('end', () => resolve({ status, connection: headers.connection }))
    })
      .once('error', reject)
      .end()
  })

const STOPPING = 'This instance is stopping. Use another one, or try again shortly.'

describe.each(['1', '2'])('a stop with STOP_DELAY and %s processes', workers => {
  it('answers on, closes each connection after its reply, and ends at once at a second signal', async () => {
    // It would take ten minutes.
    const service = await startProcess({ ...database.env, STOP_DELAY: '600', WORKERS: workers })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(service, '/healthz', agent)).toEqual({ status: 200, connection: 'keep-alive' })
    const underWay = connect(Number(new URL(service.url).port), '127.0.0.1')
    const head = [
      'host: a',
      'expect: 100-continue',
      'content-type: application/json',
      `content-length: ${QUOTE.length}`,
    ]
    underWay.write(`POST ${QUOTE_PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
    await once(underWay, 'data')
    service.child.kill('SIGTERM')
    const probe = async () => (await fetch(`${service.url}/readyz`)).status
    await expect.poll(probe).toBe(503)
    expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ error: STOPPING })
    // The connection from before, and then new ones.
    for (const path of ['/healthz', '/healthz', '/', '/none']) {
      await expect.poll(() => ask(service, path, agent)).toMatchObject({ connection: 'close' })
    }
    expect(await ask(service, '/', agent)).toEqual({ status: 200, connection: 'close' })
    expect(service.output()).not.toContain('"not_ready"')
    underWay.write(QUOTE)
    const [reply] = await once(underWay, 'data')
    // Of two processes, the one that has this request may not have heard of the stop yet.
    if (workers === '1') expect(String(reply)).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)

    // What comes within half a second is the first one, told twice.
    const hasten = setInterval(() => service.child.kill('SIGTERM'), 50)
    expect(await service.ended).toBe(1)
    clearInterval(hasten)
  })
})

it('a stop closes the port when its time is over, and then ends by itself', async () => {
  const service = await startProcess({ ...database.env, STOP_DELAY: '1' })
  const startedAt = performance.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1000)
  const refused = connect(Number(new URL(service.url).port), '127.0.0.1')
  expect((await once(refused, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' })
})

it('Ctrl+C waits for no load balancer', async () => {
  const service = await startProcess({ ...database.env, STOP_DELAY: '600' })
  expect(await service.end('SIGINT')).toBe(0)
})

const missing = BALANCERS.filter(name => !isInstalled(name))
if (missing.length > 0) {
  console.warn(`not tried, since not installed: ${missing.join(', ')} (Debian: apt-get install nginx-light haproxy)`)
}

describe.each(BALANCERS)('behind %s, if it is installed', balancer => {
  it.skipIf(missing.includes(balancer))('two instances restart in turn, and no POST is lost', async () => {
    const instanceOf = async (port: number) => {
      const start = () =>
        startProcess({
          ...database.env,
          PORT: String(port),
          STOP_DELAY: '1',
          LOG_LEVEL: 'info',
          LIMIT_QUOTES_PER_MINUTE_PER_IP: '1000000',
        })
      let service = await start()
      const stop = () => service.end('SIGTERM')
      const restart = async () => {
        expect(await stop()).toBe(0)
        service = await start()
      }
      return { port, stop, restart }
    }
    const [one, other] = [await instanceOf(await freePort()), await instanceOf(await freePort())]
    try {
      const statuses = await restartBehind(balancer, [one, other], 2, { path: QUOTE_PATH, body: QUOTE })
      expect(Object.keys(statuses)).toEqual(['200'])
      expect(statuses[200]).toBeGreaterThan(100)
    } finally {
      await Promise.all([one.stop(), other.stop()])
    }
  })
})
