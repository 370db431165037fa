import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FEATURE_ACTS, featureListing } from '../../../src/domain/featured/feature.ts'
import { type Attempt, findAttempt } from '../../../src/domain/publishing/attempts.ts'
import { takeOverAttempt } from '../../../src/domain/publishing/renew-attempt.ts'
import { ENGINES } from '../../support/engines.ts'
import { untilWaiting } from '../../support/locks.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishAtLast,
  publishBody,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'

describe.each(ENGINES)('two at once on %s', engine => {
  let service: TestService
  /** A second instance on the same database. */
  let other: TestService

  beforeAll(async () => {
    service = await startTestService({ engine })
    other = await startTestService({ engine, database: service.database, sites: service.sites })
  })
  afterAll(async () => {
    await other.stop()
    await service.stop()
  })

  /**
   * Sends publishes of one website to both instances at once. Each visit of the website waits for the one before, and on
   * a busy machine a 503 asks to come back.
   */
  const sendAll = (all: readonly Credentials[], url: string) =>
    Promise.all(all.map((each, index) => publishAtLast(index % 2 ? service : other, each, publishBody(url))))

  const count = (replies: { status: number }[], status: number) => replies.filter(each => each.status === status).length

  it('gives one 201 and nineteen replays to twenty identical requests, over two instances', async () => {
    service.sites.set('twenty.com', (request, response) => void setTimeout(() => goodPage(request, response), 300))
    const credentials = newCredentials()
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        publish(index % 2 ? service : other, credentials, publishBody('http://twenty.com')),
      ),
    )
    expect([count(replies, 201), count(replies, 200)]).toEqual([1, 19])
    const withoutBase = (text: unknown) => JSON.stringify(text).replaceAll(other.url, service.url)
    for (const { body } of replies) expect(withoutBase(body)).toEqual(withoutBase(replies[0]?.body))
    expect(service.sites.visits('twenty.com')).toBe(1)
  })

  it('gives one 201 and nine 409 to ten keys for one destination, and keeps that answer', async () => {
    const all = Array.from({ length: 10 }, newCredentials)
    const send = () => sendAll(all, 'http://ten.com')
    const first = await send()
    expect([count(first, 201), count(first, 409)]).toEqual([1, 9])
    const again = await send()
    expect([count(again, 200), count(again, 409)]).toEqual([1, 9])
    const winner = first.findIndex(each => each.status === 201)
    expect(again[winner]?.body.requestId).toBe(first[winner]?.body.requestId)
  })

  it('gives listings whose address would be the same one each', async () => {
    const pairs = Array.from({ length: 10 }, (_, index) => [`http://a.pair-${index}.com`, `http://a-pair-${index}.com`])
    const replies = await Promise.all(
      pairs.flat().map((each, index) => publish(index % 2 ? service : other, newCredentials(), publishBody(each))),
    )
    expect(count(replies, 201)).toBe(20)
    expect(new Set(replies.map(({ body }) => new URL(body.productUrl).pathname)).size).toBe(20)
  })

  it('never allows more attempts than the quota', async () => {
    const narrow = await startTestService({
      engine,
      sites: service.sites,
      env: { LIMIT_NEW_ATTEMPTS_PER_DAY_GLOBAL: '5' },
    })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        publish(narrow, newCredentials(), publishBody(`http://quota-${index}.com`)),
      ),
    )
    expect([count(replies, 201), count(replies, 429)]).toEqual([5, 15])
    await narrow.stop()
  })

  it('gives one receipt, which its key recovers, to old and new keys that continue a failed submission', async () => {
    const all = Array.from({ length: 6 }, newCredentials)
    const send = () => sendAll(all, 'http://failed-before.com')
    const [oldest, another] = [all[0], newCredentials()] as [(typeof all)[0], (typeof all)[0]]
    for (const [host, credentials] of [
      ['failed-before.com', oldest],
      ['fails-still.com', another],
    ] as const) {
      service.sites.set(host, (_request, response) => void response.destroy())
      expect((await publish(service, credentials, publishBody(`http://${host}`))).status).toBe(503)
    }
    service.sites.set('failed-before.com', goodPage)
    const first = await send()
    expect([count(first, 201), count(first, 409)]).toEqual([1, 5])
    const again = await send()
    expect([count(again, 200), count(again, 409)]).toEqual([1, 5])
    const receipts = [first, again].map(replies => replies.map(({ body }) => body.ownership?.privateRecoveryUrl))
    const winner = first.findIndex(each => each.status === 201)
    expect(receipts[1]?.[winner]?.split('#')[1]).toBe(receipts[0]?.[winner]?.split('#')[1])
    expect(receipts[1]?.[winner]).toContain('#owner')
    // A request that read the attempt before it was settled, when it had no lease either, cannot review it again.
    const store = await service.database.openStore()
    const settled = (await findAttempt(store, all[winner]?.key ?? '')) as Attempt
    expect(await store.transact(trx => takeOverAttempt(trx, settled, service.clock.now))).toBeUndefined()
    // Nor has any of these requests leased the other submission.
    const free = (await findAttempt(store, another.key)) as Attempt
    expect(free).toMatchObject({ state: 'reviewing', leaseId: null })
    // Of two requests that read it at once, one leases it.
    const lease = () => store.transact(trx => takeOverAttempt(trx, free, service.clock.now))
    expect([await lease(), await lease()]).toEqual([expect.objectContaining({ requestId: free.requestId }), undefined])
    await store.close()
  })

  it.runIf(engine === 'postgres')(
    'gives a new key nothing that another request leases or settles at that moment',
    async () => {
      const store = await service.database.openStore()
      for (const [nth, meanwhile] of [{ leaseId: 'another' }, { state: 'rejected' as const }].entries()) {
        const [old, body] = [newCredentials(), publishBody(`http://meanwhile-${nth}.com`)]
        service.sites.set(`meanwhile-${nth}.com`, (_request, response) => void response.destroy())
        expect((await publish(service, old, body)).status).toBe(503)
        service.sites.set(`meanwhile-${nth}.com`, goodPage)
        const { second } = await store.transact(async trx => {
          await trx.updateTable('attempt').set(meanwhile).where('idempotencyKey', '=', old.key).execute()
          const second = publish(service, newCredentials(), body)
          await untilWaiting(store)
          return { second }
        })
        expect((await second).status).toBe(201)
        expect(await findAttempt(store, old.key)).toMatchObject(meanwhile)
      }
      await store.close()
    },
  )

  it('gives one refusal to the request that took over an attempt, and to the one that lost it', async () => {
    let finish = () => {}
    service.sites.set('taken-over.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const credentials = newCredentials()
    const send = (to: TestService) => publish(to, credentials, publishBody('http://taken-over.com'))
    const first = send(service)
    await expect.poll(() => service.sites.visits('taken-over.com')).toBe(1)
    service.sites.set('taken-over.com', (_request, response) => response.writeHead(404).end())
    other.clock.now += 31_000
    const second = await send(other)
    other.clock.now -= 31_000
    finish()
    const lost = await first
    expect([second.status, lost.status]).toEqual([422, 422])
    expect(lost.headers.get('placard-decision')).toBe(second.headers.get('placard-decision'))
    expect(lost.headers.get('idempotent-replayed')).toBe('true')
  })

  it('leaves an attempt to the request that took it over when the one that lost it fails', async () => {
    const held: Parameters<typeof goodPage>[] = []
    service.sites.set('fails-late.com', (...heard) => void held.push(heard))
    const credentials = newCredentials()
    const first = publish(service, credentials, publishBody('http://fails-late.com'))
    await expect.poll(() => held.length).toBe(1)
    other.clock.now += 31_000
    const second = publish(other, credentials, publishBody('http://fails-late.com'))
    await expect.poll(() => held.length).toBe(2)
    held[0]?.[1].destroy()
    expect((await first).status).toBe(503)
    goodPage(...(held[1] as Parameters<typeof goodPage>))
    // Without its lease, it would fetch the page again, and wait for that.
    expect((await second).status).toBe(201)
    other.clock.now -= 31_000
  })

  it('carries out one of several equal actions for the home page', async () => {
    const { body } = await publish(service, newCredentials(), publishBody('http://featured-twice.com'))
    const slug = new URL(body.productUrl).pathname.split('/').at(-1) ?? ''
    const store = await service.database.openStore()
    for (const act of FEATURE_ACTS) {
      const by = { name: 'Ada', words: 'Good.', at: service.clock.now }
      const done = await Promise.all(Array.from({ length: 4 }, () => featureListing(store, act, slug, by)))
      expect([act, done.filter(each => each?.changed).length]).toEqual([act, 1])
    }
    await store.close()
  })

  it('makes a replay wait at most ten seconds for the request in progress', async () => {
    let finish = () => {}
    service.sites.set('slow.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const credentials = newCredentials()
    const first = publish(service, credentials, publishBody('http://slow.com'))
    await expect.poll(() => service.sites.visits('slow.com')).toBe(1)
    const waiting = publish(other, credentials, publishBody('http://slow.com'))
    const stranger = await publish(
      service,
      { ...credentials, secret: newCredentials().secret },
      publishBody('http://slow.com'),
    )
    expect(stranger.status).toBe(409)
    finish()
    expect((await first).status).toBe(201)
    expect((await waiting).status).toBe(200)
  })
})
