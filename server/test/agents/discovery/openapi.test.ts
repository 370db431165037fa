import { CATEGORIES, ERRORS, ErrorBody, type ErrorCode, REVIEW_REASONS, UNAVAILABLE_REASONS } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BOARD,
  CAPABILITIES,
  CHECK,
  PUBLISH,
  QUOTE,
  type ReadDocument,
  readDocument,
  type Schema,
} from '../../platform/http/api-document.ts'
import {
  newCredentials,
  PUBLIC,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'

let service: TestService
let api: ReadDocument
beforeAll(async () => {
  service = await startTestService()
  api = await readDocument(service)
})
afterAll(() => service.stop())

/** Of a reply: all are JSON, but for the stream of listings and for proofs. */
const typeOf = (path: string, status: string) => {
  if (status !== '200') return 'application/json'
  if (path.endsWith('/proof')) return 'text/plain'
  return path.endsWith('.ndjson') ? 'application/x-ndjson' : 'application/json'
}

describe('the OpenAPI document', () => {
  it('is served to everyone as cacheable JSON', async () => {
    const response = await fetch(`${service.url}/openapi.json`, {
      headers: { origin: 'https://elsewhere.com', accept: 'text/html' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe(
      'public, max-age=150, stale-while-revalidate=150, stale-if-error=300',
    )
    expect(await response.json()).toEqual(api.document)
    const again = await fetch(`${service.url}/openapi.json`, {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    })
    expect([again.status, again.headers.get('cache-control')]).toEqual([
      304,
      'public, max-age=150, stale-while-revalidate=150, stale-if-error=300',
    ])
  })

  it('names its version, the contract, and where the service is', () => {
    expect(api.document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(api.document.info).toMatchObject({ title: expect.any(String), version: '2026-09-06' })
    expect(api.document.servers).toEqual([{ url: service.url }])
  })

  it('gives the public address if one is set', async () => {
    const other = await startTestService({ env: PUBLIC })
    const { document } = await readDocument(other)
    expect(document.servers).toEqual([{ url: 'https://placard.example.org' }])
    await other.stop()
  })

  it('has exactly the three operations of the contract, check, approvals, submissions, decisions, and what is public', () => {
    const operations = Object.entries(api.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    )
    expect(operations.sort()).toEqual([
      'get /api/v1/agent/approvals/{code} getApproval',
      'get /api/v1/agent/capabilities getServiceCapabilities',
      'get /api/v1/agent/decisions/{id} getDecision',
      'get /api/v1/agent/decisions/{id}/proof getDecisionProof',
      'get /api/v1/agent/submissions/{key} getSubmission',
      'get /api/v1/agent/submissions/{key}/events getSubmissionEvents',
      'get /api/v1/agent/submissions/{key}/proof getSubmissionProof',
      'get /api/v1/boards/categories/{category} getCategoryBoard',
      'get /api/v1/boards/days/{day} getDayBoard',
      'get /api/v1/boards/{board} getBoard',
      'get /api/v1/draws/{day} getDraw',
      'get /api/v1/listings listListings',
      'get /api/v1/listings.ndjson streamListings',
      'get /api/v1/listings/{slug} getListing',
      'get /api/v1/search searchListings',
      'post /api/v1/agent/approvals askForApproval',
      'post /api/v1/agent/check checkServiceFreeListing',
      'post /api/v1/agent/decisions/{id}/appeal appealDecision',
      'post /api/v1/agent/listings publishServiceFreeListing',
      'post /api/v1/agent/quote previewServiceQuote',
      'put /api/v1/agent/submissions/{key}/webhook putSubmissionWebhook',
    ])
    for (const path of Object.keys(api.document.paths)) {
      expect(api.operation(path).summary.length).toBeGreaterThan(10)
      for (const tag of api.operation(path).tags) expect(api.document.tags.map(({ name }) => name)).toContain(tag)
    }
  })

  it('asks for the submission secret in its header, for publishing only', () => {
    expect(api.operation(PUBLISH).security).toEqual([{ submissionSecret: [] }])
    expect(api.document.components.securitySchemes.submissionSecret).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'X-Submission-Secret',
    })
    for (const path of [CAPABILITIES, QUOTE, CHECK, BOARD]) expect(api.operation(path).security).toEqual([])
  })

  it('asks for a random Idempotency-Key, and its pattern takes what the contract describes', () => {
    const { parameters = [] } = api.operation(PUBLISH)
    expect(parameters.map(each => [each.in, each.name, each.required])).toEqual([
      ['header', 'Idempotency-Key', true],
      ['header', 'X-Submission-Secret', true],
    ])
    const secret = new RegExp(parameters[1]?.schema.pattern ?? '')
    expect(newCredentials().secret).toMatch(secret)
    expect(newCredentials().secret.slice(1)).not.toMatch(secret)
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
    expect(api.operation(CAPABILITIES).parameters?.map(({ name }) => name)).toEqual(['If-None-Match'])
    expect(api.operation(QUOTE).parameters).toBeUndefined()
    expect(api.operation(CHECK).parameters).toBeUndefined()
  })

  it('names both boards, and what a page of one takes', () => {
    const { parameters = [] } = api.operation(BOARD)
    const named = (name: string) => parameters.find(each => each.name === name) ?? expect.fail(name)
    expect(parameters.map(each => [each.in, each.name, each.required]).sort()).toEqual([
      ['header', 'If-None-Match', false],
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
    const body = api.requestSchema(PUBLISH)
    expect(body.additionalProperties).toBe(false)
    expect(body.required).toEqual(['destination', 'category', 'approval'])
    expect(body.properties?.approval?.additionalProperties).toBe(false)
    expect(body.properties?.approval?.required).toEqual(['scope', 'userApproved', 'rulesVersion'])
    expect(api.requestSchema(QUOTE).additionalProperties).toBe(false)
    expect(api.requestSchema(QUOTE).required).toEqual(['destination', 'category', 'board', 'targetBid'])
    expect(api.requestSchema(CHECK).additionalProperties).toBe(false)
    expect(api.requestSchema(CHECK).required).toEqual(['destination', 'category'])
    for (const path of [PUBLISH, QUOTE, CHECK]) {
      expect(api.operation(path).requestBody?.required).toBe(true)
      expect(Object.keys(api.operation(path).requestBody?.content ?? {})).toEqual(['application/json'])
      expect(api.resolved(api.requestSchema(path).properties?.category ?? {}).enum).toEqual([...CATEGORIES])
      expect(api.requestSchema(path).properties?.destination?.maxLength).toBe(500)
    }
    expect(api.operation(CAPABILITIES).requestBody).toBeUndefined()
    expect(api.operation(BOARD).requestBody).toBeUndefined()
  })

  it('documents every status of the contract, each with a body in JSON but 304', () => {
    const statuses = (path: string) => {
      const [last, ...rest] = Object.keys(api.operation(path).responses).reverse()
      expect(last).toBe('default')
      return rest.reverse().map(Number)
    }
    expect(statuses(PUBLISH)).toEqual([200, 201, 400, 403, 409, 410, 413, 415, 422, 429, 500, 503])
    expect(statuses(QUOTE)).toEqual([200, 400, 413, 415, 429, 500, 503])
    expect(statuses(CHECK)).toEqual([200, 400, 413, 415, 429, 500, 503])
    expect(statuses(CAPABILITIES)).toEqual([200, 304, 400, 500])
    expect(statuses(BOARD)).toEqual([200, 304, 400, 404, 500, 503])
    for (const path of Object.keys(api.document.paths)) {
      for (const [status, { description, content = {} }] of Object.entries(api.operation(path).responses)) {
        expect(description).not.toBe('')
        expect(Object.keys(content)).toEqual(status === '304' ? [] : [typeOf(path, status)])
      }
    }
  })

  it('describes each error by codes of the table, under their own status, and in the one shape', () => {
    for (const path of Object.keys(api.document.paths)) {
      for (const status of Object.keys(api.operation(path).responses).map(Number)) {
        if (!(status >= 400)) continue
        const codes = api.documentedCodes(path, status)
        expect(codes.length).toBeGreaterThan(0)
        for (const code of codes) expect([path, code, ERRORS[code as ErrorCode]?.status]).toEqual([path, code, status])
        const { required, properties } = api.replySchema(path, status)
        expect(required).toEqual(['code', 'error', 'chargeCreated'])
        expect(Object.keys(properties ?? {})).toEqual(Object.keys(ErrorBody.properties))
      }
    }
  })

  it('names each body once, and refers to it', () => {
    const schemaOf = (path: string, status: number) =>
      api.operation(path).responses[status]?.content?.['application/json']?.schema.$ref
    const named = (name: string) => `#/components/schemas/${name}`
    expect([schemaOf(PUBLISH, 200), schemaOf(PUBLISH, 201)]).toEqual([named('Receipt'), named('Receipt')])
    expect(schemaOf(CHECK, 200)).toBe(named('Check'))
    expect(Object.keys(api.document.components.schemas).sort()).toEqual(
      [
        'AppealBody',
        'Approval',
        'ApprovalBody',
        'BoardPage',
        'Capabilities',
        'Category',
        'CategoryBoardPage',
        'Check',
        'CheckBody',
        'DayBoardPage',
        'DecisionStatement',
      ].concat([
        'Draw',
        'ErrorBody',
        'ErrorCode',
        'ErrorReason',
        'FoundListing',
        'Listing',
        'ListingEntry',
        'ListingPage',
        'PublishBody',
        'Quote',
        'QuoteBody',
        'Receipt',
        'SearchPage',
        'SubmissionEvent',
        'SubmissionEvents',
        'SubmissionStatus',
        'SubmissionWebhook',
        'SubmissionWebhookBody',
        'Tombstone',
      ]),
    )
    for (const path of Object.keys(api.document.paths)) {
      for (const [status, { content }] of Object.entries(api.operation(path).responses)) {
        const wanted = Number(status) < 400 ? expect.any(String) : named('ErrorBody')
        const type = typeOf(path, status)
        if (type === 'application/json' && content) expect(content[type]?.schema).toEqual({ $ref: wanted })
      }
    }
  })

  it('has lists of codes and reasons that may grow', () => {
    const { ErrorCode = {}, ErrorReason = {} } = api.document.components.schemas
    const known = (schema: Schema) => (schema.anyOf as { enum?: string[] }[])[0]?.enum
    expect(known(ErrorCode)).toEqual(Object.keys(ERRORS))
    expect(known(ErrorReason)).toEqual([
      ...Object.keys(REVIEW_REASONS),
      ...Object.keys(UNAVAILABLE_REASONS),
      'payments_off',
    ])
    const error = { code: 'of_tomorrow', error: 'New.', reason: 'unheard_of', chargeCreated: false }
    expect(api.compile(api.replySchema(PUBLISH, 422))(error)).toBe(true)
    expect(api.compile(api.replySchema(PUBLISH, 422))({ ...error, code: 5 })).toBe(false)
  })

  it('shows an example of every body, which fits it by a strict validator', () => {
    for (const path of Object.keys(api.document.paths)) {
      const { requestBody, responses } = api.operation(path)
      for (const { content } of [...(requestBody ? [requestBody] : []), ...Object.values(responses)]) {
        if (!content) continue
        const { schema, example, examples } = Object.values(content)[0] ?? expect.fail(path)
        const shown = examples ? Object.values(examples).map(({ value }) => value) : [example]
        const validate = api.compile(schema)
        for (const each of shown)
          expect([path, each, validate(each), validate.errors]).toEqual([path, each, true, null])
      }
    }
  })

  it('names the headers of a refusal because another submission listed the destination first', async () => {
    const key = newCredentials()
    service.sites.set('race.com', (_request, response) => void response.writeHead(500).end())
    expect((await publish(service, key, publishBody('http://race.com/'))).status).toBe(503)
    service.sites.set('race.com', goodPage)
    expect((await publish(service, newCredentials(), publishBody('http://race.com/?later'))).status).toBe(201)
    for (let sent = 0; sent < 2; sent++) {
      const { status, headers } = await publish(service, key, publishBody('http://race.com/'))
      expect(status).toBe(409)
      const documented = Object.keys(api.operation(PUBLISH).responses[409]?.headers ?? {})
      expect(documented).toContain('Placard-Decision')
      expect(headers.has('placard-decision')).toBe(true)
      expect([documented.includes('Idempotent-Replayed'), headers.has('idempotent-replayed')]).toEqual([true, sent > 0])
    }
  })

  it('names in each reply the headers that it may carry', () => {
    const headersOf = (path: string, status: number) =>
      Object.keys(api.operation(path).responses[status]?.headers ?? {})
        .sort()
        .join(' ')
    expect(headersOf(PUBLISH, 201)).toBe('RateLimit RateLimit-Policy X-Request-Id')
    expect(headersOf(PUBLISH, 200)).toBe('Idempotent-Replayed Placard-Decision RateLimit RateLimit-Policy X-Request-Id')
    expect(headersOf(PUBLISH, 403)).toBe('X-Request-Id')
    for (const path of [PUBLISH, CHECK, QUOTE])
      expect(headersOf(path, 429)).toBe('RateLimit RateLimit-Policy Retry-After X-Request-Id')
    for (const path of [CAPABILITIES, BOARD]) expect(headersOf(path, 304)).toBe('Cache-Control ETag X-Request-Id')
    for (const path of Object.keys(api.document.paths)) {
      for (const { headers } of Object.values(api.operation(path).responses)) {
        for (const [name, { $ref }] of Object.entries(headers)) {
          expect($ref).toBe(`#/components/headers/${name}`)
          expect(api.document.components.headers[name]?.description).toBeTruthy()
        }
      }
    }
  })
})
