import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { BOARDS_PATH, CAPABILITIES_PATH, DRAWS_PATH, QUOTE_PATH } from '@placard/contract'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { MCP_PATH, MCP_VERSIONS } from '../../../src/agents/discovery/facts.ts'
import { TOOLS } from '../../../src/agents/mcp/tools.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { utcDay } from '../../../src/platform/lib/time.ts'
import { putDraw } from '../../support/draws.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { placeOnBoard } from '../../support/places.ts'
import { check, NOON, startTestService, type TestService } from '../../support/service.ts'
import { callTool } from './messages.ts'

const DRAW_DAY = utcDay(NOON)
const ask = { destination: 'https://bakery.com/', category: 'Food & Drink', board: 'all', targetBid: 25 }

describe.each(SAME_SQL)('the tools on %s', engine => {
  let service: TestService
  let store: Store

  beforeAll(async () => {
    service = await startTestService({ engine })
    store = await service.database.openStore()
    await placeOnBoard(store, { gold: 3000, silver: 2000 })
    const rows = [
      listingRow({ slug: 'bread', title: 'Rye bread <b>daily</b>', category: 'Food & Drink' }),
      listingRow({ slug: 'old-bread', title: 'Old bread', expiresAt: NOON - 1 }),
      listingRow({ slug: 'bad-bread', title: 'Bad bread', hiddenAt: NOON, hiddenBy: 'operator' }),
    ]
    await store.transact(trx => trx.insertInto('listing').values(rows).execute())
    await putDraw(store, DRAW_DAY, ['bread'])
  })
  afterAll(() => service.stop())

  const get = async (path: string) => (await fetch(service.url + path)).json()
  const sendQuote = async (body: unknown) =>
    (
      await fetch(service.url + QUOTE_PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()

  describe.each(MCP_VERSIONS)('in revision %s', version => {
    const call = (name: string, args: Record<string, unknown>) => callTool(service, version, name, args)

    it('give the same values as the API', async () => {
      expect(await call('capabilities', {})).toEqual({ value: await get(CAPABILITIES_PATH) })
      expect(await call('quote', ask)).toEqual({ value: await sendQuote(ask) })
      const first = await get(`${BOARDS_PATH}/all?limit=1`)
      expect(await call('board', { board: 'all', limit: 1 })).toEqual({ value: first })
      expect(await call('draw', {})).toEqual({ value: await get(`${DRAWS_PATH}/${DRAW_DAY}`) })
      expect(await call('draw', { day: DRAW_DAY })).toMatchObject({ value: { drawn: [{ place: 1, slug: 'bread' }] } })
      expect(await call('board', { board: 'all', cursor: first.nextCursor })).toEqual({
        value: await get(`${BOARDS_PATH}/all?cursor=${first.nextCursor}`),
      })
    })

    it.each([
      ['a missing field', { ...ask, targetBid: undefined }],
      ['a field too many', { ...ask, secret: 'x' }],
      ['a private address', { ...ask, destination: 'http://127.0.0.1/' }],
      ['a wrong type', { ...ask, targetBid: '25' }],
    ])('refuse %s with the error of the API', async (_what, args) => {
      const { error } = await call('quote', args)
      expect(error).toEqual(await sendQuote(args))
      expect(error).toMatchObject({ code: expect.any(String), chargeCreated: false })
    })
  })

  const call = (name: string, args: Record<string, unknown>) => callTool(service, '2026-07-28', name, args)

  it('name tools where an error of the API names its operations', async () => {
    const args = { ...ask, category: 'Gmaes' }
    const { error } = await call('quote', args)
    expect(error).toMatchObject({ code: 'unknown_category', error: expect.stringContaining('the tool capabilities') })
    const { error: ofApi } = await sendQuote(args)
    expect(ofApi).toContain('GET /api/v1/agent/capabilities')
  })

  it('search what is on show, and nothing else', async () => {
    const { value } = await call('search', { query: 'bread' })
    expect(value).toEqual({
      listings: [
        {
          id: expect.any(Number),
          status: 'published',
          slug: 'bread',
          productUrl: `${service.url}/product/bread`,
          url: 'https://bread.com/',
          title: 'Rye bread <b>daily</b>',
          description: '',
          host: 'bread.com',
          category: 'Food & Drink',
          language: 'en',
          publishedAt: NOON,
          expiresAt: expect.any(Number),
          updatedAt: NOON,
          ownerVerifiedSince: null,
          missingWords: [],
        },
      ],
      isCorrected: false,
      nextCursor: null,
    })
    expect(await call('search', { query: 'bread', category: 'Games' })).toMatchObject({
      value: { listings: [] },
    })
    expect(await call('search', { query: 'site', sort: 'newest', language: 'en' })).toMatchObject({
      value: { listings: [{}, {}] },
    })
  })

  it('say that a day has no draw, and that a day is none', async () => {
    expect(await call('draw', { day: '2020-01-01' })).toMatchObject({
      error: { code: 'not_found', error: expect.stringContaining('There is no draw of 2020-01-01.') },
    })
    expect(await call('draw', { day: 'today' })).toMatchObject({ error: { code: expect.stringMatching(/^invalid_/) } })
  })

  it('refuse a private link and a wrong cursor in a search', async () => {
    const link = `${service.url}/manage/x#owner=hidden`
    const { error } = await call('search', { query: link })
    expect(error).toMatchObject({ code: 'invalid_body', field: 'query' })
    expect(JSON.stringify(error)).not.toContain('hidden')
    expect(await call('search', { query: 'x', cursor: 'y' })).toMatchObject({
      error: { code: 'invalid_cursor', field: 'cursor' },
    })
  })

  it('read a listing while it is published, and only its status afterwards', async () => {
    const page = (slug: string) => `${service.url}/product/${slug}`
    expect(await call('listing', { productUrl: `${page('gold')}?utm=1` })).toMatchObject({
      value: {
        productUrl: page('gold'),
        status: 'published',
        title: 'Site gold',
        url: 'https://gold.com/',
        expiresAt: null,
        ownerVerifiedSince: null,
        places: { all: { rank: 1, totalCents: 3000 } },
      },
    })
    expect(await call('listing', { productUrl: page('bread') })).toMatchObject({ value: { places: {} } })
    expect(await call('listing', { productUrl: page('old-bread') })).toEqual({
      value: { productUrl: page('old-bread'), id: expect.any(Number), status: 'expired', since: expect.any(Number) },
    })
    expect(await call('listing', { productUrl: page('bad-bread') })).toEqual({
      value: {
        productUrl: page('bad-bread'),
        id: expect.any(Number),
        status: 'unavailable',
        since: expect.any(Number),
      },
    })
    for (const productUrl of [page('nobody'), 'https://elsewhere.com/product/gold', '', `${page('')}../x`]) {
      expect(await call('listing', { productUrl })).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  it.each(['legacy', 'auto'] as const)('answer the official client in mode %s', async mode => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url + MCP_PATH)))
    expect(client.getServerVersion()).toMatchObject({ name: '1.0.0.127/placard', title: 'Placard' })
    expect(client.getInstructions()).toContain(`npx -y ${service.url}/client/placard-agent.tgz mcp`)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    for (const { name, annotations } of tools) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        // It fetches the website.
        openWorldHint: name === 'check',
      })
    }
    // The client checks each value against the tool's output schema.
    for (const [name, args] of [
      ['capabilities', {}],
      ['check', { destination: 'http://baker.com/', category: 'Food & Drink' }],
      ['quote', ask],
      ['board', { board: 'today' }],
      ['search', { query: 'bread' }],
      ['listing', { productUrl: `${service.url}/product/gold` }],
      ['listing', { productUrl: `${service.url}/product/old-bread` }],
    ] as const) {
      const { structuredContent, isError } = await client.callTool({ name, arguments: args })
      expect([name, isError ?? false, typeof structuredContent]).toEqual([name, false, 'object'])
    }
    await client.close()
  })
})

describe('the limits by client', () => {
  afterEach(() => vi.useRealTimers())

  it('are one for a tool and for what it stands for', async () => {
    const service = await startTestService({
      env: { LIMIT_QUOTES_PER_MINUTE_PER_IP: '2', LIMIT_CHECKS_PER_DAY_PER_HOST: '3' },
    })
    // No minute passes, however long the requests take.
    vi.useFakeTimers({ toFake: ['performance'] })
    await callTool(service, '2025-11-25', 'quote', ask)
    const { status } = await fetch(service.url + QUOTE_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ask),
    })
    expect(status).toBe(200)
    expect(await callTool(service, '2026-07-28', 'quote', ask)).toEqual({
      error: {
        code: 'rate_limited',
        error: expect.any(String),
        chargeCreated: false,
        retryAfterSeconds: expect.any(Number),
        documentationUrl: `${service.url}/errors/rate_limited`,
      },
    })
    const checked = { destination: 'http://baker.com/', category: 'Food & Drink' }
    expect((await check(service, checked)).status).toBe(200)
    expect(await callTool(service, '2025-11-25', 'check', checked)).toMatchObject({
      value: { wouldPublish: true, remaining: { checksPerDayPerHost: 0 } },
    })
    expect(await callTool(service, '2026-07-28', 'check', checked)).toMatchObject({
      error: { code: 'check_quota_host', retryAfterSeconds: expect.any(Number) },
    })
    // Sixty searches in a minute, on the page and here.
    for (let n = 0; n < 30; n++) {
      await fetch(`${service.url}/search?q=a`)
      expect(await callTool(service, '2026-07-28', 'search', { query: 'a' })).toHaveProperty('value')
    }
    expect((await fetch(`${service.url}/search?q=a`)).status).toBe(429)
    expect(await callTool(service, '2026-07-28', 'search', { query: 'a' })).toMatchObject({
      error: { code: 'rate_limited' },
    })
    await service.stop()
  })
})
