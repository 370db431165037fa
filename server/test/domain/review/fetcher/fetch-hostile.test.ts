// @module-tag slow
import type { Socket } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { FetchLimits } from '../../../../src/domain/review/fetcher/limits.ts'
import { runs } from '../../../support/runs.ts'
import {
  type Reply,
  respond,
  startWebServer,
  type WebServer,
  type WebServerOptions,
} from '../../../support/web-server.ts'
import { fetchFrom } from './fetching.ts'

let server: WebServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Limits in milliseconds instead of seconds. */
const SHORT: Partial<FetchLimits> = { totalMs: 500, connectMs: 300, headersMs: 200 }

async function fetchWith(reply: Reply, limits: Partial<FetchLimits> = SHORT, options: WebServerOptions = {}) {
  server = await startWebServer(reply, options)
  // The time limit of the test finds an endless fetch.
  return fetchFrom(server, { limits })
}

const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const TOO_LARGE = { verdict: 'reject', reason: 'too_large' }
const MIB = 1024 * 1024

/** Keeps sending a piece as long as the other side listens. */
const endlessly =
  (piece: string | Buffer, first = '', pauseMs = 0): Reply =>
  socket => {
    const chunk = Buffer.from(piece)
    socket.write(first)
    const send = () => {
      while (!socket.destroyed && pauseMs === 0 && socket.write(chunk));
      if (!socket.destroyed && pauseMs > 0) socket.write(chunk, () => setTimeout(send, pauseMs))
    }
    socket.on('drain', send)
    send()
  }

describe('a website that never ends', () => {
  it.each<[string, Reply]>([
    ['says nothing', () => {}],
    ['stops inside the status line', socket => socket.write('HTTP/1.1 20')],
    ['sends a status line without end', endlessly('x'.repeat(1000), 'HTTP/1.1 200 ')],
    ['stops inside the headers', socket => socket.write(`${HTML}X-Half: `)],
    ['trickles headers', endlessly('X: y\r\n', HTML, 10)],
    ['trickles the spaces before a header', endlessly(' ', `${HTML}X:`, 10)],
    ['stops inside the body', socket => socket.write(`${HTML}Content-Length: 100\r\n\r\nhello`)],
    ['trickles a body', endlessly('x', `${HTML}Content-Length: 1000000\r\n\r\n`, 10)],
    ['trickles chunks', endlessly('1\r\nx\r\n', `${HTML}Transfer-Encoding: chunked\r\n\r\n`, 10)],
    ['trickles the size of a chunk', endlessly('0', `${HTML}Transfer-Encoding: chunked\r\n\r\n`, 10)],
    ['trickles trailers', endlessly('X: y\r\n', `${HTML}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 10)],
    ['trickles informational responses', endlessly('HTTP/1.1 103 Early Hints\r\n\r\n', '', 100)],
  ])('and %s is left in time', async (_what, reply) => {
    expect((await fetchWith(reply)).verdict).toMatch(/cannot_tell|reject/)
  })

  it('is left at once when it sends many informational responses', async () => {
    const fetched = await fetchWith(endlessly('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)), {})
    expect(fetched).toMatchObject({ verdict: 'cannot_tell', why: 'too many 1xx responses' })
  })

  it('redirects slowly, and all hops share one deadline', async () => {
    const slow: Reply = (socket, { target }) =>
      setTimeout(() => respond(socket, { status: 302, headers: { Location: `${target}a` } }), 150)
    const fetched = await fetchWith(slow, { totalMs: 400 })
    expect(fetched.verdict).toBe('cannot_tell')
    expect(server?.heard.length).toBeLessThan(5)
  })
})

describe('a website that sends too much', () => {
  const big = (length: number) => `${HTML}Content-Length: ${length}\r\n\r\n`
  it.each<[string, Reply]>([
    ['announces it', socket => socket.write(big(MIB + 1))],
    ['sends a body without length', endlessly(Buffer.alloc(65_536, 'x'), `${HTML}\r\n`)],
    [
      'sends chunks without end',
      endlessly(`10000\r\n${'x'.repeat(65_536)}\r\n`, `${HTML}Transfer-Encoding: chunked\r\n\r\n`),
    ],
    [
      'hides it in chunk extensions',
      endlessly(`1;${'x'.repeat(60_000)}\r\nx\r\n`, `${HTML}Transfer-Encoding: chunked\r\n\r\n`),
    ],
    ['sends a header of 16 KiB', socket => socket.write(`${HTML}X: ${'y'.repeat(16_384)}\r\n\r\n`)],
    ['sends headers without end', endlessly('X-Header: value\r\n'.repeat(100), HTML)],
  ])('and %s is too large', async (_what, reply) => {
    expect(await fetchWith(reply, {})).toMatchObject(TOO_LARGE)
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64 * MIB))],
    ['gzip', gzipSync(Buffer.alloc(MIB + 1))],
    ['deflate', deflateSync(Buffer.alloc(64 * MIB))],
    ['br', brotliCompressSync(Buffer.alloc(64 * MIB), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ])('and packs it in %s is too large', async (coding, body) => {
    const before = process.memoryUsage().arrayBuffers
    const fetched = await fetchWith(socket => respond(socket, { body, headers: { 'Content-Encoding': coding } }), {})
    expect(fetched).toEqual(TOO_LARGE)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MIB)
  })

  it('and sends exactly 1 MiB is read', async () => {
    const fetched = await fetchWith(socket => respond(socket, { body: Buffer.alloc(MIB, 'x') }), {})
    expect(fetched).toMatchObject({ verdict: 'pass', page: { text: 'x'.repeat(20_000) } })
  })

  it('and sends 200,000 chunks of one byte is read', async () => {
    const body = '1\r\nx\r\n'.repeat(200_000)
    const reply: Reply = socket => socket.end(`${HTML}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`)
    expect(await fetchWith(reply, {})).toMatchObject({ verdict: 'pass' })
  })

  it('and nests elements 257 deep is too large', async () => {
    const nested =
      (depth: number): Reply =>
      socket =>
        respond(socket, { body: `${'<div>'.repeat(depth)}words` })
    expect(await fetchWith(nested(257), {})).toEqual(TOO_LARGE)
    await server?.close()
    expect(await fetchWith(nested(256), {})).toMatchObject({ verdict: 'pass', page: { text: 'words' } })
  })
})

describe('a website that breaks off', () => {
  const packed = gzipSync('<title>Acme</title>'.repeat(1000))
  it.each<[string, Reply]>([
    ['before the status', socket => socket.end()],
    ['inside the status', socket => socket.end('HTTP/1')],
    ['inside the headers', socket => socket.end(`${HTML}X: `)],
    ['inside a body with a length', socket => socket.end(`${HTML}Content-Length: 100\r\n\r\nhello`)],
    ['inside a chunk', socket => socket.end(`${HTML}Transfer-Encoding: chunked\r\n\r\n64\r\nhello`)],
    ['before the last chunk', socket => socket.end(`${HTML}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)],
    [
      'inside a compressed body',
      socket => {
        socket.write(`${HTML}Content-Encoding: gzip\r\n\r\n`)
        socket.end(packed.subarray(0, 40))
      },
    ],
    ['with a reset before the status', socket => socket.resetAndDestroy()],
    [
      'with a reset in the body',
      socket => socket.write(`${HTML}Content-Length: 9\r\n\r\nx`, () => socket.resetAndDestroy()),
    ],
  ])('%s may do better later', async (_when, reply) => {
    expect(await fetchWith(reply)).toMatchObject({ verdict: 'cannot_tell' })
  })

  it.each([
    ['another length than it announced', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'],
    ['its length twice', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\nxy'],
  ])('or sends %s is told so', async (_what, rest) => {
    const detail = 'The page of the website is not as long as its Content-Length says, or its length is sent twice.'
    const fetched = await fetchWith(socket => socket.end(HTML + rest))
    expect(fetched).toMatchObject({ verdict: 'cannot_tell', fault: 'site_unreachable', detail })
  })

  it.each<[string, (socket: Socket) => void]>([
    ['hangs up', socket => socket.destroy()],
    ['resets', socket => socket.resetAndDestroy()],
    ['speaks first and hangs up', socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['speaks first', socket => socket.write('SSH-2.0-OpenSSH_9.9\r\n')],
  ])('as soon as it is connected (%s) is asked once only', async (_what, onConnection) => {
    const fetched = await fetchWith(() => {}, SHORT, { onConnection })
    expect(fetched.verdict).toMatch(/cannot_tell|reject/)
    expect(server?.accepted()).toBe(1)
  })
})

describe('a website that speaks no proper HTTP', () => {
  it.each([
    ['garbage', '\0\x01\x02 garbage\r\n\r\n'],
    ['SSH', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['HTTP/0.9', '<html>hello'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a header without a colon', `${HTML}nonsense\r\n\r\n`],
    ['a header with a null byte', `${HTML}X: a\0b\r\n\r\n`],
    ['a negative length', `${HTML}Content-Length: -1\r\n\r\n`],
    ['a chunk size that is no number', `${HTML}Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n`],
    ['a chunk size over all measure', `${HTML}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n`],
    ['a chunk longer than announced', `${HTML}Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n`],
  ])('but %s has no web page', async (_what, bytes) => {
    expect(await fetchWith(socket => socket.end(bytes, 'latin1'))).toMatchObject({
      verdict: 'reject',
      reason: 'not_a_web_page',
    })
  })

  it.each([
    [
      'an upgrade nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello',
    ],
    ['two lengths', `${HTML}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length and chunks', `${HTML}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a second response', `${HTML}Content-Length: 1\r\n\r\na${HTML}Content-Length: 1\r\n\r\nb`],
    ['a body where none may be', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'],
    [
      'headers named like object properties',
      `${HTML}__proto__: x\r\nconstructor: y\r\ntoString: z\r\nContent-Length: 0\r\n\r\n`,
    ],
    ['a charset that does not exist', 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=nonsense\r\n\r\nhello'],
    ['a charset without a decoder', 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-2022-cn\r\n\r\nhello'],
    ['binary data', `${HTML}\r\n\xff\xfe\x00\x01\x80\x90<\x00>\xf0\x9f`],
  ])('but %s does no harm', async (_what, bytes) => {
    const fetched = await fetchWith(socket => socket.end(bytes, 'latin1'))
    expect(fetched.verdict).toMatch(/pass|reject|cannot_tell/)
  })

  it('is survived, whatever bytes it sends and wherever it breaks off', async () => {
    let bytes = Buffer.alloc(0)
    let resets = false
    server = await startWebServer(socket =>
      socket.write(bytes, () => (resets ? socket.resetAndDestroy() : socket.end())),
    )
    const running = server
    const whole = Buffer.from(
      `HTTP/1.1 103 Hint\r\nA: b\r\n\r\n${HTML}Transfer-Encoding: chunked\r\nLocation: /x\r\n\r\n5\r\n<p>hi\r\n0\r\nT: u\r\n\r\n`,
    )
    const damage = fc.record({
      length: fc.nat({ max: whole.length }),
      at: fc.nat({ max: whole.length - 1 }),
      byte: fc.nat({ max: 255 }),
      resets: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(damage, async how => {
        bytes = Buffer.from(whole.subarray(0, how.length))
        if (how.at < bytes.length) bytes[how.at] = how.byte
        resets = how.resets
        const fetched = await fetchFrom(running, { limits: SHORT })
        expect(fetched.verdict).toMatch(/pass|reject|cannot_tell/)
      }),
      { numRuns: runs(150) },
    )
  })
})
