import { type ErrorBody, SUBMISSIONS_PATH, type SubmissionWebhook } from '@placard/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hideListing } from '../../../src/domain/moderation/moderate.ts'
import type { DeliveryDependencies } from '../../../src/domain/notifications/owner/deliver.ts'
import { FROM_THE_START } from '../../../src/domain/publishing/submission-events.ts'
import { scheduleWebhooks, submissionEvents } from '../../../src/domain/publishing/submission-webhooks.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { daysMs } from '../../../src/platform/lib/time.ts'
import { SQLITE_FIRST } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import {
  type Credentials,
  newCredentials,
  publish,
  publishBody,
  reply,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { startSites } from '../../support/sites.ts'
import { type Receiver, startReceiver } from '../notifications/owner/receiver.ts'

const HOOK = 'https://agent-hooks.com/placard?for=a-test'

describe.each(SQLITE_FIRST)('the webhook of a submission on %s', engine => {
  let receiver: Receiver
  let sites: Awaited<ReturnType<typeof startSites>>
  let service: TestService
  let store: Store
  beforeAll(async () => {
    receiver = await startReceiver(['agent-hooks.com'])
    sites = await startSites()
    const both = { ...sites, connectTo: `${sites.connectTo},${receiver.connectTo}` }
    service = await startTestService({ engine, sites: both, jobsEveryMs: 100 })
    store = await service.database.openStore()
  })
  afterAll(async () => {
    await store.close()
    await service.stop()
    await sites.close()
    await receiver.close()
  })

  const put = async ({ key, secret }: Credentials, url: unknown) =>
    reply<SubmissionWebhook & ErrorBody>(
      await fetch(`${service.url}${SUBMISSIONS_PATH}/${key}/webhook`, {
        method: 'PUT',
        headers: { 'x-submission-secret': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      }),
    )
  const stored = (requestId: string) =>
    store.db.selectFrom('submission_webhook').selectAll().where('requestId', '=', requestId).executeTakeFirst()

  /** Waits until what the receiver got is recorded: until then, a new address gets it again. */
  const settled = (requestId: string) => expect.poll(async () => (await stored(requestId))?.attempts).toBe(0)

  /** A listing with a webhook that has received its publication. */
  async function hooked(host: string) {
    receiver.deliveries.length = 0
    receiver.answer = response => void response.writeHead(204).end()
    const credentials = newCredentials()
    const { body: receipt } = await publish(service, credentials, publishBody(`http://${host}/`))
    const { status, body } = await put(credentials, HOOK)
    expect([status, body.url]).toEqual([200, HOOK])
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    return { credentials, receipt, secret: body.secret ?? '', slug: host.replaceAll('.', '-') }
  }

  it('receives each event once, signed, from the publication to the end', async () => {
    const { credentials, receipt, secret, slug } = await hooked('agent-hooked.com')
    await hideListing(store, slug, 'a test', service.clock.now)
    await expect.poll(() => receiver.deliveries.length).toBe(2)
    expect(receiver.verified(secret)).toMatchObject([
      {
        type: 'submission.published',
        timestamp: new Date(service.clock.now).toISOString(),
        data: { requestId: receipt.requestId, productUrl: receipt.productUrl },
      },
      { type: 'submission.hidden', data: { reason: 'policy', decisionUrl: expect.stringContaining('/decisions/') } },
    ])
    expect(receiver.deliveries[0]).toMatchObject({
      url: '/placard?for=a-test',
      headers: { 'webhook-id': receipt.requestId },
    })
    await settled(receipt.requestId)
    // The secret stays when the address is sent again, and nothing is repeated.
    expect((await put(credentials, HOOK)).body.secret).toBe(secret)
    expect((await put(credentials, null)).body).toEqual({ url: null, chargeCreated: false })
    expect(await stored(receipt.requestId)).toBeUndefined()
    expect(receiver.deliveries.length).toBe(2)
  })

  it('is set ten times an hour, because each makes Placard post to a server that may be a stranger’s', async () => {
    const { credentials, receipt } = await hooked('agent-hooked-often.com')
    receiver.answer = response => void response.writeHead(404).end()
    const { key, secret } = credentials
    for (let nth = 2; nth <= 10; nth++) {
      await put(credentials, null)
      expect((await put({ key: nth % 2 ? key : key.toUpperCase(), secret }, HOOK)).status).toBe(200)
      await expect.poll(() => receiver.deliveries.length).toBe(nth)
    }
    expect(await put(credentials, HOOK)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    await expect.poll(async () => (await stored(receipt.requestId))?.lastStatus).toBe(404)
    expect(receiver.deliveries.length).toBe(10)
    expect((await put(credentials, null)).status).toBe(200)
  })

  it('is leased once, whichever others are due at that time', async () => {
    const hooks = [await hooked('agent-hooked-one.com'), await hooked('agent-hooked-two.com')]
    // Later, so that the job leaves them alone.
    const dueAt = service.clock.now + daysMs(1)
    const dues = hooks.map(({ receipt }) => ({ requestId: receipt.requestId, dueAt, host: 'agent-hooks.com' }))
    for (const { requestId } of dues) {
      await settled(requestId)
      const again = store.db.updateTable('submission_webhook').set({ dueAt, cursor: FROM_THE_START })
      await again.where('requestId', '=', requestId).execute()
    }
    const links = new Links({ baseUrl: service.url, supportUrl: undefined })
    const deps = { store, serviceKeys: FIXED_KEYS, links, clock: () => service.clock.now } as DeliveryDependencies
    const leased: unknown[] = []
    for (const due of [dues[1], dues[1], dues[0]]) leased.push(due && (await submissionEvents.lease(deps, due))?.id)
    expect(leased).toEqual([dues[1]?.requestId, undefined, dues[0]?.requestId])
    for (const { credentials } of hooks) await put(credentials, null)
  })

  it('announces the end, which no decision makes', async () => {
    const { receipt, secret } = await hooked('agent-hooked-end.com')
    await settled(receipt.requestId)
    service.clock.now = receipt.expiresAt ?? 0
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    expect(receiver.verified(secret).map(({ type }) => type)).toEqual([
      'submission.published',
      'submission.ends_soon',
      'submission.ended',
    ])
  })

  it('gets a failed delivery again with the same id, and is turned off after a day, until it is set again', async () => {
    const { credentials, receipt, slug } = await hooked('agent-hooked-ill.com')
    /** When it is due after another decision that may concern it. */
    const dueAfterDecision = async () => {
      const decisions = [{ requestId: receipt.requestId, listingId: null }]
      await store.transact(trx => scheduleWebhooks(trx, decisions, service.clock.now))
      return (await stored(receipt.requestId))?.dueAt
    }
    receiver.answer = response => void response.writeHead(500).end()
    await hideListing(store, slug, 'a test', service.clock.now)
    await expect.poll(async () => (await stored(receipt.requestId))?.lastStatus).toBe(500)
    expect(await dueAfterDecision()).toBeGreaterThan(service.clock.now)
    service.clock.now += 13_000
    await expect.poll(() => receiver.deliveries.length).toBe(3)
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
    expect([ids[0], ids[1]]).toEqual([receipt.requestId, ids[2]])
    // Between these attempts, the service delivered nothing for a day: the sixth one is the last.
    while (receiver.deliveries.length < 7) {
      service.clock.now += daysMs(1)
      await expect.poll(async () => (await stored(receipt.requestId))?.lastTriedAt).toBe(service.clock.now)
    }
    expect((await stored(receipt.requestId))?.offBecause).toBe('failing')
    expect(await dueAfterDecision()).toBeNull()
    receiver.answer = response => void response.writeHead(410).end()
    await put(credentials, HOOK)
    await expect.poll(async () => (await stored(receipt.requestId))?.offBecause).toBe('gone')
    receiver.deliveries.length = 0
    receiver.answer = response => void response.writeHead(204).end()
    await put(credentials, HOOK)
    await expect.poll(() => receiver.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([ids[1]])
  })

  it('is turned off when the key of its secret is lost, and gets a new secret when it is set again', async () => {
    const another = await hooked('agent-hooked-beside.com')
    await settled(another.receipt.requestId)
    /** Without its next turn, which may come at any time. */
    const itsRow = async () => ({ ...(await stored(another.receipt.requestId)), dueAt: undefined })
    const before = await itsRow()
    const { credentials, receipt, secret, slug } = await hooked('agent-hooked-lost.com')
    await settled(receipt.requestId)
    const lost = store.db.updateTable('submission_webhook').set({ keyCheckValue: 'lost' })
    await lost.where('requestId', '=', receipt.requestId).execute()
    await hideListing(store, slug, 'a test', service.clock.now)
    await expect.poll(async () => (await stored(receipt.requestId))?.offBecause).toBe('key_lost')
    expect(receiver.deliveries.splice(0).length).toBe(1)
    const { body } = await put(credentials, HOOK)
    expect(body.secret).not.toBe(secret)
    await expect.poll(() => receiver.deliveries.length).toBe(1)
    expect(receiver.verified(body.secret ?? '')).toMatchObject([{ type: 'submission.hidden' }])
    expect((await put(credentials, null)).status).toBe(200)
    expect(await stored(receipt.requestId)).toBeUndefined()
    expect(await itsRow()).toEqual(before)
  })

  it('needs the secret of a submission, and a public https address', async () => {
    const { credentials } = await hooked('agent-hooked-wrong.com')
    const [unknown, wrong] = [
      await put(newCredentials(), HOOK),
      await put({ ...newCredentials(), key: credentials.key }, HOOK),
    ]
    expect([unknown.status, wrong.status, wrong.body]).toEqual([404, 404, unknown.body])
    expect(unknown.body.error).toContain('No submission has this key and secret')
    for (const url of ['http://agent-hooks.com/', 'https://127.0.0.1/', 'https://agent-hooks.com:8443/', 'x', 5]) {
      const { status, body } = await put(credentials, url)
      expect([url, status, body.code, body.field]).toEqual([url, 400, 'invalid_body', 'url'])
    }
  })
})
