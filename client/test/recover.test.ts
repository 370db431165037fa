import { describe, expect, test, vi } from 'vitest'
import { PlacardClient } from '../src/client.ts'
import { memoryStore } from '../src/submissions/store.ts'
import {
  credentialsOf,
  errorOf,
  newClient,
  newJournalPath,
  PRIVATE_LINK,
  PRIVATE_PART,
  RECEIPT,
  REQUEST,
  runHere,
} from './fixtures.ts'
import { hangUp, refuse, reply, startPeer } from './peer.ts'
import { CAPABILITIES, CHECK } from './replies.ts'

const accept = reply(201, RECEIPT)
const replayed = reply(200, { ...RECEIPT, status: 'expired', expiresAt: 0 })
const OTHER = { ...REQUEST, destination: 'https://other.example.org/' }

describe('the status of a submission', () => {
  test.each([
    REQUEST.destination,
    'shop.example.org/about',
    'http://WWW.shop.example.org//about/index.html?utm=1#top',
    'https://shop.example.org/%61bout/',
    'shop.example.org',
    'www.shop.example.org',
    'https://shop.example.org/elsewhere',
    undefined,
  ])('is found by %j, without its category, and sends the same key', async spelling => {
    const journalPath = newJournalPath()
    const peer = await startPeer(accept, replayed)
    const client = newClient(peer.url, { journalPath })
    await client.publish(REQUEST)
    const found = await newClient(peer.url, { journalPath }).status(spelling)
    expect(found).toMatchObject({
      service: peer.url,
      destination: REQUEST.destination,
      category: REQUEST.category,
      state: 'accepted',
      approval: { how: 'userApproved' },
      receipt: { status: 'expired' },
    })
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
  })

  test('whose answer was lost is asked for and finished', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(hangUp, reply(200, RECEIPT))
    await errorOf(newClient(peer.url, { journalPath, waitBudgetMs: 0 }).publish(REQUEST))
    const found = await newClient(peer.url, { journalPath }).status()
    expect(found).toMatchObject({ state: 'accepted', receipt: { status: 'published' } })
    expect(found.privateLink?.reveal()).toBe(PRIVATE_LINK)
    expect(JSON.stringify(found)).not.toContain(PRIVATE_PART)
    expect(new Set(peer.arrivals.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test.each([
    ['postponed', refuse(429, 'quota_ip', {}, { 'retry-after': '9999' }), 'quota_ip'],
    ['refused', refuse(422, 'review_rejected'), 'review_rejected'],
  ])('that is %s is known without a request', async (state, step, code) => {
    const journalPath = newJournalPath()
    const peer = await startPeer(step)
    const client = newClient(peer.url, { journalPath })
    await errorOf(client.publish(REQUEST))
    expect(await client.status()).toMatchObject({ state, code })
    expect(peer.arrivals).toHaveLength(1)
  })

  test('that changed is known after the clock was set back', async () => {
    const peer = await startPeer(accept, replayed)
    const client = newClient(peer.url)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 0, 1) })
    await client.publish(REQUEST).finally(() => vi.useRealTimers())
    expect(await client.status()).toMatchObject({ receipt: { status: 'expired' } })
    expect(await client.list()).toMatchObject([{ receipt: { status: 'expired' } }])
  })

  test('that does not exist is not invented', async () => {
    const peer = await startPeer(accept)
    const client = newClient(peer.url)
    expect(await errorOf(client.status())).toMatchObject({ kind: 'usage', code: 'unknown_submission' })
    await client.publish(REQUEST)
    await client.publish(OTHER)
    expect(await errorOf(client.status('third.example.org'))).toMatchObject({ code: 'unknown_submission' })
    const which = await errorOf(client.status())
    expect(which.code).toBe('which_submission')
    expect(which.message).toContain(OTHER.destination)
    expect(which.whatNext).toBe('Name the whole address.')
    expect(peer.arrivals).toHaveLength(2)
  })
})

test('list shows each destination once, as last heard, and sends nothing', async () => {
  const journalPath = newJournalPath()
  const peer = await startPeer(
    refuse(422, 'review_rejected'),
    accept,
    refuse(429, 'quota_ip', {}, { 'retry-after': '9999' }),
  )
  const client = newClient(peer.url, { journalPath })
  await errorOf(client.publish(REQUEST))
  await client.publish(REQUEST)
  await errorOf(client.publish(OTHER))
  expect(await client.list()).toMatchObject([
    { destination: REQUEST.destination, state: 'accepted', receipt: { productUrl: RECEIPT.productUrl } },
    { destination: OTHER.destination, state: 'postponed', code: 'quota_ip' },
  ])
  expect(await newClient('https://elsewhere.example.org', { journalPath }).list()).toEqual([])
  expect(peer.arrivals).toHaveLength(3)
})

test('resume finishes what is unfinished, with the keys it had, and leaves the rest', async () => {
  const journalPath = newJournalPath()
  const later = refuse(429, 'quota_ip', {}, { 'retry-after': '9999' })
  const third = { ...REQUEST, destination: 'https://third.example.org/' }
  const peer = await startPeer(hangUp, later, accept, reply(200, RECEIPT), later)
  const client = newClient(peer.url, { journalPath, waitBudgetMs: 0 })
  for (const request of [REQUEST, OTHER]) await errorOf(client.publish(request))
  await client.publish(third)
  const results = await client.resume()
  expect(results).toMatchObject([
    { destination: REQUEST.destination, publication: { replayed: true } },
    { destination: OTHER.destination, error: { kind: 'postponed', code: 'quota_ip' } },
  ])
  const keys = peer.arrivals.map(({ headers }) => headers['idempotency-key'])
  expect(keys.slice(3)).toEqual(keys.slice(0, 2))
})

test('a submission that waits in another category is replaced, and not resumed', async () => {
  const journalPath = newJournalPath()
  const later = refuse(429, 'quota_ip', {}, { 'retry-after': '9999' })
  const peer = await startPeer(later, later, accept)
  const client = newClient(peer.url, { journalPath })
  await errorOf(client.publish(REQUEST))
  await errorOf(client.publish({ ...REQUEST, category: 'Games' }))
  expect(await client.resume()).toMatchObject([{ category: 'Games', publication: { replayed: false } }])
  expect(await client.resume()).toEqual([])
  expect(peer.arrivals).toHaveLength(3)
})

test('a submission that was replaced stays so, also when its successor is refused', async () => {
  const journalPath = newJournalPath()
  const later = refuse(429, 'quota_ip', {}, { 'retry-after': '9999' })
  const peer = await startPeer(later, refuse(422, 'review_rejected'))
  const client = newClient(peer.url, { journalPath })
  await errorOf(client.publish(REQUEST))
  await errorOf(client.publish({ ...REQUEST, category: 'Games' }))
  expect(await client.resume()).toEqual([])
  expect(await client.list()).toMatchObject([{ category: 'Games', state: 'refused' }])
  expect(peer.arrivals).toHaveLength(2)
})

test('what keeps submissions in memory recovers them as long as it lives', async () => {
  const peer = await startPeer(hangUp, reply(200, RECEIPT))
  const store = memoryStore()
  const client = () => new PlacardClient({ service: peer.url, store, waitBudgetMs: 0 })
  expect((await errorOf(client().publish(REQUEST))).message).toMatch(/ are saved in memory\.$/)
  expect(await client().publish(REQUEST)).toMatchObject({ replayed: true })
  expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
})

describe('the command', () => {
  const common = (service: string, journal: string) => ['--service', service, '--journal', journal]
  const wanted = [REQUEST.destination, '--category', REQUEST.category, '--user-approved']
  const publish = (service: string, journal: string) => runHere(['publish', ...wanted, ...common(service, journal)])

  test('knows the service of a submission, and shows no secret', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(accept, reply(200, RECEIPT))
    await publish(peer.url, journal)
    for (const flags of [[], ['--json']]) {
      for (const command of ['status', 'list', 'resume']) {
        const { code, stdout, stderr } = await runHere([command, '--journal', journal, ...flags])
        expect([command, code]).toEqual([command, 0])
        expect(stdout + stderr).not.toMatch(/#owner=|[0-9a-f]{64}/)
        if (command !== 'resume') expect(stdout).toContain(RECEIPT.productUrl)
        if (flags.length > 0) JSON.parse(stdout)
        else if (command === 'status') expect(stderr).toMatch(/^Next: placard-agent link /m)
        else expect(stderr).toBe('')
      }
    }
  })

  test('shows the private link to a person at a terminal, or where it is asked for', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(accept, reply(200, RECEIPT))
    await publish(peer.url, journal)
    const refused = await runHere(['link', '--journal', journal])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    // It names no other command: one without the journal, or without npx, would not work.
    expect(refused.stderr).toMatch(/\(not_a_terminal\)\nLet the customer run this in a terminal\. [^:]*\n$/)
    expect((await runHere(['link', 'shop.example.org', '--journal', journal], { terminal: true })).stdout).toContain(
      PRIVATE_LINK,
    )
    const asked = await runHere(['link', '--show-secret-link', '--json', '--journal', journal])
    expect(JSON.parse(asked.stdout)).toMatchObject({ privateLink: PRIVATE_LINK })
  })

  test('shows the private link that the journal keeps when the service cannot be reached', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(accept)
    await publish(peer.url, journal)
    await peer.stop()
    const { code, stdout } = await runHere(['link', '--journal', journal, '--wait', '0'], { terminal: true })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(PRIVATE_LINK) })
  })

  test('gives programs the same from publish and resume, and the receipt as before', async () => {
    const journal = newJournalPath()
    const peer = await startPeer(hangUp, reply(200, RECEIPT))
    const lost = await runHere(['publish', ...wanted, ...common(peer.url, journal), '--wait', '0', '--json'])
    expect([lost.code, lost.stdout]).toEqual([3, ''])
    const [resumed] = JSON.parse((await runHere(['resume', '--journal', journal, '--json'])).stdout)
    const { receipt } = resumed
    expect(resumed).toEqual({ destination: REQUEST.destination, category: REQUEST.category, receipt, replayed: true })
    const again = await runHere(['publish', ...wanted, ...common(peer.url, journal), '--json'])
    expect(JSON.parse(again.stdout)).toEqual({ ...receipt, receipt, replayed: true })
  })

  test.each([
    ['a listing', accept],
    ['an ended listing', reply(200, { ...RECEIPT, status: 'expired' })],
    ['a refused page', refuse(422, 'review_rejected')],
    ['a page that is listed already', refuse(409, 'destination_already_listed')],
    ['closed submissions', refuse(410, 'submissions_closed')],
    ['a wrong address of the service', refuse(404, 'not_found')],
    ['a missing approval', undefined],
  ])('names next commands that end, after %s', async (_name, step) => {
    const peer = await startPeer((response, arrival) => {
      const { path } = arrival
      const isCheck = path.endsWith('/check')
      const other = isCheck ? { ...CHECK, wouldPublish: false } : path.endsWith('/capabilities') && CAPABILITIES
      return (other ? reply(200, other) : (step ?? accept))(response, arrival)
    })
    const ran: string[] = []
    let words = ['publish', ...wanted.slice(0, step ? undefined : -1), ...common(peer.url, newJournalPath())]
    for (;;) {
      expect(ran).not.toContain(words.join(' '))
      ran.push(words.join(' '))
      const { stderr } = await runHere(words)
      const next = /^Next: placard-agent (.*)$/m.exec(stderr)?.[1]
      if (next === undefined) break
      words = [...next.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
    }
    expect(ran.length).toBeLessThan(6)
  })

  test('has no private link of a listing that has ended', async () => {
    const journal = newJournalPath()
    const { ownership, ...rest } = RECEIPT
    const { privateRecoveryUrl: _, ...without } = ownership
    const peer = await startPeer(accept, reply(200, { ...rest, ownership: without, status: 'expired' }))
    await publish(peer.url, journal)
    const { code, stderr } = await runHere(['link', '--journal', journal], { terminal: true })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('it is expired. (no_link)') })
  })
})
