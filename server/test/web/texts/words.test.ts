import {
  AppealBody,
  ApprovalBody,
  BODY_MAX_BYTES,
  CATEGORIES,
  CheckBody,
  DISPLAY_DAYS,
  ERRORS,
  PublishBody,
  QuoteBody,
  SubmissionWebhookBody,
} from '@placard/contract'
import Value from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PASS_COOKIE, SESSION_COOKIE } from '../../../src/domain/ownership/signed-cookies.ts'
import { PROOF_COOKIE } from '../../../src/domain/ownership/site-proof.ts'
import { RETENTION_RULES } from '../../../src/platform/db/tables/index.ts'
import { MAIL_TABLES } from '../../../src/platform/db/tables/mail.ts'
import { INTERNAL_TABLES } from '../../../src/web/texts/privacy.tsx'
import { CHALLENGE, CONSOLE } from '../../../src/web/ui/cookies.ts'
import { htmlFaults } from '../../support/page-faults.ts'
import { NOON, newCredentials, startTestService, type TestService } from '../../support/service.ts'

const PATHS = [
  '/rules',
  '/support',
  '/privacy',
  '/transparency',
  '/how-boards-work',
  '/limits',
  '/agents',
  '/api',
  '/client/',
]

/** All different, so that none is mistaken for another. */
const LIMITS = {
  LIMIT_PUBLISH_REQUESTS_PER_TEN_MINUTES_PER_IP: '1031',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1042',
  LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '1043',
  LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '1101',
  LIMIT_QUOTES_PER_MINUTE_PER_IP: '1121',
  LIMIT_CHECKOUTS_PER_TEN_MINUTES_PER_IP: '1011',
}

let service: TestService
beforeAll(async () => {
  const env = { ...LIMITS, SUBMISSIONS_END_AT: new Date(NOON + 60_000).toISOString() }
  service = await startTestService({ env })
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers: { accept: 'text/html', ...headers } })
const textOf = async (path: string) => (await get(path)).text()
const mainOf = (html: string) => html.slice(html.indexOf('<main'), html.indexOf('</main>'))

describe.each(PATHS)('%s', path => {
  test('is a public page of its own, valid and not sent twice', async () => {
    const response = await get(path)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe(
      'public, max-age=150, stale-while-revalidate=150, stale-if-error=300',
    )
    expect(html).toContain(`<link rel="canonical" href="${service.url}${path}"/>`)
    expect(html).toMatch(/<meta name="description" content="[^"]{20,160}"/)
    expect(await htmlFaults(html)).toEqual([])
    const etag = response.headers.get('etag') ?? ''
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
  })

  test('has one main heading, and none that skips a level', async () => {
    const levels = [...(await textOf(path)).matchAll(/<h([1-6])/g)].map(match => Number(match[1]))
    expect(levels.filter(level => level === 1)).toEqual([1])
    expect(levels[0]).toBe(1)
    for (const [place, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[place - 1] ?? 0) + 1)
  })

  test('leads only to what is there', async () => {
    const html = mainOf(await textOf(path))
    const targets = new Set([...html.matchAll(/href="(\/[^"]*|#[^"]+)"/g)].map(match => match[1] ?? ''))
    for (const target of targets) {
      const [address = '', anchor] = target.split('#')
      const response = await get(address || path)
      expect([target, response.status]).toEqual([target, 200])
      if (anchor) expect(await response.text(), target).toContain(`id="${anchor}"`)
    }
  })

  test('claims nothing untrue', async () => {
    const claims =
      /[^<>]*(?:\bnot (?:yet )?(?:on sale|sold|for sale yet)\b|[Cc]oming soon|\bundefined\b|\[object|\bNaN\b)[^<>]*/
    expect(claims.exec(await textOf(path))).toBeNull()
  })
})

test('the rules and the boards page promise the same about refunds as the pages before paying', async () => {
  for (const path of ['/rules', '/how-boards-work', '/promote']) {
    const text = (await textOf(path)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(text).toMatch(/no refund for being overtaken, nor for withdrawing the listing\./)
    expect(text).toContain('no scheduled end')
  }
})

test('the boards page says what decides between totals of the same second', async () => {
  expect(mainOf(await textOf('/how-boards-work'))).toContain('If two totals were reached within the same second')
})

describe('the limits', () => {
  test('are those of the configuration and the contract', async () => {
    const html = await textOf('/limits')
    for (const limit of [...Object.values(LIMITS).map(Number), BODY_MAX_BYTES]) {
      expect(html).toContain(`<dd>${limit.toLocaleString('en')}`)
    }
    expect(html).toContain(`<dd>${DISPLAY_DAYS} days</dd>`)
    expect(html).toContain(`<dd>${CATEGORIES.length}</dd>`)
    expect(html).toContain('It moves no money')
    expect(html).toMatch(/New submissions per client(?:(?!New submissions).)*New submissions per network/s)
  })

  test('are all limits in force, including those that nobody can set', async () => {
    const html = await textOf('/limits')
    for (const [counted, limit] of [
      ['New submissions per network', '1,042'],
      ['Searches', 60],
      ['Collections of kept listings', 120],
      ['Reports', 5],
      ['Views of unpaid orders', 60],
      ['Ownership checks per client', '1,011'],
      ['Websites listed by their owner', '1,011'],
      ['Listing updates from your site per client', 5],
      ['Listing updates from your site per listing', 6],
      ['Listings shown again', 6],
      ['Ownership checks on the private page', 60],
      ['Private link renewals', 5],
      ['Category changes', 60],
    ]) {
      expect(html).toMatch(new RegExp(`<dt>${counted}[^<]*</dt><dd>${limit}</dd>`))
    }
  })

  test('change when the window closes, and not with the time', async () => {
    const first = await get('/limits')
    expect(await first.text()).toContain('New free listings are open until 21 November 2026, 12:01 UTC.')
    service.clock.now = NOON + 59_999
    expect((await get('/limits')).headers.get('etag')).toBe(first.headers.get('etag'))
    service.clock.now = NOON + 60_000
    expect(await textOf('/limits')).toContain('New free listings have been closed since')
    service.clock.now = NOON
  })
})

describe('the API reference', () => {
  interface OpenApi {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>
  }
  const openApi = async () => (await (await get('/openapi.json')).json()) as OpenApi

  test('has every operation and every status of the OpenAPI document, and no others', async () => {
    const html = await textOf('/api')
    const operations = Object.entries((await openApi()).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    )
    expect(operations.length).toBeGreaterThan(3)
    for (const { path, method, operationId } of operations) {
      expect(html).toContain(`<h2 id="${operationId}">`)
      expect(html).toContain(`<strong>${method.toUpperCase()}</strong> ${path}</code>`)
    }
    const shown = [...html.matchAll(/<div id="(\w+-(?:\d{3}|default))">/g)].map(match => match[1])
    const documented = operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses).map(status => `${operationId}-${status}`),
    )
    expect(shown.sort()).toEqual(documented.sort())
  })

  test('gives each field’s constraints, nested ones too', async () => {
    const html = await textOf('/api')
    expect(html).toMatch(/<code>destination<\/code> <span>string<\/span> <strong>required<\/strong>/)
    expect(html).toContain('at most 500 characters')
    expect(html).toContain('5 to 999999')
    for (const nested of ['approval.rulesVersion', 'entries[].rank', 'ownership.privateRecoveryUrl']) {
      expect(html).toContain(`<code>${nested}</code>`)
    }
    expect(html).toContain('<span>string (date) or null</span>')
    expect(html).toContain('The 28 values of category')
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`<div id="error-${code}">`)
  })

  test('shows no Markdown', async () => {
    const words = (await textOf('/api')).match(/<p>.*?<\/p>/gs) ?? []
    expect(words.length).toBeGreaterThan(100)
    expect(words.filter(each => /`|\n- /.test(each)).map(each => each.slice(0, 100))).toEqual([])
  })

  test('shows addresses that can be requested as they are', async () => {
    const secret = { 'x-submission-secret': newCredentials().secret }
    const shown = [...(await textOf('/api')).matchAll(/curl -sS (?:&#39;|')?(http[^\s'&<]+)/g)]
    expect(shown.length).toBeGreaterThan(12)
    for (const [, address = ''] of shown) {
      // A placeholder, or a query without what it needs, would be a wrong request.
      expect([address, [200, 404]]).toEqual([
        address,
        expect.arrayContaining([(await fetch(address, { headers: secret })).status]),
      ])
    }
  })

  test('shows requests that are valid', async () => {
    const bodies = [...(await textOf('/api')).matchAll(/--data '([^']+)'/g)].map(match =>
      JSON.parse((match[1] ?? '').replaceAll('&quot;', '"').replaceAll('&amp;', '&')),
    )
    const schemas = [CheckBody, ApprovalBody, PublishBody, SubmissionWebhookBody, AppealBody, QuoteBody]
    expect(bodies.map(body => schemas.map(schema => Value.Check(schema, body)))).toEqual([
      [true, false, false, false, false, false],
      [false, true, false, false, false, false],
      [false, false, true, false, false, false],
      [false, false, false, true, false, false],
      [false, false, false, false, true, false],
      [false, false, false, false, false, true],
    ])
  })
})

test('privacy names every cookie with the time it lasts', async () => {
  const html = await textOf('/privacy')
  const shown = [...html.matchAll(/<code>(placard_\w+)<\/code> <span>([^<]+)<\/span>/g)]
  expect(shown.map(([, name, lasts]) => [name, lasts])).toEqual([
    [SESSION_COOKIE, '15 minutes'],
    [PROOF_COOKIE, '11 days'],
    [PASS_COOKIE, '1 hour'],
    [CONSOLE.name, '12 hours'],
    [CHALLENGE.name, '5 minutes'],
  ])
  expect(html).toContain('There are 5, each set')
})

test('every page about views and clicks says that an address counts once an hour', async () => {
  expect(await textOf('/privacy')).toContain('Each address counts once an hour per listing')
  expect(await textOf('/how-boards-work')).toContain('at most once an hour per address')
})

test('privacy says how long everything about people is kept, and names no rows of machinery', async () => {
  const text = (await textOf('/privacy')).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  for (const { table, what, kept, why } of RETENTION_RULES) {
    // Only a site with SMTP_URL says so: `mail-settings.test.ts`.
    const isThere = !MAIL_TABLES.includes(table) && !INTERNAL_TABLES.has(table)
    expect(text.includes(`${what} ${kept} ${why}`), what).toBe(isThere)
  }
  expect(text).toContain('refused or never finished 244 days after it was sent, refused or reopened')
})

test('privacy says whether client addresses are logged', async () => {
  const isNot = 'No client address is stored in the database or the logs.'
  expect(await textOf('/privacy')).toContain(isNot)
  const logging = await startTestService({ env: { ACCESS_LOG: 'with-address' } })
  const html = await (await fetch(`${logging.url}/privacy`, { headers: { accept: 'text/html' } })).text()
  await logging.stop()
  expect(html).toContain('The operator logs each request with the client’s address.')
  expect(html).not.toContain(isNot)
  expect(html).not.toContain('It contains no client addresses')
})

test('privacy says who takes the payments', async () => {
  expect(await textOf('/privacy')).toContain('moves no money')
})
