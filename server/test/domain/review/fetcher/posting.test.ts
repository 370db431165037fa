import { afterEach, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { FetchEnded, type FetchLimits } from '../../../../src/domain/review/fetcher/limits.ts'
import { type Reply, respond, startWebServer, type WebServer } from '../../../support/web-server.ts'
import { guardedFetcherFor, nothingLeftOpen } from './fetching.ts'

let server: WebServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const ACME = parseDestination('http://acme.com/hook')
const MESSAGE = { headers: { 'webhook-id': '1' }, body: '{"a":"ü"}' }

async function post(reply: Reply, limits: Partial<FetchLimits> = {}) {
  server = await startWebServer(reply)
  const posted = await guardedFetcherFor(server, { limits }).visit(ACME, (_get, post) => post(ACME, MESSAGE))
  await nothingLeftOpen(server)
  return posted instanceof FetchEnded ? posted.verdict : posted
}

it('posts a message as JSON, and says with which status it was answered', async () => {
  expect(await post(socket => respond(socket, { status: 202 }))).toBe(202)
  expect(server?.heard).toEqual([
    {
      method: 'POST',
      target: '/hook',
      headers: expect.objectContaining({
        'content-type': 'application/json',
        'content-length': '10',
        'webhook-id': '1',
        host: 'acme.com',
        'user-agent': 'Placard/1.2.3 (+https://placard.dev/agent-guide.md)',
      }),
    },
  ])
})

it.each([301, 404, 410, 500])('says %i as it is, and follows nothing', async status => {
  const headers = { Location: 'http://acme.com/elsewhere' }
  expect(await post(socket => respond(socket, { status, headers }))).toBe(status)
  expect(server?.heard).toHaveLength(1)
})

it('reads nothing of a body, however long it claims or is', async () => {
  const endless: Reply = socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n')
    const more = setInterval(() => socket.write('x'.repeat(10_000)), 1)
    socket.on('close', () => clearInterval(more))
  }
  expect(await post(endless)).toBe(200)
})

it.each<[string, Reply]>([
  ['nothing', () => {}],
  [
    'a header a while, without end',
    socket => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = setInterval(() => socket.write('X: y\r\n'), 5)
      socket.on('close', () => clearInterval(more))
    },
  ],
])('gives up on a server that sends %s', async (_what, reply) => {
  expect(await post(reply, { headersMs: 100 })).toMatchObject({ verdict: 'cannot_tell' })
})

it('gives up on headers that are too large', async () => {
  const large: Reply = socket => respond(socket, { headers: { 'X-Large': 'x'.repeat(20_000) } })
  expect(await post(large)).toMatchObject({ verdict: 'reject', reason: 'too_large' })
})
