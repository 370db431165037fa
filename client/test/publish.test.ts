import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fileStore } from '../src/file-store/index.ts'
import { defaultJournalPath } from '../src/file-store/path.ts'
import {
  credentialsOf,
  errorOf,
  journalLines,
  newClient,
  newJournalPath,
  PRIVATE_LINK,
  PRIVATE_PART,
  RECEIPT,
  REQUEST,
} from './fixtures.ts'
import { hangUp, refuse, reply, startPeer } from './peer.ts'

const accept = reply(201, RECEIPT)

describe('a publish', () => {
  test('sends what the contract asks for, and gives the receipt', async () => {
    const peer = await startPeer(accept)
    const publication = await newClient(`${peer.url}/`).publish(REQUEST)
    const [arrival] = peer.arrivals
    expect(arrival).toMatchObject({ method: 'POST', path: '/api/v1/agent/listings' })
    expect(arrival?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-submission-secret': expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(arrival?.headers).not.toHaveProperty('origin')
    expect(arrival?.headers).not.toHaveProperty('sec-fetch-site')
    expect(JSON.parse(arrival?.body ?? '')).toEqual({
      destination: REQUEST.destination,
      category: REQUEST.category,
      approval: { scope: 'free_listing_publish', userApproved: true, rulesVersion: '2026-09-06' },
    })
    expect(publication).toMatchObject({ replayed: false, receipt: { productUrl: RECEIPT.productUrl } })
    expect(publication.privateLink?.reveal()).toBe(PRIVATE_LINK)
  })

  test('is on disk, for its owner only, before the request arrives', async () => {
    const journalPath = newJournalPath()
    let seen = {}
    const peer = await startPeer((response, arrival) => {
      const [line] = journalLines(journalPath)
      seen = { line, modes: [journalPath, dirname(journalPath)].map(path => statSync(path).mode & 0o777) }
      return accept(response, arrival)
    })
    await newClient(peer.url, { journalPath }).publish(REQUEST)
    const credentials = credentialsOf(peer.arrivals[0] ?? expect.fail('nothing arrived'))
    expect(seen).toEqual({
      line: {
        sum: expect.stringMatching(/^[0-9a-f]{16}$/),
        bytes: expect.any(Number),
        v: 2,
        type: 'submission',
        at: expect.any(String),
        service: peer.url,
        ...credentials,
        approval: { how: 'userApproved' },
      },
      modes: [0o600, 0o700],
    })
  })

  test('does not print its private link by accident, and keeps it in the journal alone', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(accept)
    const publication = await newClient(peer.url, { journalPath }).publish(REQUEST)
    const printed = [
      inspect(publication, { depth: 9, showHidden: true }),
      JSON.stringify(publication),
      `${publication.privateLink}`,
    ]
    expect(printed.join()).toContain('[private link]')
    expect(printed.join()).not.toContain(PRIVATE_PART)
    expect(journalLines(journalPath)[1]).toMatchObject({
      type: 'outcome',
      state: 'accepted',
      status: 201,
      receipt: { requestId: RECEIPT.requestId },
      privateLink: PRIVATE_LINK,
    })
    expect(JSON.stringify(journalLines(journalPath)[1]?.receipt)).not.toContain(PRIVATE_PART)
  })

  test('without an explicit yes sends and writes nothing', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(accept)
    const client = newClient(peer.url, { journalPath })
    const error = await errorOf(client.publish({ ...REQUEST, userApproved: false }))
    expect(error).toMatchObject({ kind: 'usage', code: 'approval_required' })
    expect(error.message).toContain('Ask the customer first')
    expect(() => statSync(journalPath)).toThrow()
    expect(peer.arrivals).toHaveLength(0)
  })
})

describe('a clear refusal', () => {
  const ending: [number, string, object][] = [
    [400, 'unknown_category', { field: 'category' }],
    [409, 'idempotency_conflict', {}],
    [409, 'destination_already_listed', {}],
    [413, 'body_too_large', {}],
    [415, 'unsupported_media_type', {}],
    [422, 'review_rejected', { reason: 'parked_domain' }],
    [422, 'review_rejected', { reason: 'a_reason_of_tomorrow' }],
  ]
  test.each(ending)('%i %s is not repeated, and the next publish has a new key', async (status, code, more) => {
    const peer = await startPeer(refuse(status, code, more), accept)
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    const error = await errorOf(client.publish(REQUEST))
    expect(error).toMatchObject({ kind: 'refused', status, code, keepCredentials: false, ...more })
    expect(peer.arrivals).toHaveLength(1)
    await client.publish(REQUEST)
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second?.key).not.toBe(first?.key)
    expect(second?.secret).not.toBe(first?.secret)
  })

  const waiting: [number, string][] = [
    [403, 'cross_origin_rejected'],
    [404, 'not_found'],
    [410, 'submissions_closed'],
  ]
  test.each(waiting)('%i %s is not repeated, and keeps the key', async (status, code) => {
    const peer = await startPeer(refuse(status, code), accept)
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    const error = await errorOf(client.publish(REQUEST))
    expect(error).toMatchObject({ kind: 'refused', status, code, keepCredentials: true })
    expect(peer.arrivals).toHaveLength(1)
    await client.publish(REQUEST)
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
  })

  test('that comes before the key is looked up does not end a request whose answer was lost', async () => {
    const peer = await startPeer(hangUp, refuse(415, 'unsupported_media_type'), reply(200, RECEIPT))
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    expect(await errorOf(client.publish(REQUEST))).toMatchObject({ status: 415, keepCredentials: true })
    expect(await client.publish(REQUEST)).toMatchObject({ replayed: true })
    expect(new Set(peer.arrivals.map(arrival => arrival.headers['idempotency-key'])).size).toBe(1)
  })

  test('does not undo an acceptance', async () => {
    const peer = await startPeer(accept, refuse(409, 'idempotency_conflict'), reply(200, RECEIPT))
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    await client.publish(REQUEST)
    expect(await errorOf(client.publish(REQUEST))).toMatchObject({ status: 409, keepCredentials: true })
    await client.publish(REQUEST)
    expect(new Set(peer.arrivals.map(arrival => arrival.headers['idempotency-key'])).size).toBe(1)
  })

  test('by redirect: the secret does not follow', async () => {
    const elsewhere = await startPeer(accept)
    const peer = await startPeer(response => {
      response.writeHead(307, { location: `${elsewhere.url}/api/v1/agent/listings` }).end()
    })
    const error = await errorOf(newClient(peer.url).publish(REQUEST))
    expect(error).toMatchObject({ kind: 'refused', code: 'redirected', status: 307, keepCredentials: true })
    expect(error.message).toContain(elsewhere.url)
    expect(elsewhere.arrivals).toHaveLength(0)
  })
})

describe('a publish that the journal knows', () => {
  test('gets its receipt again, even with another spelling of the destination', async () => {
    const peer = await startPeer(accept, reply(200, { ...RECEIPT, status: 'expired' }))
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    await client.publish(REQUEST)
    const again = await client.publish({
      ...REQUEST,
      destination: 'http://WWW.shop.example.org/about/?utm=1#top',
    })
    expect(again).toMatchObject({ replayed: true, receipt: { status: 'expired' } })
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
  })

  test('under another category is not sent a second time', async () => {
    const peer = await startPeer(accept)
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    await client.publish(REQUEST)
    const error = await errorOf(client.publish({ ...REQUEST, category: 'Games' }))
    expect(error).toMatchObject({ kind: 'usage', code: 'other_category', keepCredentials: true })
    expect(error.message).toContain('"Developer Tools"')
    expect(peer.arrivals).toHaveLength(1)
  })

  test('under another category may change it while the service accepts nothing', async () => {
    const peer = await startPeer(refuse(429, 'quota_ip', {}, { 'retry-after': '9999' }), accept)
    const client = newClient(peer.url, { journalPath: newJournalPath() })
    await errorOf(client.publish(REQUEST))
    await client.publish({ ...REQUEST, category: 'Games' })
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second?.key).not.toBe(first?.key)
  })

  test('has a key of its own for each destination and each service', async () => {
    const journalPath = newJournalPath()
    const peers = [await startPeer(accept), await startPeer(accept)]
    for (const { url } of peers) {
      const client = newClient(url, { journalPath })
      await client.publish(REQUEST)
      await client.publish({ ...REQUEST, destination: 'https://other.example.org' })
    }
    const keys = peers.flatMap(peer => peer.arrivals.map(arrival => arrival.headers['idempotency-key']))
    expect(new Set(keys).size).toBe(4)
  })

  test('sends one key however often it begins at once', async () => {
    const journalPath = newJournalPath()
    const peer = await startPeer(accept)
    await Promise.all(Array.from({ length: 12 }, () => newClient(peer.url, { journalPath }).publish(REQUEST)))
    expect(peer.arrivals).toHaveLength(12)
    expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
  })
})

test('the journal’s default place follows the environment', () => {
  expect(defaultJournalPath({ PLACARD_JOURNAL: '/a/j.jsonl', XDG_STATE_HOME: '/x' })).toBe('/a/j.jsonl')
  expect(defaultJournalPath({ XDG_STATE_HOME: '/x' })).toBe('/x/placard/journal.jsonl')
  expect(defaultJournalPath({ XDG_STATE_HOME: 'x' })).toBe(defaultJournalPath({}))
  expect(defaultJournalPath({})).toMatch(/\.local\/state\/placard\/journal\.jsonl$/)
})

test('without a home folder, no journal is begun in the folder where the command happens to run', () => {
  vi.stubEnv('HOME', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(() => defaultJournalPath({})).toThrow('There is no home folder for the journal.')
  expect(() => fileStore()).toThrow('There is no home folder for the journal.')
})
