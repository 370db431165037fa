import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chosenReviewers } from '../../../../src/domain/review/reviewers/chosen-reviewers.ts'
import { configFrom } from '../../../../src/platform/config/config.ts'
import type { Env } from '../../../../src/platform/config/settings.ts'
import { Links } from '../../../../src/platform/http/links.ts'
import { check, newCredentials, publish, publishBody, startTestService } from '../../../support/service.ts'

/** Not asked for anything. */
const NO_DB = undefined as never

const chosen = (env: Env) => {
  const config = configFrom(env)
  return chosenReviewers(config, NO_DB, new Links(config))
}

describe('the settings of review', () => {
  it.each<[Env, RegExp]>([
    [{ REVIEWERS: 'page-rules,nobody' }, /^REVIEWERS must be a list of page-rules, .* not "nobody"$/],
    [{ REVIEWERS: 'phrases:never' }, /^REVIEWERS must be .* not "phrases:never"$/],
    [{ REVIEWERS: 'web-risk' }, /^WEB_RISK_API_KEY must be set/],
    [{ REVIEWERS: 'dns-blocklists' }, /^DNS_BLOCKLISTS must be set/],
    [{ DNS_BLOCKLISTS: 'sekrit.zen.dq.spamhaus.net' }, /^DNS_BLOCKLISTS must be a list of (?!.*sekrit)/],
    [{ PROTECTED_HOSTS: 'acme' }, /^PROTECTED_HOSTS must be a list of host names/],
    [{ PROTECTED_HOSTS: 'acme.com/path' }, /^PROTECTED_HOSTS must be a list of host names/],
    [{ DNS_FILTER: 'quad9' }, /^DNS_FILTER must be/],
  ])('%j is refused in one line', (env, problem) => {
    expect(() => chosen(env)).toThrow(problem)
  })

  it('are right as they are, and with every reviewer', () => {
    chosen({})
    chosen({
      REVIEWERS:
        'page-rules,blocklists,look-alikes,phrases:flag,dns-filter,dns-blocklists,web-risk:flag,moderation:flag',
      DNS_BLOCKLISTS: 'dbl.spamhaus.org,KEY.dbl.dq.spamhaus.net',
      WEB_RISK_API_KEY: 'k',
      PROTECTED_HOSTS: 'acme.com,müller.de',
    })
  })

  it('do not stop the start over a blocklist that is not there', async () => {
    const service = await startTestService({ env: { BLOCKLISTS: '/nowhere/list.txt' } })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    await service.stop()
  })
})

describe('a reviewer that is unavailable', () => {
  async function replies(reviewers: string) {
    const service = await startTestService({
      // No process listens on port 1.
      env: { REVIEWERS: reviewers, WEB_RISK_API_KEY: 'k', WEB_RISK_API_URL: 'http://127.0.0.1:1' },
    })
    onTestFinished(() => service.stop())
    service.sites.set('acme.com', (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Acme'),
    )
    const checked = await check(service, { destination: 'http://acme.com/', category: 'Games' })
    const published = await publish(service, newCredentials(), publishBody('http://acme.com/', 'Games'))
    return { checked, published }
  }

  it('makes a review unavailable if it decides', async () => {
    const { checked, published } = await replies('page-rules,web-risk')
    expect(published).toMatchObject({ status: 503, body: { code: 'review_unavailable' } })
    expect(published.headers.get('retry-after')).not.toBeNull()
    expect(checked).toMatchObject({ status: 503, body: { code: 'review_unavailable' } })
  })

  it('is left out if it only flags', async () => {
    const { checked, published } = await replies('page-rules,web-risk:flag')
    expect(published.status).toBe(201)
    expect(checked.body.wouldPublish).toBe(true)
  })
})

describe('a picture that a page names', () => {
  it('never stops a publish, and its address never reaches the moderation endpoint', async () => {
    const asked: string[] = []
    const endpoint = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(body)
      // As an endpoint answers that follows addresses, and finds no picture there.
      const status = body.includes('http') ? 400 : 200
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ results: [{ flagged: false, categories: {} }] }))
    })
    await new Promise<void>(resolve => endpoint.listen(0, '127.0.0.1', resolve))
    const { port } = endpoint.address() as AddressInfo
    const service = await startTestService({
      env: { REVIEWERS: 'page-rules,moderation', MODERATION_URL: `http://127.0.0.1:${port}/` },
    })
    onTestFinished(async () => {
      await service.stop()
      endpoint.closeAllConnections()
      endpoint.close()
    })
    const addresses = [
      'http://broken.acme.com/p.png',
      'http://localhost/p.png',
      'http://127.0.0.1:9/p.png',
      'http://metadata.google.internal/computeMetadata/v1/?.png',
      'http://user:secret@acme.com/p.png',
      'http://silent.acme.net/p.png',
    ]
    service.sites.set('broken.acme.com', (_request, response) => response.writeHead(500).end())
    service.sites.set('silent.acme.net', () => {})
    const statuses = addresses.map(async (address, place) => {
      const host = `site-${place}.com`
      service.sites.set(host, (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<title>Acme</title><meta property=og:image content="${address}"><p>Widgets of ${host}.`),
      )
      const { status } = await publish(service, newCredentials(), publishBody(`http://${host}/`, 'Games'))
      return status
    })
    expect(await Promise.all(statuses)).toEqual(addresses.map(() => 201))
    expect(asked).toHaveLength(addresses.length)
    expect(asked.join()).not.toContain('image_url')
  })
})
