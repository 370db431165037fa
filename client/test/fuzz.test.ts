// @module-tag slow
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anyWebAddress } from '../../server/test/support/characters.ts'
import { runs } from '../../server/test/support/runs.ts'
import { PlacardClient } from '../src/client.ts'
import { PlacardError } from '../src/error.ts'
import { newClient, newJournalPath, RECEIPT, REQUEST } from './fixtures.ts'
import { reply, startPeer } from './peer.ts'
import { QUOTE } from './replies.ts'

const QUOTE_REQUEST = { ...REQUEST, board: 'all', targetBid: 25 } as const
const trap = () => {
  throw new Error('a trap')
}
const hostile = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })

/** What callers without types pass. */
const WRONG: unknown[] = [
  ...[null, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, 1n, '', 'x', '\0', true, Symbol('s')],
  ...[[], {}, () => {}, new Date(), new URL('https://a.example'), Object.create(null), hostile],
]

/** Whatever a call does, it ends with its result or with the one error of the library, which says what to do next. */
async function endsWell(call: () => unknown): Promise<PlacardError | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    if (!(error instanceof PlacardError)) throw new Error(`a raw error left the library: ${inspect(error)}`)
    const { kind, code, message, whatNext } = error
    expect(['refused', 'postponed', 'unknown', 'usage']).toContain(kind)
    expect(code).toMatch(/^[\w.:-]{1,64}$/)
    expect(message).toMatch(/^[^\p{Cc}\p{Cf}]{1,5000}$/u)
    expect(whatNext).toMatch(/^.{10,}$/)
    expect(inspect(error) + JSON.stringify(error)).not.toMatch(/[0-9a-f]{64}|#owner=/)
    return error
  }
}

// biome-ignore lint/suspicious/noExplicitAny: callers without types are what this is about.
const any = (value: unknown): any => value

describe('a call that makes no sense', () => {
  const options = ['service', 'store', 'fetch', 'requestTimeoutMs', 'waitBudgetMs', 'firstBackoffMs', 'onRetry']

  test.each(options)('for the option %s is refused by the constructor', async name => {
    const service = 'http://127.0.0.1:8080'
    for (const value of WRONG) {
      const error = await endsWell(() => new PlacardClient(any({ service, [name]: value })))
      if (error) expect(error).toMatchObject({ kind: 'usage', code: expect.stringMatching(/^invalid_/) })
      else expect(typeof value).toMatch(/onRetry|fetch/.test(name) ? 'function' : /^(number|string)$/)
    }
  })

  test.each(WRONG.map((_, index) => index))(
    'with wrong value %i for everything is refused, and nothing is sent',
    async index => {
      const value = WRONG[index]
      const peer = await startPeer(reply(201, RECEIPT))
      const client = newClient(peer.url)
      const calls = [
        () => new PlacardClient(any(value)),
        () => client.publish(any(value)),
        () => client.quote(any(value)),
        ...['destination', 'category', 'userApproved'].map(
          name => () => client.publish(any({ ...REQUEST, destination: 'x', [name]: value })),
        ),
        ...['board', 'targetBid'].map(
          name => () => client.quote(any({ ...QUOTE_REQUEST, category: 'x', board: 0, [name]: value })),
        ),
        () => client.decision(value === undefined ? '' : any(value)),
        ...['statement', 'userApproved', 'decision', 'approval'].map(
          name => () => client.appeal(any({ statement: 'x', userApproved: true, [name]: value })),
        ),
        () => client.publish(REQUEST, any({ signal: value })),
        () => client.quote(QUOTE_REQUEST, any(value === null || typeof value !== 'object' ? value : { signal: value })),
      ]
      for (const call of calls)
        expect(await endsWell(call)).toMatchObject({ kind: expect.stringMatching(/usage|unknown/) })
      expect(peer.arrivals).toEqual([])
    },
  )

  test('of any kind is refused', async () => {
    const peer = await startPeer(reply(500, {}))
    const client = newClient(peer.url, { waitBudgetMs: 0 })
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.anything(), async (one, other) => {
        await endsWell(() => new PlacardClient(any(one)))
        for (const call of [client.publish, client.quote, client.capabilities, client.decision, client.appeal]) {
          await endsWell(() => any(call).call(client, one, other))
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test('for an address is refused', async () => {
    const piece = fc.constantFrom(
      'http',
      'https',
      ':',
      '//',
      '@',
      '127.0.0.1',
      'a.example',
      ':1',
      ':99999',
      '[',
      '::1]',
      '/',
      '?',
      '#',
      '%',
      ' ',
      '\\',
      '\0',
      'é',
    )
    const address = fc.oneof(
      fc.array(piece, { maxLength: 7 }).map(pieces => pieces.join('')),
      anyWebAddress,
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(address, async service => {
        const error = await endsWell(() => new PlacardClient({ service }))
        if (error) expect(error.code).toBe('invalid_service_address')
      }),
      { numRuns: runs(1000) },
    )
  })

  test('back, when onRetry throws, keeps the facts of the request', async () => {
    const peer = await startPeer(reply(500, {}), reply(201, RECEIPT))
    const journalPath = newJournalPath()
    const onRetry = () => {
      throw new TypeError('mine')
    }
    const client = newClient(peer.url, { journalPath, onRetry })
    const error = await endsWell(() => client.publish(REQUEST))
    expect(error).toMatchObject({ kind: 'unknown', code: 'on_retry_failed', keepCredentials: true })
    expect(error?.error).toContain('mine')
    expect((await newClient(peer.url, { journalPath }).publish(REQUEST)).replayed).toBe(false)
    expect(new Set(peer.arrivals.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })
})

/** A service that sends these bytes back, whatever it is asked, and closes, resets or stays silent. */
async function startRaw(bytes: string | Buffer, then: 'end' | 'reset' | 'hang'): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => {
      socket.write(bytes)
      if (then === 'end') socket.end()
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${any(server.address()).port}`
}

/** Publish and both ways of reading, in a hurry. */
async function callAll(service: string): Promise<(PlacardError | undefined)[]> {
  const client = newClient(service, { waitBudgetMs: 0, requestTimeoutMs: 300 })
  const calls = [() => client.publish(REQUEST), () => client.quote(QUOTE_REQUEST), () => client.capabilities()]
  return Promise.all(calls.map(endsWell))
}

const http = (status: string, headers: string, body = '') => `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`
const JSON_TYPE = 'content-type: application/json'

describe('a service that answers nonsense', () => {
  const answers: [string, string | Buffer][] = [
    ['nothing', ''],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['zeros', Buffer.alloc(5000)],
    ['a status of its own', http('999 What', JSON_TYPE, '{}')],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['a header with a line break', http('200 OK', 'content-type: application/json\r\n bad')],
    ['early hints without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)],
    ['a wrong length', http('201 Created', `${JSON_TYPE}\r\ncontent-length: 5000`, '{"a":')],
    ['bad chunks', http('201 Created', `${JSON_TYPE}\r\ntransfer-encoding: chunked`, 'zz\r\n{}')],
    ['no gzip', http('201 Created', `${JSON_TYPE}\r\ncontent-encoding: gzip`, '{}')],
    [
      'a gzip bomb',
      Buffer.concat([
        Buffer.from(http('201 Created', `${JSON_TYPE}\r\ncontent-encoding: gzip`)),
        gzipSync(Buffer.alloc(20_000_000, '[')),
      ]),
    ],
    ['brackets without end', http('200 OK', JSON_TYPE, '['.repeat(900_000))],
    ['no UTF-8', Buffer.concat([Buffer.from(http('200 OK', JSON_TYPE, '{"a":"')), Buffer.from([0xff, 0x22, 0x7d])])],
    ['a redirect to nowhere', http('302 Found', 'content-length: 0')],
    ['a redirect to nonsense', http('307 Moved', 'location: http://[\r\ncontent-length: 0')],
    ['a redirect to a script', http('308 Moved', 'location: javascript:alert(1)\r\ncontent-length: 0')],
    ['not modified', http('304 Not Modified', JSON_TYPE)],
    [
      'a retry in an age',
      http('429 No', `${JSON_TYPE}\r\nretry-after: ${'9'.repeat(400)}`, '{"code":"a","error":"b"}'),
    ],
    ['control characters', http('400 No', JSON_TYPE, '{"code":"a\\u001b[2J","error":"\\u202e b\\u0000"}')],
    ['a secret', http('400 No', JSON_TYPE, `{"code":"a","error":"${'ab'.repeat(32)} https://p/#owner=abc"}`)],
    ['a long story', http('400 No', JSON_TYPE, `{"code":"a","error":"${'x'.repeat(900_000)}"}`)],
  ]

  test.each(
    answers.flatMap(([name, bytes]) => (['end', 'reset', 'hang'] as const).map(then => ({ name, then, bytes }))),
  )('is met with one clear error: $name, then $then', async ({ bytes, then }) => {
    for (const error of await callAll(await startRaw(bytes, then))) expect(error).toBeDefined()
  })

  test('of any JSON gets one clear error', async () => {
    let body: unknown
    let status = 200
    const peer = await startPeer((response, arrival) => reply(status, body)(response, arrival))
    const changed = fc
      .constantFrom(...Object.keys({ ...RECEIPT, ...QUOTE }))
      .chain(name => fc.jsonValue().map(value => ({ ...RECEIPT, ...QUOTE, [name]: value })))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue(), changed, fc.record({ code: fc.jsonValue(), error: fc.jsonValue() })),
        fc.constantFrom(200, 201, 204, 400, 404, 409, 422, 429, 500, 503),
        async (json, given) => {
          body = json
          status = given
          await callAll(peer.url)
        },
      ),
      { numRuns: runs(150) },
    )
  })
})
