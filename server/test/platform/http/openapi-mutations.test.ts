import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOON, newCredentials, publishBody, startTestService, type TestService } from '../../support/service.ts'
import * as paths from './api-document.ts'

const CLOSES_AT = NOON + 60 * 60 * 1000
/** A few clients and credentials, so that some come back with another body, and some come too often. */
const CREDENTIALS = Array.from({ length: 12 }, newCredentials)
const CLIENTS = Array.from({ length: 12 }, (_, nth) => `198.51.${nth}.1`)
const HOSTS = [...Array.from({ length: 12 }, (_, nth) => `fine-${nth}.com`), 'gone.com', 'ill.com']

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    env: {
      TRUSTED_PROXIES: '127.0.0.0/8',
      SUBMISSIONS_END_AT: new Date(CLOSES_AT).toISOString(),
      LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '20',
    },
  })
  service.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
  service.sites.set('ill.com', (_request, response) => response.writeHead(500).end())
})
afterAll(() => service.stop())

interface Sent {
  path: string
  /** What stands for the parameter of the path. */
  named: string
  headers: Record<string, string>
  body?: unknown
}

const site = fc.constantFrom(...HOSTS).map(host => `http://${host}/`)
const category = fc.constantFrom('Games', 'Design')
const credentials = fc.constantFrom(...CREDENTIALS)
const json = { 'content-type': 'application/json' }

/** Requests that are right but for what they meet. */
const right: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ site, credentials }).map(({ site, credentials }) => ({
      path: paths.PUBLISH,
      named: '',
      headers: { ...json, 'idempotency-key': credentials.key, 'x-submission-secret': credentials.secret },
      body: publishBody(site),
    })),
  },
  fc.record({ destination: site, category }).map(body => ({ path: paths.CHECK, named: '', headers: json, body })),
  fc
    .record({ destination: site, category, agent: fc.constant('A helper') })
    .map(body => ({ path: paths.APPROVALS, named: '', headers: json, body })),
  fc
    .record({
      destination: site,
      category,
      board: fc.constantFrom('all', 'today'),
      targetBid: fc.integer({ min: 5, max: 999 }),
    })
    .map(body => ({ path: paths.QUOTE, named: '', headers: json, body })),
  fc
    .record({ credentials, path: fc.constantFrom(paths.SUBMISSION, paths.SUBMISSION_EVENTS) })
    .map(({ credentials: { key, secret }, path }) => ({
      path,
      named: key,
      headers: { 'x-submission-secret': secret },
    })),
  fc
    .record({ credentials, url: fc.constantFrom('https://hooks.com/', null) })
    .map(({ credentials: { key, secret }, url }) => ({
      path: paths.SUBMISSION_WEBHOOK,
      named: key,
      headers: { ...json, 'x-submission-secret': secret },
      body: { url },
    })),
  credentials.map(({ key, secret }) => ({
    path: paths.DECISION,
    named: key,
    headers: { 'x-submission-secret': secret },
  })),
  credentials.map(({ key, secret }) => ({
    path: paths.APPEAL,
    named: key,
    headers: { ...json, 'x-submission-secret': secret },
    body: { statement: 'It is there.' },
  })),
  fc.constantFrom('all', 'today', 'tomorrow').map(named => ({ path: paths.BOARD, named, headers: {} })),
  fc.constantFrom('2026-11-20', 'yesterday').map(named => ({ path: paths.DRAW, named, headers: {} })),
  fc.constant({ path: paths.APPROVAL, named: 'A'.repeat(22), headers: {} }),
  fc.constant({ path: paths.CAPABILITIES, named: '', headers: {} }),
)

const junk = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>('', 'x'.repeat(5000), '\u0000', {}, [], -1))
const headerJunk = fc.constantFrom('', 'x', '0'.repeat(64), 'null', 'text/plain', 'https://elsewhere.com')

const isFields = (body: unknown): body is Record<string, unknown> => typeof body === 'object' && body !== null

const mutated: fc.Arbitrary<Sent> = fc
  .record({ sent: right, how: fc.integer({ min: 0, max: 7 }), nth: fc.nat(), junk, headerJunk })
  .map(({ sent, how, nth, junk, headerJunk }) => {
    const { headers, body } = sent
    const field = isFields(body) ? (Object.keys(body)[nth % Object.keys(body).length] ?? '') : ''
    const header = [...Object.keys(headers), 'origin'][nth % (Object.keys(headers).length + 1)] ?? ''
    if (how === 0 && isFields(body)) return { ...sent, body: { ...body, [field]: junk } }
    if (how === 1 && isFields(body)) return { ...sent, body: { ...body, [field]: undefined } }
    if (how === 2 && isFields(body)) return { ...sent, body: { ...body, extra: junk } }
    if (how === 3 && body !== undefined) return { ...sent, body: junk }
    if (how === 4) return { ...sent, headers: { ...headers, [header]: headerJunk } }
    return sent
  })

test('a thousand mutated requests get replies that the API document has', async () => {
  const api = await paths.readDocument(service)
  const validators = new Map<string, ReturnType<typeof api.compile>>()
  const met = new Set<number>()
  const all = fc.sample(fc.tuple(mutated, fc.constantFrom(...CLIENTS)), { numRuns: 1000, seed: 24 })
  for (const [nth, [{ path, named, headers, body }, client]] of all.entries()) {
    service.clock.now = nth < 800 ? NOON : CLOSES_AT
    const [method = ''] = Object.keys(api.document.paths[path] ?? {})
    const response = await fetch(service.url + path.replace(/\{\w+\}/, named), {
      method: method.toUpperCase(),
      headers: { ...headers, 'x-forwarded-for': client },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { status } = response
    const about = `${nth}: ${method} ${path} ${JSON.stringify({ named, headers, body })} got ${status}`
    const reply = (await response.json()) as { code?: string }
    const validate = validators.get(`${path} ${status}`) ?? api.compile(api.replySchema(path, status))
    validators.set(`${path} ${status}`, validate)
    expect([validate(reply), validate.errors], about).toEqual([true, null])
    if (status >= 400) expect(api.documentedCodes(path, status), about).toContain(reply.code)
    met.add(status)
  }
  expect([...met].sort()).toEqual([200, 201, 400, 403, 404, 409, 410, 413, 415, 422, 429, 503])
})
