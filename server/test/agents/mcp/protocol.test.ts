import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { BODY_MAX_BYTES } from '@placard/contract'
import Type from 'typebox'
import Value from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MCP_PATH, MCP_VERSIONS } from '../../../src/agents/discovery/facts.ts'
import { MESSAGE_MAX_BYTES, MESSAGES_PER_MINUTE } from '../../../src/agents/mcp/route.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { ask, callTool, post } from './messages.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
})

describe('revision 2026-07-28', () => {
  // What its schema requires of the results that this server gives.
  const Complete = { resultType: Type.Literal('complete') }
  const Cached = {
    // Nothing of it differs between clients, or changes without a release.
    ttlMs: Type.Literal(3_600_000),
    cacheScope: Type.Literal('public'),
  }
  const ServerInfo = Type.Object({ name: Type.String(), version: Type.String() })
  const Schema = Type.Object({ type: Type.Literal('object') })
  const RESULTS = {
    'server/discover': Type.Object({
      ...Complete,
      ...Cached,
      supportedVersions: Type.Array(Type.String(), { minItems: 1 }),
      capabilities: Type.Object({ tools: Type.Object({}) }),
      instructions: Type.String(),
      _meta: Type.Object({ 'io.modelcontextprotocol/serverInfo': ServerInfo }),
    }),
    'tools/list': Type.Object({
      ...Complete,
      ...Cached,
      tools: Type.Array(
        Type.Object({
          name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' }),
          title: Type.String(),
          description: Type.String(),
          inputSchema: Schema,
          outputSchema: Schema,
          annotations: Type.Object({
            readOnlyHint: Type.Boolean(),
            destructiveHint: Type.Boolean(),
            idempotentHint: Type.Boolean(),
            openWorldHint: Type.Boolean(),
          }),
        }),
      ),
    }),
    'tools/call': Type.Object({
      ...Complete,
      content: Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() }), { minItems: 1 }),
      structuredContent: Type.Object({}),
    }),
  }

  it.each(Object.entries(RESULTS))('gives a result of %s as its schema says', async (method, schema) => {
    const params = method === 'tools/call' ? { name: 'capabilities', arguments: {} } : {}
    const { status, headers, body } = await ask(service, '2026-07-28', method, params)
    expect([status, headers.get('content-type'), body.jsonrpc, body.id]).toEqual([200, 'application/json', '2.0', 7])
    expect([...Value.Errors(schema, body.result)]).toEqual([])
  })

  it('refuses a revision that nobody knows, with those it serves', async () => {
    const meta = (version: string) => ({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    })
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: meta('2999-01-01') }
    const { status, body } = await post(service, message, {
      'mcp-protocol-version': '2999-01-01',
      'mcp-method': 'tools/list',
    })
    expect([status, body.error?.code]).toEqual([400, -32_022])
    expect(body.error?.data).toMatchObject({ supported: ['2026-07-28'], requested: '2999-01-01' })
  })

  it.each([
    ['no method', { 'mcp-method': '' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another tool', { 'mcp-name': 'quote' }],
    ['another revision', { 'mcp-protocol-version': '2025-11-25' }],
  ])('refuses headers that name %s', async (_what, headers) => {
    const params = { name: 'capabilities', arguments: {} }
    const { status, body } = await ask(service, '2026-07-28', 'tools/call', params, headers)
    expect([status, body.error?.code]).toEqual([400, -32_020])
  })

  it('has no sessions, no subscriptions and no methods but its own', async () => {
    expect((await ask(service, '2026-07-28', 'initialize')).status).toBe(404)
    for (const method of ['prompts/list', 'resources/list', 'tasks/list', 'nothing']) {
      const { status, body } = await ask(service, '2026-07-28', method)
      expect([method, status, body.error?.code]).toEqual([method, 404, -32_601])
    }
    const listen = { notifications: { toolsListChanged: true } }
    const { body } = await ask(service, '2026-07-28', 'subscriptions/listen', listen)
    expect(body.error?.code).toBe(-32_603)
  })
})

describe.each(['2025-11-25', '2025-06-18', '2025-03-26'] as const)('revision %s', version => {
  it('is agreed on, without a session', async () => {
    const { status, headers, body } = await post(service, initialize(version))
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null])
    expect(body.result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: '1.0.0.127/placard' },
    })
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(service, initialized, { 'mcp-protocol-version': version })).status).toBe(202)
    expect((await ask(service, version, 'ping')).body.result).toEqual({})
    const newest = await ask(service, '2026-07-28', 'tools/list')
    expect((await ask(service, version, 'tools/list')).body.result?.tools).toEqual(newest.body.result?.tools)
    expect((await ask(service, version, 'prompts/list')).body.error?.code).toBe(-32_601)
  })
})

it('offers the newest revision with a handshake to a client that knows none of them', async () => {
  for (const wanted of ['2024-11-05', '1999-01-01', 'latest']) {
    expect((await post(service, initialize(wanted))).body.result?.protocolVersion).toBe('2025-11-25')
  }
  expect((await ask(service, '2024-11-05' as '2025-06-18', 'tools/list')).status).toBe(400)
})

describe('a client of another kind', () => {
  it.each(['*/*', 'application/json, */*;q=0.1'])('may accept anything: %s', async accept => {
    for (const version of MCP_VERSIONS) {
      expect((await ask(service, version, 'tools/list', {}, { accept })).status).toBe(200)
    }
  })

  // Before 2025-06-18, messages after the handshake had no header for the revision.
  it('need not name the revision', async () => {
    const { status, body } = await post(service, { jsonrpc: '2.0', id: 7, method: 'tools/list' })
    expect(status).toBe(200)
    expect(body.result?.tools).toHaveLength(7)
  })

  it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('is told that there is no %s', async method => {
    const { status, headers } = await fetch(service.url + MCP_PATH, { method })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('may be a page of any origin, but not one whose host name was led here', async () => {
    for (const version of MCP_VERSIONS) {
      for (const origin of ['https://elsewhere.example', 'null', service.url]) {
        expect((await ask(service, version, 'tools/list', {}, { origin })).status).toBe(200)
      }
    }
    const { status, body } = await rebound(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }))
    expect([status, body.error.data.code]).toEqual([403, 'cross_origin_rejected'])
  })

  /** As a browser sends it that found this address by the name of an attacker. `fetch` sets `Host` itself. */
  async function rebound(message: string) {
    const headers = { host: 'evil.example:80', origin: 'http://evil.example:80', 'content-type': 'application/json' }
    const sent = httpRequest(service.url + MCP_PATH, { method: 'POST', headers }).end(message)
    const [reply] = await once(sent, 'response')
    return { status: reply.statusCode, body: JSON.parse(await text(reply)) }
  }

  it.each([
    ['no JSON', '{', 400, -32_700, 'invalid_json'],
    ['nothing', '', 400, -32_700, 'invalid_json'],
    ['a batch', [initialize('2025-11-25')], 400, -32_600, 'invalid_body'],
    ['a message too large', ' '.repeat(MESSAGE_MAX_BYTES + 1), 413, -32_000, 'body_too_large'],
  ])('is told what is wrong with %s', async (_what, message, status, code, ours) => {
    const answered = await post(service, message)
    expect(answered.status).toBe(status)
    expect(answered.body).toEqual({
      jsonrpc: '2.0',
      error: { code, message: expect.any(String), data: expect.objectContaining({ code: ours }) },
    })
  })

  it.each([
    ['text', { 'content-type': 'text/plain' }, 415],
    ['a content coding', { 'content-encoding': 'gzip' }, 415],
    ['taking no streams', { accept: 'application/json' }, 406],
  ])('is refused for %s', async (_what, headers, status) => {
    expect((await post(service, initialize('2025-11-25'), headers)).status).toBe(status)
  })

  it.each(['null', '7', '"text"', '{}', '{"jsonrpc":"2.0"}', `{"jsonrpc":"2.0","id":{},"method":"ping"}`])(
    'is refused with %s for a message',
    async message => {
      const { status, body } = await post(service, message)
      expect([status, typeof body.error?.code]).toEqual([400, 'number'])
    },
  )
})

describe('parameters', () => {
  const named = { name: 'quote', arguments: {} }
  it.each([
    ['initialize', undefined, 'params must have protocolVersion, capabilities and clientInfo'],
    ['initialize', { ...initialize('2025-11-25').params, clientInfo: { name: 'test' } }, 'clientInfo with name'],
    ['tools/list', { cursor: 5 }, 'params.cursor must be text.'],
    ['tools/call', undefined, 'params.name must be text. Take a name from tools/list.'],
    ['tools/call', { ...named, name: 5 }, 'params.name must be text.'],
    ['tools/call', { ...named, arguments: [] }, 'params.arguments must be an object.'],
    ['tools/call', { ...named, arguments: null }, 'params.arguments must be an object.'],
  ])('of %s that are wrong (%o) are an error in plain words', async (method, params, message) => {
    const error = { code: -32_602, message: expect.stringContaining(message) }
    const wrong = { jsonrpc: '2.0', id: 7, error }
    expect(await post(service, { jsonrpc: '2.0', id: 7, method, params })).toMatchObject({ status: 200, body: wrong })
    if (method === 'initialize') return
    for (const version of MCP_VERSIONS) {
      const { status, body } = await ask(service, version, method, params)
      expect([version, status, body]).toEqual([version, 200, wrong])
    }
  })

  it('that name neither a method nor a language as they must are an error in plain words', async () => {
    expect((await post(service, { jsonrpc: '2.0', id: 7, method: 'constructor' })).body.error?.code).toBe(-32_601)
    const found = await callTool(service, '2026-07-28', 'search', { query: 'x', language: 'english' })
    expect(found.error).toMatchObject({
      field: 'language',
      error: expect.stringMatching(/^language must be two letters such as en\./),
    })
    const drawn = await callTool(service, '2026-07-28', 'draw', { day: 'today' })
    expect(drawn.error).toMatchObject({
      field: 'day',
      error: expect.stringMatching(/^day must be a UTC day such as 2026-09-06\./),
    })
  })
})

describe('arguments', () => {
  const others = { category: 'Games', board: 'all', targetBid: 5 }
  const longest = 'x'.repeat(BODY_MAX_BYTES - JSON.stringify({ ...others, destination: '' }).length)
  it.each([
    ['as long as a body of the API', 'invalid_destination', { ...others, destination: longest }],
    ['longer than a body of the API', 'body_too_large', { ...others, destination: `${longest}x` }],
    [
      'nested as deep as they go',
      'invalid_destination',
      { ...others, destination: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) },
    ],
    ['named as nothing should be', 'invalid_destination', JSON.parse('{"__proto__": {"destination": "a.com"}}')],
  ])('%s are an error of the tool: %s', async (_what, code, args) => {
    for (const version of MCP_VERSIONS) {
      expect(await callTool(service, version, 'quote', args)).toMatchObject({ error: { code } })
    }
  })

  it('nested deeper than can be written down are longer than a body of the API', async () => {
    const nested = '['.repeat(7900) + ']'.repeat(7900)
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quote","arguments":{"a":${nested}}}}`
    const { body } = await post(service, message, { 'mcp-protocol-version': '2025-11-25' })
    expect(body.result).toMatchObject({ isError: true })
    expect(JSON.stringify(body.result)).toContain('body_too_large')
  })

  it('of no tool are an error of the protocol, cut short', async () => {
    const { body } = await ask(service, '2025-11-25', 'tools/call', { name: 'publish'.repeat(100) })
    expect(body.error?.code).toBe(-32_602)
    expect(body.error?.message.length).toBeLessThan(200)
    expect(body.error?.message).toContain('There are: capabilities, ')
  })
})

it('serves on when clients leave before the answer', async () => {
  const { port } = new URL(service.url)
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'capabilities', arguments: {} },
  })
  for (let n = 0; n < 50; n++) {
    await new Promise<void>(resolve => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST ${MCP_PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${message.length}\r\n\r\n${message}`,
        )
        setImmediate(() => {
          socket.destroy()
          resolve()
        })
      })
    })
  }
  expect((await ask(service, '2025-11-25', 'ping')).status).toBe(200)
})

it('closes the connection of a client that asks for it, and says so', async () => {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'content-type': 'application/json', connection: 'close' }
  const asked = httpRequest(service.url + MCP_PATH, { method: 'POST', headers }).end(message)
  const [response] = await once(asked, 'response')
  expect([response.headers.connection, await text(response)]).toEqual(['close', expect.stringContaining('"result"')])
})

it('limits the messages of one client', async () => {
  const limited = await startTestService()
  const statuses: number[] = []
  for (let n = 0; n < MESSAGES_PER_MINUTE; n += 50) {
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(limited, '{')))
    statuses.push(...replies.map(({ status }) => status))
  }
  expect(new Set(statuses)).toEqual(new Set([400]))
  const { status, headers, body } = await post(limited, initialize('2025-11-25'))
  expect([status, body.error?.data?.code]).toEqual([429, 'rate_limited'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  await limited.stop()
})
