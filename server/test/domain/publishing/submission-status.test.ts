import { type ErrorBody, SUBMISSIONS_PATH, type SubmissionStatus } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { ENGINES } from '../../support/engines.ts'
import { operateHere } from '../../support/operate.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishBody,
  reply,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { sendHtml } from '../../support/sites.ts'

describe.each(ENGINES)('the state of a submission on %s', engine => {
  let service: TestService
  beforeAll(async () => {
    // The operator's command uses the real time, so the service does too.
    service = await startTestService({ engine, now: Date.now(), env: { LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '3' } })
  })
  afterAll(() => service.stop())

  const ask = async ({ key, secret }: Credentials) =>
    reply<SubmissionStatus & ErrorBody>(
      await fetch(`${service.url}${SUBMISSIONS_PATH}/${key}`, { headers: { 'x-submission-secret': secret } }),
    )
  const send = (credentials: Credentials, host: string) => publish(service, credentials, publishBody(`http://${host}/`))

  it('is the same for an unknown key and for a wrong secret, and says to send the publish', async () => {
    const credentials = newCredentials()
    const unknown = await ask(credentials)
    expect([unknown.status, unknown.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(unknown.body).toMatchObject({ state: 'unknown', repeatPublish: true })
    expect(unknown.body.remaining).not.toHaveProperty('newAttemptsPerDayPerHost')
    await send(credentials, 'secret-state.com')
    const { remaining: left, ...foreign } = (await ask({ ...credentials, secret: newCredentials().secret })).body
    const { remaining: before, ...rest } = unknown.body
    expect(foreign).toEqual(rest)
    // Both count the submissions of the caller, and neither counts those of the website.
    expect(left).toEqual({
      newAttemptsPerDayPerIp: before.newAttemptsPerDayPerIp - 1,
      newAttemptsPerDayGlobal: before.newAttemptsPerDayGlobal - 1,
    })
  })

  it('is published with its page and what is left of the limits, in any case of the key, and without the link', async () => {
    const credentials = newCredentials()
    const { body: receipt } = await send(credentials, 'stated.com')
    const { status, body } = await ask({ ...credentials, key: credentials.key.toUpperCase() })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      state: 'published',
      repeatPublish: false,
      requestId: receipt.requestId,
      submittedAt: service.clock.now,
      productUrl: receipt.productUrl,
      expiresAt: receipt.expiresAt,
      remaining: { newAttemptsPerDayPerHost: 1 },
    })
    expect(body).not.toHaveProperty('decisionId')
    expect(JSON.stringify(body)).not.toContain('#owner')
    // Asking has used up nothing.
    expect((await ask(credentials)).body).toEqual(body)
  })

  it('is refused with the error of a repeat, and with the decision', async () => {
    service.sites.set('state-gone.com', (_request, response) => response.writeHead(404).end())
    const credentials = newCredentials()
    const refused = await send(credentials, 'state-gone.com')
    const decisionId = refused.headers.get('placard-decision') ?? ''
    const { body } = await ask(credentials)
    const { code, error, reason } = refused.body
    expect(body).toMatchObject({ state: 'refused', repeatPublish: false, code, error, reason, decisionId })
    const decision = await fetch(body.decisionUrl ?? '', { headers: { 'x-submission-secret': credentials.secret } })
    expect(await decision.json()).toMatchObject({ id: decisionId, kind: 'refuse' })
  })

  it('is under review while its website is read, and afterwards says when to repeat the publish', async () => {
    const asked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    service.sites.set('state-slow.com', async (_request, response) => {
      asked.resolve()
      await held.promise
      response.writeHead(500).end()
    })
    const credentials = newCredentials()
    const sent = send(credentials, 'state-slow.com')
    await asked.promise
    expect((await ask(credentials)).body).toMatchObject({ state: 'under_review', repeatPublish: false })
    held.resolve()
    expect((await sent).status).toBe(503)
    expect((await ask(credentials)).body).toMatchObject({ state: 'under_review', repeatPublish: true })
    service.sites.set('state-slow.com', (_request, response) =>
      sendHtml(response, '<!doctype html><title>Slow</title>'),
    )
    expect((await send(credentials, 'state-slow.com')).status).toBe(201)
    expect((await ask(credentials)).body.state).toBe('published')
  })

  it('is hidden with the decision, and ended, for the life of the listing', async () => {
    const credentials = newCredentials()
    await send(credentials, 'state-hidden.com')
    const operate = (...args: string[]) => operateHere(service.database.env, ...args)
    await operate('hide', 'state-hidden-com', '--reason', 'It is a test')
    const { body } = await ask(credentials)
    expect(body).toMatchObject({ state: 'hidden', productUrl: `${service.url}/product/state-hidden-com` })
    expect(body.decisionUrl).toBe(`${service.url}/api/v1/agent/decisions/${body.decisionId}`)
    await operate('restore', 'state-hidden-com', '--reason', 'It was a test')
    expect((await ask(credentials)).body.state).toBe('published')
    service.clock.now += daysMs(400)
    const ended = (await ask(credentials)).body
    expect(ended).toMatchObject({ state: 'ended', repeatPublish: false })
    expect(ended).not.toHaveProperty('decisionId')
  })

  it('needs a key and a secret of the right form', async () => {
    const credentials = newCredentials()
    for (const key of ['x', '%00', `${credentials.key}x`]) {
      expect((await ask({ ...credentials, key })).body.code).toBe('invalid_idempotency_key')
    }
    expect((await ask({ ...credentials, secret: 'ab' })).body.code).toBe('invalid_submission_secret')
  })
})
