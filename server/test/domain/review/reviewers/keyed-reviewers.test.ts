import { createServer, type RequestListener } from 'node:http'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parseDestination } from '../../../../src/domain/destinations/destination.ts'
import { createPictureLoader } from '../../../../src/domain/review/reviewers/chosen-reviewers.ts'
import { Moderation } from '../../../../src/domain/review/reviewers/moderation-api.ts'
import { type Reviewer, Reviewers } from '../../../../src/domain/review/reviewers/reviewers.ts'
import { WebRisk } from '../../../../src/domain/review/reviewers/web-risk.ts'
import { configFrom } from '../../../../src/platform/config/config.ts'
import { Links } from '../../../../src/platform/http/links.ts'
import { Secret } from '../../../../src/platform/lib/secret.ts'
import { readers } from '../../../support/readers.ts'
import { startSites } from '../../../support/sites.ts'

const sites = await startSites()
afterAll(() => sites.close())
const config = configFrom({
  FETCH_CONNECT_TO: sites.connectTo,
  BASE_URL: 'https://placard.example.org',
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_nobody',
  STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
})
const loadPicture = createPictureLoader(config, new Links(config))
/** The first bytes of one. */
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const servePicture: RequestListener = (_request, response) =>
  response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)

const destination = parseDestination('https://acme.com/')
const fetched = await readers.read({
  body: Buffer.from('<title>Acme</title><meta property=og:image content=http://acme.com/p.png><p>Widgets.'),
  url: destination.url,
  headers: { 'content-type': 'text/html' },
})
if (fetched.verdict !== 'pass') throw new Error('the page must be readable')
const { page } = fetched
const apiKey = new Secret(Buffer.from('k-123'))

interface Heard {
  path: string
  headers: Record<string, unknown>
  body: string
}

/** A server on loopback that gives one answer, and notes what it was asked. */
async function standIn(answer: RequestListener): Promise<{ origin: string; heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    heard.push({ path: request.url ?? '', headers: request.headers, body })
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`, heard }
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** @param timeoutMs short only where no answer is expected */
const verdictBy = async (reviewer: Reviewer, timeoutMs = 30_000) => {
  const patient: Reviewer = {
    name: reviewer.name,
    version: reviewer.version,
    limits: { timeoutMs },
    review: (...args) => reviewer.review(...args),
  }
  return (await new Reviewers([{ reviewer: patient, decides: true }]).review(page, destination)).verdicts[0]
}

/** Answers that are none, from any of them. */
const NO_ANSWERS: [string, RequestListener][] = [
  ['an error', json({ error: { code: 403, message: 'no' } }, 403)],
  ['an error with 200', json({ error: { code: 403 } })],
  ['too many requests', json({}, 429)],
  [
    'an error page with 200',
    (_request, response) => response.setHeader('content-type', 'text/html').end('<h1>Oops</h1>'),
  ],
  ['half an answer', (_request, response) => response.end('{"thr')],
  ['nothing', (_request, response) => response.end()],
  ['a list', json([])],
  ['null', json(null)],
  ['a string', json('pass')],
  ['a hang', () => {}],
  [
    'headers, then a hang',
    (_request, response) => {
      response.writeHead(200).write('{')
    },
  ],
  ['a closed connection', request => request.socket.destroy()],
  ['elsewhere', (_request, response) => response.writeHead(302, { location: '/x' }).end()],
  ['a flood', (_request, response) => response.end(`"${'x'.repeat(400_000)}"`)],
]

const PASSED = { results: [{ flagged: false, categories: {} }] }

it.each<[string, number, (origin: string) => Reviewer, object, string]>([
  ['Web Risk after questions it cannot take', 400, webRiskAt, {}, 'pass'],
  ['Web Risk after failures of its own', 500, webRiskAt, {}, 'cannot_tell'],
  ['moderation after pictures it cannot load', 500, moderationAt, PASSED, 'pass'],
])('asked again, %s (%i), it answers', async (_when, status, make, answer, expected) => {
  let given = json({}, status)
  const { origin } = await standIn((request, response) => given(request, response))
  const all = new Reviewers([{ reviewer: make(origin), decides: true }])
  for (let time = 0; time < 6; time++) expect((await all.review(page, destination)).verdict).toBe('cannot_tell')
  given = json(answer)
  expect((await all.review(page, destination)).verdict).toBe(expected)
})

function webRiskAt(origin: string): Reviewer {
  return new WebRisk({ apiKey, apiUrl: origin })
}

function moderationAt(origin: string): Reviewer {
  return new Moderation({ url: origin, apiKey, model: 'm', loadPicture })
}

describe('Web Risk', () => {
  const verdict = async (answer: RequestListener, timeoutMs?: number) => {
    const { origin, heard } = await standIn(answer)
    return { ...(await verdictBy(new WebRisk({ apiKey, apiUrl: origin }), timeoutMs)), heard }
  }

  it('passes an address that is on no list', async () => {
    const { outcome, heard } = await verdict(json({}))
    expect(outcome).toBe('pass')
    const url = new URL(heard[0]?.path ?? '', 'http://x')
    expect(url.pathname).toBe('/v1/uris:search')
    expect(url.searchParams.get('uri')).toBe('https://acme.com/')
    expect(url.searchParams.getAll('threatTypes')).toEqual(['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE'])
    expect(heard[0]?.headers['x-goog-api-key']).toBe('k-123')
    expect(heard[0]?.path).not.toContain('k-123')
  })

  it('refuses one that is', async () => {
    const threat = { threatTypes: ['SOCIAL_ENGINEERING'], expireTime: '2026-11-22T12:00:00Z' }
    expect(await verdict(json({ threat }))).toMatchObject({
      outcome: 'reject',
      reason: 'malicious',
      evidence: { uri: 'https://acme.com/', threats: ['SOCIAL_ENGINEERING'] },
    })
  })

  it.each([
    ...NO_ANSWERS,
    ['a threat of no type', json({ threat: { threatTypes: [] } })],
    ['an unknown threat', json({ threat: { threatTypes: ['SOMETHING_ELSE'] } })],
    ['a threat that is text', json({ threat: 'MALWARE' })],
    ['types that are text', json({ threat: { threatTypes: 'MALWARE' } })],
  ] as [string, RequestListener][])('cannot tell from %s', async (_what, answer) => {
    const { outcome, evidence } = await verdict(answer, 300)
    expect(outcome).toBe('cannot_tell')
    expect(JSON.stringify(evidence)).not.toContain('k-123')
  })
})

describe('a moderation endpoint', () => {
  beforeEach(() => sites.set('acme.com', servePicture))
  const verdict = async (answer: RequestListener, timeoutMs?: number) => {
    const { origin, heard } = await standIn(answer)
    const reviewer = new Moderation({ url: `${origin}/v1/moderations`, apiKey, model: 'm-1', loadPicture })
    return { ...(await verdictBy(reviewer, timeoutMs)), heard }
  }
  const result = (categories: Record<string, boolean>) => ({
    flagged: Object.values(categories).includes(true),
    categories,
    category_scores: {},
  })
  const reply = (...results: unknown[]) => json({ id: 'modr-1', model: 'm-1', results })

  const nothing = reply(result({ sexual: false, hate: false }))

  it('passes what it finds nothing in, and is sent words, and the picture as data', async () => {
    const { outcome, evidence, heard } = await verdict(nothing)
    expect({ outcome, evidence }).toEqual({ outcome: 'pass', evidence: {} })
    expect(heard[0]?.headers.authorization).toBe('Bearer k-123')
    expect(JSON.parse(heard[0]?.body ?? '')).toEqual({
      model: 'm-1',
      input: [
        { type: 'text', text: 'Acme\n\nWidgets.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
      ],
    })
  })

  it('is sent a picture that has no type', async () => {
    sites.set('acme.com', (_request, response) => response.setHeader('content-type', 'binary/octet-stream').end(PNG))
    const { evidence, heard } = await verdict(nothing)
    expect([evidence, heard[0]?.body.includes('data:image/png;')]).toEqual([{}, true])
  })

  it.each<[string, RequestListener]>([
    ['is not there', (_request, response) => response.writeHead(404).end()],
    ['is a page', (_request, response) => response.setHeader('content-type', 'text/html').end('<p>Hello')],
    [
      'only says that it is one',
      (_request, response) => response.setHeader('content-type', 'image/png').end('{"instance":"id"}'),
    ],
    [
      'is too large',
      (_request, response) =>
        response.setHeader('content-type', 'image/png').end(Buffer.concat([PNG, Buffer.alloc(1024 * 1024)])),
    ],
    [
      'leads to another website',
      (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
    ['closes the connection', request => request.socket.destroy()],
  ])('is sent the words alone where the picture %s', async (_what, serve) => {
    sites.set('acme.com', serve)
    const { outcome, evidence, heard } = await verdict(nothing)
    expect({ outcome, evidence }).toEqual({ outcome: 'pass', evidence: { picture: 'not judged' } })
    expect(heard.map(({ body }) => JSON.parse(body).input)).toEqual([[{ type: 'text', text: 'Acme\n\nWidgets.' }]])
  })

  it.each([400, 413, 500])('is asked about the words alone once it answers a picture with %i', async status => {
    const { origin, heard } = await standIn((request, response) =>
      (heard.at(-1)?.body.includes('image_url') ? json({}, status) : nothing)(request, response),
    )
    const given = await verdictBy(moderationAt(origin))
    expect(given).toMatchObject({ outcome: 'pass', evidence: { picture: 'not judged' } })
    expect(heard).toHaveLength(2)
  })

  it('refuses what is not listed here, in any result', async () => {
    expect(await verdict(reply(result({ sexual: true })))).toMatchObject({
      outcome: 'reject',
      reason: 'adult_content',
    })
    expect(await verdict(reply(result({ sexual: false }), result({ 'violence/graphic': true })))).toMatchObject({
      outcome: 'reject',
      reason: 'policy',
      evidence: { categories: ['violence/graphic'] },
    })
  })

  it('only flags what charities write about too', async () => {
    expect(await verdict(reply(result({ 'self-harm': true, violence: true })))).toMatchObject({
      outcome: 'flag',
      reason: 'policy',
      evidence: { categories: ['self-harm', 'violence'] },
    })
  })

  it.each([
    ...NO_ANSWERS,
    ['no object', json({})],
    ['no results', reply()],
    ['a result without categories', reply({ flagged: false })],
    ['categories that are text', reply({ flagged: true, categories: { sexual: 'yes' } })],
    ['flagged without a category', reply({ flagged: true, categories: { sexual: false } })],
    ['a category without flagged', reply({ flagged: false, categories: { sexual: true } })],
  ] as [string, RequestListener][])('cannot tell from %s', async (_what, answer) => {
    expect((await verdict(answer, 300)).outcome).toBe('cannot_tell')
  })
})
