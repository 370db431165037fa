import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drawToday } from '../../../src/domain/featured/draw.ts'
import { READS_PER_MINUTE } from '../../../src/domain/listings/api.ts'
import { SEARCHES_PER_MINUTE } from '../../../src/domain/listings/search.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { allLogged } from '../../support/all-logged.ts'
import {
  check,
  NOON,
  newCredentials,
  publish,
  publishBody,
  quote,
  reply,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import {
  APPEAL,
  APPROVAL,
  APPROVALS,
  BOARD,
  CAPABILITIES,
  CATEGORY_BOARD,
  CHECK,
  DAY_BOARD,
  DECISION,
  DECISION_PROOF,
  DRAW,
  LISTING,
  LISTING_STREAM,
  LISTINGS,
  PUBLISH,
  QUOTE,
  type ReadDocument,
  readDocument,
  SEARCH,
  SUBMISSION,
  SUBMISSION_EVENTS,
  SUBMISSION_PROOF,
  SUBMISSION_WEBHOOK,
} from './api-document.ts'

let service: TestService
let api: ReadDocument
beforeAll(async () => {
  service = await startTestService()
  api = await readDocument(service)
})
afterAll(() => service.stop())
beforeEach(() => {
  service.clock.now = NOON
})

describe('the replies of the service', () => {
  const fitted = new Set<string>()
  /** Checks a reply against the document. */
  function expectFit(
    path: string,
    { status, body, headers }: { status: number; body: unknown; headers?: Headers },
    wanted: number,
  ) {
    const documented = Object.keys(api.operation(path).responses[wanted]?.headers ?? {})
    for (const name of [
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
      'idempotent-replayed',
      'etag',
      'placard-decision',
    ]) {
      if (headers?.has(name)) expect(documented.map(each => each.toLowerCase())).toContain(name)
    }
    if (headers && documented.includes('RateLimit')) expect(headers.has('ratelimit')).toBe(true)
    expect([path, status, body]).toEqual([path, wanted, expect.anything()])
    const validate = api.compile(api.replySchema(path, status))
    expect([validate(body), validate.errors]).toEqual([true, null])
    const { code } = body as { code?: string }
    if (status >= 400) expect(api.documentedCodes(path, status)).toContain(code)
    fitted.add(`${path} ${status}`)
    // The schema says something: a receipt or error that charged would not fit.
    if (path !== CAPABILITIES && (path.startsWith('/api/v1/agent/') || status >= 400))
      expect(validate({ ...(body as object), chargeCreated: true })).toBe(false)
  }
  const ask = { destination: 'https://bakery.com/', category: 'Food & Drink', board: 'all', targetBid: 25 }

  it('to a publish fit the document, refusals too', async () => {
    const credentials = newCredentials()
    const body = publishBody('http://document.com')
    expect(api.compile(api.requestSchema(PUBLISH))(body)).toBe(true)
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
    expect(api.compile(api.requestSchema(QUOTE))(ask)).toBe(true)
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
    expect(api.compile(api.requestSchema(CHECK))(asked)).toBe(true)
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
    expectFit(CHECK, await check(service, asked, { origin: 'null' }), 200)
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

  it('to a question for a decision, and to an appeal, fit the document, refusals too', async () => {
    const credentials = newCredentials()
    service.sites.set('refused.com', (_request, response) => response.writeHead(404).end())
    const refused = await publish(service, credentials, publishBody('http://refused.com'))
    const id = refused.headers.get('placard-decision') ?? ''
    const send = async (path: string, sent: RequestInit = {}, secret = credentials.secret) => {
      const headers = { 'x-submission-secret': secret, 'content-type': 'application/json' }
      return reply<object>(await fetch(`${service.url}/api/v1/agent/decisions/${path}`, { headers, ...sent }))
    }
    const posted = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })
    expectFit(DECISION, await send(id), 200)
    expectFit(DECISION, await send('x'), 404)
    expectFit(DECISION, await send(id, {}, 'short'), 400)
    expectFit(DECISION, await send(id, { headers: { origin: 'null' } }), 403)
    const appeal = { statement: 'The page is there.' }
    expect(api.compile(api.requestSchema(APPEAL))(appeal)).toBe(true)
    expectFit(APPEAL, await send(`${id}/appeal`, posted({ statement: '' })), 400)
    expectFit(APPEAL, await send(`x/appeal`, posted(appeal)), 404)
    expectFit(APPEAL, await send(`${id}/appeal`, posted(appeal)), 200)
    expectFit(APPEAL, await send(`${id}/appeal`, posted({ statement: 'Another.' })), 409)
    expectFit(APPEAL, await send(`${id}/appeal`, posted({ statement: 'x'.repeat(16 * 1024) })), 413)
    const untyped = { ...posted(appeal), headers: { 'x-submission-secret': credentials.secret } }
    expectFit(APPEAL, await send(`${id}/appeal`, untyped), 415)
    expectFit(APPEAL, await send(`${id}/appeal`, { ...posted(appeal), headers: { origin: 'null' } }), 403)
    let last = await send('x')
    expectFit(DECISION_PROOF, await send('x/proof'), 404)
    expectFit(DECISION_PROOF, await send(`${id}/proof`, {}, 'short'), 400)
    expectFit(DECISION_PROOF, await send(`${id}/proof`, { headers: { origin: 'null' } }), 403)
    for (let each = 0; each < 61; each++) last = await send('x')
    expectFit(DECISION, last, 429)
    expectFit(DECISION_PROOF, await send(`${id}/proof`), 429)
    for (let each = 0; each < 21; each++) last = await send('x/appeal', posted(appeal))
    expectFit(APPEAL, last, 429)
  })

  it('to a request for approval fit the document, refusals too', async () => {
    const body = { destination: 'http://approvable.com/', category: 'Games', agent: 'A test' }
    const ask = async (changed: object = {}, headers = {}, at = service) =>
      reply<{ code: string }>(
        await fetch(at.url + APPROVALS, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ ...body, ...changed }),
        }),
      )
    expect(api.compile(api.requestSchema(APPROVALS))(body)).toBe(true)
    const asked = await ask()
    expectFit(APPROVALS, asked, 201)
    expectFit(APPROVALS, await ask({ category: 'None' }), 400)
    expectFit(APPROVALS, await ask({}, { origin: 'null' }), 403)
    await publish(service, newCredentials(), publishBody('http://approved-before.com'))
    expectFit(APPROVALS, await ask({ destination: 'http://approved-before.com/' }), 409)
    expectFit(APPROVALS, await ask({ agent: 'x'.repeat(4097) }), 413)
    expectFit(APPROVALS, await ask({}, { 'content-type': 'text/plain' }), 415)
    service.sites.set('unapprovable.com', (_request, response) => response.writeHead(404).end())
    expectFit(APPROVALS, await ask({ destination: 'http://unapprovable.com/' }), 422)
    for (let each = 0; each < 5; each++) await ask()
    expectFit(APPROVALS, await ask(), 429)
    const late = await startTestService({ env: { SUBMISSIONS_END_AT: new Date(NOON).toISOString() } })
    expectFit(APPROVALS, await ask({}, {}, late), 410)
    await late.stop()
    const read = async (code: string, headers = {}) =>
      reply<object>(await fetch(service.url + APPROVAL.replace('{code}', code), { headers }))
    expectFit(APPROVAL, await read(asked.body.code), 200)
    expectFit(APPROVAL, await read('x'), 404)
    expectFit(APPROVAL, await read('x', { origin: 'null' }), 403)
    for (let each = 0; each < 60; each++) await read('x')
    expectFit(APPROVAL, await read('x'), 429)
  })

  it('to a question for a submission fit the document, refusals too', async () => {
    const ask = async ({ key, secret } = newCredentials(), headers = {}, path = SUBMISSION) =>
      reply<object>(
        await fetch(service.url + path.replace('{key}', key), {
          headers: { 'x-submission-secret': secret, ...headers },
        }),
      )
    expectFit(SUBMISSION, await ask(), 200)
    const listed = newCredentials()
    await publish(service, listed, publishBody('http://stated.com'))
    expectFit(SUBMISSION, await ask(listed), 200)
    const refused = newCredentials()
    service.sites.set('unstated.com', (_request, response) => response.writeHead(404).end())
    await publish(service, refused, publishBody('http://unstated.com'))
    expectFit(SUBMISSION, await ask(refused), 200)
    expectFit(SUBMISSION, await ask({ ...listed, key: 'x' }), 400)
    expectFit(SUBMISSION, await ask({ ...listed, secret: 'x' }), 400)
    expectFit(SUBMISSION, await ask(listed, { origin: 'null' }), 403)
    const events = (asked = listed, headers = {}, query = '') => ask(asked, headers, SUBMISSION_EVENTS + query)
    const store = await service.database.openStore()
    await allLogged(store)
    await store.close()
    expect((await events()).body).toMatchObject({ events: [{ type: 'submission.published' }] })
    expectFit(SUBMISSION_EVENTS, await events(), 200)
    expectFit(SUBMISSION_EVENTS, await events(listed, {}, '?cursor=x'), 400)
    expectFit(SUBMISSION_EVENTS, await events(listed, {}, '?page=2'), 400)
    expectFit(SUBMISSION_EVENTS, await events(listed, { origin: 'null' }), 403)
    const proof = (asked = listed, headers = {}) => ask(asked, headers, SUBMISSION_PROOF)
    expectFit(SUBMISSION_PROOF, await proof(refused), 404)
    expectFit(SUBMISSION_PROOF, await proof({ ...listed, secret: 'x' }), 400)
    expectFit(SUBMISSION_PROOF, await proof(listed, { origin: 'null' }), 403)
    const put = async (body: unknown, asked = listed, headers = {}) => {
      const sent = { 'x-submission-secret': asked.secret, 'content-type': 'application/json', ...headers }
      const path = service.url + SUBMISSION_WEBHOOK.replace('{key}', asked.key)
      return reply<object>(await fetch(path, { method: 'PUT', headers: sent, body: JSON.stringify(body) }))
    }
    expectFit(SUBMISSION_WEBHOOK, await put({ url: 'https://hooks.com/' }), 200)
    expectFit(SUBMISSION_WEBHOOK, await put({ url: null }), 200)
    expectFit(SUBMISSION_WEBHOOK, await put({}), 400)
    expectFit(SUBMISSION_WEBHOOK, await put({ url: null }, listed, { origin: 'null' }), 403)
    expectFit(SUBMISSION_WEBHOOK, await put({ url: null }, newCredentials()), 404)
    expectFit(SUBMISSION_WEBHOOK, await put({ url: ' '.repeat(4097) }), 413)
    expectFit(SUBMISSION_WEBHOOK, await put({ url: null }, listed, { 'content-type': 'text/plain' }), 415)
    for (let each = 0; each < 60; each++) await ask()
    expectFit(SUBMISSION_WEBHOOK, await put({ url: null }), 429)
    expectFit(SUBMISSION, await ask(), 429)
    expectFit(SUBMISSION_EVENTS, await events(), 429)
    expectFit(SUBMISSION_PROOF, await proof(), 429)
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
    expectFit(BOARD, await read('tomorrow'), 404)
    for (const query of ['limit=0', 'cursor=x', 'page=2']) expectFit(BOARD, await read(`all?${query}`), 400)
    const etag = (await get('all')).headers.get('etag') ?? ''
    const unchanged = await get('all', { 'if-none-match': etag })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    fitted.add(`${BOARD} 304`)
  })

  it('to a question for a draw fit the document, refusals too', async () => {
    const get = (day: string, headers = {}) => fetch(`${service.url}/api/v1/draws/${day}`, { headers })
    const read = async (day: string) => {
      const response = await get(day)
      return { status: response.status, body: await response.json() }
    }
    await publish(service, newCredentials(), publishBody('http://drawn.com'))
    const store = await service.database.openStore()
    await allLogged(store)
    service.clock.now = NOON + daysMs(1)
    const day = new Date(service.clock.now).toISOString().slice(0, 10)
    await drawToday(store, service.clock.now)
    expectFit(DRAW, await read(day), 200)
    expectFit(DRAW, await read('2020-01-01'), 404)
    expectFit(DRAW, await read('tomorrow'), 400)
    const etag = (await get(day)).headers.get('etag') ?? ''
    const unchanged = await get(day, { 'if-none-match': etag })
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    fitted.add(`${DRAW} 304`)
  })

  it('to questions for listings, searches and further boards fit the document, refusals too', async () => {
    const get = (path: string, headers = {}) => fetch(service.url + path, { headers })
    const read = async (path: string) => {
      const response = await get(path)
      return { status: response.status, body: await response.json(), headers: response.headers }
    }
    await putOnBoard('read-board', 'all', '2026-11-20')
    await publish(service, newCredentials(), publishBody('http://withdrawn-board.com'))
    const store = await service.database.openStore()
    await hideListing(store, 'withdrawn-board-com', 'Spam', NOON)
    for (const [path, good, ...refused] of [
      [LISTINGS, '/api/v1/listings', '?colour=red'],
      [LISTINGS, '/api/v1/listings?updatedSince=0', '&limit=0'],
      [LISTING, '/api/v1/listings/read-board-com', '?page=2'],
      [LISTING, '/api/v1/listings/withdrawn-board-com'],
      [SEARCH, '/api/v1/search?q=board', '&cursor=x'],
      [DAY_BOARD, '/api/v1/boards/days/2026-11-20', '?cursor=x'],
      [CATEGORY_BOARD, '/api/v1/boards/categories/Food%20%26%20Drink', '?limit=0'],
    ] as [string, string, ...string[]][]) {
      expectFit(path, await read(good), 200)
      for (const query of refused) expectFit(path, await read(good + query), 400)
      const unchanged = await get(good, { 'if-none-match': (await get(good)).headers.get('etag') ?? '' })
      expect([path, unchanged.status, await unchanged.text()]).toEqual([path, 304, ''])
      fitted.add(`${path} 304`)
    }
    expectFit(LISTING, await read('/api/v1/listings/none'), 404)
    expectFit(DAY_BOARD, await read('/api/v1/boards/days/2020-01-01'), 404)
    expectFit(LISTING_STREAM, await read('/api/v1/listings.ndjson?page=2'), 400)
    for (let each = 0; each < SEARCHES_PER_MINUTE; each++) await get('/api/v1/search?q=board')
    expectFit(SEARCH, await read('/api/v1/search?q=board'), 429)
    for (let each = 0; each < READS_PER_MINUTE; each += 50) {
      await Promise.all(Array.from({ length: 50 }, () => get('/api/v1/listings/none')))
    }
    expectFit(LISTINGS, await read('/api/v1/listings'), 429)
    expectFit(LISTING, await read('/api/v1/listings/none'), 429)
    expectFit(DAY_BOARD, await read('/api/v1/boards/days/2026-11-20'), 429)
    expectFit(CATEGORY_BOARD, await read('/api/v1/boards/categories/Games'), 429)
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

  it('were compared for every documented status but those of our own faults and proofs, which are text', () => {
    const documented = Object.keys(api.document.paths).flatMap(path =>
      Object.keys(api.operation(path).responses)
        .filter(status => status !== 'default')
        .map(status => `${path} ${status}`),
    )
    expect(documented.filter(each => !fitted.has(each)).sort()).toEqual(
      [
        `${APPROVALS} 500`,
        `${APPROVALS} 503`,
        `${APPROVAL} 400`,
        `${APPROVAL} 500`,
        `${APPROVAL} 503`,
        `${CAPABILITIES} 400`,
        `${CAPABILITIES} 500`,
        `${CHECK} 500`,
        `${DECISION} 500`,
        `${DECISION} 503`,
        `${APPEAL} 500`,
        `${APPEAL} 503`,
        `${DECISION_PROOF} 200`,
        `${DECISION_PROOF} 500`,
        `${DECISION_PROOF} 503`,
        `${PUBLISH} 500`,
        `${QUOTE} 429`,
        `${QUOTE} 500`,
        `${QUOTE} 503`,
        `${SUBMISSION} 500`,
        `${SUBMISSION} 503`,
        `${SUBMISSION_EVENTS} 500`,
        `${SUBMISSION_EVENTS} 503`,
        `${SUBMISSION_PROOF} 200`,
        `${SUBMISSION_PROOF} 500`,
        `${SUBMISSION_PROOF} 503`,
        `${SUBMISSION_WEBHOOK} 500`,
        `${SUBMISSION_WEBHOOK} 503`,
        `${BOARD} 500`,
        `${BOARD} 503`,
        `${CATEGORY_BOARD} 500`,
        `${CATEGORY_BOARD} 503`,
        `${DAY_BOARD} 500`,
        `${DAY_BOARD} 503`,
        `${LISTINGS} 500`,
        `${LISTINGS} 503`,
        `${LISTING} 500`,
        `${LISTING} 503`,
        `${SEARCH} 500`,
        `${SEARCH} 503`,
        `${LISTING_STREAM} 200`,
        `${LISTING_STREAM} 500`,
        `${LISTING_STREAM} 503`,
        `${DRAW} 500`,
        `${DRAW} 503`,
      ].sort(),
    )
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
      expect([value, status < 300, api.compile(api.requestSchema(path))(value)]).toEqual([value, good, good])
    }
  })
})
