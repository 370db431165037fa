// @module-tag slow
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { APPROVALS_PATH, CHECK_PATH, ERRORS, type ErrorBody, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  newCredentials,
  publish,
  publishAtLast,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'

const REQUEST_ID = /^[\w-]{12}-[0-9a-z]+$/

let service: TestService
let port: number
beforeAll(async () => {
  service = await startTestService()
  port = Number(new URL(service.url).port)
})
afterAll(() => service.stop())

/** Every API address, with what it takes. */
const ADDRESSES: [path: string, allow: string[]][] = [
  [PUBLISH_PATH, ['POST']],
  [QUOTE_PATH, ['POST']],
  [CHECK_PATH, ['POST']],
  [APPROVALS_PATH, ['POST']],
  ['/api/v1/agent/capabilities', ['GET', 'HEAD']],
  ['/openapi.json', ['GET', 'HEAD']],
  ['/healthz', ['GET', 'HEAD']],
  ['/readyz', ['GET', 'HEAD']],
  ['/', ['GET', 'HEAD']],
  ['/product/none', ['GET', 'HEAD']],
  ['/promote', ['GET', 'HEAD']],
  ['/manage/none/withdraw', ['GET', 'HEAD', 'POST']],
  ['/manage/none/session', ['POST']],
]

const ask = (path: string, init: RequestInit = {}) => fetch(service.url + path, { redirect: 'manual', ...init })

/** Checks an error's shape. @returns its body */
async function expectError(response: Response, status: number, code: keyof typeof ERRORS) {
  expect([response.url, response.status]).toEqual([response.url, status])
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-request-id')).toMatch(REQUEST_ID)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const body = (await response.json()) as ErrorBody
  expect(body).toMatchObject({
    code,
    error: expect.stringContaining(ERRORS[code].error),
    chargeCreated: false,
  })
  return body
}

describe('an unknown address', () => {
  it.each([
    ['/api/v1/agent/listing', 'POST', PUBLISH_PATH],
    ['/v1/agents/quotes', 'POST', QUOTE_PATH],
    ['/API/v1/agent/capabilites?x=1', 'GET', '/api/v1/agent/capabilities'],
    ['/agent-guide', 'GET', '/agent-guide.md'],
    ['/agent-guid.md', 'GET', '/agent-guide.md'],
    ['/api/v1/Listings', 'GET', '/api/v1/listings'],
    ['/api/v1/Listings', 'POST', PUBLISH_PATH],
    ['/api/v1/board/all', 'GET', '/api/v1/boards/{all|today}'],
    ['/api/v1/boards/games', 'GET', '/api/v1/boards/{all|today}'],
    ['/board/Today', 'GET', '/board/{all|today}'],
    ['/api/v1/agent/submission/a', 'GET', '/api/v1/agent/submissions/{key}'],
    ['/products/some-site', 'GET', '/product/{slug}'],
  ])('that is nearly right is corrected: %s', async (path, method, meant) => {
    const { error } = await expectError(await ask(path, { method }), 404, 'not_found')
    expect(error).toContain(`Did you mean ${method} ${meant}?`)
  })

  it('that is known by another method is corrected if an agent publishes where listings are read', async () => {
    const list = await expectError(await ask('/api/v1/listings', { method: 'POST' }), 405, 'method_not_allowed')
    expect(list.error).toContain(`Did you mean POST ${PUBLISH_PATH}?`)
    const none = await expectError(await ask('/api/v1/listings', { method: 'DELETE' }), 405, 'method_not_allowed')
    expect(none.error).not.toContain('Did you mean')
  })

  it.each([
    '/none',
    '/api/v1/agent',
    '/api/v2/agent/listings',
    '//healthz',
    '/product',
    '/product/a/b',
    '/HEALTHZ',
    '/wp-login.php',
  ])('is a 404 in the one shape: %s', async path => {
    const body = await expectError(await ask(path), 404, 'not_found')
    expect(Object.keys(body)).toEqual(['code', 'error', 'chargeCreated', 'documentationUrl'])
  })

  it('is one for every method, with and without a body', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      await expectError(await ask('/none', { method }), 404, 'not_found')
    }
    const headers = { 'content-type': 'application/json' }
    await expectError(await ask('/none', { method: 'POST', body: '{"a":1}', headers }), 404, 'not_found')
  })

  it('is a page for a person, and JSON for everybody else and everywhere under /api/', async () => {
    const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }
    const page = await ask('/none', { headers: html })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('x-request-id')).toMatch(REQUEST_ID)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await page.text()
    expect(text).toMatch(/^<!doctype html>/i)
    expect(text).toContain('Page not found')
    expect(text).toContain('The address may be mistyped or incomplete')
    expect(text).not.toContain('not_found')

    await expectError(await ask('/api/none', { headers: html }), 404, 'not_found')
    await expectError(await ask('/api/v1/agent/none', { headers: html }), 404, 'not_found')
    await expectError(await ask('/none', { headers: { accept: '*/*' } }), 404, 'not_found')
    await expectError(await ask('/none', { headers: { accept: 'application/json' } }), 404, 'not_found')
  })

  it('says nothing that the address said', async () => {
    const path = '/%3Cscript%3Ealert(1)%3C/script%3E?q=<script>'
    for (const accept of ['text/html', '*/*']) {
      expect(await (await ask(path, { headers: { accept } })).text()).not.toContain('alert')
    }
  })

  it('is one if its percent escapes cannot be decoded', async () => {
    for (const path of ['/%', '/%zz', '/%ff', '/product/%zz', '/product/%e0%a4', '/manage/%c3%28', '/api/v1/%ff']) {
      await expectError(await ask(path), 404, 'not_found')
    }
    const page = await ask('/%zz', { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    await expectError(await ask('/api/%zz', { headers: { accept: 'text/html' } }), 404, 'not_found')
  })

  it.each(['/product/', '/manage/', '/assets/'])('is one where its name is far too long: %s', async path => {
    await expectError(await ask(path + 'a'.repeat(101)), 404, 'not_found')
    await expectError(await ask(path + 'a'.repeat(8000)), 404, 'not_found')
  })
})

describe('a guessed address', () => {
  const led = async (path: string, method = 'GET') => {
    const { status, headers } = await ask(path, { method, headers: { accept: 'text/html' } })
    return [status, headers.get('location')]
  }

  it.each([
    ['/newest/', '/newest'],
    ['/search/?q=bread', '/search?q=bread'],
    ['/product/sunrise-bakery-com//', '/product/sunrise-bakery-com'],
    ['/board/all/', '/board/all'],
    ['/board', '/board/all'],
    ['/board/', '/board/all'],
    ['/feed', '/feed.atom'],
    ['/boards', '/board/all'],
    ['/boards/all', '/board/all'],
    ['/boards/today?q=1', '/board/today'],
    ['/categories', '/#categories'],
    ['/docs', '/api'],
    ['/errors', '/api#errors'],
    ['/errors/', '/api#errors'],
    ['/board/today/?q=1', '/board/today?q=1'],
    ['/draw/', '/draw'],
    ['/category/', '/#categories'],
    ['/favicon.ico', '/icon-192.png'],
  ])('leads there for good: %s', async (path, target) => {
    expect(await led(path)).toEqual([308, target])
    expect(await led(path, 'HEAD')).toEqual([308, target])
  })

  it('leads a browser to something that is there', async () => {
    for (const path of ['/newest/', '/boards/today', '/docs', '/feed', '/categories', '/errors', '/favicon.ico']) {
      expect([path, (await fetch(service.url + path)).status]).toEqual([path, 200])
    }
  })

  it('leads nowhere else: not to another host, not in the API, and not for a sent form', async () => {
    for (const path of [
      '//elsewhere.com/',
      '/\\elsewhere.com/',
      '/.//elsewhere.com/',
      '/%2f/elsewhere.com/',
      '/api/v1/agent/capabilities/',
      '/none',
    ]) {
      const { status, headers } = await askRaw(path)
      expect([path, status, headers.location]).toEqual([path, 404, undefined])
    }
    expect(await led('/newest/', 'POST')).toEqual([404, null])
  })

  /** Without `fetch`, which would normalise the path. */
  const askRaw = async (path: string) => {
    const [response] = (await once(httpGet({ port, host: '127.0.0.1', path }), 'response')) as [IncomingMessage]
    response.resume()
    return { status: response.statusCode, headers: response.headers }
  }
})

describe('another method', () => {
  it.each(ADDRESSES)('than those of %s is a 405 that names them', async (path, allow) => {
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      method => !allow.includes(method),
    )
    for (const method of others) {
      const response = await ask(path, { method })
      expect([method, response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([method, 405, allow])
      if (method !== 'HEAD') await expectError(response, 405, 'method_not_allowed')
    }
  })

  it('is refused before its body is looked at, whatever it is', async () => {
    for (const body of ['{}', '{', 'x'.repeat(10_000)]) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const response = await ask(PUBLISH_PATH, { method: 'PUT', body, headers: { 'content-type': type } })
        await expectError(response, 405, 'method_not_allowed')
      }
    }
  })

  it('is a page for a person', async () => {
    const page = await ask('/', { method: 'POST', headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await page.text()).toContain('That doesn’t work here')
  })
})

describe('a page of another origin', () => {
  const origin = 'https://elsewhere.com'
  const preflight = (path: string, method: string) =>
    ask(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    })
  const granted = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')))
  const readable = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }

  it.each([
    ['GET', '/api/v1/agent/capabilities'],
    ['GET', '/api/v1/boards/all'],
    ['GET', '/api/v1/draws/2026-11-21'],
    ['GET', '/openapi.json'],
    ['GET', '/agent-guide.md'],
    ['GET', '/llms.txt'],
    ['GET', '/.well-known/api-catalog'],
    ['GET', '/.well-known/security.txt'],
    ['GET', '/'],
    ['GET', '/board/today'],
    ['GET', '/search?q=tea'],
    ['GET', '/newest'],
    ['GET', '/category/games'],
    ['GET', '/product/none'],
    ['GET', '/rules'],
    ['POST', CHECK_PATH],
    ['POST', QUOTE_PATH],
    ['POST', '/mcp'],
  ])('may read what needs no credentials, and errors: %s %s', async (method, path) => {
    const asked = await preflight(path, method)
    expect([asked.status, granted(asked)]).toEqual([
      204,
      {
        ...readable,
        'access-control-allow-methods': expect.stringContaining(method),
        'access-control-allow-headers': '*',
        'access-control-max-age': '86400',
      },
    ])
    const reply = await ask(path, { method, headers: { origin }, body: method === 'POST' ? '{' : null })
    expect(reply.status).not.toBe(403)
    expect(granted(reply)).toEqual(readable)
    await expectError(await preflight(path, 'DELETE'), 405, 'method_not_allowed')
  })

  it.each([
    ['POST', PUBLISH_PATH],
    ['GET', '/api/v1/agent/decisions/none'],
    ['POST', '/api/v1/agent/decisions/none/appeal'],
    ['POST', '/manage/none/withdraw'],
    ['GET', '/manage/none'],
    ['GET', '/reports/none'],
    ['GET', '/checkout/none'],
    ['GET', '/console'],
    ['POST', '/promote/proof'],
    ['GET', '/readyz'],
  ])('may not read anything else: %s %s', async (method, path) => {
    const asked = await preflight(path, method)
    await expectError(asked, 405, 'method_not_allowed')
    const reply = await ask(path, { method, headers: { origin } })
    expect([granted(asked), granted(reply)]).toEqual([{}, {}])
  })

  it('is told that it cannot publish only if it tried', async () => {
    const send = async (path: string, method: string) =>
      (await expectError(await ask(path, { method, headers: { origin } }), 403, 'cross_origin_rejected')).error
    expect(await send(PUBLISH_PATH, 'POST')).toContain('cannot publish')
    expect(await send('/api/v1/agent/decisions/none', 'GET')).not.toContain('publish')
  })
})

describe('an error page', () => {
  it.each([
    ['/newst', 'Did you mean <a href="/newest">/newest</a>?'],
    ['/boards/none', 'The address may be mistyped or incomplete'],
  ])('says in words for people which page was meant: %s', async (path, sentence) => {
    const html = await (await ask(path, { headers: { accept: 'text/html' } })).text()
    expect(html).toContain(sentence)
    expect(html).toContain('The address may be mistyped or incomplete')
    expect(html).not.toMatch(/GET|\{|openapi/)
  })

  it.each([
    ['/none', {}, 404, 'The address may be mistyped or incomplete'],
    ['/', { method: 'POST' }, 405, 'This address can’t be opened directly.'],
    ['/promote/proof', { method: 'POST', headers: { origin: 'https://elsewhere.com' } }, 403, 'Another website'],
    [
      '/promote/proof',
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
      'We can’t read that',
    ],
    [
      '/promote/proof',
      { method: 'POST', body: new URLSearchParams({ a: 'x'.repeat(5000) }) },
      413,
      'What you sent is too long',
    ],
  ] as [string, RequestInit, number, string][])(
    'speaks to a person, while a program reads the contract’s message: %s %j',
    async (path, init, status, sentence) => {
      const as = (accept: string) =>
        ask(path, { ...init, headers: { origin: service.url, ...init.headers, accept } as HeadersInit })
      const page = await as('text/html')
      const { code, error } = (await (await as('*/*')).json()) as ErrorBody
      const html = await page.text()
      expect([page.status, ERRORS[code as keyof typeof ERRORS].status]).toEqual([status, status])
      expect(html).toContain(sentence)
      expect(html).not.toContain(code)
      expect(error).toContain(ERRORS[code as keyof typeof ERRORS].error)
      expect(html).not.toContain(error)
    },
  )
})

describe('X-Request-Id', () => {
  it('differs for each reply, and is never what the caller sent', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => ask('/none', { headers: { 'x-request-id': 'mine' } })),
    )
    const ids = replies.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(id).toMatch(REQUEST_ID)
  })
})

/** A raw connection for a test. */
class Wire {
  readonly socket: Socket
  text = ''
  closed = false

  constructor() {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setEncoding('latin1')
    this.socket.on('data', chunk => {
      this.text += chunk
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.closed = true
    })
  }

  write(bytes: string): this {
    this.socket.write(bytes, 'latin1')
    return this
  }

  /** The replies so far, each with its status line, headers and body. */
  get replies() {
    const found: { status: number; head: string; body: string }[] = []
    for (let rest = this.text; rest.includes('\r\n\r\n'); ) {
      const headEnd = rest.indexOf('\r\n\r\n') + 4
      const head = rest.slice(0, headEnd)
      const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0)
      if (rest.length < headEnd + length) break
      found.push({ status: Number(head.split(' ')[1]), head, body: rest.slice(headEnd, headEnd + length) })
      rest = rest.slice(headEnd + length)
    }
    return found
  }

  async statuses(count: number): Promise<number[]> {
    await expect.poll(() => this.replies.length).toBe(count)
    return this.replies.map(({ status }) => status)
  }

  async end(): Promise<void> {
    await expect.poll(() => this.closed).toBe(true)
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: placard\r\n\r\n`
const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: placard\r\nContent-Type: application/json\r\n${headers}\r\n${body}`

describe('bytes that are not an HTTP request', () => {
  it.each([
    ['words', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
    ['an HTTP/2 greeting', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: placard\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: placard\r\n: x\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: placard\r\nX: a\0b\r\n\r\n'],
    ['a length that is no number', post(PUBLISH_PATH, 'Content-Length: abc\r\n', '{}')],
    ['two lengths', post(PUBLISH_PATH, 'Content-Length: 2\r\nContent-Length: 3\r\n', '{}x')],
    ['a length and chunks', post(PUBLISH_PATH, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
    ['chunks of no size', post(PUBLISH_PATH, 'Transfer-Encoding: chunked\r\n', 'zz\r\nxx\r\n')],
  ])('get a 400 in the one shape, and the connection is closed: %s', async (_name, bytes) => {
    const wire = new Wire().write(bytes)
    await wire.end()
    expectRefusal(wire.replies.at(-1))
  })

  it('are refused with headers over 16 KiB, and the reply says so', async () => {
    const wire = new Wire().write(`GET /healthz HTTP/1.1\r\nHost: placard\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`)
    await wire.end()
    expect(wire.replies).toHaveLength(1)
    expect(expectRefusal(wire.replies[0]).error).toContain('16 KiB')
    expect((await ask('/healthz', { headers: { x: 'a'.repeat(8_000) } })).status).toBe(200)
  })

  function expectRefusal(reply: Wire['replies'][number] | undefined): ErrorBody {
    const { status, head, body } = reply ?? expect.fail('there was no reply')
    expect(status).toBe(400)
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r$/im)
    expect(head).toMatch(/^connection: close\r$/im)
    expect(head).toMatch(/^x-content-type-options: nosniff\r$/im)
    expect(head).toMatch(/^cache-control: no-store\r$/im)
    const parsed = JSON.parse(body) as ErrorBody
    expect(parsed).toEqual({
      code: expect.any(String),
      error: expect.any(String),
      chargeCreated: false,
      documentationUrl: `${service.url}/errors/${parsed.code}`,
    })
    expect(ERRORS[parsed.code as keyof typeof ERRORS]?.status).toBe(400)
    return parsed
  }
})

describe('the Host header', () => {
  const ask = (version: string, hosts: string[], path = '/healthz') =>
    `GET ${path} HTTP/${version}\r\n${hosts.map(host => `Host: ${host}\r\n`).join('')}\r\n`

  it.each([
    ['none', []],
    ['two', ['placard', 'elsewhere.com']],
    ['the same twice', ['placard', 'placard']],
    ['an empty one', ['']],
    ['two in one', ['placard, elsewhere.com']],
    ['two in one, without a blank', ['placard,elsewhere.com']],
    ['one with a user', ['user@placard']],
    ['a whole address', ['http://placard/']],
    ['one with a blank', ['placard elsewhere.com']],
    ['a port that is none', ['placard:http']],
    ['broken brackets', ['[::1']],
  ])('is refused where it is %s, on every address', async (_what, hosts) => {
    for (const path of ['/healthz', '/', '/none', '/newest/', '/assets/none', '/api/v1/agent/capabilities']) {
      const wire = new Wire().write(ask('1.1', hosts, path))
      expect([path, await wire.statuses(1)]).toEqual([path, [400]])
      expect(JSON.parse(wire.replies[0]?.body ?? '')).toEqual({
        code: 'invalid_request',
        error: expect.stringContaining('Send the Host header once'),
        chargeCreated: false,
        field: 'Host',
        documentationUrl: `${service.url}/errors/invalid_request`,
      })
      wire.socket.destroy()
    }
    // The request behind it never starts.
    const { key, secret } = newCredentials()
    const body = JSON.stringify(publishBody('http://two-hosts.com'))
    const lines = `${hosts.map(host => `Host: ${host}\r\n`).join('')}Idempotency-Key: ${key}\r\nX-Submission-Secret: ${secret}\r\n`
    const wire = new Wire().write(
      `POST ${PUBLISH_PATH} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${lines}\r\n${body}`,
    )
    expect(await wire.statuses(1)).toEqual([400])
    wire.socket.destroy()
    expect(service.sites.visits('two-hosts.com')).toBe(0)
  })

  it.each(['placard', 'PLACARD.example.org:8080', 'my_service', '127.0.0.1:1', '[::1]', '[::1]:80', 'placard:'])(
    'may be any one host: %s',
    async host => {
      const wire = new Wire().write(ask('1.1', [host]))
      expect(await wire.statuses(1)).toEqual([200])
      wire.socket.destroy()
    },
  )

  it('may be missing in HTTP/1.0, as in load balancers’ probes, but must not be sent twice', async () => {
    const none = new Wire().write(ask('1.0', []))
    expect(await none.statuses(1)).toEqual([200])
    const two = new Wire().write(ask('1.0', ['placard', 'elsewhere.com']))
    expect(await two.statuses(1)).toEqual([400])
  })
})

describe('a body that is too large', () => {
  const TOO_LARGE = { code: 'body_too_large', error: expect.stringContaining('The limit is 4096 bytes.') }

  it('keeps the connection open up to 256 KiB, and what comes after it is answered', async () => {
    for (const size of [4097, 5000, 256 * 1024]) {
      for (const path of [PUBLISH_PATH, QUOTE_PATH]) {
        const wire = new Wire()
        wire.write(post(path, `Content-Length: ${size}\r\n`, 'x'.repeat(size)) + get('/healthz'))
        expect([size, path, await wire.statuses(2)]).toEqual([size, path, [413, 200]])
        expect(JSON.parse(wire.replies[0]?.body ?? '')).toMatchObject(TOO_LARGE)
        expect(wire.closed).toBe(false)
        wire.socket.destroy()
      }
    }
  })

  it('closes the connection where it declares more, without waiting for it', async () => {
    for (const size of [256 * 1024 + 1, 10_000_000_000]) {
      const wire = new Wire().write(post(PUBLISH_PATH, `Content-Length: ${size}\r\n`, 'x'))
      expect(await wire.statuses(1)).toEqual([413])
      expect(wire.replies[0]?.head).toMatch(/^connection: close\r$/im)
      await wire.end()
    }
  })

  it('is refused while it still arrives, and the refusal arrives before the connection ends', async () => {
    const size = 5_000_000
    const wire = new Wire().write(post(PUBLISH_PATH, `Content-Length: ${size}\r\n`, 'x'.repeat(size)))
    // Like a client that sends everything before reading: a reset connection would have lost the reply by then.
    wire.socket.pause()
    await new Promise(resolve => setTimeout(resolve, 500))
    wire.socket.resume()
    await wire.end()
    expect(wire.replies.map(({ status }) => status)).toEqual([413])
  })

  it('holds nothing for long if it never ends', async () => {
    const wire = new Wire().write(post(PUBLISH_PATH, 'Transfer-Encoding: chunked\r\n', ''))
    const timer = setInterval(() => wire.write(`${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`), 5)
    await wire.end()
    clearInterval(timer)
    expect(wire.replies.map(({ status }) => status)).toEqual([413])
  })

  it('is recognised by counting if sent in chunks, and nothing in it counts as a request', async () => {
    const chunk = `${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`
    const wire = new Wire().write(post(QUOTE_PATH, 'Transfer-Encoding: chunked\r\n', chunk.repeat(6)))
    await expect.poll(() => wire.replies.length).toBe(1)
    expect(wire.replies[0]?.status).toBe(413)
    expect(JSON.parse(wire.replies[0]?.body ?? '')).toMatchObject(TOO_LARGE)
    wire.socket.destroy()
  })

  it('may be exactly 4096 bytes', async () => {
    const wire = new Wire().write(post(QUOTE_PATH, 'Content-Length: 4096\r\n', '{}'.padEnd(4096)))
    expect(await wire.statuses(1)).toEqual([400])
    expect(JSON.parse(wire.replies[0]?.body ?? '')).toMatchObject({ code: 'invalid_destination' })
    wire.socket.destroy()
  })
})

describe('a client that goes away', () => {
  it.each([
    ['in the request line', 'GET /heal'],
    ['in the headers', `POST ${PUBLISH_PATH} HTTP/1.1\r\nHost: placard\r\nContent-`],
    ['in the body', post(PUBLISH_PATH, 'Content-Length: 400\r\n', '{"destination":')],
    ['in a chunk', post(PUBLISH_PATH, 'Transfer-Encoding: chunked\r\n', 'ff\r\n{"dest')],
  ])('%s does no harm', async (_where, bytes) => {
    const halves = Array.from({ length: 20 }, () => new Wire().write(bytes))
    for (const [index, wire] of halves.entries()) {
      await expect.poll(() => wire.socket.bytesWritten).toBe(bytes.length)
      // Some close the connection properly, the others reset it.
      if (index % 2) wire.socket.end()
      else wire.socket.resetAndDestroy()
    }
    await Promise.all(halves.map(wire => wire.end()))
    expect((await ask('/healthz')).status).toBe(200)
    expect(await attempts()).toBe(0)
  })

  it('before its answer has published all the same, and finds its receipt again', async () => {
    let finish = () => {}
    service.sites.set('leaving.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const { key, secret } = newCredentials()
    const body = JSON.stringify(publishBody('http://leaving.com'))
    const headers = `Idempotency-Key: ${key}\r\nX-Submission-Secret: ${secret}\r\nContent-Length: ${body.length}\r\n`
    const wire = new Wire().write(post(PUBLISH_PATH, headers, body))
    await expect.poll(() => service.sites.visits('leaving.com')).toBe(1)
    wire.socket.resetAndDestroy()
    await wire.end()
    finish()
    const again = await publishAtLast(service, { key, secret }, publishBody('http://leaving.com'))
    expect([again.status, again.body.status]).toEqual([200, 'published'])
    expect(service.sites.visits('leaving.com')).toBe(1)
  })
})

describe('requests sent one behind the other, without waiting', () => {
  it('are answered in their order, refused ones too', async () => {
    const { key, secret } = newCredentials()
    const body = JSON.stringify(publishBody('http://pipelined.com'))
    const headers = `Idempotency-Key: ${key}\r\nX-Submission-Secret: ${secret}\r\nContent-Length: ${body.length}\r\n`
    const wire = new Wire().write(
      [
        post(PUBLISH_PATH, headers, body),
        get('/none'),
        post(PUBLISH_PATH, headers, body),
        post(QUOTE_PATH, 'Content-Length: 2\r\n', '{}'),
        get('/healthz'),
      ].join(''),
    )
    expect(await wire.statuses(5)).toEqual([201, 404, 200, 400, 200])
    const [first, , repeat] = wire.replies.map(each => each.body)
    expect(JSON.parse(repeat ?? '')).toEqual(JSON.parse(first ?? ''))
    wire.socket.destroy()
  })

  it('keep their own bodies: what one declares is never read as the next', async () => {
    const smuggled = get('/healthz')
    const length = `Content-Length: ${smuggled.length}\r\n`
    const unread = [
      [405, `PUT ${PUBLISH_PATH} HTTP/1.1\r\nHost: placard\r\n${length}\r\n${smuggled}`],
      [415, `POST ${QUOTE_PATH} HTTP/1.1\r\nHost: placard\r\nContent-Type: text/plain\r\n${length}\r\n${smuggled}`],
      [403, post(PUBLISH_PATH, `Origin: null\r\n${length}`, smuggled)],
      [404, post('/none', length, smuggled)],
    ] as const
    for (const [status, bytes] of unread) {
      const wire = new Wire().write(bytes + get('/openapi.json') + get('/none'))
      expect(await wire.statuses(3)).toEqual([status, 200, 404])
      expect(wire.replies[1]?.body).toMatch(/^\{"openapi"/)
      wire.socket.destroy()
    }
  })

  it.each([
    ['no HTTP', 'hello\r\n\r\n', [201]],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', []],
  ])('get no refusal in their place where %s comes behind them: the connection ends', async (what, bytes, statuses) => {
    const hostname = `slow-${what.replace(/\W/g, '').toLowerCase()}.com`
    let finish = () => {}
    service.sites.set(hostname, (request, response) => {
      finish = () => goodPage(request, response)
    })
    const { key, secret } = newCredentials()
    const body = JSON.stringify(publishBody(`http://${hostname}`))
    const headers = `Idempotency-Key: ${key}\r\nX-Submission-Secret: ${secret}\r\nContent-Length: ${body.length}\r\n`
    const wire = new Wire().write(post(PUBLISH_PATH, headers, body) + bytes)
    await expect.poll(() => service.sites.visits(hostname)).toBe(1)
    if (statuses.length === 0) await wire.end()
    finish()
    await wire.end()
    expect(wire.replies.map(({ status }) => status)).toEqual(statuses)
    const again = await publish(service, { key, secret }, publishBody(`http://${hostname}`))
    expect([again.status, again.body.status]).toEqual([200, 'published'])
  })

  it('are not answered after one that is not JSON: the reply says that the connection ends there', async () => {
    const wire = new Wire().write(post(QUOTE_PATH, 'Content-Length: 1\r\n', '{') + get('/none'))
    await wire.end()
    expect(wire.replies.map(({ status }) => status)).toEqual([400])
    expect(wire.replies[0]?.head).toMatch(/^connection: close\r$/im)
  })
})

async function attempts(): Promise<number> {
  const store = await service.database.openStore()
  const { count } = await store.db
    .selectFrom('attempt')
    .select(s => s.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
