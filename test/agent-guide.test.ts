// @module-tag programs
// @module-tag slow
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { PUBLISH_PATH } from '@placard/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { daysMs } from '../server/src/platform/lib/time.ts'
import {
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../server/test/support/service.ts'
import { sendHtml } from '../server/test/support/sites.ts'
import { areInstalled, PRIVATE, type Workplace, workplace } from './programs.ts'

let service: TestService
/** With one new submission per day. */
let narrow: TestService
beforeAll(async () => {
  service = await startTestService()
  narrow = await startTestService({ env: { LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1' } })
})
afterAll(() => Promise.all([service.stop(), narrow.stop()]))
const useUpTheDay = () => publish(narrow, newCredentials(), publishBody(`http://earlier-${runs}.com/`))

let place: Workplace
let runs = 0
/** The website to publish, in place of the customer's that the guide names. */
let website: string
beforeEach(() => {
  place = workplace()
  website = `http://follower-${++runs}.com/`
  return place.remove
})

/** The placeholder of the guide. A reader who forgets to replace it gets a 400. */
const PLACEHOLDER = 'https://www.your-customer.example/'

/** The guide's code blocks of a language, in order, as somebody would paste them who reads it now. */
async function blocks(language: string, { as = website, of = service } = {}): Promise<string[]> {
  const guide = await (await fetch(`${of.url}/agent-guide.md`)).text()
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code.replaceAll(PLACEHOLDER, as))
}

/** The shell blocks, by what they do. */
async function shell(options?: Parameters<typeof blocks>[1]) {
  const [capabilities, check, ask, answer, make, body, send, wait, ...after] = await blocks('sh', options)
  const [status, decision, appeal, quote, boards, ...more] = after
  expect(more).toEqual([])
  const all = { capabilities, check, ask, answer, make, body, send, wait, status, decision, appeal, quote, boards }
  return all as Record<keyof typeof all, string>
}

/** Runs a block as it is, but notes how long it would sleep. @returns what it printed, which is never private */
async function bash(code: string, part = ''): Promise<string> {
  const { stderr, stdout } = await place.run('bash', ['-c', `sleep() { echo "$1" >> sleeps; }\n${code}`])
  expect(stderr).toMatch(part)
  // A decision has the public hash of its facts.
  expect(stdout.replace(/"factsSha256":"\w+"/, '')).not.toMatch(PRIVATE)
  return stdout
}

/** Runs the Python script as it is, but notes how long it would sleep. */
async function python(code: string) {
  writeFileSync(place.path('publish.py'), code)
  const noting = "import time; time.sleep = lambda s: print(s, file=open('sleeps', 'a'))"
  const ran = await place.run('python3', ['-I', '-c', `${noting}; exec(open('publish.py').read())`])
  expect(ran.stdout).not.toMatch(PRIVATE)
  return ran
}

const pythonScript = async (options?: Parameters<typeof blocks>[1]) => (await blocks('python', options))[0] ?? ''

/** The shape of a value: its fields, and the types of what they hold. */
const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shape(field)]))
    : typeof value

const publicPage = () => `${service.url}/product/follower-${runs}-com`
const host = () => new URL(website).host

type Reply = (response: ServerResponse) => unknown

/** A way to the service on which the first reply is lost, or the first ones are replaced by others. */
async function lossy(instead: Reply[] = [response => response.destroy()]): Promise<{ url: string; close(): void }> {
  const relay = createServer(async (request, response) => {
    const { 'idempotency-key': key = '', 'x-submission-secret': secret = '' } = request.headers
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': `${key}`,
      'x-submission-secret': `${secret}`,
    }
    const reply = await fetch(service.url + request.url, { method: 'POST', headers, body: await buffer(request) })
    const body = await reply.text()
    const replace = instead.shift()
    if (replace) replace(response)
    else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(body)
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  return { url, close: () => relay.close() }
}

const hasShell = areInstalled('bash', 'curl', 'openssl')
const hasPython = areInstalled('python3')

it('the agent guide has at most 4,500 tokens', async () => {
  // A token of English Markdown has 3.4 characters or more, as counted with the vocabularies cl100k and o200k.
  const guide = await (await fetch(`${service.url}/agent-guide.md`)).text()
  expect(guide.length / 3.4).toBeLessThan(4500)
})

describe.skipIf(!hasShell)('the agent guide, followed literally in a shell', () => {
  it('publishes, and finds out what became of it', async () => {
    const { capabilities, check, make, body, send, status, quote, boards } = await shell()
    const [, receipt = ''] = await blocks('json')

    expect(JSON.parse(await bash(capabilities)).discovery.available).toBe(true)
    expect(JSON.parse(await bash(check))).toMatchObject({ wouldPublish: true, destination: website })
    await bash(make)
    const headers = place.read('placard-headers.txt')
    await bash(make, 'cannot overwrite existing file')
    expect(place.read('placard-headers.txt')).toBe(headers)
    await bash(body)

    expect(await bash(send)).toBe(`201\n"productUrl":"${publicPage()}"\n`)
    const first = JSON.parse(place.read('placard-reply.json'))
    expect(shape(first)).toEqual(shape(JSON.parse(receipt)))
    expect(await bash(send)).toBe(`200\n"productUrl":"${publicPage()}"\n`)
    expect(shape(JSON.parse(place.read('placard-reply.json')))).toEqual(shape(first))
    for (const file of ['headers.txt', 'reply.json', 'reply-headers.txt']) {
      expect([file, place.mode(`placard-${file}`)]).toEqual([file, '600'])
    }
    expect(JSON.parse(await bash(status))).toMatchObject({ state: 'published', productUrl: publicPage() })
    expect(JSON.parse(await bash(quote))).toMatchObject({ chargeAmountCents: 2500 })
    expect((await bash(boards)).match(/"placement":"paid"/g)).toHaveLength(2)
  })

  it('asks the customer in a browser', async () => {
    const { ask, answer, make, body, send } = await shell()
    const { approvalUrl, code } = JSON.parse(await bash(ask))
    const headers = { origin: service.url, 'sec-fetch-site': 'same-origin' }
    await fetch(approvalUrl, { method: 'POST', headers, body: new URLSearchParams({ answer: 'approved' }) })
    expect(JSON.parse(await bash(answer))).toMatchObject({ code, status: 'approved' })
    await bash(make + body.replace('"userApproved"', `"approvalCode": "${code}",\n    "userApproved"`))
    expect(await bash(send)).toMatch(/^201\n/)
    expect(JSON.parse(place.read('placard-reply.json')).approval).toBe('browser')
  })

  it('sends the same again after a lost answer', async () => {
    const way = await lossy()
    const { make, body, send, wait } = await shell()
    const sendThere = send.replace(service.url, way.url)
    await bash(make + body)
    expect(await bash(sendThere, 'curl: ')).toBe('000\n')
    await bash(wait, 'placard-reply.json')
    expect(place.read('sleeps')).toBe('5\n')
    expect(await bash(sendThere)).toBe(`200\n"productUrl":"${publicPage()}"\n`)
    way.close()
  })

  it('corrects a 400 with the same key and secret', async () => {
    const { make, send, body } = await shell()
    await bash(make + (await shell({ as: PLACEHOLDER })).body)
    const headers = place.read('placard-headers.txt')
    expect(await bash(send)).toMatch(/^400\n"code":"invalid_destination"\n"error":"[^\n]*"\n"field":"destination"\n$/)
    await bash(body)
    expect(await bash(send)).toBe(`201\n"productUrl":"${publicPage()}"\n`)
    expect(place.read('placard-headers.txt')).toBe(headers)
  })

  it('reads the decision of a 422, and appeals', async () => {
    const { make, body, send, status, decision, appeal } = await shell()
    service.sites.set(host(), (_request, response) => response.writeHead(404).end())
    await bash(make + body)
    expect(await bash(send)).toMatch(/^422\n"code":"review_rejected"\n"error":"[^\n]+"\n"reason":"not_found"\n$/)
    const { decisionId } = JSON.parse(place.read('placard-reply.json'))
    expect(JSON.parse(await bash(decision))).toMatchObject({ id: decisionId, contest: { isPossible: true } })
    const { appeal: received } = JSON.parse(await bash(appeal))
    expect(received.statement).toBe('Why the decision is wrong, in up to 1000 characters.')
    expect(await bash(send)).toMatch(/^422\n/)
    expect(JSON.parse(await bash(status))).toMatchObject({ state: 'refused', decisionId })
  })

  it('waits as a 429 and a 503 ask', async () => {
    const { make, body, send, wait } = await shell({ of: narrow })
    await useUpTheDay()
    await bash(make + body)
    expect(await bash(send)).toMatch(/^429\n"code":"quota_ip"\n"error":[^\n]+\n"retryAfterSeconds":\d+\n$/)
    await bash(wait)
    narrow.clock.now += 1000 * Number(place.read('sleeps'))
    narrow.sites.set(host(), (_request, response) => response.writeHead(503).end())
    expect(await bash(send)).toMatch(
      /^503\n"code":"review_unavailable"\n"error":"The website answered with status 503[^\n]*"\n"reason":"site_unreachable"\n"retryAfterSeconds":30\n$/,
    )
    await bash(wait)
    expect(place.read('sleeps')).toMatch(/\n30\n$/)
    narrow.sites.set(host(), (_request, response) => sendHtml(response, '<title>Back</title><p>We are back'))
    expect(await bash(send)).toMatch(/^201\n"productUrl":/)
  })
})

describe.skipIf(!hasPython)('the agent guide, followed literally with Python', () => {
  it('publishes', async () => {
    const [code = '', ...more] = await blocks('python')
    expect(more).toEqual([])
    writeFileSync(place.path('publish.py'), code)
    const run = () => place.run('python3', ['-I', '-X', 'dev', '-W', 'error', 'publish.py'])
    expect(await run()).toEqual({ code: 0, stdout: `201 ${publicPage()}\n`, stderr: '' })
    const saved = place.read('placard-headers.txt')
    expect(await run()).toEqual({ code: 0, stdout: `200 ${publicPage()}\n`, stderr: '' })
    expect(place.read('placard-headers.txt')).toBe(saved)
    expect(JSON.parse(place.read('placard-reply.json')).ownership.privateRecoveryUrl).toContain('#owner=')
    for (const file of ['headers.txt', 'body.json', 'reply.json', 'reply-headers.txt']) {
      expect([file, place.mode(`placard-${file}`)]).toEqual([file, '600'])
    }
  })

  it('sends the same again after a lost answer and a 503, after waiting as asked', async () => {
    const way = await lossy()
    let visits = 0
    service.sites.set(host(), (_request, response) => {
      if (++visits === 1) response.writeHead(503).end()
      else sendHtml(response, '<title>Back</title><p>We are back')
    })
    const code = (await pythonScript()).replace(service.url, way.url)
    // The first answer is a 503 that is lost.
    expect(await python(code)).toMatchObject({ code: 0, stdout: `201 ${publicPage()}\n` })
    expect(place.read('sleeps')).toBe('5\n')
    way.close()
  })

  it('sends the same again after replies that a proxy made up, in whatever encoding and shape', async () => {
    const page = Buffer.from('<p>Indisponible, désolé', 'latin1')
    const way = await lossy([
      response => response.writeHead(502, { 'content-type': 'text/html' }).end(page),
      response => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
      response => response.writeHead(200, { 'content-type': 'application/json' }).end('["unavailable"]'),
    ])
    const code = (await pythonScript()).replace(service.url, way.url)
    expect(await python(code)).toMatchObject({ code: 0, stdout: `200 ${publicPage()}\n` })
    expect(place.read('sleeps')).toBe('5\n5\n5\n')
    way.close()
  })

  it('corrects a 400 in the file that the guide names', async () => {
    const code = await pythonScript({ as: PLACEHOLDER })
    const refused = await python(code)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('"code":"invalid_destination"') })
    const headers = place.read('placard-headers.txt')
    const corrected = place.read('placard-body.json').replace(PLACEHOLDER, website)
    writeFileSync(place.path('placard-body.json'), corrected)
    expect(await python(code)).toMatchObject({ code: 0, stdout: `201 ${publicPage()}\n` })
    expect(place.read('placard-headers.txt')).toBe(headers)
  })

  it.skipIf(!hasShell)('keeps what the decision of a 422 needs', async () => {
    service.sites.set(host(), (_request, response) => response.writeHead(404).end())
    expect(await python(await pythonScript())).toMatchObject({ code: 1, stderr: expect.stringMatching(/^422 /) })
    const { decision, appeal } = await shell()
    const { decisionId } = JSON.parse(place.read('placard-reply.json'))
    expect(JSON.parse(await bash(decision)).id).toBe(decisionId)
    expect(JSON.parse(await bash(appeal)).appeal.id).toBeDefined()
  })

  it('waits for minutes, and says so if a 429 asks for more', async () => {
    const code = await pythonScript({ of: narrow })
    await useUpTheDay()
    const postponed = await python(code)
    expect(postponed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^429 .*"retryAfterSeconds":\d{4,}/) })
    narrow.clock.now += daysMs(1)
    let visits = 0
    narrow.sites.set(host(), (_request, response) => {
      if (++visits === 1) response.writeHead(503).end()
      else sendHtml(response, '<title>Back</title><p>We are back')
    })
    expect(await python(code)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^201 /) })
    expect(place.read('sleeps')).toBe('30\n')
  })
})

describe('the agent guide, followed literally', () => {
  it.skipIf(!hasShell || !hasPython)('sends the secret nowhere else, even if a reply redirects it', async () => {
    const asked: string[] = []
    const elsewhere = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    const { make, body, send } = await shell()
    await bash(make + body)
    await place.run('bash', ['-c', send.replace(service.url, url)])
    // Its reply is not JSON, so Python would repeat it for minutes.
    await python((await pythonScript()).replace(service.url, url).replace('waited > 300', 'True'))
    elsewhere.close()
    expect(asked).toEqual([`POST ${PUBLISH_PATH}`, `POST ${PUBLISH_PATH}`])
  })

  it.skipIf(!hasShell || !hasPython)('publishes with the client for Python', async () => {
    const [code = ''] = await blocks('text')
    const lines = code.split('\n').filter(line => !line.startsWith('npx '))
    const ran = await place.run('bash', ['-c', lines.join('\n').replace('--service', '--journal journal --service')])
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(publicPage()) })
    expect(ran.stdout).not.toMatch(PRIVATE)
  })

  it('publishes with the library', async () => {
    const [code = '', ...more] = await blocks('js')
    expect(more).toEqual([])
    writeFileSync(place.path('publish.mjs'), code)
    const node = () => place.run(process.execPath, ['publish.mjs'])
    expect(await node()).toEqual({ code: 0, stdout: `201 ${publicPage()}\n`, stderr: '' })
    expect(await node()).toEqual({ code: 0, stdout: `200 ${publicPage()}\n`, stderr: '' })
    expect(place.mode('placard-journal.jsonl')).toBe('600')
  })
})
