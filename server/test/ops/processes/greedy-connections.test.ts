// @module-tag programs
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PUBLISH_PATH } from '@placard/contract'
import autocannon from 'autocannon'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Env } from '../../../src/platform/config/settings.ts'
import { WAITING_MAX } from '../../../src/platform/http/connections.ts'
import { type EmptyDatabase, migratedDatabase } from '../../support/engines.ts'
import { type ServiceProcess, startProcess } from '../../support/process.ts'

const GET_API = 'GET /api HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const SHORTEST = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'
const TIMED_OUT = /HTTP\/1\.1 400 .*"The request did not arrive in time\. /s

let database: EmptyDatabase
let service: ServiceProcess
const opened: Socket[] = []
beforeEach(async () => {
  database = await migratedDatabase('sqlite')
})
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await service.end('SIGTERM')
  await database.remove()
})

const start = async (env: Env = {}) => {
  service = await startProcess({ ...database.env, ...env }, [])
}

/** Opens connections that each send these bytes and read nothing. */
async function openMany(count: number, bytes: string): Promise<void> {
  const { port } = new URL(service.url)
  const added = Array.from({ length: count }, () => connect({ port: Number(port), host: '127.0.0.1' }))
  opened.push(...added)
  for (const socket of added) socket.on('error', () => {}).write(bytes)
  await Promise.all(added.map(socket => once(socket, 'connect').catch(() => {})))
}

const memoryBytes = () =>
  1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(service.child.pid)], { encoding: 'utf8' }))

/** The processor time that the service has used. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${service.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** Sends other requests meanwhile, which are answered. */
async function askOthers(times: number): Promise<void> {
  for (let nth = 0; nth < times; nth++) {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    await sleep(20)
  }
}

describe('clients that send requests without end and read no reply', () => {
  test.each([
    ['300 with 300 requests each', 300, GET_API.repeat(300)],
    ['900 with a packet full of the shortest requests', 900, SHORTEST.repeat(2400)],
  ])('delay nobody else, and take little memory: %s', async (_name, count, bytes) => {
    await start()
    for (let nth = 0; nth < 50; nth++) await (await fetch(`${service.url}/api`)).text()
    const before = memoryBytes()
    const cpuBefore = cpuMs()
    await openMany(count, bytes)
    await askOthers(50)
    // Without limits it took 13 to over 60 seconds, and three to sixteen times the memory.
    expect(cpuMs() - cpuBefore).toBeLessThan(4000)
    expect(memoryBytes() / before).toBeLessThan(2.6)
  })
})

describe('a connection', () => {
  test('serves any number of requests, one after the other or some ahead', async () => {
    await start()
    for (const pipelining of [1, 16, WAITING_MAX]) {
      const {
        errors,
        resets,
        statusCodeStats = {},
      } = await autocannon({
        url: `${service.url}/healthz`,
        connections: 2,
        amount: 5000,
        pipelining,
      })
      expect([pipelining, errors, resets, Object.keys(statusCodeStats)]).toEqual([pipelining, 0, 0, ['200']])
      // The load tool ends without waiting for requests it had sent ahead.
      expect(statusCodeStats['200']?.count).toBeGreaterThan(4900)
    }
  })

  test('on which a request trickles in ends after 30 seconds, with the reason', async () => {
    await start()
    const { port } = new URL(service.url)
    const post = `POST ${PUBLISH_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nIdempotency-Key: `
    const trickle = async (first: string, next: () => string) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' }).on('error', () => {})
      opened.push(socket)
      let text = ''
      socket.on('data', chunk => {
        text += chunk
      })
      const startedAt = performance.now()
      socket.write(first)
      const timer = setInterval(() => socket.write(next()), 500)
      await once(socket, 'close')
      clearInterval(timer)
      return { text, seconds: (performance.now() - startedAt) / 1000 }
    }
    let nth = 0
    const all = await Promise.all([
      trickle('', () => ''),
      trickle('GET / HTTP/1.1\r\n', () => `X-${nth++}: a\r\n`),
      trickle(
        `${post}8b5f3f63-5a3b-4f6e-9a51-0d3f3a3d8f10\r\nX-Submission-Secret: ${'ab'.repeat(32)}\r\nContent-Length: 4000\r\n\r\n`,
        () => '{',
      ),
      // A connection that was served before gets no extra time.
      trickle(`${SHORTEST}GET / HTTP/1.1\r\n`, () => `X-${nth++}: a\r\n`),
    ])
    for (const { seconds } of all) {
      expect(seconds).toBeGreaterThan(29)
    }
    for (const { text } of all) expect(text).toMatch(TIMED_OUT)
  })
})

test('however many connections are open, whoever comes next is served', async () => {
  await start({ LIMIT_CONNECTIONS: '50' })
  await openMany(200, '')
  await openMany(200, 'GET / HTTP/1.1\r\nX: ')
  await openMany(200, `POST ${PUBLISH_PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{`)
  await askOthers(20)
  await expect.poll(() => service.output()).toMatch(/LIMIT_CONNECTIONS is reached/)
  expect(service.output().match(/LIMIT_CONNECTIONS is reached/g)).toHaveLength(1)
})
