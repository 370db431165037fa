import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IDEMPOTENCY_HEADER, PROOF_HEADER, PUBLISH_PATH, QUOTE_PATH } from '@placard/contract'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { putFinding } from '../../../src/domain/listings/flags.ts'
import { createStripe } from '../../../src/domain/payments/stripe.ts'
import { wantPicture } from '../../../src/domain/pictures/preview-image.ts'
import { measureJobs } from '../../../src/ops/jobs/status.ts'
import { measureState } from '../../../src/ops/metrics/state.ts'
import { configFrom, type StripeConfig } from '../../../src/platform/config/config.ts'
import { reconciled } from '../../../src/platform/lib/diagnostics.ts'
import { daysMs, HOUR_MS } from '../../../src/platform/lib/time.ts'
import { startService } from '../../../src/start.ts'
import { migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { openTestCheckout } from '../../support/ledger.ts'
import { listingRow } from '../../support/listing-row.ts'
import {
  NOON,
  newCredentials,
  publish,
  publishBody,
  quote,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { goodPage } from '../../support/sites.ts'
import { type StripeApi, startStripeApi } from '../../support/stand-in.ts'
import { deliver, type PaidSession, sessionObject, stripeEvent } from '../../support/stripe-events.ts'
import { scrape } from './scrape.ts'

const NEVER_TRIED = { failingSince: null, offAt: null, offBecause: null, lastTriedAt: null, lastStatus: null }

describe.each(SQLITE_FIRST)('metrics on %s', engine => {
  let service: TestService
  let api: StripeApi
  const lists = mkdtempSync(join(tmpdir(), 'placard-lists-'))
  const list = (name: string) => join(lists, name)
  beforeAll(async () => {
    const changedAt = (Date.now() - daysMs(15)) / 1000
    for (const [name, length] of [
      ['old.txt', 1000],
      ['by-hand.txt', 999],
    ] as const) {
      writeFileSync(list(name), Array.from({ length }, (_, nth) => `evil-${nth}.com\n`).join(''))
      utimesSync(list(name), changedAt, changedAt)
    }
    api = await startStripeApi()
    service = await startTestService({
      engine,
      env: {
        METRICS_PORT: '0',
        REVIEWERS: 'page-rules,phrases,blocklists',
        BLOCKLISTS: ['old.txt', 'by-hand.txt', 'gone.txt'].map(list).join(),
        ...api.env,
      },
    })
  })
  afterAll(async () => {
    await service.stop()
    await api.close()
    rmSync(lists, { recursive: true })
  })

  const read = () => scrape(service.metricsUrl)
  const requests = (labels: string) => `http_server_request_duration_seconds_count{${labels}}`

  it('time requests by the pattern of their route, and never by their address', async () => {
    await fetch(`${service.url}/product/none-of-this-name?secret=1`)
    await fetch(`${service.url}/no/such/address`)
    await quote(service, { destination: 'https://bakery.com/' })
    await expect
      .poll(read)
      .toEqual(
        expect.toSatisfy(
          (all: Map<string, number>) =>
            all.get(requests('method="GET",route="/product/:slug",status="404"')) === 1 &&
            all.get(requests('method="GET",route="none",status="404"')) === 1 &&
            all.get(requests(`method="POST",route="${QUOTE_PATH}",status="400"`)) === 1,
        ),
      )
    const text = await (await fetch(service.metricsUrl)).text()
    expect(text).not.toMatch(/none-of-this-name|no\/such|secret/)
  })

  it('count publishes by outcome, and time the fetcher and each reviewer', async () => {
    const outcomes = async () =>
      [...(await read())].filter(([series, count]) => series.startsWith('placard_publish_total') && count > 0).sort()
    const credentials = newCredentials()
    await publish(service, credentials, publishBody('http://bakery.com'))
    await publish(service, credentials, publishBody('http://bakery.com'))
    await publish(service, newCredentials(), publishBody('http://bakery.com'))
    await publish(service, newCredentials(), 'no json')
    expect(await outcomes()).toEqual([
      ['placard_publish_total{outcome="destination_already_listed"}', 1],
      ['placard_publish_total{outcome="invalid_json"}', 1],
      ['placard_publish_total{outcome="published"}', 1],
      ['placard_publish_total{outcome="replayed"}', 1],
    ])
    const reviewed = [...(await read())].filter(([series]) => series.startsWith('placard_review_seconds_count'))
    expect(reviewed).toContainEqual(['placard_review_seconds_count{reviewer="fetcher"}', 1])
    expect(reviewed.length).toBeGreaterThan(1)
    expect(reviewed.map(([, count]) => count)).toEqual(reviewed.map(() => 1))
  })

  it('show how long a downloaded blocklist has not changed, and that one cannot be read', async () => {
    const all = await read()
    // The alert would fire as long as the operator has nothing to add to it.
    expect(all.has('placard_blocklist_age_seconds{list="by-hand.txt"}')).toBe(false)
    const days = (all.get('placard_blocklist_age_seconds{list="old.txt"}') ?? 0) / 86_400
    // The rest of a day is for the test to run in.
    expect(Math.floor(days)).toBe(15)
    expect(all.get('placard_blocklist_age_seconds{list="gone.txt"}')).toBeNaN()
  })

  it('count each event of the processor once', async () => {
    const store = await service.database.openStore()
    const { sessionId, checkoutId } = await openTestCheckout(store, 'mill.com')
    await store.close()
    const session = sessionObject({ id: sessionId, client_reference_id: checkoutId })
    const paid = stripeEvent('checkout.session.completed', session)
    await deliver(service, paid)
    await deliver(service, paid)
    expect((await read()).get('placard_ledger_events_total{kind="paid"}')).toBe(1)
  })

  it('count refused events of the processor, and not those of strangers and buyers', async () => {
    const store = await service.database.openStore()
    const { checkoutId } = await openTestCheckout(store, 'refused.com')
    const sessionId = await createStripe(configFrom(api.env).stripe as StripeConfig).createSession({
      checkoutId,
      board: 'all',
      createdAt: NOON,
      amountCents: 2500,
      description: 'A place',
      successUrl: service.url,
      cancelUrl: service.url,
    })
    await store.db.updateTable('checkout').set({ sessionId }).where('id', '=', checkoutId).execute()
    await store.close()
    const refused = async () => (await read()).get('placard_ledger_events_refused_total')
    const asked = () => api.heard.filter(({ path }) => path.startsWith('/v1/events/')).length
    const wrong = { secret: 'whsec_wrong' }
    const session = (about: Partial<PaidSession> = {}) =>
      stripeEvent('checkout.session.completed', sessionObject({ client_reference_id: checkoutId, ...about }))
    for (const noise of ['{}', 'null', '[', session()]) {
      for (const options of [wrong, { signature: undefined }]) {
        expect((await deliver(service, noise, options)).status).toBe(400)
      }
    }
    // Buyers see the id of their own payment page, but no event about it.
    for (const id of ['evt_forged', '..', '']) await deliver(service, { ...session({ id: sessionId }), id }, wrong)
    // Questions are asked one after the other, so what is counted below was asked later.
    const own = await api.complete(sessionId)
    await deliver(service, own, wrong)
    await expect.poll(refused).toBe(1)
    expect(asked()).toBe(3)
    // Its events are refused, too, if this machine's clock is wrong.
    await deliver(service, own, { at: NOON - 400_000 })
    await expect.poll(refused).toBe(2)
    await deliver(service, '{"object":"event"}')
    await expect.poll(refused).toBe(3)
    await api.sandbox.act(sessionId, { name: 'refund', amountCents: 500 }, 'by_hand')
    const { payload: refund = '' } = api.sandbox.eventsOf({ id: sessionId }).at(-1) ?? {}
    await deliver(service, refund, wrong)
    await deliver(service, own)
    await deliver(service, refund, wrong)
    await expect.poll(refused).toBe(4)
    // Without an answer, nothing shows that the processor sent it.
    api.mood = 'babbling'
    await deliver(service, refund, wrong)
    await expect.poll(asked).toBe(6)
    // A restricted key may not be allowed to ask.
    api.mood = 'forbidden'
    await deliver(service, refund, wrong)
    await expect.poll(refused).toBe(5)
    api.mood = 'well'
  })

  it('keep what reconcile found until another process that got the job has reconciled, too', async () => {
    const differences = async () => (await read()).get('placard_reconcile_differences')
    expect(await differences()).toBe(0)
    reconciled.publish({ differences: 2 })
    const foundAt = Date.now()
    const now = vi.spyOn(Date, 'now')
    now.mockReturnValue(foundAt + 26 * HOUR_MS)
    expect(await differences()).toBe(2)
    now.mockReturnValue(foundAt + 28 * HOUR_MS)
    expect(await differences()).toBe(0)
    now.mockRestore()
  })

  it('show pending items, resources in use, and cache hits', async () => {
    const all = await read()
    for (const kind of ['pictures', 'notices']) {
      expect([kind, all.get(`placard_jobs_due{kind="${kind}"}`)]).toEqual([kind, 0])
      expect([kind, all.get(`placard_job_failures{kind="${kind}"}`)]).toEqual([kind, 0])
    }
    expect(all.get('placard_pool{pool="fetcher_publish",state="busy"}')).toBe(0)
    expect(all.get('placard_pool{pool="page_readers",state="idle"}')).toBeGreaterThan(0)
    expect(all.has('placard_pool{pool="postgres_reads",state="waiting"}')).toBe(engine === 'postgres')
    const hits = async () => (await read()).get('placard_cache_total{cache="home",result="hit"}') ?? 0
    const before = await hits()
    // Reading the metrics commits something, which ends what was kept.
    const fetchTwice = () => fetch(service.url).then(() => fetch(service.url))
    await expect.poll(() => fetchTwice().then(hits)).toBeGreaterThan(before)
  })

  it('time a request whose client left before its reply', async () => {
    const series = requests(`method="POST",route="${PUBLISH_PATH}",status="201"`)
    const before = (await read()).get(series) ?? 0
    let finish = () => {}
    service.sites.set('slow.com', (request, response) => {
      finish = () => goodPage(request, response)
    })
    const leaving = new AbortController()
    const { key, secret } = newCredentials()
    const left = fetch(service.url + PUBLISH_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [IDEMPOTENCY_HEADER]: key, [PROOF_HEADER]: secret },
      body: JSON.stringify(publishBody('http://slow.com')),
      signal: leaving.signal,
    })
    await expect.poll(() => service.sites.visits('slow.com')).toBe(1)
    leaving.abort()
    await expect(left).rejects.toThrow()
    finish()
    await expect.poll(async () => (await read()).get(series)).toBe(before + 1)
  })
})

describe.each(SQLITE_FIRST)('the state on %s', engine => {
  it('shows readiness, free disk space and pending items while the database is reachable', async () => {
    const database = await migratedDatabase(engine)
    const store = await database.openStore()
    const seen = async (dataDir: string) => {
      const registry = new Registry()
      measureState(registry, { store, dataDir, due: { clock: () => NOON + 60_000 } })
      return Object.fromEntries(
        (await registry.metrics()).split('\n').flatMap(line => (/^[^#]/.test(line) ? [line.split(' ')] : [])),
      )
    }
    await store.transact(async trx => {
      await trx
        .insertInto('listing')
        .values(listingRow({ slug: 'waiting' }))
        .execute()
      const { id } = await trx.selectFrom('listing').select('id').executeTakeFirstOrThrow()
      await putFinding(trx, id, { kind: 'gone', evidence: {} }, NOON)
    })
    const found = await seen(database.dataDir)
    expect(found).toMatchObject({
      placard_ready: '1',
      'placard_moderation_pending{kind="finding"}': '1',
      'placard_moderation_pending{kind="report"}': '0',
      'placard_moderation_oldest_age_seconds{kind="finding"}': '60',
      'placard_moderation_oldest_age_seconds{kind="report"}': '0',
    })
    expect(Number(found.placard_database_probe_seconds)).toBeGreaterThan(0)
    expect(Number(found.placard_disk_free_bytes)).toBeGreaterThan(0)
    await store.close()
    expect(await seen(join(database.dataDir, 'none'))).toEqual({ placard_ready: '0' })
    await database.remove()
  })
})

describe.each(SQLITE_FIRST)('pending work on %s', engine => {
  it('is counted, and NaN while the database is unreachable', async () => {
    const database = await migratedDatabase(engine)
    const store = await database.openStore()
    const tomorrow = NOON + 86_400_000
    const config = configFrom({ ...database.env, LOOKS_PER_HOUR: '0' })
    const measured = () => measureJobs({ store, clock: () => tomorrow, config })
    const due = async () => Object.fromEntries((await measured()).map(({ name, due }) => [name, due]))
    const counted = { log: 0, pages: 0, pictures: 0, proofs: 0, notices: 0, events: 0, search: 0 }
    // No process has done them yet.
    const ofSqlite = engine === 'sqlite' && { check: 1, merge: 1 }
    const late = { draw: 1, followed: 1, reconcile: 1, retention: 1, ...ofSqlite }
    expect(await due()).toEqual({ ...counted, ...late })
    await store.db
      .insertInto('listing')
      .values(listingRow({ slug: 'mill-com', expiresAt: null }))
      .execute()
    const { id } = await store.db.selectFrom('listing').select('id').executeTakeFirstOrThrow()
    await store.transact(trx => wantPicture(trx, id, 'https://mill.com/a.png', NOON))
    const webhook = { url: 'https://owner.com/', host: 'owner.com', nonce: '', keyCheckValue: '' }
    await store.db
      .insertInto('webhook')
      .values({ listingId: id, ...webhook, ...NEVER_TRIED })
      .execute()
    const notice = { id: randomUUID(), listingId: id, kind: 'test' as const, facts: '{}' }
    await store.db
      .insertInto('notice')
      .values({ ...notice, at: NOON, tryAt: NOON })
      .execute()
    expect(await due()).toEqual({ ...counted, ...late, pictures: 1, notices: 1 })
    // A job with a count fails: nothing may ever pile up on a small site.
    await store.db.insertInto('job').values({ name: 'pictures', fence: 1, failures: 3 }).execute()
    expect((await measured()).filter(({ failures }) => failures > 0)).toEqual([
      expect.objectContaining({ name: 'pictures', due: 1, failures: 3 }),
    ])
    await store.close()
    expect(new Set((await measured()).flatMap(({ due, failures }) => [due, failures]))).toEqual(new Set([Number.NaN]))
    await database.remove()
  })
})

describe('the port of metrics', () => {
  it('is another one than the service’s, and shows nothing else', async () => {
    const service = await startTestService({ env: { METRICS_PORT: '0' } })
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
    expect((await fetch(new URL('/', service.metricsUrl))).status).toBe(404)
    expect((await fetch(service.metricsUrl, { method: 'POST' })).status).toBe(404)
    expect((await fetch(service.metricsUrl)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    await service.stop()
    await expect(fetch(service.metricsUrl)).rejects.toThrow('fetch failed')
  })

  it('is named in one line if it is taken', async () => {
    const taken = await startTestService({ env: { METRICS_PORT: '0' } })
    const database = await migratedDatabase('sqlite')
    const { port } = new URL(taken.metricsUrl)
    const config = configFrom({ PORT: '0', LOG_LEVEL: 'silent', METRICS_PORT: port, ...database.env })
    await expect(startService(config)).rejects.toThrow(/^METRICS_LISTEN 127\.0\.0\.1:\d+ cannot be used/)
    await taken.stop()
    await database.remove()
  })
})
