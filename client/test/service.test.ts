import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { configFrom } from '../../server/src/config.ts'
import { openStore } from '../../server/src/storage/open.ts'
import { ENGINES, emptyDatabase } from '../../server/test/support/engines.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { run, startProcess } from '../../server/test/support/process.ts'
import { NOON, startTestService, type TestService } from '../../server/test/support/service.ts'
import { goodPage, sendHtml, startSites } from '../../server/test/support/sites.ts'
import { PlacardClient, type PlacardError } from '../src/index.ts'
import { errorOf, journalLines, newClient, newJournalPath } from './fixtures.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const CATEGORY = 'Food & Drink'
const PRIVATE_PART = /#owner=[\w-]{43}/

const approved = (host: string) => ({
  destination: `http://${host}/`,
  category: CATEGORY,
  userApproved: true,
})

/** Key and secret of each submission in a journal. */
const credentialsIn = (path: string) =>
  journalLines(path)
    .filter(({ type }) => type === 'submission')
    .map(({ key, secret }) => ({ key, secret }))

/** Runs the installed command as an agent does. */
async function placardAgent(...args: string[]) {
  const { ended, output } = run('client/dist/cli.js', args, {})
  return { code: await ended, output: output() }
}

let service: TestService
let journals: string[] = []
const newJournal = () => {
  const path = newJournalPath()
  journals.push(path)
  return path
}
beforeAll(async () => {
  service = await startTestService()
})
afterAll(async () => {
  await service.stop()
  for (const path of journals) rmSync(dirname(dirname(path)), { recursive: true, force: true })
  journals = []
})
beforeEach(() => {
  service.clock.now = NOON
})

describe('the client, on the real service,', () => {
  test('reads what it offers', async () => {
    const capabilities = await newClient(service.url, { journalPath: newJournal() }).capabilities()
    expect(capabilities).toEqual(await (await fetch(`${service.url}/api/v1/agent/capabilities`)).json())
    expect(capabilities.categories).toHaveLength(28)
  })

  test('asks a price, and is told why there is none', async () => {
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
    for (const [wrong, code, field] of [
      [{ ...ask, targetBid: 4 }, 'invalid_target_bid', 'targetBid'],
      [{ ...ask, category: 'None' }, 'unknown_category', 'category'],
      [{ ...ask, destination: 'http://localhost/' }, 'invalid_destination', 'destination'],
    ] as const) {
      expect(await errorOf(client.quote(wrong))).toMatchObject({ kind: 'refused', status: 400, code, field })
    }
  })

  test('publishes, and finds the receipt again with the same journal, for as long as there is one', async () => {
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
    expect(readFileSync(journalPath, 'utf8')).not.toMatch(PRIVATE_PART)
  })

  test('is told why review refused a page, and begins anew once the page is different', async () => {
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

  test('is told that a destination is taken, and gets nothing of its owner’s', async () => {
    const owner = await newClient(service.url, { journalPath: newJournal() }).publish(approved('taken.com'))
    const journalPath = newJournal()
    for (const host of ['taken.com', 'www.taken.com']) {
      const error = await errorOf(newClient(service.url, { journalPath }).publish(approved(host)))
      expect(error).toMatchObject({ kind: 'refused', status: 409, code: 'destination_already_listed' })
      expect(JSON.stringify(error)).not.toContain(owner.receipt.requestId)
    }
  })

  test('tries on by itself where review cannot tell yet, with the same credentials', async () => {
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
    expect(retries).toMatchObject([
      { kind: 'unknown', status: 503, code: 'review_unavailable', retryAfterSeconds: 30 },
    ])
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
    service.sites.set(
      'both.com',
      (request, response) => void setTimeout(() => goodPage(request, response), 200),
    )
    const both = await Promise.all(
      [1, 2].map(() =>
        newClient(service.url, { journalPath, waitBudgetMs: 20_000 }).publish(approved('both.com')),
      ),
    )
    expect(both.map(({ replayed }) => replayed).sort()).toEqual([false, true])
    expect(both[0]?.receipt).toEqual(both[1]?.receipt)
    expect(service.sites.visits('both.com')).toBe(1)
  })
})

describe('the command, on the real service,', { tags: ['programs'] }, () => {
  const common = () => ['--service', service.url]

  test('shows what it offers', async () => {
    const { code, output } = await placardAgent('capabilities', ...common())
    expect(code).toBe(0)
    expect(output).toContain('Categories (28)')
    expect(output).toMatch(/^Contract +2026-09-06$/m)
  })

  test('shows a price and who must confirm it', async () => {
    const args = ['quote', 'https://bakery.com/', '--category', CATEGORY, '--board', 'today', '--target', '5']
    const { code, output } = await placardAgent(...args, ...common())
    expect(code).toBe(0)
    expect(output).toContain('5.00 USD would bring https://bakery.com/ to 5.00 USD on the board "today".')
    expect(output).toContain(`${service.url}/promote?destination=https%3A%2F%2Fbakery.com%2F`)
  })

  test('publishes, repeats, and shows the private link only where it is asked to', async () => {
    const journal = newJournal()
    const args = [
      'publish',
      'http://command.com/',
      '--category',
      CATEGORY,
      '--user-approved',
      '--journal',
      journal,
    ]
    const first = await placardAgent(...args, ...common())
    expect(first).toEqual({ code: 0, output: expect.stringMatching(/^Published\.\n/) })
    expect(first.output).toContain(`${service.url}/product/command-com`)
    const again = await placardAgent(...args, ...common())
    expect(again).toEqual({ code: 0, output: first.output.replace('Published.', 'Published earlier.') })
    expect(first.output).not.toMatch(PRIVATE_PART)

    const shown = await placardAgent(...args, ...common(), '--show-private-link', '--json')
    const { ownership } = JSON.parse(shown.output)
    expect(ownership.privateRecoveryUrl).toMatch(PRIVATE_PART)
    // The link works: its token opens a visit.
    const [page, token] = ownership.privateRecoveryUrl.split('#owner=')
    const opened = await fetch(`${page}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    })
    expect(opened.status).toBe(204)
    for (const { secret = '' } of credentialsIn(journal)) {
      expect(first.output + again.output + shown.output).not.toContain(secret)
    }
  })

  test('says why it was refused and exits 1', async () => {
    const publish = (host: string) =>
      placardAgent(
        ...[
          'publish',
          `http://${host}/`,
          '--category',
          CATEGORY,
          '--user-approved',
          '--journal',
          newJournal(),
        ],
        ...common(),
      )
    await publish('owned.com')
    const taken = await publish('owned.com')
    expect(taken).toEqual({ code: 1, output: expect.stringContaining('409 destination_already_listed') })
    service.sites.set('missing.com', (_request, response) => response.writeHead(404).end())
    const missing = await publish('missing.com')
    expect(missing).toEqual({ code: 1, output: expect.stringContaining('422 review_rejected not_found') })
    expect(missing.output).toContain('publish again')
  })
})

describe.each(ENGINES)('a service on %s that is killed half-way', { tags: ['programs'] }, engine => {
  test('gives the client, which is still trying, its receipt once it is up again: one listing, one key', async () => {
    const database = await emptyDatabase(engine)
    const sites = await startSites()
    sites.set('killed.com', () => {})
    const port = String(await freePort())
    const env = { ...database.env, FETCH_CONNECT_TO: sites.connectTo, PORT: port }
    const dying = await startProcess(env)
    const journalPath = newJournal()
    const retries: PlacardError[] = []
    const client = new PlacardClient({
      service: `http://127.0.0.1:${port}`,
      journalPath,
      waitBudgetMs: 60_000,
      firstBackoffMs: 50,
      onRetry: error => retries.push(error),
    })
    const publishing = client.publish(approved('killed.com'))
    await expect.poll(() => sites.visits('killed.com'), { timeout: 10_000 }).toBe(1)
    await dying.end('SIGKILL')
    // It knocks at a closed door for a while.
    await expect.poll(() => retries.length, { timeout: 10_000 }).toBeGreaterThan(1)
    expect(retries[0]).toMatchObject({ kind: 'unknown', code: 'network_error' })
    expect(retries[1]).toMatchObject({ kind: 'postponed', code: 'network_error' })

    sites.set('killed.com', goodPage)
    const store = await openStore(configFrom(database.env))
    // The lease of the dead process ends: here at once, in life after half a minute.
    await store.db.updateTable('attempt').set({ leaseUntil: 0 }).execute()
    const service = await startProcess(env)
    const { receipt, privateLink } = await publishing
    expect(receipt.status).toBe('published')
    expect((await fetch(receipt.productUrl)).status).toBe(200)

    const [submission, ...more] = credentialsIn(journalPath)
    expect(more).toEqual([])
    const attempts = await store.db
      .selectFrom('attempt')
      .select(['idempotencyKey', 'requestId', 'state'])
      .execute()
    expect(attempts).toEqual([
      { idempotencyKey: submission?.key, requestId: receipt.requestId, state: 'published' },
    ])
    expect(await store.db.selectFrom('listing').select('slug').execute()).toEqual([{ slug: 'killed-com' }])
    const again = await client.publish(approved('killed.com'))
    expect(again).toMatchObject({ replayed: true, receipt })
    expect(again.privateLink?.reveal()).toBe(privateLink?.reveal())
    await store.close()
    expect(await service.end('SIGTERM')).toBe(0)
    await sites.close()
    await database.remove()
  })
})
