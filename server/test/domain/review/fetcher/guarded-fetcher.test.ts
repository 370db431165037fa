import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import type { WantedDocument } from '../../../../src/domain/review/fetcher/guarded-fetcher.ts'
import { FetchEnded, type FetchLimits } from '../../../../src/domain/review/fetcher/limits.ts'
import { type Reply, respond, startWebServer, type WebServer } from '../../../support/web-server.ts'
import { guardedFetcherFor, nothingLeftOpen } from './fetching.ts'

let server: WebServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const ACME = parseDestination('http://acme.com/')
const TEXT: WantedDocument = { accepts: ['text/plain'], bodyMaxBytes: 4096 }
const PLAIN = { 'Content-Type': 'Text/Plain; charset=utf-8' }
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'
const silence: Reply = () => {}

async function getWith(reply: Reply, wanted: Partial<WantedDocument> = {}, limits: Partial<FetchLimits> = {}) {
  server = await startWebServer(reply)
  const got = await guardedFetcherFor(server, { limits }).visit(ACME, get => get(ACME, { ...TEXT, ...wanted }))
  await nothingLeftOpen(server)
  return got
}

/** What ended a fetch. */
const ended = (got: unknown) => (got instanceof FetchEnded ? got.verdict : got)

describe('a document', () => {
  it('is asked for and answered as its kind', async () => {
    const got = await getWith(socket => respond(socket, { body: 'hello', headers: PLAIN }))
    expect(got).toEqual({
      url: new URL('http://acme.com/'),
      headers: expect.objectContaining({ 'content-type': 'Text/Plain; charset=utf-8' }),
      certificate: null,
      body: Buffer.from('hello'),
    })
    expect(server?.heard[0]?.headers.accept).toBe('text/plain')
  })

  it('may be of one of several kinds', async () => {
    const png: Reply = socket => respond(socket, { body: 'x', headers: { 'Content-Type': 'image/png' } })
    expect(await getWith(png, { accepts: ['image/jpeg', 'image/png'] })).toMatchObject({
      body: Buffer.from('x'),
    })
    expect(server?.heard[0]?.headers.accept).toBe('image/jpeg, image/png')
  })

  it.each(['text/html', 'text/plainer', 'application/octet-stream', 'text/plain, text/html', ''])(
    'of the kind "%s" is refused where it is not asked for',
    async type => {
      const got = await getWith(socket => respond(socket, { headers: { 'Content-Type': type } }))
      const detail = type === '' ? 'The website’s response has no Content-Type: it must be text/plain.' : undefined
      expect(ended(got)).toEqual({ verdict: 'reject', reason: 'not_a_web_page', ...(detail && { detail }) })
    },
  )

  it('may be as large as its kind, and also have headers', async () => {
    const got = await getWith(socket => {
      socket.write(`${HEAD}X: ${'y'.repeat(15_000)}\r\nContent-Length: 4096\r\n\r\n`)
      setTimeout(() => socket.end('x'.repeat(4096)), 30)
    })
    expect(got).toMatchObject({ body: Buffer.alloc(4096, 'x') })
  })

  it('may be large where its kind is', async () => {
    const got = await getWith(socket => respond(socket, { body: Buffer.alloc(3 << 20), headers: PLAIN }), {
      bodyMaxBytes: 4 << 20,
    })
    expect(got).toMatchObject({ body: expect.objectContaining({ length: 3 << 20 }) })
  })

  it.each<[string, Reply]>([
    ['announced', socket => socket.write(`${HEAD}Content-Length: 4097\r\n\r\n`)],
    ['sent', socket => socket.write(`${HEAD}\r\n${'x'.repeat(4097)}`)],
    [
      'packed',
      socket =>
        respond(socket, {
          body: gzipSync(Buffer.alloc(4097)),
          headers: { ...PLAIN, 'Content-Encoding': 'gzip' },
        }),
    ],
    [
      'hidden in chunk extensions',
      socket =>
        socket.end(
          `${HEAD}Transfer-Encoding: chunked\r\n\r\n${`1;${'x'.repeat(1_000)}\r\nx\r\n`.repeat(2_000)}0\r\n\r\n`,
        ),
    ],
  ])('that is larger than its kind is refused: %s', async (_how, reply) => {
    expect(ended(await getWith(reply))).toMatchObject({ verdict: 'reject', reason: 'too_large' })
  })

  it('may have less time than its visit', async () => {
    const got = await getWith(silence, { timeoutMs: 50 })
    expect(ended(got)).toEqual({
      verdict: 'cannot_tell',
      why: 'the fetch took too long',
      fault: 'site_slow',
      detail: expect.any(String),
    })
  })

  it.each([304, 404, 503])('that is answered with %i has that status', async status => {
    expect(await getWith(socket => respond(socket, { status, headers: PLAIN }))).toMatchObject({
      httpStatus: status,
    })
  })
})

describe('a visit', () => {
  it('fetches several documents with one slot', async () => {
    server = await startWebServer((socket, { target }) => respond(socket, { body: target, headers: PLAIN }))
    const fetcher = guardedFetcherFor(server, { limits: { atOnceMax: 1, waitersMax: 0 } })
    const bodies = await fetcher.visit(ACME, async get => {
      const all: string[] = []
      for (const path of ['a', 'b', 'c']) {
        const got = await get(parseDestination(`http://acme.com/${path}`), TEXT)
        all.push('body' in got ? String(got.body) : '')
      }
      return all
    })
    expect(bodies).toEqual(['/a', '/b', '/c'])
  })

  it('has one time limit for all its documents', async () => {
    server = await startWebServer(silence)
    const ends = await guardedFetcherFor(server, { limits: { totalMs: 300 } }).visit(ACME, async get => [
      ended(await get(ACME, TEXT)),
      ended(await get(ACME, TEXT)),
    ])
    expect(ends).toEqual(
      Array(2).fill({
        verdict: 'cannot_tell',
        why: 'the fetch took too long',
        fault: 'site_slow',
        detail: expect.any(String),
      }),
    )
    expect(server.accepted()).toBe(1)
    await nothingLeftOpen(server)
  })

  it('that is stopped before it begins connects to nothing', async () => {
    server = await startWebServer(silence)
    const stop = AbortSignal.abort()
    const got = await guardedFetcherFor(server).visit(ACME, get => get(ACME, TEXT), { stop })
    expect(got).toBeInstanceOf(FetchEnded)
    expect(server.accepted()).toBe(0)
  })

  it.each<[string, Reply, number]>([
    ['silent', silence, 300],
    ['broken off', socket => socket.resetAndDestroy(), 5_000],
  ])('to a website that is %s gives its turn back', async (_what, reply, totalMs) => {
    server = await startWebServer(reply)
    const limits = { totalMs, atOnceMax: 1, waitersMax: 0 }
    const fetcher = guardedFetcherFor(server, { limits })
    for (let visits = 0; visits < 3; visits++) {
      expect(await fetcher.visit(ACME, get => get(ACME, TEXT))).toBeInstanceOf(FetchEnded)
    }
    expect(server.accepted()).toBe(3)
    await nothingLeftOpen(server)
  })

  it('releases its slot when the visitor fails', async () => {
    const fetcher = guardedFetcherFor(undefined, { limits: { atOnceMax: 1, waitersMax: 0 } })
    const failing = fetcher.visit(ACME, async () => {
      throw new Error('fell over')
    })
    await expect(failing).rejects.toThrow('fell over')
    expect(await fetcher.visit(ACME, async () => 'welcome')).toBe('welcome')
  })

  it('is not made when the website is busy for too long', async () => {
    const fetcher = guardedFetcherFor(undefined, { limits: { waitMs: 1 } })
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const first = fetcher.visit(ACME, () => left)
    const second = fetcher.visit(parseDestination('https://www.acme.com/'), async () => 'welcome')
    expect(ended(await second)).toEqual({ verdict: 'cannot_tell', why: 'too many fetches in progress', fault: 'busy' })
    leave()
    await first
  })
})
