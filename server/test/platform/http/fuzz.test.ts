// @module-tag slow
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ERRORS, type ErrorBody, type ErrorCode, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/platform/db/store.ts'
import { anyCharacter, anyPath, anyWebAddress } from '../../support/characters.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { runs } from '../../support/runs.ts'
import { newCredentials, publishBody, startTestService, type TestService } from '../../support/service.ts'
import { type Sites, startSites } from '../../support/sites.ts'

const RUNS = { numRuns: runs(300) }
/** Where each run may read a website. */
const FEWER_RUNS = { numRuns: runs(120) }

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Every character that a header can carry: all of Latin-1 but most control characters. */
const headerValue = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.constant(0x09), fc.integer({ min: 0x80, max: 0xff })), {
    maxLength: 200,
  })
  .map(codes => String.fromCharCode(...codes))

const anyText = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }), fc.string())
const anyJson = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 4 })

/** Names that every object inherits, and other words that trip parsers. */
const TREACHEROUS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  '\0',
  '%00',
  '%',
  '%ff',
  '..',
  '\u202e',
  '\ud800',
  '１',
  'NaN',
  '-0',
  '1e999',
  "' or 1=1 --",
  '{{7*7}}',
  '#{7*7}',
  '<script>',
]

/** Valid JSON that no library writes, which parsers may read differently. */
const oddName = fc.constantFrom(
  ...['"destination"', '"\\u0064estination"', '"category"', '"approval"', '"scope"', '"userApproved"', '"board"'],
  ...[
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
    '"prototype"',
    '"toJSON"',
    '"length"',
    '""',
    '"0"',
    '"\\ud800"',
  ],
)
const oddLeaf = fc.constantFrom(
  ...['1e999', '-1e999', '1e-999', '-0', '5.0', '5e0', '9007199254740993', '123456789012345678901234567890', '0.1e1'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"', '"http://odd.com"', '"Games"', '"all"', '"__proto__"'],
  ...['null', 'true', 'false', '[]', '{}', '"free_listing_publish"', '"2026-09-06"'],
)
const { oddJson, members } = fc.letrec<{ oddJson: string; members: string }>(tie => ({
  oddJson: fc.oneof(
    { maxDepth: 4 },
    oddLeaf,
    fc.tuple(oddLeaf, fc.integer({ min: 1, max: 2_000 })).map(([x, deep]) => '['.repeat(deep) + x + ']'.repeat(deep)),
    fc
      .tuple(oddName, tie('oddJson'), fc.integer({ min: 1, max: 250 }))
      .map(([name, x, deep]) => `{${name}:`.repeat(deep) + x + '}'.repeat(deep)),
    fc.array(tie('oddJson'), { maxLength: 4 }).map(all => `[${all.join()}]`),
    tie('members').map(all => `{${all}}`),
  ),
  members: fc
    .array(fc.tuple(oddName, tie('oddJson')), { maxLength: 5 })
    .map(all => all.map(one => one.join(':')).join()),
}))

const NAUGHTY_DESTINATIONS = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://①②⑦.⓪.⓪.①/',
  'http://localhost',
  'http://localhost.',
  'http://a.localhost',
  'http://üxn--.com/',
  'http://xn--.com/',
  'http://xn--a.com/',
  'http://xn--zzzzzzzzzzzz.com',
  'http://ﬀ.com/',
  'http://ß.com/',
  'http://a\u00ad.com/',
  'http://\u202ea.com/',
  'http://user@naughty.com/',
  'http://user:pass@naughty.com/',
  'http://naughty.com:80/',
  'http://naughty.com:443/',
  'http://naughty.com:0/',
  'http://naughty.com:99999/',
  'http:naughty.com',
  'http:/naughty.com',
  'http:///naughty.com',
  'http:\\\\naughty.com',
  ' http://naughty.com',
  'http://naughty.com\n',
  'ht\ntp://naughty.com',
  'http://naughty.com/%',
  'http://naughty.com/%zz',
  'http://naughty.com/%00',
  'http://naughty.com/%2e%2e/%2e',
  'http://naughty.com/\ud800',
  'http://naughty.com/../../etc/passwd',
  'http://naughty.com/;a=b;c',
  'http://naughty.com/?',
  'http://naughty.com/#',
  'http://naughty.com?x',
  'http://NAUGHTY.com./a//b///',
  'http://naughty..com/',
  'http://.naughty.com/',
  'http://-naughty.com/',
  'http://naughty_.com/',
  'http://com/',
  'http://co.uk/',
  'http://www.com/',
  'http://www.co.uk/',
  'https://naughty.com/',
  'javascript://naughty.com/%0aalert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'http://',
  'https://?',
  `http://${'a'.repeat(63)}.com/`,
  `http://${'a'.repeat(64)}.com/`,
  `http://${'a.'.repeat(130)}com/`,
  `http://naughty.com/${'%'.repeat(400)}`,
  `http://naughty.com/${'é'.repeat(100)}`,
]

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
const destination = fc.oneof(
  fc.constantFrom(...NAUGHTY_DESTINATIONS),
  anyWebAddress,
  // Addresses under a real top-level domain, with any path: these get past the syntax.
  fc.tuple(label, anyText).map(([name, path]) => `http://${name}.com/${path}`),
  fc.tuple(label, anyPath).map(([name, path]) => `http://www.${name}.co.uk${path}`),
  fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), label).map(([a, b]) => `http://${a}.${b}.com`),
  anyText,
  fc.constantFrom(...TREACHEROUS).map(text => `http://a.com/${text}`),
)

describe.each(SQLITE_FIRST)('whatever is sent on %s', engine => {
  let sites: Sites
  let service: TestService
  let store: Store
  let agent: Agent
  let port: number
  /** What the replies so far must have left in the database. */
  const written = { attempts: 0, listings: 0 }
  let clients = 0

  beforeAll(async () => {
    sites = await startSites()
    service = await startTestService({
      engine,
      sites,
      env: {
        // No website answers on 443, and no request leaves the machine.
        FETCH_CONNECT_TO: `${sites.connectTo},:443:127.0.0.1:1`,
        TRUSTED_PROXIES: '127.0.0.0/8',
      },
    })
    store = await service.database.openStore()
    agent = new Agent({ keepAlive: true })
    port = Number(new URL(service.url).port)
  })
  afterAll(async () => {
    agent.destroy()
    await store.close()
    await service.stop()
    await sites.close()
  })

  function send(method: string, path: string, headers: OutgoingHttpHeaders, body?: string | Uint8Array) {
    return new Promise<Answer>((resolve, reject) => {
      const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers }, response => {
        const { statusCode: status = 0, headers } = response
        buffer(response).then(bytes => resolve({ status, headers, text: bytes.toString() }), reject)
      })
      outgoing.on('error', reject).end(body)
    })
  }

  /** Checks what holds for every reply of the API. @returns the code of a refusal */
  function expectSound({ status, headers, text }: Answer): ErrorCode | undefined {
    expect(status < 500 || status === 503, `${status} ${text}`).toBe(true)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['x-request-id']).toBeTypeOf('string')
    const body = JSON.parse(text) as ErrorBody
    if (status < 400) return undefined
    expect(body).toEqual({
      code: expect.any(String),
      error: expect.any(String),
      chargeCreated: false,
      ...('field' in body && { field: expect.any(String) }),
      ...('reason' in body && { reason: expect.any(String) }),
      ...(status === 422 && { decisionId: expect.any(String), decisionUrl: expect.any(String) }),
      ...('productUrl' in body && { productUrl: expect.any(String) }),
      ...(headers['retry-after'] !== undefined && { retryAfterSeconds: Number(headers['retry-after']) }),
      documentationUrl: expect.stringMatching(new RegExp(`/errors/${body.code}$`)),
    })
    expect(ERRORS[body.code as ErrorCode]?.status).toBe(status)
    expect(headers['cache-control']).toBe('no-store')
    return body.code as ErrorCode
  }

  async function publish(body: string | Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    const { key, secret } = newCredentials()
    const credentials = { 'idempotency-key': key, 'x-submission-secret': secret }
    // If one client sends the same again after a 503, with another key, that is the same attempt.
    const client = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients++ & 255}`
    const answer = await send(
      'POST',
      PUBLISH_PATH,
      {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...credentials,
        'x-forwarded-for': client,
        ...headers,
      },
      body,
    )
    const code = expectSound(answer)
    // Only these have reserved an attempt; every other refusal came before.
    if (answer.status === 201) written.listings++
    if (answer.status === 201 || code === 'review_rejected' || code === 'review_unavailable') written.attempts++
    return answer
  }

  async function quote(body: string | Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    const length = Buffer.byteLength(body)
    const answer = await send(
      'POST',
      QUOTE_PATH,
      { 'content-type': 'application/json', 'content-length': length, ...headers },
      body,
    )
    expectSound(answer)
    return answer
  }

  async function expectNothingElseWritten() {
    const count = async (table: 'attempt' | 'listing' | 'claim' | 'board_total' | 'decision') => {
      const row = await store.db
        .selectFrom(table)
        .select(s => s.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    }
    expect([await count('attempt'), await count('listing'), await count('claim')]).toEqual([
      written.attempts,
      written.listings,
      written.listings,
    ])
    expect(await count('board_total')).toBe(0)
    // Nothing was decided but the publications.
    expect(await count('decision')).toBe(written.listings)
    expect((await send('GET', '/healthz', {})).text).toBe('{"status":"alive"}')
  }

  it('any JSON value as a body is refused', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, async value => {
        const body = JSON.stringify(value)
        expect((await publish(body)).status).toBeGreaterThanOrEqual(400)
        expect((await quote(body)).status).toBeGreaterThanOrEqual(400)
      }),
      RUNS,
    )
    await expectNothingElseWritten()
  })

  it('any bytes as a body are refused', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ minLength: 4000, maxLength: 4200 }),
      anyText.map(text => Buffer.from(text)),
      fc.constantFrom('{', '[', '"', '{"a":', '\ufeff{}', 'NaN', '[,]', '1e999', '['.repeat(4000)).map(Buffer.from),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async body => {
        expect((await publish(body)).status).toBeGreaterThanOrEqual(400)
        expect((await quote(body)).status).toBeGreaterThanOrEqual(400)
      }),
      RUNS,
    )
    await expectNothingElseWritten()
  })

  it('any value for any field is refused or accepted, never a fault', async () => {
    const paths = ['destination', 'category', 'approval', 'scope', 'userApproved', 'rulesVersion', 'board', 'targetBid']
    const name = fc.oneof(fc.constantFrom(...paths, ...TREACHEROUS), anyText)
    await fc.assert(
      fc.asyncProperty(name, anyJson, fc.boolean(), async (field, value, inApproval) => {
        const good = { ...publishBody('https://fields.com'), board: undefined }
        const member = `${JSON.stringify(field)}:${JSON.stringify(value)}`
        const spoil = (text: string) => text.replace(/\}$/, `,${member}}`)
        const approval = JSON.stringify(good.approval)
        const body = inApproval
          ? JSON.stringify(good).replace(approval, () => spoil(approval))
          : spoil(JSON.stringify(good))
        await publish(body)
        await quote(
          spoil(JSON.stringify({ destination: 'https://a.com', category: 'Games', board: 'all', targetBid: 5 })),
        )
      }),
      RUNS,
    )
    await expectNothingElseWritten()
  })

  it('odd JSON is refused or accepted, never a fault: deep, with repeated names, out of all bounds', async () => {
    const good = JSON.stringify(publishBody('http://odd.com')).slice(1, -1)
    const goodQuote = '"destination":"http://odd.com","category":"Games","board":"all","targetBid":5'
    await fc.assert(
      fc.asyncProperty(oddJson, members, fc.boolean(), async (odd, more, before) => {
        await publish(odd)
        await quote(odd)
        const around = (whole: string) => `{${[more, whole].filter(part => part !== '').join()}}`
        const after = (whole: string) => `{${[whole, more].filter(part => part !== '').join()}}`
        await publish(before ? around(good) : after(good))
        await quote(before ? around(goodQuote) : after(goodQuote))
      }),
      RUNS,
    )
    for (const name of ['"__proto__"', '"\\u005f_proto__"', '"constructor"']) {
      for (const value of ['1', '{}', `{${good}}`]) {
        const answer = await publish(`{${name}:${value},${good}}`)
        expect([name, value, JSON.parse(answer.text).code]).toEqual([name, value, 'invalid_body'])
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    await expectNothingElseWritten()
  })

  it('any value of any header is refused or accepted, never a fault', async () => {
    const header = fc.oneof(
      headerValue,
      fc.constantFrom(...TREACHEROUS.filter(text => /^[\x20-\x7e]*$/.test(text))),
      fc.uuid(),
      fc.uuid({ version: 4 }),
      fc.stringMatching(/^[0-9a-fA-F]{62,66}$/),
      anyWebAddress,
      fc.ipV4(),
      fc.ipV6(),
      fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), headerValue), { maxLength: 5 }).map(all => all.join(', ')),
      fc.constantFrom('gzip', 'identity', 'IDENTITY', 'gzip, identity', 'application/json; charset=utf-16'),
      fc.constantFrom('application/json;', 'application/json;"', 'application/json, text/plain', ';', '/'),
    )
    const headers = fc.record(
      {
        'idempotency-key': header,
        'x-submission-secret': header,
        origin: header,
        'sec-fetch-site': header,
        'content-type': header,
        'content-encoding': header,
        'x-forwarded-for': header,
        'x-forwarded-host': header,
        'x-forwarded-proto': header,
        'user-agent': header,
        accept: header,
        cookie: header,
        forwarded: header,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(headers, async sent => {
        // Not an address, so that no header can make a listing.
        const body = JSON.stringify(publishBody('not an address'))
        expect((await publish(body, sent)).status).toBeGreaterThanOrEqual(400)
        await quote(body, sent)
        const { status, text } = await send('GET', '/', sent)
        expect([status, text]).toEqual([expect.toSatisfy(one => one === 200 || one === 304), expect.any(String)])
      }),
      RUNS,
    )
    await expectNothingElseWritten()
  })

  it('any destination is published or refused, and a quote draws the same line', async () => {
    await fc.assert(
      fc.asyncProperty(destination, async sent => {
        const published = await publish(JSON.stringify(publishBody(sent)))
        const body = { destination: sent, category: 'Games', board: 'today', targetBid: 5 }
        const quoted = await quote(JSON.stringify(body))
        const refused = published.status === 400
        expect([sent, published.text, quoted.status]).toEqual([sent, published.text, refused ? 400 : 200])
        if (refused) expect(JSON.parse(published.text).code).toBe('invalid_destination')
        else expect((await send('GET', pathOf(JSON.parse(quoted.text).handoffUrl), {})).status).toBe(200)
        if (published.status === 201) {
          const { status, text } = await send('GET', pathOf(JSON.parse(published.text).productUrl), {})
          expect([status, text]).toEqual([200, expect.stringContaining('Welcome to')])
        }
      }),
      FEWER_RUNS,
    )
    expect(written.listings).toBeGreaterThan(0)
    await expectNothingElseWritten()
  })

  it('a treacherous name in an address is a name that nobody has', async () => {
    for (const text of TREACHEROUS) {
      for (const base of ['/product/', '/manage/', '/assets/', '/', '/api/v1/agent/']) {
        const path = base + encodeURIComponent(text.toWellFormed())
        const answer = await send('GET', path, {})
        expect([path, answer.status, expectSound(answer)]).toEqual([path, 404, 'not_found'])
      }
      const query = `destination=${encodeURIComponent(text.toWellFormed())}&${encodeURIComponent(text.toWellFormed())}=1`
      expect([text, (await send('GET', `/promote?${query}`, {})).status]).toEqual([text, 200])
      const cookie = `placard_owner=${encodeURIComponent(text.toWellFormed())}`
      const claim = '6ba7b810-9dad-41d1-80b4-00c04fd430c8'
      expect((await send('GET', `/manage/${claim}`, { cookie })).status).toBe(200)
    }
  })

  it('any address is answered', async () => {
    // Every character that a request line can carry, and any text percent-encoded.
    const raw = fc
      .array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 150 })
      .map(codes => String.fromCharCode(...codes))
    const piece = fc.oneof(
      raw,
      fc.string({ unit: anyCharacter, maxLength: 120 }).map(text => encodeURIComponent(text.toWellFormed())),
      fc.constantFrom(...TREACHEROUS).map(text => encodeURIComponent(text.toWellFormed())),
      fc.uuid(),
    )
    const base = fc.constantFrom(
      '/',
      '/product/',
      '/manage/',
      '/assets/',
      '/promote?destination=',
      '/promote?category=Games&board=all&target=',
      '/promote?destination=http://a.com&destination=',
      '/promote?',
      '/rules?',
      '/?',
      '/api/',
      '/api/v1/agent/capabilities?',
    )
    const end = fc.constantFrom('', '', '/', '/session', '/withdraw', '?owner=1', '&target=5', '[]=1')
    const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS')
    const headers = fc.record(
      {
        accept: fc.constantFrom('text/html', '*/*', 'application/json'),
        cookie: fc.oneof(
          headerValue,
          headerValue.map(value => `placard_owner=${value}`),
        ),
        'if-none-match': headerValue,
        'content-type': fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain'),
        'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site'),
      },
      { requiredKeys: [] },
    )
    const body = fc.oneof(
      anyText,
      anyJson.map(value => JSON.stringify(value)),
      fc.constant('confirm=yes'),
    )
    await fc.assert(
      fc.asyncProperty(method, base, piece, end, headers, body, async (method, base, piece, end, headers, body) => {
        const path = base + piece + end
        const sent = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? undefined : body
        const length = sent === undefined ? {} : { 'content-length': Buffer.byteLength(sent) }
        const answer = await send(method, path, { ...headers, ...length }, sent)
        expect(answer.status < 500, `${method} ${path} ${answer.status} ${answer.text}`).toBe(true)
        expect(answer.headers['x-content-type-options']).toBe('nosniff')
        if (answer.status >= 400 && method !== 'HEAD' && !answer.headers['content-type']?.startsWith('text/html')) {
          expectSound(answer)
        }
      }),
      RUNS,
    )
    await expectNothingElseWritten()
  })
})

const pathOf = (url: string) => url.slice(new URL(url).origin.length)
