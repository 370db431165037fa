import { SUBMISSIONS_PATH } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Destination } from '../../../src/domain/destinations/destination.ts'
import { parseWebhookAddress } from '../../../src/domain/notifications/owner/webhook.ts'
import { type Attempt, findAttempt } from '../../../src/domain/publishing/attempts.ts'
import { takeOverAttempt } from '../../../src/domain/publishing/renew-attempt.ts'
import { saveSubmissionWebhook } from '../../../src/domain/publishing/submission-webhooks.ts'
import { DAY_MS } from '../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import {
  check,
  newCredentials,
  publish,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'
import { fetcherFor } from '../review/fetcher/fetching.ts'

const PROXIES = { TRUSTED_PROXIES: '127.0.0.1/32' }
const JSON_TYPE = { 'content-type': 'application/json' }
const from = (address: string) => ({ 'x-forwarded-for': address })

describe.each(SQLITE_FIRST)('a website that does not answer in time, on %s', engine => {
  let silent: WebServer
  let service: TestService
  beforeAll(async () => {
    silent = await startWebServer(() => {})
    const fetchPage = fetcherFor(silent, { limits: { headersMs: 20 } })
    const fetchers = { fetchPage, fetchPageToCheck: fetchPage }
    service = await startTestService({ engine, env: PROXIES, fetchers })
  })
  afterAll(async () => {
    await service.stop()
    await silent.close()
  })

  it('is fetched again for the same attempt only after a wait that grows', async () => {
    const before = silent.accepted()
    const credentials = newCredentials()
    const attempt = async () => {
      const { status, headers, body } = await publish(service, credentials, publishBody('http://slow.com/'))
      expect([status, body.code]).toEqual([503, 'review_unavailable'])
      expect(body).toMatchObject({ reason: 'site_slow', retryAfterSeconds: Number(headers.get('retry-after')) })
      expect(body.error).toMatch(/^The website (sent no headers within|did not answer in time lately)/)
      return [Number(headers.get('retry-after')), silent.accepted() - before]
    }
    expect(await attempt()).toEqual([30, 1])
    service.clock.now += 10_000
    expect(await attempt()).toEqual([20, 1])
    service.clock.now += 20_000
    expect(await attempt()).toEqual([60, 2])
    service.clock.now += 59_000
    expect(await attempt()).toEqual([1, 2])
    service.clock.now += 1000
    expect(await attempt()).toEqual([120, 3])
  })

  it('can be repeated at once after the clock was set back, and the state of the submission says so', async () => {
    const credentials = newCredentials()
    const send = () => publish(service, credentials, publishBody('http://slow-set-back.com/'))
    service.clock.now += DAY_MS
    expect((await send()).status).toBe(503)
    service.clock.now -= DAY_MS
    const state = await fetch(`${service.url}${SUBMISSIONS_PATH}/${credentials.key}`, {
      headers: { 'x-submission-secret': credentials.secret },
    })
    const body = await state.json()
    expect(body).toMatchObject({ state: 'under_review', repeatPublish: true })
    expect(body).not.toHaveProperty('retryAfterSeconds')
    const before = silent.accepted()
    await send()
    expect(silent.accepted()).toBe(before + 1)
  })

  it('is not counted again, nor fetched again too early, for a new key of the same client', async () => {
    const before = silent.accepted()
    const send = async (credentials: ReturnType<typeof newCredentials>, address: string, path = '') => {
      const body = publishBody(`http://slow-for-keys.com/${path}`)
      const { status, headers } = await publish(service, credentials, body, from(address))
      expect(status).toBe(503)
      const store = await service.database.openStore()
      const counted = await store.db
        .selectFrom('attempt')
        .select(['idempotencyKey', 'nthOfHostname'])
        .where('hostname', '=', 'slow-for-keys.com')
        .orderBy('nthOfHostname')
        .execute()
      await store.close()
      const keys = counted.map(({ idempotencyKey }) => idempotencyKey)
      return [Number(headers.get('retry-after')), silent.accepted() - before, keys]
    }
    const [first, second, other] = [newCredentials(), newCredentials(), newCredentials()]
    expect(await send(first, '198.51.100.1')).toEqual([30, 1, [first.key]])
    expect(await send(second, '198.51.100.1')).toEqual([30, 1, [first.key]])
    service.clock.now += 30_000
    expect(await send(second, '198.51.100.1')).toEqual([60, 2, [second.key]])
    // Another client is another submission.
    expect(await send(other, '203.0.113.1')).toEqual([30, 3, [second.key, other.key]])
    // So is another page of the website.
    service.clock.now += 60_000
    const page = newCredentials()
    expect(await send(page, '198.51.100.1', 'page')).toEqual([30, 4, [second.key, other.key, page.key]])
    // Submissions of the next day have places of their own day.
    service.clock.now += DAY_MS
    await send(newCredentials(), '198.51.100.1', 'page')
    const [wait, fetches, keys] = await send(newCredentials(), '198.51.100.1')
    expect([wait, fetches, keys]).toEqual([30, 6, expect.objectContaining({ length: 5 })])
  })

  it('shares nothing but the place with a new key, which a stranger at the same address may have sent', async () => {
    const body = publishBody('http://slow-for-strangers.com/')
    const [first, second, third] = [newCredentials(), newCredentials(), newCredentials()]
    const send = async (credentials: typeof first) =>
      expect((await publish(service, credentials, body)).body.code).toBe('review_unavailable')
    const submission = async ({ key, secret }: typeof first, change?: RequestInit) => {
      const url = `${service.url}${SUBMISSIONS_PATH}/${key}${change ? '/webhook' : ''}`
      return (await fetch(url, { ...change, headers: { ...JSON_TYPE, 'x-submission-secret': secret } })).json()
    }
    await send(first)
    const store = await service.database.openStore()
    const stale = (await findAttempt(store, first.key)) as Attempt
    service.clock.now += 30_000
    await send(second)
    expect(await submission(first)).toMatchObject({ state: 'unknown' })
    const renewed = await submission(second)
    expect(renewed).toMatchObject({ state: 'under_review', submittedAt: service.clock.now })
    expect(renewed.requestId).not.toBe(stale.requestId)
    // Requests with the earlier key that read it just before.
    expect(await store.transact(trx => takeOverAttempt(trx, stale, service.clock.now))).toBeUndefined()
    const hook = parseWebhookAddress('https://hook.com/', 'placard.test') as Destination
    await expect(
      saveSubmissionWebhook({ store, serviceKeys: FIXED_KEYS }, stale.requestId, hook, service.clock.now),
    ).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('Send its publish first.') })
    await store.close()
    // A caller with a webhook repeats this key.
    await submission(second, { method: 'PUT', body: JSON.stringify({ url: 'https://hook.com/' }) })
    service.clock.now += 60_000
    await send(third)
    expect(await submission(second)).toMatchObject({ state: 'under_review', requestId: renewed.requestId })
  })

  it('is checked again for the same client only after a wait that grows', async () => {
    const before = silent.accepted()
    const ask = async (address: string) => {
      const asked = { destination: 'http://slow-too.com/', category: 'Games' }
      const { status, headers, body } = await check(service, asked, from(address))
      expect([status, body.code]).toEqual([503, 'review_unavailable'])
      return [Number(headers.get('retry-after')), silent.accepted() - before]
    }
    expect(await ask('198.51.100.1')).toEqual([30, 1])
    expect(await ask('198.51.100.1')).toEqual([30, 1])
    // Another client learns for itself.
    expect(await ask('203.0.113.1')).toEqual([30, 2])
    service.clock.now += 30_000
    expect(await ask('198.51.100.1')).toEqual([60, 3])
  })
})

it('pages that never answer, from one network, do not keep others from publishing', async () => {
  const service = await startTestService({ env: PROXIES })
  const asked = Promise.withResolvers<void>()
  let waiting = 0
  const never = () => {
    if (++waiting === 64) asked.resolve()
  }
  const attacks = Array.from({ length: 64 }, (_, n) => {
    service.sites.set(`never-${n}.com`, never)
    const address = `2001:db8:0:10${(n % 16).toString(16)}::1`
    return publish(service, newCredentials(), publishBody(`http://never-${n}.com/`), from(address))
  })
  await asked.promise
  for (let n = 0; n < 6; n++) {
    const body = publishBody(`http://honest-${n}.com/`)
    expect((await publish(service, newCredentials(), body, from(`198.51.${n}.1`))).status).toBe(201)
  }
  // They still wait, or were refused: none of them was answered by its website.
  await service.sites.close()
  expect(new Set((await Promise.all(attacks)).map(({ status }) => status))).toEqual(new Set([503]))
  await service.stop()
})
