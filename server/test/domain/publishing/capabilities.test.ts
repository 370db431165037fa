import { Capabilities } from '@placard/contract'
import Value from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Env } from '../../../src/platform/config/settings.ts'
import {
  NOON,
  newCredentials,
  PUBLIC,
  publish,
  publishBody,
  reply,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const PATH = '/api/v1/agent/capabilities'

/** Written out, since existing agents send exactly these names. */
const NAMES = [
  'AI Agents',
  'AI Tools',
  'Analytics & Data',
  'Art & Illustration',
  'Audio & Music',
  'Books & Writing',
  'Business, Finance & Legal',
  'Communication',
  'Communities & Nonprofits',
  'Customer Support',
  'Design',
  'Developer Tools',
  'E-commerce & Shopping',
  'Education & Courses',
  'Events',
  'Food & Drink',
  'Games',
  'Health & Fitness',
  'Hiring & Careers',
  'Marketing & SEO',
  'News & Newsletters',
  'Personal Profiles',
  'Photo & Video',
  'Productivity',
  'Real Estate',
  'Security & Privacy',
  'Social Media',
  'Travel & Local',
]

/** The limits of the contract, which the test service widens unless told. */
const CONTRACT_LIMITS: Env = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '30',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '4',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '4',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '100',
  LIMIT_CHECKS_PER_DAY_PER_IP: '10',
  LIMIT_CHECKS_PER_DAY_PER_HOST: '2',
}

const capabilities = async (service: { url: string }, init: RequestInit = {}) =>
  reply<Capabilities>(await fetch(service.url + PATH, init))

describe('capabilities', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: CONTRACT_LIMITS })
  })
  afterAll(() => service.stop())

  it('say exactly what the contract promises', async () => {
    const { status, headers, body } = await capabilities(service)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{12}-[0-9a-z]+$/)
    expect(body).toEqual({
      version: '2026-09-06',
      capabilities: { publicQuotes: true, freePublishing: true, unattendedPayments: false },
      categories: NAMES.map(name => ({ id: name, label: name })),
      paymentPolicy: {
        currency: 'usd',
        minimumTargetUSD: 5,
        minimumChargeCents: 100,
        apiCharges: false,
        humanConfirmationRequired: true,
        storedCards: false,
        rankSource: 'verified_payments',
      },
      endpoints: {
        capabilities: '/api/v1/agent/capabilities',
        freePublish: '/api/v1/agent/listings',
        quote: '/api/v1/agent/quote',
        check: '/api/v1/agent/check',
        approvals: '/api/v1/agent/approvals',
      },
      agentGuide: `${service.url}/agent-guide.md`,
      publishingPolicy: {
        rulesVersion: '2026-09-06',
        explicitUserApprovalRequired: true,
        approvalScope: 'free_listing_publish',
        serverToServer: true,
        requestBodyMaxBytes: 4096,
        idempotencyHeader: 'Idempotency-Key',
        proofHeader: 'X-Submission-Secret',
        resume: expect.stringMatching(/original key, secret and body/),
        domainOwnershipVerified: false,
        contentReviewRequired: true,
        paidRankingChanged: false,
        limits: {
          requestsPerTenMinutesPerIp: 30,
          newAttemptsPerDayPerIp: 4,
          newAttemptsPerDayPerHost: 4,
          newAttemptsPerDayGlobal: 100,
          checksPerDayPerIp: 10,
          checksPerDayPerHost: 2,
        },
      },
      discovery: { available: true, displayDays: 60, paidRanking: false },
    })
  })

  it('name 28 categories, each of which can be published under', async () => {
    expect(new Set(NAMES).size).toBe(28)
    const wide = await startTestService()
    for (const [index, { id }] of (await capabilities(wide)).body.categories.entries()) {
      const body = publishBody(`http://category-${index}.com`, id)
      expect([id, (await publish(wide, newCredentials(), body)).status]).toEqual([id, 201])
    }
    await wide.stop()
  })

  it('match their own schema, which a wrong constant does not', async () => {
    const { body } = await capabilities(service)
    expect([...Value.Errors(Capabilities, body)]).toEqual([])
    expect(Value.Check(Capabilities, { ...body, version: '2026-09-05' })).toBe(false)
    expect(Value.Check(Capabilities, { ...body, discovery: undefined })).toBe(false)
  })

  it('lead to a guide and to endpoints that answer', async () => {
    const { agentGuide, endpoints } = (await capabilities(service)).body
    expect((await fetch(agentGuide)).status).toBe(200)
    for (const path of [endpoints.freePublish, endpoints.quote, endpoints.check ?? '']) {
      const { status, headers } = await fetch(service.url + path)
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'POST'])
    }
  })

  it('need no authentication, and are the same for everybody, however often they are asked', async () => {
    const plain = await capabilities(service)
    for (const headers of [
      { authorization: 'Bearer none' },
      { 'x-submission-secret': 'x' },
      { origin: 'https://elsewhere.com', 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const { status, body } = await capabilities(service, { headers })
      expect([headers, status, body]).toEqual([headers, 200, plain.body])
    }
    const again = await Promise.all(Array.from({ length: 50 }, () => capabilities(service)))
    for (const { status, body } of again) expect([status, body]).toEqual([200, plain.body])
  })

  it('answer HEAD like GET, without the body', async () => {
    const headers = { 'accept-encoding': 'identity' }
    const get = await fetch(service.url + PATH, { headers })
    const head = await fetch(service.url + PATH, { method: 'HEAD', headers })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(head.headers.get('content-length')).toBe(String((await get.bytes()).length))
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })
})

describe('capabilities of a differently configured service', () => {
  it('may be cached for a minute, but never past the end of submissions, and are not sent again unchanged', async () => {
    const service = await startTestService({
      env: { SUBMISSIONS_END_AT: new Date(NOON + 90_500).toISOString() },
    })
    const asked = async (etag = '') => {
      const response = await fetch(service.url + PATH, { headers: { 'if-none-match': etag } })
      const { status, headers } = response
      await response.text()
      return { status, cache: headers.get('cache-control'), etag: headers.get('etag') ?? '' }
    }
    const first = await asked()
    expect(first).toMatchObject({ status: 200, cache: 'public, max-age=60' })
    for (const [at, seconds] of [
      [NOON + 60_000, 30],
      [NOON + 90_000, 0],
      [NOON + 90_499, 0],
    ] as const) {
      service.clock.now = at
      expect(await asked(first.etag)).toEqual({
        status: 304,
        cache: `public, max-age=${seconds}`,
        etag: first.etag,
      })
    }
    service.clock.now = NOON + 90_500
    const closed = await asked(first.etag)
    expect(closed).toMatchObject({ status: 200, cache: 'public, max-age=60' })
    expect(await asked(closed.etag)).toMatchObject({ status: 304 })
    await service.stop()
  })

  it('tell the limits that are in force', async () => {
    const service = await startTestService({
      env: {
        LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '11',
        LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '12',
        LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '13',
        LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '14',
        LIMIT_CHECKS_PER_DAY_PER_IP: '15',
        LIMIT_CHECKS_PER_DAY_PER_HOST: '16',
      },
    })
    expect((await capabilities(service)).body.publishingPolicy.limits).toEqual({
      requestsPerTenMinutesPerIp: 11,
      newAttemptsPerDayPerIp: 12,
      newAttemptsPerDayPerHost: 13,
      newAttemptsPerDayGlobal: 14,
      checksPerDayPerIp: 15,
      checksPerDayPerHost: 16,
    })
    await service.stop()
  })

  it('give the public address, not the one it listens on', async () => {
    const service = await startTestService({ env: PUBLIC })
    expect((await capabilities(service)).body.agentGuide).toBe('https://placard.example.org/agent-guide.md')
    await service.stop()
  })

  it('say when submissions end, and that they are closed from that very millisecond', async () => {
    const service = await startTestService({ env: { SUBMISSIONS_END_AT: '2026-11-21T14:00:01+02:00' } })
    const discovery = async () => (await capabilities(service)).body.discovery
    const open = {
      available: true,
      submissionEndsAt: '2026-11-21T12:00:01.000Z',
      displayDays: 60,
      paidRanking: false,
    }
    expect(await discovery()).toEqual(open)
    service.clock.now = NOON + 999
    expect(await discovery()).toEqual(open)
    service.clock.now = NOON + 1000
    expect(await discovery()).toEqual({ ...open, available: false })
    expect([...Value.Errors(Capabilities, (await capabilities(service)).body)]).toEqual([])
    // A publish meets exactly these limits.
    expect((await publish(service, newCredentials(), publishBody('http://late.com'))).status).toBe(410)
    await service.stop()
  })
})
