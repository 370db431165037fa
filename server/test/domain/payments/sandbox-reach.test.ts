import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { Sandbox, sandboxPages } from '@placard/sandbox'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configFrom } from '../../../src/platform/config/config.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

/** As from this machine, where a proxy may stand, too. */
async function statusOf(headers: Record<string, string>, { method = 'GET', path = '/sandbox/' } = {}) {
  const asked = request(`${service.url}${path}`, { headers, method }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test.each([
  ['by its address', {}, 200],
  ['as localhost', { host: 'localhost:8080' }, 200],
  ['as a name below localhost', { host: 'placard.localhost' }, 200],
  ['over IPv6', { host: '[::1]:8080' }, 200],
  ['by a browser', { 'user-agent': 'Firefox', 'sec-fetch-site': 'none', dnt: '1', referer: 'http://a.com/' }, 200],
  ['by a public name, through a proxy or a rebound name', { host: 'placard.com' }, 404],
  ['by a name that begins like this machine', { host: '127.0.0.1.placard.com' }, 404],
])('the sandbox, called %s, is for this machine alone', async (_how, headers, status) => {
  expect(await statusOf(headers as Record<string, string>)).toBe(status)
})

test.each([
  'Forwarded',
  'Via',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded',
  'X-Original-Forwarded-For',
  'X-Real-IP',
  'X-Client-IP',
  'Client-IP',
  'X-Cluster-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'CF-Ray',
  'CDN-Loop',
  'Fly-Client-IP',
  'Fastly-Client-IP',
  'X-Envoy-External-Address',
  'X-Amzn-Trace-Id',
  'X-Azure-ClientIP',
  'X-AppEngine-User-IP',
  'X-ProxyUser-Ip',
  'WL-Proxy-Client-IP',
  'X-Nf-Client-Connection-Ip',
  'X-Vercel-Id',
  'Tailscale-User-Login',
])('the sandbox is not for who comes through a proxy that says so: %s', async name => {
  for (const value of ['8.8.8.8', '127.0.0.1', '']) {
    expect(await statusOf({ [name]: value })).toBe(404)
    expect(await statusOf({ [name]: value }, { method: 'POST', path: '/sandbox/pay/none' })).toBe(404)
  }
})

test('a form of the sandbox is not taken from a page with a public address, whatever the browser says', async () => {
  const post = (origin: string) =>
    statusOf({ origin, 'sec-fetch-site': 'same-origin' }, { method: 'POST', path: '/sandbox/pay/none' })
  for (const origin of ['https://placard.com', 'http://127.0.0.1.placard.com', 'placard.com']) {
    expect([origin, await post(origin)]).toEqual([origin, 403])
  }
  for (const origin of ['null', service.url, 'http://localhost:8080']) {
    expect([origin, await post(origin)]).toEqual([origin, 404])
  }
})

test('the sandbox is not for who comes in HTTP/1.0, as through nginx that was told nothing', async () => {
  const { port } = new URL(service.url)
  const status = async (version: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`GET /sandbox/ HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    return text.split(' ')[1]
  }
  expect([await status('1.1'), await status('1.0')]).toEqual(['200', '404'])
})

test('the sandbox is also for who comes from an address that it was given, as a container’s gateway is', async () => {
  const sandbox = new Sandbox({
    file: ':memory:',
    baseUrl: () => 'http://127.0.0.1:8080',
    webhook: { url: () => 'http://127.0.0.1:1', secret: 'whsec_of_nobody' },
    from: configFrom({ SANDBOX_FROM: '10.231.18.1' }).sandboxFrom,
  })
  const app = Fastify()
  await app.register(sandboxPages(sandbox))
  const status = async (remoteAddress: string, host = '127.0.0.1:8080') =>
    (await app.inject({ url: '/sandbox/', remoteAddress, headers: { host } })).statusCode
  expect(await status('10.231.18.1')).toBe(200)
  expect(await status('::ffff:10.231.18.1')).toBe(200)
  expect(await status('10.231.18.2')).toBe(404)
  expect(await status('10.231.18.1', 'placard.com')).toBe(404)
  await app.close()
  await sandbox.close()
})
