import { describe, expect, it, onTestFinished } from 'vitest'
import { configFrom } from '../../src/config.ts'
import { chosenReviewers } from '../../src/review/online/chosen-reviewers.ts'
import type { Env } from '../../src/settings/settings.ts'
import { check, newCredentials, publish, publishBody, startTestService } from '../support/service.ts'

/** Not asked for anything. */
const NO_DB = undefined as never

const chosen = (env: Env) => chosenReviewers(configFrom(env), NO_DB)

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

  it('stop the start if a blocklist is not there', async () => {
    await expect(startTestService({ env: { BLOCKLISTS: '/nowhere/list.txt' } })).rejects.toThrow(
      /^BLOCKLISTS \/nowhere\/list\.txt cannot be read/,
    )
  })
})

describe('a reviewer that is out', () => {
  async function replies(reviewers: string) {
    const service = await startTestService({
      // Nobody listens on port 1.
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

  it('makes a review unavailable where it decides', async () => {
    const { checked, published } = await replies('page-rules,web-risk')
    expect(published).toMatchObject({ status: 503, body: { code: 'review_unavailable' } })
    expect(published.headers.get('retry-after')).not.toBeNull()
    expect(checked).toMatchObject({ status: 503, body: { code: 'review_unavailable' } })
  })

  it('is done without where it only flags', async () => {
    const { checked, published } = await replies('page-rules,web-risk:flag')
    expect(published.status).toBe(201)
    expect(checked.body.wouldPublish).toBe(true)
  })
})
