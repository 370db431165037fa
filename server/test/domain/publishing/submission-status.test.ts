import {
  DECISIONS_PATH,
  type ErrorBody,
  SUBMISSIONS_PATH,
  type SubmissionEvents,
  type SubmissionStatus,
} from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorNamed } from '../../../src/domain/decisions/record.ts'
import { putFinding } from '../../../src/domain/listings/flags.ts'
import { findListing } from '../../../src/domain/listings/listing.ts'
import { endListing, extendListing } from '../../../src/domain/moderation/end-dates.ts'
import { openFindings, reopenFinding, settleFinding } from '../../../src/domain/moderation/findings.ts'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import { note } from '../../../src/domain/ownership/site-owner.ts'
import { daysMs, HOUR_MS } from '../../../src/platform/lib/time.ts'
import { allLogged, logNow } from '../../support/all-logged.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
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

describe.each(SQLITE_FIRST)('the state of a submission on %s', engine => {
  let service: TestService
  beforeAll(async () => {
    // The operator's command uses the real time, so the service does too.
    service = await startTestService({
      engine,
      now: Date.now(),
      jobsEveryMs: 100,
      env: { TRUSTED_PROXIES: '127.0.0.1', LIMIT_NEW_ATTEMPTS_PER_DAY_PER_HOST: '3' },
    })
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

  it('leads to no decision about a listing after it was given to another person, however the clocks differ', async () => {
    const store = await service.database.openStore()
    for (const [host, hoursBack] of [
      ['state-of-another.com', 0],
      ['state-set-back.com', 1],
    ] as const) {
      const credentials = newCredentials()
      await send(credentials, host)
      const slug = host.replaceAll('.', '-')
      const { id } = await store.db
        .selectFrom('listing')
        .select('id')
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow()
      await store.transact(trx => note(trx, id, 'claimed', 'A test', service.clock.now))
      await allLogged(store)
      await hideListing(store, slug, 'It is a test', service.clock.now - hoursBack * HOUR_MS)
      const hidden = store.db.selectFrom('decision').select('id').where('kind', '=', 'hide').where('listingId', '=', id)
      const decisionPath = `${DECISIONS_PATH}/${(await hidden.executeTakeFirstOrThrow()).id}`
      expect((await fetch(service.url + decisionPath, { headers: asks(credentials.secret) })).status).toBe(404)
      expect((await send(credentials, host)).headers.has('placard-decision')).toBe(false)
      const { body } = await ask(credentials)
      expect(body.state).toBe('hidden')
      expect(Object.keys(body)).not.toContain('decisionUrl')
      expect(body.notice).toContain('only they can read the reasons')
    }
    await store.close()
  })

  let reads = 0
  /** Reads as a client of its own, because these tests poll. */
  const asks = (secret: string) => ({
    'x-submission-secret': secret,
    'x-forwarded-for': `10.1.${++reads >> 8}.${reads & 255}`,
  })
  const read = async ({ key, secret }: Credentials, cursor?: string) =>
    reply<SubmissionEvents & ErrorBody>(
      await fetch(`${service.url}${SUBMISSIONS_PATH}/${key}/events${cursor === undefined ? '' : `?cursor=${cursor}`}`, {
        headers: asks(secret),
      }),
    )
  /** Waits until so many events can be read: decisions are chained in the background. */
  async function eventsOf(credentials: Credentials, count: number, cursor?: string) {
    await expect.poll(async () => (await read(credentials, cursor)).body.events.length).toBe(count)
    return (await read(credentials, cursor)).body
  }

  it('has events from the publication to the end, and a cursor continues after any of them', async () => {
    const credentials = newCredentials()
    const { body: receipt } = await send(credentials, 'eventful.com')
    const began = service.clock.now
    const { events, state, nextCursor } = await eventsOf(credentials, 1)
    expect([state, events]).toEqual([
      'published',
      [expect.objectContaining({ type: 'submission.published', at: began, productUrl: receipt.productUrl })],
    ])
    expect((await read(credentials, nextCursor)).body).toMatchObject({ events: [], nextCursor, hasMore: false })

    const operate = (...args: string[]) => operateHere(service.database.env, ...args)
    await operate('hide', 'eventful-com', '--reason', 'It is a test')
    const { decisionId } = (await ask(credentials)).body
    const store = await service.database.openStore()
    await operate('restore', 'eventful-com', '--reason', 'It was a test')
    const { id } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', 'eventful-com')
      .executeTakeFirstOrThrow()
    await store.transact(async trx => {
      for (const reason of ['waits', 'claimed']) await note(trx, id, reason, 'A test', Date.now())
    })
    // From now on, takedowns of the listing concern another person.
    service.clock.now = Date.now()
    await operate('hide', 'eventful-com', '--reason', 'It is private')
    const { id: theirs } = await store.db
      .selectFrom('decision')
      .select('id')
      .where('listingId', '=', id)
      .where('kind', '=', 'hide')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const open = async (decision = '') =>
      (await fetch(`${service.url}${DECISIONS_PATH}/${decision}`, { headers: asks(credentials.secret) })).status
    expect([await open(theirs), await open(decisionId)]).toEqual([404, 200])
    await operate('restore', 'eventful-com', '--reason', 'It was private')
    const later = await eventsOf(credentials, 5, nextCursor)
    expect(later.events.map(({ type }) => type)).toEqual([
      'submission.hidden',
      'submission.restored',
      'submission.claimed',
      'submission.hidden',
      'submission.restored',
    ])
    for (const event of later.events.slice(3)) expect(Object.keys(event)).not.toContain('reason')
    for (const event of later.events.slice(3)) expect(Object.keys(event)).not.toContain('decisionId')
    expect(later.events[0]).toMatchObject({ decisionId, reason: 'policy' })
    expect(await open(later.events[2]?.decisionId)).toBe(200)
    expect((await read(credentials, later.events[0]?.cursor)).body.events).toEqual(later.events.slice(1))

    service.clock.now = (receipt.expiresAt ?? 0) - daysMs(7) - 1
    expect((await read(credentials, later.nextCursor)).body.events).toEqual([])
    service.clock.now += 1
    const soon = (await read(credentials, later.nextCursor)).body
    expect(soon.events).toMatchObject([{ type: 'submission.ends_soon', expiresAt: receipt.expiresAt }])
    // An operator moves the end: the new one is announced, too.
    const by = { actor: operatorNamed('bob') } as const
    await extendListing(store, 'eventful-com', 60, 'A test', service.clock.now, by)
    const moved = await eventsOf(credentials, 1, soon.nextCursor)
    expect(moved.events).toMatchObject([{ type: 'submission.end_changed', reason: 'extended' }])
    const { expiresAt } = (await ask(credentials)).body
    service.clock.now = expiresAt ?? 0
    const last = (await read(credentials, moved.nextCursor)).body
    expect(last).toMatchObject({
      state: 'ended',
      events: [{ type: 'submission.ends_soon' }, { type: 'submission.ended', at: expiresAt }],
    })
    expect((await read(credentials, last.nextCursor)).body.events).toEqual([])
    const all = (await read(credentials)).body.events
    expect(new Set(all.map(each => each.id)).size).toBe(all.length)
    await store.close()
    service.clock.now = Date.now()
  })

  it('does not announce an end that an operator has set at once, nor announce one before it was set', async () => {
    const credentials = newCredentials()
    await send(credentials, 'ended-early.com')
    const { nextCursor } = await eventsOf(credentials, 1)
    const store = await service.database.openStore()
    const by = { actor: operatorNamed('bob') } as const
    service.clock.now += daysMs(20)
    const endedAt = service.clock.now
    await endListing(store, 'ended-early-com', 'A test', endedAt, by)
    const ended = (await read(credentials, nextCursor)).body
    expect(ended.events).toMatchObject([{ type: 'submission.ended', at: endedAt, expiresAt: endedAt, reason: 'ended' }])
    expect((await read(credentials, ended.nextCursor)).body.events).toEqual([])
    // It names the decision, which can be read, and appealed, with the same secret.
    const { decisionId, decisionUrl = '' } = ended.events[0] ?? {}
    const reasons = await fetch(decisionUrl, { headers: { 'x-submission-secret': credentials.secret } })
    expect(await reasons.json()).toMatchObject({ id: decisionId, contest: { isPossible: true } })

    service.clock.now += daysMs(1)
    await extendListing(store, 'ended-early-com', 3, 'A test', service.clock.now, by)
    const { events } = await eventsOf(credentials, 2, ended.nextCursor)
    expect(events).toMatchObject([
      { type: 'submission.end_changed', at: service.clock.now },
      { type: 'submission.ends_soon', at: service.clock.now, expiresAt: service.clock.now + daysMs(3) },
    ])
    service.clock.now += daysMs(3)
    const [expired, ...others] = (await read(credentials, ended.nextCursor)).body.events.slice(2)
    expect([expired?.type, others]).toEqual(['submission.ended', []])
    expect(Object.keys(expired ?? {})).not.toContain('decisionId')
    await store.close()
    service.clock.now = Date.now()
  })

  it('names the decision of an early end also if the clock was set back before it', async () => {
    const credentials = newCredentials()
    await send(credentials, 'ended-earlier.com')
    const { nextCursor } = await eventsOf(credentials, 1)
    const store = await service.database.openStore()
    const by = { actor: operatorNamed('bob') } as const
    service.clock.now += daysMs(20)
    await extendListing(store, 'ended-earlier-com', 60, 'A test', service.clock.now, by)
    await logNow(store)
    service.clock.now -= HOUR_MS
    await endListing(store, 'ended-earlier-com', 'A test', service.clock.now, by)
    const { events } = (await read(credentials, nextCursor)).body
    expect(events.at(-1)).toMatchObject({ type: 'submission.ended', at: service.clock.now, reason: 'ended' })
    await store.close()
    service.clock.now = Date.now()
  })

  it('does not name the decision that ended a listing after it was given to another person', async () => {
    const credentials = newCredentials()
    await send(credentials, 'ended-of-another.com')
    const { nextCursor } = await eventsOf(credentials, 1)
    const store = await service.database.openStore()
    const { id } = await store.db
      .selectFrom('listing')
      .select('id')
      .where('slug', '=', 'ended-of-another-com')
      .executeTakeFirstOrThrow()
    await store.transact(trx => note(trx, id, 'claimed', 'A test', service.clock.now))
    await eventsOf(credentials, 1, nextCursor)
    await endListing(store, 'ended-of-another-com', 'A test', service.clock.now, { actor: operatorNamed('bob') })
    const [, ended] = (await read(credentials, nextCursor)).body.events
    expect(ended).toMatchObject({ type: 'submission.ended', at: service.clock.now })
    expect(Object.keys(ended ?? {}).filter(name => /decision|reason/.test(name))).toEqual([])
    await store.close()
  })

  it('has the events of a refusal, its appeal and the publication that followed', async () => {
    const credentials = newCredentials()
    const parked = '<!doctype html><title>This domain is for sale</title><p>Buy this domain now.</p>'
    service.sites.set('eventful-parked.com', (_request, response) => sendHtml(response, parked))
    const refused = await send(credentials, 'eventful-parked.com')
    const id = refused.headers.get('placard-decision') ?? ''
    await fetch(`${service.url}/api/v1/agent/decisions/${id}/appeal`, {
      method: 'POST',
      headers: { 'x-submission-secret': credentials.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ statement: 'It is ours.' }),
    })
    await operateHere(service.database.env, 'decide-appeal', id, 'reverse', '--reason', 'So it is.')
    expect((await ask(credentials)).body).toMatchObject({ state: 'under_review', repeatPublish: true })
    expect((await send(credentials, 'eventful-parked.com')).status).toBe(201)
    const { events } = await eventsOf(credentials, 3)
    expect(events).toMatchObject([
      { type: 'submission.refused', reason: 'parked_domain', decisionId: id },
      { type: 'submission.appeal_decided', reason: 'reversed', decisionId: id },
      { type: 'submission.published' },
    ])
    expect(await eventsOf({ ...credentials, secret: newCredentials().secret }, 0)).toEqual({
      ...{ state: 'unknown', events: [], nextCursor: '0-0-0', hasMore: false, chargeCreated: false },
    })
    for (const cursor of ['x', '1-2', '1-2-9', '%00']) {
      expect((await read(credentials, cursor)).body.code).toBe('invalid_cursor')
    }
  })

  it('are not continued by a cursor of another submission', async () => {
    const [own, other] = [newCredentials(), newCredentials()]
    await send(own, 'eventful-own.com')
    await send(other, 'eventful-other.com')
    const { nextCursor } = await eventsOf(other, 1)
    expect(await read(own, nextCursor)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor', field: 'cursor', error: expect.stringContaining('of another submission') },
    })
    expect((await read(other, nextCursor)).body.events).toEqual([])
  })

  it('has no event of a finding that an operator settled and reopened, nor its decision', async () => {
    const credentials = newCredentials()
    const { body } = await send(credentials, 'eventful-found.com')
    const store = await service.database.openStore()
    const slug = body.productUrl.split('/').at(-1) ?? ''
    const listing = (await findListing(store.db, slug)) ?? expect.fail('it is not listed')
    const now = service.clock.now
    await store.transact(trx => putFinding(trx, listing.id, { kind: 'moved', evidence: {} }, now))
    const [finding] = await openFindings(store, 1, [listing.id])
    await store.transact(trx => settleFinding(trx, finding?.id ?? 0, 'A secret of ours', 'Ann', now))
    await reopenFinding(store, finding?.id ?? 0, 'By mistake', now, operatorNamed('Ann'))
    await hideListing(store, slug, 'It moved', now)
    await allLogged(store)
    const { events } = (await read(credentials)).body
    expect(events.map(({ type }) => type)).toEqual(['submission.published', 'submission.hidden'])
    const decisions = await store.db
      .selectFrom('decision')
      .select(['id', 'kind'])
      .where('listingId', '=', listing.id)
      .orderBy('id')
      .execute()
    const opened = decisions.map(async ({ id, kind }) => {
      const headers = { 'x-submission-secret': credentials.secret }
      return [kind, (await fetch(`${service.url}${DECISIONS_PATH}/${id}`, { headers })).status]
    })
    expect(await Promise.all(opened)).toEqual([
      ['accept', 200],
      ['settle_finding', 404],
      ['outcome', 404],
      ['hide', 200],
    ])
    await store.close()
  })

  it('needs a key and a secret of the right form, and never has them made again', async () => {
    const credentials = newCredentials()
    const wrong = [
      ...['x', '%00', `${credentials.key}x`].map(key => ({ ...credentials, key })),
      ...['', 'ab'].map(secret => ({ ...credentials, secret })),
    ]
    const answers = await Promise.all(wrong.flatMap(each => [ask(each), read(each)]))
    for (const { body } of answers) expect(body.error).toMatch(/Take (?:it|them) from where you saved (?:it|them)\.$/)
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(
      new Set(['invalid_idempotency_key', 'invalid_submission_secret']),
    )
  })
})
