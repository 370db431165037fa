import { beforeAll, describe, expect, test } from 'vitest'
import { configFrom } from '../../server/src/platform/config/config.ts'
import { openStore } from '../../server/src/platform/db/open.ts'
import { NOON, startTestService, type TestService } from '../../server/test/support/service.ts'
import { goodPage, sendHtml } from '../../server/test/support/sites.ts'
import type { PlacardError } from '../src/error.ts'
import { errorOf, newClient } from './fixtures.ts'
import { approved, CATEGORY, credentialsIn, newJournal, PRIVATE_PART, realService } from './real-service.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let service: TestService
const started = realService()
beforeAll(() => {
  service = started()
})

describe('the client, on the real service,', () => {
  test('reads what it offers', async () => {
    const capabilities = await newClient(service.url, { journalPath: newJournal() }).capabilities()
    expect(capabilities).toEqual(await (await fetch(`${service.url}/api/v1/agent/capabilities`)).json())
    expect(capabilities.categories).toHaveLength(28)
  })

  test('asks for a price, and learns why there is none', async () => {
    const client = newClient(service.url, { journalPath: newJournal() })
    const ask = {
      destination: 'https://bakery.com/',
      category: CATEGORY,
      board: 'all',
      targetBid: 25,
    } as const
    expect(await client.quote(ask)).toEqual({
      kind: 'non_binding_preview',
      currency: 'usd',
      chargeAmountCents: 2500,
      expiresAt: NOON + 5 * 60 * 1000,
      handoffUrl: `${service.url}/promote?destination=https%3A%2F%2Fbakery.com%2F&category=Food+%26+Drink&board=all&target=25`,
      humanConfirmationRequired: true,
      chargeCreated: false,
      estimatedRank: 1,
    })
    const longest = { ...ask, destination: `https://bakery.com/?${'🥐'.repeat(480)}` }
    expect((await client.quote(longest)).chargeAmountCents).toBe(2500)
    for (const [wrong, code, field] of [
      [{ ...ask, targetBid: 4 }, 'invalid_target_bid', 'targetBid'],
      [{ ...ask, category: 'None' }, 'unknown_category', 'category'],
      [{ ...ask, destination: 'http://localhost/' }, 'invalid_destination', 'destination'],
    ] as const) {
      expect(await errorOf(client.quote(wrong))).toMatchObject({ kind: 'refused', status: 400, code, field })
    }
  })

  test('publishes, and recovers the receipt with the same journal, as long as there is one', async () => {
    const journalPath = newJournal()
    const first = await newClient(service.url, { journalPath }).publish(approved('published.com'))
    expect(first).toMatchObject({
      replayed: false,
      receipt: {
        status: 'published',
        productUrl: `${service.url}/product/published-com`,
        expiresAt: NOON + 60 * DAY_MS,
      },
    })
    expect(first.privateLink?.reveal()).toMatch(PRIVATE_PART)
    expect((await fetch(first.receipt.productUrl)).status).toBe(200)

    service.clock.now += 10 * DAY_MS
    const again = await newClient(service.url, { journalPath }).publish(approved('published.com'))
    expect(again).toEqual({ ...first, replayed: true, privateLink: expect.anything() })
    expect(again.privateLink?.reveal()).toBe(first.privateLink?.reveal())
    expect(service.sites.visits('published.com')).toBe(1)

    service.clock.now = NOON + 60 * DAY_MS
    const ended = await newClient(service.url, { journalPath }).publish(approved('published.com'))
    expect(ended.receipt).toMatchObject({ status: 'expired', requestId: first.receipt.requestId })
    expect(ended.privateLink).toBeUndefined()
    expect(credentialsIn(journalPath)).toHaveLength(1)
  })

  test('learns why review refused a page, and starts over once the page has changed', async () => {
    const journalPath = newJournal()
    const client = newClient(service.url, { journalPath })
    service.sites.set('empty.com', (_request, response) => sendHtml(response, '<!doctype html><html></html>'))
    const error = await errorOf(client.publish(approved('empty.com')))
    expect(error).toMatchObject({
      kind: 'refused',
      status: 422,
      code: 'review_rejected',
      reason: 'empty_page',
      keepCredentials: false,
    })
    service.sites.set('empty.com', goodPage)
    expect((await client.publish(approved('empty.com'))).replayed).toBe(false)
    expect(credentialsIn(journalPath)).toHaveLength(2)
  })

  test('learns that a destination is taken, and gets nothing of its owner’s', async () => {
    const owner = await newClient(service.url, { journalPath: newJournal() }).publish(approved('taken.com'))
    const journalPath = newJournal()
    for (const host of ['taken.com', 'www.taken.com']) {
      const error = await errorOf(newClient(service.url, { journalPath }).publish(approved(host)))
      expect(error).toMatchObject({ kind: 'refused', status: 409, code: 'destination_already_listed' })
      expect(JSON.stringify(error)).not.toContain(owner.receipt.requestId)
    }
  })

  test('retries automatically with the same credentials while review cannot tell', async () => {
    const journalPath = newJournal()
    service.sites.set('ill.com', (_request, response) => response.writeHead(500).end())
    const retries: PlacardError[] = []
    const controller = new AbortController()
    const onRetry = (error: PlacardError) => {
      retries.push(error)
      controller.abort()
    }
    // The service asks for a pause of half a minute; the caller does not wait for it.
    const client = newClient(service.url, { journalPath, waitBudgetMs: 60_000, onRetry })
    const error = await errorOf(client.publish(approved('ill.com'), { signal: controller.signal }))
    expect(retries).toMatchObject([{ kind: 'unknown', status: 503, code: 'review_unavailable', retryAfterSeconds: 30 }])
    expect(error).toMatchObject({ code: 'aborted', keepCredentials: true })
    service.sites.set('ill.com', goodPage)
    expect((await client.publish(approved('ill.com'))).receipt.status).toBe('published')
    expect(credentialsIn(journalPath)).toHaveLength(1)
  })

  test('keeps its credentials through a used quota, and succeeds with the same key the next day', async () => {
    const narrow = await startTestService({ env: { LIMIT_NEW_ATTEMPTS_PER_DAY_PER_IP: '1' } })
    const journalPath = newJournal()
    const client = newClient(narrow.url, { journalPath })
    await client.publish(approved('first.com'))
    const error = await errorOf(client.publish(approved('second.com')))
    expect(error).toMatchObject({
      kind: 'postponed',
      status: 429,
      code: 'quota_ip',
      retryAfterSeconds: 12 * 60 * 60,
      keepCredentials: true,
    })
    const before = credentialsIn(journalPath)
    expect(before).toHaveLength(2)
    narrow.clock.now = NOON + 12 * 60 * 60 * 1000
    const publication = await newClient(narrow.url, { journalPath }).publish(approved('second.com'))
    expect(publication).toMatchObject({ replayed: false, receipt: { status: 'published' } })
    expect(credentialsIn(journalPath)).toEqual(before)
    const store = await openStore(configFrom(narrow.database.env))
    const attempts = await store.db.selectFrom('attempt').select('idempotencyKey').execute()
    expect(attempts.map(each => each.idempotencyKey).sort()).toEqual(before.map(({ key }) => key).sort())
    await store.close()
    await narrow.stop()
  })

  test('in two processes at once makes one listing', async () => {
    const journalPath = newJournal()
    service.sites.set('both.com', (request, response) => void setTimeout(() => goodPage(request, response), 200))
    const both = await Promise.all(
      [1, 2].map(() => newClient(service.url, { journalPath, waitBudgetMs: 20_000 }).publish(approved('both.com'))),
    )
    expect(both.map(({ replayed }) => replayed).sort()).toEqual([false, true])
    expect(both[0]?.receipt).toEqual(both[1]?.receipt)
    expect(service.sites.visits('both.com')).toBe(1)
  })
})
