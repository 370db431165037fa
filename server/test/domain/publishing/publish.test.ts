import { hash } from 'node:crypto'
import { PUBLISH_PATH } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseDestination } from '../../../src/domain/destinations/destination.ts'
import { ENGINES } from '../../support/engines.ts'
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

const DAY_MS = 24 * 60 * 60 * 1000

describe.each(ENGINES)('publish on %s', engine => {
  let service: TestService
  let count = 0
  /** A destination nobody has listed yet. */
  const fresh = () => `http://site-${++count}.com/`

  beforeAll(async () => {
    service = await startTestService({ engine })
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    service.clock.now = NOON
  })

  it('answers the first acceptance with 201 and a receipt', async () => {
    const { status, headers, body } = await publish(
      service,
      newCredentials(),
      publishBody('http://bakery.com/menu?x=1#y'),
    )
    expect(status).toBe(201)
    expect(body).toEqual({
      requestId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      status: 'published',
      productUrl: `${service.url}/product/bakery-com-menu`,
      expiresAt: NOON + 60 * DAY_MS,
      chargeCreated: false,
      paidRankingChanged: false,
      ownership: {
        sensitive: true,
        domainOwnershipVerified: false,
        privateRecoveryUrl: expect.stringMatching(
          new RegExp(`^${service.url}/manage/[0-9a-f-]{36}#owner=[A-Za-z0-9_-]{43}$`),
        ),
      },
      optionalPaidPlacement: {
        quoteEndpoint: `${service.url}/api/v1/agent/quote`,
        minimumTargetUSD: 5,
        humanConfirmationRequired: true,
      },
      notice: expect.any(String),
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{12}-[0-9a-z]+$/)
    expect(headers.get('idempotent-replayed')).toBeNull()
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('shows the listing on its public page, with what the page says', async () => {
    const { body } = await publish(service, newCredentials(), publishBody('http://shown.com'))
    const page = await (await fetch(body.productUrl)).text()
    expect(page).toContain('Welcome to shown.com')
    expect(page).toContain('A small site with something to say.')
  })

  it('answers a repeat with 200 and the same receipt, without fetching or renewing', async () => {
    const credentials = newCredentials()
    const first = await publish(service, credentials, publishBody('http://again.com'))
    service.clock.now += 10 * DAY_MS
    const second = await publish(service, credentials, publishBody('http://again.com'))
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('cache-control')).toBe('no-store')
    expect(service.sites.visits('again.com')).toBe(1)
  })

  it('takes the same JSON in another order and spacing, and a key in another case, as the same request', async () => {
    const { key, secret } = newCredentials()
    const { destination, category, approval } = publishBody(fresh())
    const first = await publish(service, { key, secret }, { destination, category, approval })
    const respelled = JSON.stringify({ approval, category, destination }, null, 3)
    const second = await publish(service, { key: key.toUpperCase(), secret: secret.toUpperCase() }, respelled)
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
  })

  it('says expired once the time is over, without a private link, and does not renew', async () => {
    const credentials = newCredentials()
    const body = publishBody(fresh())
    const first = await publish(service, credentials, body)
    service.clock.now = NOON + 60 * DAY_MS - 1
    expect((await publish(service, credentials, body)).body.status).toBe('published')
    service.clock.now = NOON + 60 * DAY_MS
    const late = await publish(service, credentials, body)
    expect(late.status).toBe(200)
    expect(late.body).toEqual({
      ...first.body,
      status: 'expired',
      ownership: {
        sensitive: true,
        domainOwnershipVerified: false,
        recoveryUnavailable: true,
        supportUrl: `${service.url}/support`,
      },
      notice: expect.any(String),
    })
    expect((await fetch(first.body.productUrl)).status).toBe(410)
  })

  it('answers any difference under one key with one identical 409, whichever part differs', async () => {
    const { key, secret } = newCredentials()
    const body = publishBody(fresh())
    await publish(service, { key, secret }, body)
    const otherSecret = await publish(service, { key, secret: newCredentials().secret }, body)
    const otherBody = await publish(service, { key, secret }, publishBody(fresh()))
    const otherApproval = await publish(
      service,
      { key, secret },
      { ...body, approval: { ...body.approval, userApproved: false } },
    )
    expect(otherSecret.status).toBe(409)
    expect(otherSecret.body).toEqual({
      code: 'idempotency_conflict',
      error: expect.stringContaining('Idempotency-Key'),
      chargeCreated: false,
      documentationUrl: `${service.url}/errors/idempotency_conflict`,
    })
    expect(otherBody.body).toEqual(otherSecret.body)
    expect(otherApproval.body).toEqual(otherSecret.body)
    expect(otherSecret.headers.get('idempotent-replayed')).toBeNull()
  })

  it('never gives an existing destination to another submission, however it is spelled', async () => {
    await publish(service, newCredentials(), publishBody('http://taken.com/shop'))
    for (const spelling of [
      'http://taken.com/shop',
      'https://taken.com/shop',
      'http://www.taken.com/shop/',
      'HTTP://TAKEN.com./%73hop?q#f',
      'http://taken.com:80/x/../shop',
      'http://taken.com/shop/index.html',
      'http://taken.com/shop/Default.aspx',
      'http://taken.com/shop;',
      'http://taken.com/shop%20',
      'http://taken.com/shop%C2%A0;/',
      'http://www.www.taken.com/shop',
    ]) {
      const { status, body } = await publish(service, newCredentials(), publishBody(spelling))
      expect([spelling, status, body.code]).toEqual([spelling, 409, 'destination_already_listed'])
      expect(body).not.toHaveProperty('ownership')
    }
  })

  it('keeps a refusal by review for every repeat', async () => {
    service.sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    const credentials = newCredentials()
    const first = await publish(service, credentials, publishBody('http://gone.com'))
    expect(first.status).toBe(422)
    expect(first.body).toEqual({
      code: 'review_rejected',
      reason: 'not_found',
      error: expect.any(String),
      chargeCreated: false,
      decisionId: first.headers.get('placard-decision'),
      decisionUrl: `${service.url}/api/v1/agent/decisions/${first.headers.get('placard-decision')}`,
      documentationUrl: `${service.url}/errors/review_rejected`,
    })
    service.sites.set('gone.com', (_request, response) => sendHtml(response, '<title>Back</title><p>We are back'))
    const second = await publish(service, credentials, publishBody('http://gone.com'))
    expect(second.status).toBe(422)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(service.sites.visits('gone.com')).toBe(1)
    expect((await publish(service, newCredentials(), publishBody('http://gone.com'))).status).toBe(201)
  })

  it('lets the same key try again after review could not tell', async () => {
    for (const host of ['ill.com', 'ill-too.com']) {
      service.sites.set(host, (_request, response) => response.writeHead(500).end())
    }
    expect((await publish(service, newCredentials(), publishBody('http://ill-too.com'))).status).toBe(503)
    const credentials = newCredentials()
    const first = await publish(service, credentials, publishBody('http://ill.com'))
    expect(first.status).toBe(503)
    expect(first.body.code).toBe('review_unavailable')
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0)
    service.sites.set('ill.com', (_request, response) => sendHtml(response, '<title>Well</title><p>We are well'))
    expect((await publish(service, credentials, publishBody('http://ill.com'))).status).toBe(201)
  })

  it('lets the same key try again after the clock was set back past a dead process’s lease', async () => {
    service.sites.set('back.com', (_request, response) => response.writeHead(500).end())
    const credentials = newCredentials()
    expect((await publish(service, credentials, publishBody('http://back.com'))).status).toBe(503)
    service.sites.set('back.com', (_request, response) => sendHtml(response, '<title>Back</title><p>We are back'))
    const store = await service.database.openStore()
    const left = { leaseId: 'of a dead process', leaseUntil: NOON + DAY_MS }
    await store.db.updateTable('attempt').set(left).where('hostname', '=', 'back.com').execute()
    await store.close()
    expect((await publish(service, credentials, publishBody('http://back.com'))).status).toBe(201)
  })

  it('refuses a browser of another origin, and accepts one of its own', async () => {
    const body = publishBody(fresh())
    for (const headers of [
      { origin: 'https://elsewhere.com' },
      { origin: 'null' },
      { origin: `${service.url}.evil.com` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const { status, body: error } = await publish(service, newCredentials(), body, headers)
      expect([headers, status, error.code]).toEqual([headers, 403, 'cross_origin_rejected'])
    }
    const own = { origin: service.url, 'sec-fetch-site': 'same-origin' }
    expect((await publish(service, newCredentials(), body, own)).status).toBe(201)
  })

  it('names the listing that has the destination, and where its owner claims it', async () => {
    const body = publishBody(fresh())
    const { body: receipt } = await publish(service, newCredentials(), body)
    const listed = { code: 'destination_already_listed', documentationUrl: expect.stringContaining('/errors/') }
    const public_ = await publish(service, newCredentials(), body)
    expect(public_.body).toMatchObject({ ...listed, productUrl: receipt.productUrl })
    expect(public_.body.error).toContain(` at ${service.url}/own.`)
    const store = await service.database.openStore()
    const slug = receipt.productUrl.split('/').at(-1) ?? ''
    await store.db.updateTable('listing').set({ hiddenAt: NOON }).where('slug', '=', slug).execute()
    await store.close()
    const hidden = await publish(service, newCredentials(), body)
    expect(hidden.body).toMatchObject(listed)
    expect(hidden.body).not.toHaveProperty('productUrl')
  })

  it('gives each listing an address of its own, also if others have listed the pages that would have it', async () => {
    const destination = 'http://names.com/joe-smith'
    const suffix = hash('sha256', parseDestination(destination).key).slice(0, 12)
    const sent = ['http://names.com/joe/smith', `http://names.com/joe/smith/${suffix}`, destination]
    const paths: string[] = []
    for (const each of sent) {
      const { status, body } = await publish(service, newCredentials(), publishBody(each))
      expect([each, status]).toEqual([each, 201])
      expect(await (await fetch(body.productUrl)).text()).toContain(`"url":"${each}"`)
      paths.push(new URL(body.productUrl).pathname)
    }
    const [plain, derived, random] = paths
    expect([plain, derived]).toEqual(['/product/names-com-joe-smith', `/product/names-com-joe-smith-${suffix}`])
    expect(random).toMatch(/^\/product\/names-com-joe-smith-[0-9a-f]{12}$/)
  })

  it('says in a 503 why the page could not be reviewed, and how long to wait', async () => {
    service.sites.set('failing.com', (_request, response) => response.writeHead(500).end())
    const { status, headers, body } = await publish(service, newCredentials(), publishBody('http://failing.com'))
    expect([status, body.error]).toEqual([503, expect.stringMatching(/^The website answered with status 500\. /)])
    expect(body).toMatchObject({ reason: 'site_unreachable', retryAfterSeconds: Number(headers.get('retry-after')) })
  })

  it('refuses bad credentials, each by name', async () => {
    const { key, secret } = newCredentials()
    const body = publishBody(fresh())
    for (const bad of [
      '',
      'x',
      key.slice(1),
      key.replaceAll('-', ''),
      `{${key}}`,
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    ]) {
      const { status, body: error } = await publish(service, { key: bad, secret }, body)
      expect([bad, status, error.code, error.field]).toEqual([bad, 400, 'invalid_idempotency_key', 'Idempotency-Key'])
    }
    for (const bad of ['', 'x', secret.slice(1), `${secret}00`, `0x${secret.slice(2)}`, secret.replace(/.$/, 'g')]) {
      const { status, body: error } = await publish(service, { key, secret: bad }, body)
      expect([bad, status, error.code, error.field]).toEqual([
        bad,
        400,
        'invalid_submission_secret',
        'X-Submission-Secret',
      ])
    }
    const twice = new Headers({
      'content-type': 'application/json',
      'idempotency-key': key,
      'x-submission-secret': secret,
    })
    twice.append('idempotency-key', key)
    const doubled = await fetch(service.url + PUBLISH_PATH, {
      method: 'POST',
      headers: twice,
      body: JSON.stringify(body),
    })
    expect((await reply<{ code: string }>(doubled)).body.code).toBe('invalid_idempotency_key')
    // None of this used the key: it still works.
    expect((await publish(service, { key, secret }, body)).status).toBe(201)
  })

  it('refuses wrong fields, each with its code and name, and writes nothing', async () => {
    const good = publishBody(fresh())
    const approval = good.approval
    const cases: [body: unknown, code: string, field: string | undefined][] = [
      [[], 'invalid_body', undefined],
      ['"text"', 'invalid_body', undefined],
      ['null', 'invalid_body', undefined],
      [{ ...good, extra: 1 }, 'invalid_body', 'extra'],
      [{ ...good, approval: { ...approval, extra: 1 } }, 'invalid_body', 'approval.extra'],
      [`{"__proto__":{},${JSON.stringify(good).slice(1)}`, 'invalid_body', '__proto__'],
      [{ ...good, destination: undefined }, 'invalid_destination', 'destination'],
      [{ ...good, destination: 5 }, 'invalid_destination', 'destination'],
      [{ ...good, destination: `http://a.com/${'x'.repeat(490)}` }, 'invalid_destination', 'destination'],
      [{ ...good, destination: 'ftp://a.com' }, 'invalid_destination', 'destination'],
      [{ ...good, category: undefined }, 'unknown_category', 'category'],
      [{ ...good, category: 'food & drink' }, 'unknown_category', 'category'],
      [{ ...good, category: 1 }, 'unknown_category', 'category'],
      [{ ...good, approval: undefined }, 'approval_required', 'approval'],
      [{ ...good, approval: true }, 'approval_required', 'approval'],
      [{ ...good, approval: { ...approval, userApproved: false } }, 'approval_required', 'approval.userApproved'],
      [{ ...good, approval: { ...approval, userApproved: 'true' } }, 'approval_required', 'approval.userApproved'],
      [{ ...good, approval: { ...approval, userApproved: 1 } }, 'approval_required', 'approval.userApproved'],
      [{ ...good, approval: { ...approval, scope: 'other' } }, 'approval_required', 'approval.scope'],
      [
        { ...good, approval: { ...approval, rulesVersion: '2026-09-05' } },
        'rules_version_mismatch',
        'approval.rulesVersion',
      ],
      [
        { ...good, approval: { scope: approval.scope, userApproved: true } },
        'rules_version_mismatch',
        'approval.rulesVersion',
      ],
    ]
    for (const [body, code, field] of cases) {
      const credentials = newCredentials()
      const { status, body: error } = await publish(service, credentials, body)
      expect([body, status, error.code, error.field]).toEqual([body, 400, code, field])
      expect(error.chargeCreated).toBe(false)
      // Nothing was reserved: the key is still free for a right body.
    }
    expect((await publish(service, newCredentials(), good)).status).toBe(201)
  })

  it('refuses anything but JSON, another media type, and more than 4096 bytes', async () => {
    const body = JSON.stringify(publishBody(fresh()))
    const send = (text: BodyInit, headers: Record<string, string>) => {
      const { key, secret } = newCredentials()
      return publishRaw(service, { 'idempotency-key': key, 'x-submission-secret': secret, ...headers }, text)
    }
    const json = { 'content-type': 'application/json' }
    expect(await send('{', json)).toEqual([400, 'invalid_json'])
    expect(await send('', json)).toEqual([400, 'invalid_json'])
    expect(await send(`${body}x`, json)).toEqual([400, 'invalid_json'])
    expect(await send(new Uint8Array([0x22, 0xff, 0x22]), json)).toEqual([400, 'invalid_json'])
    expect(await send(body, { 'content-type': 'text/plain' })).toEqual([415, 'unsupported_media_type'])
    expect(await send(body, { 'content-type': 'application/json-seq' })).toEqual([415, 'unsupported_media_type'])
    expect(await send(new Blob([body]), {})).toEqual([415, 'unsupported_media_type'])
    expect(await send(body, { ...json, 'content-encoding': 'gzip' })).toEqual([415, 'unsupported_media_type'])
    expect(await send(body.padEnd(4097), json)).toEqual([413, 'body_too_large'])
    expect(await send(streamOf(body.padEnd(4097)), json)).toEqual([413, 'body_too_large'])
    expect(await send(body.padEnd(4096), { 'content-type': 'Application/JSON; charset=utf-8' })).toEqual([
      201,
      undefined,
    ])
  })

  it('stores only hashes: neither the secret nor the token', async () => {
    const credentials = newCredentials()
    const { body } = await publish(service, credentials, publishBody(fresh()))
    const token = body.ownership.privateRecoveryUrl?.split('#owner=')[1]
    expect(token).toHaveLength(43)
    const tampered = await publish(service, { ...credentials, secret: newCredentials().secret }, publishBody(fresh()))
    expect(JSON.stringify(tampered.body)).not.toContain(token)
  })
})

describe.each(ENGINES)('publish without its database on %s', engine => {
  it('leaves the outcome of a repeat unconfirmed if the reason for a hidden listing cannot be read', async () => {
    const service = await startTestService({ engine })
    const credentials = newCredentials()
    await publish(service, credentials, publishBody('http://hidden.com'))
    const store = await service.database.openStore()
    await store.db.updateTable('listing').set({ hiddenAt: NOON, hiddenBy: 'owner' }).execute()
    expect((await publish(service, credentials, publishBody('http://hidden.com'))).body.status).toBe('unavailable')
    await store.db.schema.dropTable('decision').execute()
    const { status, headers, body } = await publish(service, credentials, publishBody('http://hidden.com'))
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'publication_unconfirmed', '5'])
    expect(headers.get('idempotent-replayed')).toBeNull()
    await service.stop()
  })
})

describe('the submission window', () => {
  it('answers 410 to new submissions once it is closed, and still replays', async () => {
    const service = await startTestService({
      env: { SUBMISSIONS_END_AT: new Date(NOON + 1000).toISOString() },
    })
    try {
      const credentials = newCredentials()
      expect((await publish(service, credentials, publishBody('http://early.com'))).status).toBe(201)
      service.clock.now = NOON + 1000
      const late = await publish(service, newCredentials(), publishBody('http://late.com'))
      expect([late.status, late.body.code]).toEqual([410, 'submissions_closed'])
      expect((await publish(service, credentials, publishBody('http://early.com'))).status).toBe(200)
    } finally {
      await service.stop()
    }
  })
})

async function publishRaw(service: TestService, headers: Record<string, string>, body: BodyInit) {
  const init = { method: 'POST', headers, body, duplex: 'half' }
  const { status, body: parsed } = await reply<{ code?: string }>(await fetch(service.url + PUBLISH_PATH, init))
  return [status, parsed.code]
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1000) controller.enqueue(bytes.subarray(at, at + 1000))
      controller.close()
    },
  })
}
