import {
  BOARDS,
  BOARDS_PATH,
  CAPABILITIES_PATH,
  CATEGORIES,
  CHECK_PATH,
  CheckBody,
  DECISIONS_PATH,
  ERROR_HELP,
  type ErrorBody,
  IDEMPOTENCY_HEADER,
  PROOF_HEADER,
  PublishBody,
  publishSchema,
  QuoteBody,
  Receipt,
} from '@placard/contract'
import Value from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UNDER_WAY_MAX_MS } from '../../../src/platform/http/connections.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { renderClient } from '../../../src/web/texts/client.tsx'
import { payFor } from '../../support/ledger.ts'
import { NOON, newCredentials, publish, publishBody, quote } from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'
import { type Pages, startPages } from '../page-app.ts'

let pages: Pages
beforeAll(async () => {
  pages = await startPages({ env: { SUBMISSIONS_END_AT: new Date(NOON + 1).toISOString() } })
})
afterAll(() => pages.close())

const textOf = async (path: string) => (await pages.get(path)).text()

test('texts name the client of this site, and a package on npm only if there is one', async () => {
  for (const path of ['/agent-guide.md', '/agents', '/client/', '/llms.txt']) {
    expect(await textOf(path)).not.toMatch(/(npx( -y)?|npm install) placard-agent|on npm/)
  }
  const parts = { baseUrl: 'https://board.example', supportUrl: undefined }
  expect(renderClient(new Links(parts))).not.toContain('npm has')
  const links = new Links({ ...parts, clientPackage: '@acme/placard-agent@0.3.0' })
  expect(renderClient(links)).toContain('<code>@acme/placard-agent@0.3.0</code>')
})

test('/agents links to the reference of each operation for agents, and to its own parts', async () => {
  const document = (await (await pages.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
  }
  const html = await textOf('/agents')
  const reference = await textOf('/api')
  const operations = Object.values(document.paths).flatMap(path => Object.values(path))
  const ids = operations.filter(({ tags }) => tags.includes('agent')).map(({ operationId }) => operationId)
  expect([...html.matchAll(/href="\/api#(\w+)"/g)].map(([, id]) => id).filter(id => id !== 'errors')).toEqual(ids)
  for (const id of ids) expect(reference).toContain(`<h2 id="${id}">`)
  const parts = [...html.matchAll(/<h2 id="([\w-]+)">/g)].map(([, id]) => id)
  expect(parts).toContain('command-line')
  for (const id of parts) expect(html).toContain(`<li><a href="#${id}">`)
})

describe('the agent guide', () => {
  test('is Markdown', async () => {
    const response = await pages.get('/agent-guide.md')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await response.text()).toMatch(/^# Placard/)
  })

  test('shows a request that has exactly the documented fields, to the live address', async () => {
    const guide = await textOf('/agent-guide.md')
    const body = /<<'JSON'\n(.*?)\nJSON\n/s.exec(guide)?.[1] ?? ''
    expect(Value.Check(PublishBody, JSON.parse(body))).toBe(true)
    expect(guide).toContain(`${pages.url}/api/v1/agent/listings`)
    expect(guide).toContain(IDEMPOTENCY_HEADER)
    expect(guide).toContain(PROOF_HEADER)
  })

  test('shows a quote request that is valid', async () => {
    const body = /--data '(\{.*"board".*\})'/.exec(await textOf('/agent-guide.md'))?.[1] ?? ''
    expect(Value.Check(QuoteBody, JSON.parse(body))).toBe(true)
  })

  test('shows a check request that is valid', async () => {
    const guide = await textOf('/agent-guide.md')
    expect(guide).toContain(pages.url + CHECK_PATH)
    const body = /--data '(\{[^\n]*\})'/.exec(guide)?.[1] ?? ''
    expect(Value.Check(CheckBody, JSON.parse(body))).toBe(true)
  })

  test('names the data of both boards, and what an agent must not do about paid places', async () => {
    const guide = await textOf('/agent-guide.md')
    for (const board of BOARDS) expect(guide).toContain(`${pages.url}${BOARDS_PATH}/${board}`)
    expect(guide).toContain('You may not pay')
    expect(guide).toContain('never tell the customer that a rank is reserved')
  })

  test('says what to do after every status of a publish, and where each code is explained', async () => {
    const guide = await textOf('/agent-guide.md')
    const rows = guide.slice(guide.indexOf('| what you got |'), guide.indexOf('To read the state'))
    for (const status of Object.keys(publishSchema.response)) {
      if (Number(status) >= 400) expect(rows).toMatch(new RegExp(`^\\| [^|]*\\b${status}\\b`, 'm'))
    }
    expect(guide).toContain('`documentationUrl`')
  })

  test('follows the submission window', async () => {
    expect(await textOf('/agent-guide.md')).toContain('New free listings are open until')
    pages.time.now = NOON + 1
    expect(await textOf('/agent-guide.md')).toContain('New free listings have been closed since')
    pages.time.now = NOON
  })

  test('shows a whole receipt, and where the rules version and the categories stand', async () => {
    const guide = await textOf('/agent-guide.md')
    const [excerpt = '', receipt = ''] = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => json)
    expect(Value.Check(Receipt, JSON.parse(receipt))).toBe(true)
    expect(JSON.parse(receipt).productUrl).toBe(`${pages.url}/product/your-customer-example`)
    const { categories, ...rest } = JSON.parse(excerpt)
    const capabilities = await (await pages.get(CAPABILITIES_PATH)).json()
    expect(capabilities).toMatchObject(rest)
    expect(capabilities.categories).toEqual(expect.arrayContaining(categories))
  })

  test('names the times in force, and forbids invented secrets', async () => {
    const guide = await textOf('/agent-guide.md')
    expect(guide).toContain('| your wait for an answer | 60 seconds for a check or a publish')
    expect(UNDER_WAY_MAX_MS).toBeLessThan(60_000)
    expect(guide).toContain('3 seconds to connect, 8.5 seconds to its first byte, 10 seconds in all')
    expect(guide).toContain('| a quote | 5 minutes')
    expect(guide).toContain('Never make up random values')
  })

  test('has every code fence and table closed', async () => {
    const guide = await textOf('/agent-guide.md')
    expect(guide.match(/^```/gm)?.length).toBe(36)
    expect(guide).not.toMatch(/undefined|\[object|\$\{/)
  })
})

test('the explanations of errors name only fields and values of the API document', async () => {
  const document = await textOf('/openapi.json')
  const explained = Object.values(ERROR_HELP).flatMap(({ means, steps }) => [means, ...steps])
  const named = explained.flatMap(text => [...text.matchAll(/`([a-z]\w*)`/g)].map(([, name]) => name))
  expect(named).toContain('retryAfterSeconds')
  expect(named.filter(name => !document.includes(`"${name}"`))).toEqual([])
})

describe('the page of an error', () => {
  const [[first]] = Object.entries(ERROR_HELP) as [[string, unknown]]

  test('is there for every code, with its meaning, what to do and an example', async () => {
    for (const [code, { means, steps }] of Object.entries(ERROR_HELP)) {
      const html = await textOf(`/errors/${code}`)
      expect(html).toContain(`<link rel="canonical" href="${pages.url}/errors/${code}"`)
      const text = await textOf(`/errors/${code}.md`)
      expect([code, text]).toEqual([code, expect.stringContaining(means)])
      for (const step of steps) expect(text).toContain(step)
      const example = /\n\n(\{.*\})\n```/s.exec(text)?.[1] ?? ''
      const documentationUrl = `${pages.url}/errors/${code}`
      expect(JSON.parse(example)).toMatchObject({ code, chargeCreated: false, documentationUrl })
    }
  })

  test('has an example with the fields of the error itself', async () => {
    const sites = await startSites()
    sites.set('gone.com', (_request, response) => response.writeHead(404).end())
    const asked = await startPages({ sites })
    await payFor(asked.store, 'paid-mill.com', 'pi_1', { amountCents: 2500 })
    const credentials = newCredentials()
    const { body: refusal } = await publish(asked, credentials, publishBody('http://gone.com/'))
    const ask = { destination: 'https://paid-mill.com/', category: 'Design', board: 'all', targetBid: 25 }
    const headers = { 'content-type': 'application/json', [PROOF_HEADER]: credentials.secret }
    const statement = JSON.stringify({ statement: ' ' })
    const errors = [
      refusal,
      (await publish(asked, newCredentials(), publishBody('http://a-mill.com/'), { origin: 'null' })).body,
      (await quote<ErrorBody>(asked, ask)).body,
      await (await asked.post(`${DECISIONS_PATH}/${refusal.decisionId}/appeal`, statement, headers)).json(),
    ]
    expect(errors.map(({ code }) => code)).toEqual([
      'review_rejected',
      'cross_origin_rejected',
      'target_not_above_current',
      'invalid_statement',
    ])
    for (const { code, ...fields } of errors) {
      const example = JSON.parse(/\n\n(\{.*\})\n```/s.exec(await textOf(`/errors/${code}.md`))?.[1] ?? '')
      expect([code, Object.keys(example).sort(), example.field]).toEqual([
        code,
        ['code', ...Object.keys(fields)].sort(),
        fields.field,
      ])
    }
    await asked.close()
    await sites.close()
  })

  test('is Markdown for a client that asks for it', async () => {
    const page = await pages.get(`/errors/${first}`, { accept: 'text/html, text/markdown' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('vary')).toContain('accept')
    const text = await pages.get(`/errors/${first}`, { accept: 'text/markdown, */*;q=0.1' })
    expect(text.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect((await pages.get('/errors/of_tomorrow')).status).toBe(404)
  })
})

test('llms.txt is short text with a title, a summary and links that stay on this service', async () => {
  const response = await pages.get('/llms.txt')
  const text = await response.text()
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(text).toMatch(/^# Placard\n\n> /)
  expect(text.length).toBeLessThan(3450)
  const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(match => match[1])
  for (const path of [
    '/agent-guide.md',
    '/openapi.json',
    '/api/v1/agent/capabilities',
    '/api/v1/boards/all',
    '/board/all.md',
    '/agents.md',
    '/how-boards-work.md',
    '/privacy.md',
  ]) {
    expect(targets).toContain(pages.url + path)
  }
})

test('the categories are named the same on the board and in the contract', async () => {
  const { publicPath } = await pages.addListing({ category: CATEGORIES[6] })
  expect(await textOf(publicPath)).toContain('Business, Finance &amp; Legal')
})
