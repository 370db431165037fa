import { APPROVALS_PATH, type Approval, type ErrorBody } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { APPROVALS_PER_DAY_PER_NETWORK } from '../../../src/domain/publishing/approval-routes.ts'
import { deleteDueRows } from '../../../src/ops/jobs/delete-old-rows.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  reply,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'
import { newVisitor } from '../../web/visitor.ts'

const MINUTE_MS = 60 * 1000

describe.each(SQLITE_FIRST)('approvals on %s', engine => {
  let service: TestService
  let store: Store
  let count = 0
  let url = ''
  /** Each test is a client of its own network. */
  let from: Record<string, string>
  beforeAll(async () => {
    service = await startTestService({ engine, jobsEveryMs: 0, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    store = await service.database.openStore()
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    service.clock.now = NOON
    count += 1
    url = `http://asked-${count}.com/`
    from = { 'x-forwarded-for': `10.${count}.1.1` }
  })

  const ask = async (body: object = {}, headers: Record<string, string> = {}) =>
    reply<Approval & ErrorBody>(
      await fetch(service.url + APPROVALS_PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...from, ...headers },
        body: JSON.stringify({ destination: url, category: 'Food & Drink', agent: 'Mara’s assistant', ...body }),
      }),
    )
  const read = async (code: string, headers: Record<string, string> = {}) =>
    reply<Approval & ErrorBody>(
      await fetch(`${service.url}${APPROVALS_PATH}/${code}`, { headers: { ...from, ...headers } }),
    )
  const statusOf = async (code: string) => (await read(code)).body.status
  const answer = (code: string, word: string) => newVisitor(service).post(`/approve/${code}`, { answer: word }, from)
  const withCode = (approvalCode: string, category = 'Food & Drink', destination = url) => {
    const body = publishBody(destination, category)
    return { ...body, approval: { ...body.approval, approvalCode } }
  }
  const send = (body: unknown, credentials = newCredentials()) => publish(service, credentials, body, from)

  it('asks, shows the customer what would be listed, and changes nothing when the page is opened', async () => {
    const { status, headers, body } = await ask({ agent: '  Mara’s\u202e  assistant ' })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      code: expect.stringMatching(/^[\w-]{22}$/),
      approvalUrl: `${service.url}/approve/${body.code}`,
      status: 'waiting',
      destination: url,
      category: 'Food & Drink',
      expiresAt: NOON + 30 * MINUTE_MS,
      listing: { title: `Welcome to asked-${count}.com`, description: 'A small site with something to say.' },
      chargeCreated: false,
      notice: expect.stringContaining('approvalUrl'),
    })
    const visits = service.sites.visits(new URL(url).host)
    const visitor = newVisitor(service)
    for (const fetchSite of ['none', 'cross-site', 'same-origin']) {
      const page = await visitor.get(`/approve/${body.code}?answer=approved`, { ...from, 'sec-fetch-site': fetchSite })
      expect(page.status).toBe(200)
      expect(page.html).toContain('“<bdi>Mara’s assistant</bdi>”')
      expect(page.html).toContain(`Welcome to asked-${count}.com`)
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('x-robots-tag')).toBe('noindex')
      expect(await htmlFaults(page.html)).toEqual([])
    }
    expect(service.sites.visits(new URL(url).host)).toBe(visits)
    expect(await statusOf(body.code)).toBe('waiting')
    // Only the hash of the code is stored.
    const rows = await store.db.selectFrom('approval').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(body.code)
  })

  it('takes an answer only from its own page', async () => {
    const { body } = await ask()
    const { body: another } = await ask()
    for (const site of ['cross-site', 'same-site', 'none']) {
      const visitor = newVisitor(service)
      const sent = await visitor.post(
        `/approve/${body.code}`,
        { answer: 'approved' },
        { ...from, 'sec-fetch-site': site },
      )
      expect(sent.status).toBe(403)
    }
    expect(await statusOf(body.code)).toBe('waiting')
    expect((await answer(body.code, 'perhaps')).status).toBe(303)
    expect(await statusOf(body.code)).toBe('waiting')
    const answered = await answer(body.code, 'approved')
    expect(answered).toMatchObject({ status: 303, location: `/approve/${body.code}` })
    expect([await statusOf(body.code), await statusOf(another.code)]).toEqual(['approved', 'waiting'])
  })

  it('publishes with an approval, says so in receipt and page, and recovers the receipt when it is gone', async () => {
    const { body: asked } = await ask()
    const { body: another } = await ask()
    for (const { code } of [asked, another]) await answer(code, 'approved')
    const credentials = newCredentials()
    const first = await send(withCode(asked.code), credentials)
    expect(first).toMatchObject({ status: 201, body: { approval: 'browser' } })
    expect([await statusOf(asked.code), await statusOf(another.code)]).toEqual(['used', 'approved'])
    expect(await (await fetch(first.body.productUrl)).text()).toContain('after an approval in a browser')
    await answer(asked.code, 'declined')
    const { body: used } = await read(asked.code)
    expect(used).toMatchObject({ status: 'used', notice: expect.stringContaining('or why it was refused') })

    service.clock.now += 3 * 24 * 60 * MINUTE_MS
    await deleteDueRows({ store, clock: () => service.clock.now }, new AbortController().signal)
    expect((await read(asked.code)).status).toBe(404)
    const again = await send(withCode(asked.code), credentials)
    expect(again).toMatchObject({ status: 200, body: first.body })
    // Without a code, nothing is said about an approval.
    const plain = await send(publishBody(`http://plain-${engine}-${count}.com/`))
    expect(plain.status).toBe(201)
    expect(plain.body).not.toHaveProperty('approval')
  })

  it('refuses a publish that its approval does not allow, and says what to do', async () => {
    const { body: asked } = await ask()
    const refusal = async (body: unknown, credentials = newCredentials()) => {
      const { status, body: error } = await send(body, credentials)
      expect(status).toBe(400)
      expect(error).toMatchObject({ code: 'invalid_approval_code', field: 'approval.approvalCode' })
      return error.error
    }
    expect(await refusal(withCode('A'.repeat(22)))).toContain('no approval with this code')
    expect(await refusal(withCode('short'))).toContain('POST /api/v1/agent/approvals')
    const credentials = newCredentials()
    expect(await refusal(withCode(asked.code), credentials)).toContain('not answered yet')
    await answer(asked.code, 'approved')
    expect(await refusal(withCode(asked.code, 'Design'))).toContain('another destination or category')
    expect(await refusal(withCode(asked.code, 'Food & Drink', `http://other-${count}.com/`))).toContain('another')
    // What was not stored may be sent again with the same key.
    expect((await send(withCode(asked.code, 'Food & Drink', `${url}?q=1`), credentials)).status).toBe(201)
    const declined = await ask({ destination: `http://declined-${count}.com/` })
    await answer(declined.body.code, 'approved')
    await answer(declined.body.code, 'declined')
    await answer(declined.body.code, 'approved')
    expect(await statusOf(declined.body.code)).toBe('declined')
    expect(await refusal(withCode(declined.body.code, 'Food & Drink', declined.body.destination))).toContain('declined')
  })

  it('ends after 30 minutes, answered or not', async () => {
    const { body: answered } = await ask()
    const { body: silent } = await ask()
    await answer(answered.code, 'approved')
    service.clock.now += 30 * MINUTE_MS
    expect(await statusOf(answered.code)).toBe('expired')
    await answer(silent.code, 'declined')
    expect(await statusOf(silent.code)).toBe('expired')
    const page = await newVisitor(service).get(`/approve/${silent.code}`, from)
    expect(page.status).toBe(410)
    expect(page.html).toContain('This request has expired')
    expect((await send(withCode(answered.code))).body.error).toContain('The approval has expired.')
    const unknown = await newVisitor(service).get('/approve/unknown', from)
    expect(unknown.status).toBe(404)
    expect(await htmlFaults(unknown.html)).toEqual([])
    expect([page.html, unknown.html].map(html => html.includes('address is incomplete'))).toEqual([false, true])
  })

  it('gives an approval to one submission, of many at once', async () => {
    service.sites.set(new URL(url).host, (_request, response) => response.writeHead(503).end())
    const { body: asked } = await ask()
    expect(asked).not.toHaveProperty('listing')
    expect((await newVisitor(service).get(`/approve/${asked.code}`, from)).html).toContain('couldn’t read the website')
    await answer(asked.code, 'approved')
    const all = Array.from({ length: 5 }, newCredentials)
    const sent = await Promise.all(all.map(credentials => send(withCode(asked.code), credentials)))
    expect(sent.map(({ status }) => status).sort()).toEqual([400, 400, 400, 400, 503])
    const winner = all[sent.findIndex(({ status }) => status === 503)]
    // The submission has the approval, even if it was not stored: nobody takes it back, and its end is no longer near.
    await store.db
      .deleteFrom('attempt')
      .where('idempotencyKey', '=', winner?.key ?? '')
      .execute()
    await answer(asked.code, 'declined')
    service.clock.now += 45 * MINUTE_MS
    service.sites.set(new URL(url).host, (_request, response) => sendHtml(response, '<title>Back</title><p>Again'))
    expect((await send(withCode(asked.code), winner)).body).toMatchObject({ status: 'published', approval: 'browser' })
  })

  it('asks nobody about what a publish would refuse', async () => {
    await send(publishBody(url))
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'destination_already_listed' } })
    const gone = `http://gone-${count}.com/`
    service.sites.set(new URL(gone).host, (_request, response) => response.writeHead(404).end())
    const refused = await ask({ destination: gone })
    expect(refused).toMatchObject({ status: 422, body: { code: 'review_rejected', reason: 'not_found' } })
    expect(await ask({ destination: 'http://localhost/' })).toMatchObject({
      status: 400,
      body: { field: 'destination' },
    })
    expect(await ask({ category: 'Nonsense' })).toMatchObject({ status: 400, body: { code: 'unknown_category' } })
    expect(await ask({ agent: '\u202e ' })).toMatchObject({ status: 400, body: { field: 'agent' } })
    expect(await ask({ agent: 'x'.repeat(61) })).toMatchObject({ status: 400, body: { field: 'agent' } })
    expect((await ask({}, { origin: 'https://elsewhere.com' })).status).toBe(403)
    const unknown = await read('A'.repeat(22))
    expect(unknown).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('POST /api/v1/agent/approvals') },
    })
  })

  it('waits for the answer, and lets no network have all the waiting', async () => {
    const { body: asked } = await ask()
    const waiting = Array.from({ length: 11 }, () => read(asked.code, { prefer: 'respond-async, wait=25' }))
    // Ten of a network may wait: one is answered at once.
    const first = await Promise.race(waiting)
    expect(first.body.status).toBe('waiting')
    await answer(asked.code, 'declined')
    const replies = await Promise.all(waiting)
    expect(replies.filter(({ body }) => body.status === 'declined')).toHaveLength(10)
    expect(replies.filter(({ headers }) => headers.get('preference-applied') === 'wait=25')).toHaveLength(10)
    // There is nothing to wait for once there is an answer.
    expect((await read(asked.code, { prefer: 'wait=25' })).headers.get('preference-applied')).toBeNull()
    // Requests that were answered no longer count.
    const { body: next } = await ask()
    expect((await read(next.code, { prefer: 'wait=1' })).headers.get('preference-applied')).toBe('wait=1')
  })

  it('limits the requests of a client', async () => {
    const statuses: number[] = []
    // Refused ones count, too, and read no website.
    for (let nth = 0; nth < 11; nth++) statuses.push((await ask({ agent: '' })).status)
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  })

  it('lets no client use up the day of its network with requests that were refused', async () => {
    for (let nth = 0; nth < APPROVALS_PER_DAY_PER_NETWORK; nth++) await ask({ agent: '' })
    expect((await ask({}, { 'x-forwarded-for': `10.${count}.1.2` })).status).toBe(201)
  })
})
