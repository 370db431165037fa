import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    env: {
      BASE_URL: 'https://our-board.com',
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: 'sk_live_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1000',
    },
  })
})
afterAll(() => service.stop())

const approval = { scope: 'free_listing_publish', userApproved: true, rulesVersion: '2026-09-06' }
const good = { destination: 'https://shop.com/', category: 'Games' }

/** Code and text of the refusal of a publish, a quote and a check, which must be the same. */
async function refusal(part: Record<string, unknown>): Promise<{ code: string; error: string }> {
  const replies = await Promise.all([
    post('/api/v1/agent/listings', { ...good, ...part, approval }),
    post('/api/v1/agent/quote', { ...good, ...part, board: 'all', targetBid: 25 }),
    post('/api/v1/agent/check', { ...good, ...part }),
  ])
  expect(replies[1]).toEqual(replies[0])
  expect(replies[2]).toEqual(replies[0])
  return replies[0]
}

async function post(path: string, body: unknown) {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
      'x-submission-secret': randomBytes(32).toString('hex'),
    },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { code: string; error: string }
}

describe('a refusal', () => {
  it.each([
    ['category', { category: undefined }],
    ['approval', { approval: undefined }],
    ['approval.rulesVersion', { approval: { ...approval, rulesVersion: undefined } }],
  ])('without %s says once that it is missing', async (field, part) => {
    const { error } = await post('/api/v1/agent/listings', { ...good, approval, ...part })
    expect(error.startsWith(`${field} is missing. `)).toBe(true)
    expect(error).not.toMatch(/ missing\..* (missing|is not)\b/)
  })

  it('of a field of another type names the type', async () => {
    const { error } = await post(`/api/v1/agent/decisions/${crypto.randomUUID()}/appeal`, { statement: 5 })
    expect(error).toMatch(/^statement must be of type string\. /)
  })

  it.each([
    ['food & drink', 'Food & Drink'],
    ['Food Drink', 'Food & Drink'],
    ['Develper Tools', 'Developer Tools'],
  ])('of the category %j suggests %j', async (category, suggestion) => {
    const { code, error } = await refusal({ category })
    expect(code).toBe('unknown_category')
    expect(error).toContain(`Did you mean "${suggestion}"?`)
    expect(error).toContain('GET /api/v1/agent/capabilities')
  })

  it.each([undefined, null, 1, ['Games'], 'Robots', 'games'.repeat(100), '\u001b[31mgames\u202e'.repeat(9)])(
    'of the category %j suggests nothing, and repeats nothing',
    async category => {
      const { code, error } = await refusal({ category })
      expect(code).toBe('unknown_category')
      expect(error).toMatch(/^(category is missing\. )?The category must be one of the English category IDs/)
    },
  )

  it.each([
    ['shop.com', 'https://shop.com/'],
    ['www.Shop.co.uk/about?a=1#b', 'https://www.shop.co.uk/about'],
    ['//shop.com', 'https://shop.com/'],
  ])('of the destination %j suggests %j, which is not refused', async (destination, suggestion) => {
    const { code, error } = await refusal({ destination })
    expect(code).toBe('invalid_destination')
    expect(error).toContain(`and a host. Did you mean ${suggestion}? The destination must`)
    const quote = { ...good, destination: suggestion, board: 'all', targetBid: 25 }
    expect(await post('/api/v1/agent/quote', quote)).toMatchObject({ kind: 'non_binding_preview' })
  })

  it.each([
    'our-board.com',
    'www.our-board.com/x',
    'example.com',
    'localhost',
    '127.0.0.1',
    'co.uk',
    'shop.notatld',
    'user:pass@shop.com',
    'shop.com:8080',
    'shop.com/\u001b[31m',
    'shop.com/\u202eabc',
    `shop.com/${'f'.repeat(64)}`,
    `our-board.com/manage/${crypto.randomUUID()}#owner=${'a'.repeat(43)}`,
    'f'.repeat(64),
    'javascript:alert(1)',
    '<script>.com',
  ])('of the destination %j suggests nothing, and repeats nothing', async destination => {
    const { code, error } = await refusal({ destination })
    expect(code).toBe('invalid_destination')
    expect(error).not.toContain('Did you mean')
    expect(error).toMatch(/^[ -~]+$/)
    expect(error).not.toMatch(/f{20}|pass|script/)
  })
})
