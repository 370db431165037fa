import { createRequire } from 'node:module'
import { CATEGORIES, ERRORS, type ErrorCode } from '@placard/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  check,
  NOON,
  newCredentials,
  PUBLIC,
  publish,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../support/service.ts'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; schema: { pattern: string; enum?: string[] } }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
}
type Schema = {
  additionalProperties?: boolean
  required?: string[]
  properties?: Record<string, Schema>
} & Record<string, unknown>
interface Document {
  openapi: string
  info: Record<string, string>
  servers: { url: string }[]
  tags: { name: string }[]
  components: { securitySchemes: Record<string, Record<string, string>> }
  paths: Record<string, Record<string, Operation>>
}
interface Validate {
  (value: unknown): boolean
  errors?: unknown
}

// Fastify's validator reads the document as any agent would, and shares no code with our schemas.
const fastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
const fromCompiler = createRequire(fastify.resolve('@fastify/ajv-compiler'))
const { Ajv2020 } = fromCompiler('ajv/dist/2020.js')
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
fromCompiler('ajv-formats')(ajv)
const compile = (schema: Schema): Validate => ajv.compile(schema)

const PUBLISH = '/api/v1/agent/listings'
const CAPABILITIES = '/api/v1/agent/capabilities'
const QUOTE = '/api/v1/agent/quote'
const CHECK = '/api/v1/agent/check'
const BOARD = '/api/v1/boards/{board}'

let service: TestService
let document: Document
beforeAll(async () => {
  service = await startTestService()
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
})
afterAll(() => service.stop())
beforeEach(() => {
  service.clock.now = NOON
})

const operation = (path: string): Operation => {
  const [found] = Object.values(document.paths[path] ?? {})
  return found ?? expect.fail(`${path} is not documented`)
}
const requestSchema = (path: string): Schema =>
  operation(path).requestBody?.content['application/json']?.schema ?? expect.fail(`${path} takes no body`)
const replySchema = (path: string, status: number): Schema =>
  operation(path).responses[status]?.content?.['application/json']?.schema ??
  expect.fail(`${status} of ${path} is not documented`)
const documentedCodes = (path: string, status: number) =>
  operation(path).responses[status]?.description.split(', ') ?? []

describe('the OpenAPI document', () => {
  it('is served to anybody as cacheable JSON', async () => {
    const response = await fetch(`${service.url}/openapi.json`, {
      headers: { origin: 'https://elsewhere.com', accept: 'text/html' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await response.json()).toEqual(document)
    const again = await fetch(`${service.url}/openapi.json`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    })
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'public, max-age=300'])
  })

  it('names its version, the contract, and where the service is', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: '2026-09-06' })
    expect(document.servers).toEqual([{ url: service.url }])
  })

  it('gives the public address if one is set', async () => {
    const other = await startTestService({ env: PUBLIC })
    const { servers } = (await (await fetch(`${other.url}/openapi.json`)).json()) as Document
    expect(servers).toEqual([{ url: 'https://placard.example.org' }])
    await other.stop()
  })

  it('has exactly the three operations of the contract, check, and the public boards', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    )
    expect(operations.sort()).toEqual([
      'get /api/v1/agent/capabilities getServiceCapabilities',
      'get /api/v1/boards/{board} getBoard',
      'post /api/v1/agent/check checkServiceFreeListing',
      'post /api/v1/agent/listings publishServiceFreeListing',
      'post /api/v1/agent/quote previewServiceQuote',
    ])
    for (const path of Object.keys(document.paths)) {
      expect(operation(path).summary.length).toBeGreaterThan(10)
      for (const tag of operation(path).tags) expect(document.tags.map(({ name }) => name)).toContain(tag)
    }
  })

  it('asks for the submission secret in its header, for publishing only', () => {
    expect(operation(PUBLISH).security).toEqual([{ submissionSecret: [] }])
    expect(document.components.securitySchemes.submissionSecret).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'X-Submission-Secret',
    })
    expect(operation(CAPABILITIES).security).toBeUndefined()
    expect(operation(QUOTE).security).toBeUndefined()
    expect(operation(CHECK).security).toBeUndefined()
    expect(operation(BOARD).security).toBeUndefined()
  })

  it('asks for a random Idempotency-Key, and its pattern takes what the contract describes', () => {
    const { parameters = [] } = operation(PUBLISH)
    expect(parameters.map(each => [each.in, each.name, each.required])).toEqual([
      ['header', 'Idempotency-Key', true],
    ])
    const pattern = new RegExp(parameters[0]?.schema.pattern ?? '')
    for (let count = 0; count < 50; count++) expect(newCredentials().key).toMatch(pattern)
    expect('6BA7B810-9DAD-41D1-80B4-00C04FD430C8').toMatch(pattern)
    for (const wrong of [
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      '6ba7b810-9dad-41d1-c0b4-00c04fd430c8',
      '6ba7b8109dad41d180b400c04fd430c8',
      ' 6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      '6ba7b810-9dad-41d1-80b4-00c04fd430c8x',
      '',
    ]) {
      expect(wrong).not.toMatch(pattern)
    }
    expect(operation(CAPABILITIES).parameters).toBeUndefined()
    expect(operation(QUOTE).parameters).toBeUndefined()
  })

  it('names both boards, and what a page of one takes', () => {
    const { parameters = [] } = operation(BOARD)
    const named = (name: string) => parameters.find(each => each.name === name) ?? expect.fail(name)
    expect(parameters.map(each => [each.in, each.name, each.required]).sort()).toEqual([
      ['path', 'board', true],
      ['query', 'cursor', false],
      ['query', 'limit', false],
    ])
    expect(named('board').schema.enum).toEqual(['all', 'today'])
    const limit = new RegExp(named('limit').schema.pattern)
    for (const good of ['1', '9', '10', '99', '100']) expect(good).toMatch(limit)
    for (const wrong of ['', '0', '01', '101', '110', '1000', '1.0', '-1', ' 1', '1 ']) {
      expect(wrong).not.toMatch(limit)
    }
  })

  it('has closed request bodies, and none for what is only read', () => {
    const body = requestSchema(PUBLISH)
    expect(body.additionalProperties).toBe(false)
    expect(body.required).toEqual(['destination', 'category', 'approval'])
    expect(body.properties?.approval?.additionalProperties).toBe(false)
    expect(body.properties?.approval?.required).toEqual(['scope', 'userApproved', 'rulesVersion'])
    expect(requestSchema(QUOTE).additionalProperties).toBe(false)
    expect(requestSchema(QUOTE).required).toEqual(['destination', 'category', 'board', 'targetBid'])
    expect(requestSchema(CHECK).additionalProperties).toBe(false)
    expect(requestSchema(CHECK).required).toEqual(['destination', 'category'])
    for (const path of [PUBLISH, QUOTE, CHECK]) {
      expect(operation(path).requestBody?.required).toBe(true)
      expect(Object.keys(operation(path).requestBody?.content ?? {})).toEqual(['application/json'])
      expect(requestSchema(path).properties?.category?.enum).toEqual([...CATEGORIES])
      expect(requestSchema(path).properties?.destination?.maxLength).toBe(500)
    }
    expect(operation(CAPABILITIES).requestBody).toBeUndefined()
    expect(operation(BOARD).requestBody).toBeUndefined()
  })

  it('documents every status of the contract, each with a body in JSON but 304', () => {
    const statuses = (path: string) => Object.keys(operation(path).responses).map(Number)
    expect(statuses(PUBLISH)).toEqual([200, 201, 400, 403, 409, 410, 413, 415, 422, 429, 500, 503])
    expect(statuses(QUOTE)).toEqual([200, 400, 413, 415, 429, 500, 503])
    expect(statuses(CHECK)).toEqual([200, 400, 403, 413, 415, 429, 500, 503])
    expect(statuses(CAPABILITIES)).toEqual([200, 304, 500])
    expect(statuses(BOARD)).toEqual([200, 304, 400, 500, 503])
    for (const path of Object.keys(document.paths)) {
      for (const [status, { description, content = {} }] of Object.entries(operation(path).responses)) {
        expect(description).not.toBe('')
        expect(Object.keys(content)).toEqual(status === '304' ? [] : ['application/json'])
      }
    }
  })

  it('describes each error by codes of the table, under their own status, and in the one shape', () => {
    for (const path of Object.keys(document.paths)) {
      for (const status of Object.keys(operation(path).responses).map(Number)) {
        if (status < 400) continue
        const codes = documentedCodes(path, status)
        expect(codes.length).toBeGreaterThan(0)
        for (const code of codes)
          expect([path, code, ERRORS[code as ErrorCode]?.status]).toEqual([path, code, status])
        const { required, properties } = replySchema(path, status)
        expect(required).toEqual(['code', 'error', 'chargeCreated'])
        expect(Object.keys(properties ?? {})).toEqual(['code', 'error', 'chargeCreated', 'field', 'reason'])
      }
    }
  })

  it('holds no schema that a strict validator refuses', () => {
    for (const path of Object.keys(document.paths)) {
      for (const status of Object.keys(operation(path).responses).filter(status => status !== '304')) {
        expect(() => compile(replySchema(path, Number(status)))).not.toThrow()
      }
    }
    expect(() => compile(requestSchema(PUBLISH))).not.toThrow()
    expect(() => compile(requestSchema(QUOTE))).not.toThrow()
  })
})

describe('the replies of the service', () => {
  const fitted = new Set<string>()
  /** Checks a reply against the document. */
  function expectFit(path: string, { status, body }: { status: number; body: unknown }, wanted: number) {
    expect([path, status, body]).toEqual([path, wanted, expect.anything()])
    const validate = compile(replySchema(path, status))
    expect([validate(body), validate.errors]).toEqual([true, null])
    const { code } = body as { code?: string }
    if (status >= 400) expect(documentedCodes(path, status)).toContain(code)
    fitted.add(`${path} ${status}`)
    // The schema says something: a receipt or error that charged would not fit.
    if (path !== CAPABILITIES && (path !== BOARD || status >= 400))
      expect(validate({ ...(body as object), chargeCreated: true })).toBe(false)
  }
  const ask = { destination: 'https://bakery.com/', category: 'Food & Drink', board: 'all', targetBid: 25 }

  it('to a publish fit the document, refusals too', async () => {
    const credentials = newCredentials()
    const body = publishBody('http://document.com')
    expect(compile(requestSchema(PUBLISH))(body)).toBe(true)
    expectFit(PUBLISH, await publish(service, credentials, body), 201)
    expectFit(PUBLISH, await publish(service, credentials, body), 200)
    service.clock.now += 61 * 24 * 60 * 60 * 1000
    const expired = await publish(service, credentials, body)
    expect(expired.body.status).toBe('expired')
    expectFit(PUBLISH, expired, 200)

    expectFit(PUBLISH, await publish(service, credentials, '{'), 400)
    expectFit(PUBLISH, await publish(service, { ...credentials, key: 'x' }, body), 400)
    expectFit(PUBLISH, await publish(service, newCredentials(), { ...body, category: 'None' }), 400)
    expectFit(PUBLISH, await publish(service, newCredentials(), body, { origin: 'null' }), 403)
    expectFit(PUBLISH, await publish(service, newCredentials(), body), 409)
    expectFit(PUBLISH, await publish(service, { ...newCredentials(), key: credentials.key }, body), 409)
    expectFit(PUBLISH, await publish(service, newCredentials(), ' '.repeat(4097)), 413)
    expectFit(PUBLISH, await publish(service, newCredentials(), body, { 'content-type': 'text/plain' }), 415)
    service.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    expectFit(PUBLISH, await publish(service, newCredentials(), publishBody('http://gone.com')), 422)
    service.sites.set('ill.com', (_request, response) => response.writeHead(500).end())
    expectFit(PUBLISH, await publish(service, newCredentials(), publishBody('http://ill.com')), 503)
  })

  it('to a publish that comes too late or too often fit the document', async () => {
    const narrow = await startTestService({
      env: {
        SUBMISSIONS_END_AT: new Date(NOON).toISOString(),
        LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1',
      },
    })
    const body = publishBody('http://late.com')
    expectFit(PUBLISH, await publish(narrow, newCredentials(), body), 410)
    expectFit(PUBLISH, await publish(narrow, newCredentials(), body), 429)
    await narrow.stop()
  })

  it('to a quote fit the document, refusals too', async () => {
    expect(compile(requestSchema(QUOTE))(ask)).toBe(true)
    expectFit(QUOTE, await quote(service, ask), 200)
    expectFit(QUOTE, await quote(service, { ...ask, board: 'today', targetBid: 999_999 }), 200)
    expectFit(QUOTE, await quote(service, { ...ask, targetBid: 4 }), 400)
    expectFit(QUOTE, await quote(service, { ...ask, destination: 'http://localhost/' }), 400)
    expectFit(QUOTE, await quote(service, ' '.repeat(4097)), 413)
    const untyped = await fetch(service.url + QUOTE, { method: 'POST', body: JSON.stringify(ask) })
    expectFit(QUOTE, { status: untyped.status, body: await untyped.json() }, 415)
  })

  it('to a check fit the document, refusals too', async () => {
    const asked = { destination: 'http://checked.com/', category: 'Games' }
    expect(compile(requestSchema(CHECK))(asked)).toBe(true)
    expectFit(CHECK, await check(service, asked), 200)
    await publish(service, newCredentials(), publishBody(asked.destination))
    const listed = await check(service, asked)
    expect(listed.body.alreadyListed).toBeDefined()
    expectFit(CHECK, listed, 200)
    service.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    const rejected = await check(service, { ...asked, destination: 'http://gone.com' })
    expect(rejected.body.publishReply.reason).toBe('not_found')
    expectFit(CHECK, rejected, 200)
    expectFit(CHECK, await check(service, { ...asked, category: 'None' }), 400)
    expectFit(CHECK, await check(service, asked, { origin: 'null' }), 403)
    expectFit(CHECK, await check(service, ' '.repeat(4097)), 413)
    expectFit(CHECK, await check(service, asked, { 'content-type': 'text/plain' }), 415)
    service.sites.set('ill.com', (_request, response) => response.writeHead(500).end())
    expectFit(CHECK, await check(service, { ...asked, destination: 'http://ill.com' }), 503)
    const narrow = await startTestService({
      env: { LIMIT_CHECKS_PER_DAY_PER_IP: '1', LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1' },
    })
    await check(narrow, asked)
    expectFit(CHECK, await check(narrow, asked), 429)
    await publish(narrow, newCredentials(), publishBody('http://other.com'))
    const used = await check(narrow, asked)
    expect(used.body.publishReply.retryAfterSeconds).toBeGreaterThan(0)
    expectFit(CHECK, used, 200)
    await narrow.stop()
  })

  it('to a question for capabilities fit the document', async () => {
    const response = await fetch(service.url + CAPABILITIES)
    expectFit(CAPABILITIES, { status: response.status, body: await response.json() }, 200)
    const etag = response.headers.get('etag') ?? ''
    const unchanged = await fetch(service.url + CAPABILITIES, { headers: { 'if-none-match': etag } })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    fitted.add(`${CAPABILITIES} 304`)
  })

  it('to a question for a board fit the document, refusals too', async () => {
    const get = (path: string, headers = {}) => fetch(`${service.url}/api/v1/boards/${path}`, { headers })
    const read = async (path: string) => {
      const response = await get(path)
      return { status: response.status, body: await response.json() }
    }
    await putOnBoard('document-board', 'all', '2026-11-21')
    for (const board of ['all', 'today', 'all?limit=1']) expectFit(BOARD, await read(board), 200)
    expect((await read('all')).body.entries).toHaveLength(1)
    for (const query of ['limit=0', 'cursor=x', 'page=2']) expectFit(BOARD, await read(`all?${query}`), 400)
    const etag = (await get('all')).headers.get('etag') ?? ''
    const unchanged = await get('all', { 'if-none-match': etag })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    fitted.add(`${BOARD} 304`)
  })

  /** One listing with a place on some boards. */
  async function putOnBoard(slug: string, ...boards: string[]) {
    await publish(service, newCredentials(), publishBody(`http://${slug}.com`))
    const store = await service.database.openStore()
    const values = boards.map(board => ({
      board,
      destinationKey: `2:${slug}.com`,
      totalCents: 500,
      reachedAt: NOON,
      listingId: sql<number>`(select id from listing where slug = ${`${slug}-com`})`,
    }))
    await store.db.insertInto('board_total').values(values).execute()
  }

  it('were compared for every documented status but those of our own faults', () => {
    const documented = Object.keys(document.paths).flatMap(path =>
      Object.keys(operation(path).responses).map(status => `${path} ${status}`),
    )
    expect(documented.filter(each => !fitted.has(each)).sort()).toEqual([
      `${CAPABILITIES} 500`,
      `${CHECK} 500`,
      `${PUBLISH} 500`,
      `${QUOTE} 429`,
      `${QUOTE} 500`,
      `${QUOTE} 503`,
      `${BOARD} 500`,
      `${BOARD} 503`,
    ])
  })
})

describe('the request schemas', () => {
  it('refuse what the service refuses for its fields, and take what it takes', async () => {
    const body = publishBody('http://schema.com')
    const { approval } = body
    const ask = { destination: 'https://schema.com/', category: 'Games', board: 'today', targetBid: 5 }
    const cases: [path: string, body: unknown, good: boolean][] = [
      [PUBLISH, body, true],
      [PUBLISH, { ...body, extra: 1 }, false],
      [PUBLISH, { ...body, destination: 5 }, false],
      [PUBLISH, { ...body, destination: `http://a.com/${'x'.repeat(488)}` }, false],
      [PUBLISH, { ...body, category: 'games' }, false],
      [PUBLISH, { ...body, approval: { ...approval, extra: 1 } }, false],
      [PUBLISH, { ...body, approval: { ...approval, scope: 'all' } }, false],
      [PUBLISH, { ...body, approval: { ...approval, userApproved: 'true' } }, false],
      [PUBLISH, { ...body, approval: { ...approval, rulesVersion: '2026-09-07' } }, false],
      [PUBLISH, [], false],
      [PUBLISH, null, false],
      [QUOTE, ask, true],
      [QUOTE, { ...ask, targetBid: 999_999 }, true],
      [QUOTE, { ...ask, targetBid: 1_000_000 }, false],
      [QUOTE, { ...ask, targetBid: 5.5 }, false],
      [QUOTE, { ...ask, targetBid: '5' }, false],
      [QUOTE, { ...ask, board: 'All' }, false],
      [QUOTE, { ...ask, approval }, false],
    ]
    for (const [path, value, good] of cases) {
      const { status } =
        path === PUBLISH ? await publish(service, newCredentials(), value) : await quote(service, value)
      expect([value, status < 300, compile(requestSchema(path))(value)]).toEqual([value, good, good])
    }
  })
})
