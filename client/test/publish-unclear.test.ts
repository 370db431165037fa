import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type KeyAndCertificate, makeAuthority, selfSigned } from '../../server/test/support/certificates.ts'
import {
  acceptOneKey,
  credentialsOf,
  errorOf,
  newClient,
  newJournalPath,
  PRIVATE_LINK,
  PRIVATE_PART,
  RECEIPT,
  REQUEST,
} from './fixtures.ts'
import { answer, hangUp, hangUpHalfway, refuse, reply, type Step, startPeer, stayMute } from './peer.ts'

const accept = reply(201, RECEIPT)

describe('an answer that leaves the result open', () => {
  const unclear: [string, Step][] = [
    ['a closed connection', hangUp],
    ['half an answer', hangUpHalfway],
    ['no answer in time', stayMute],
    ['500', refuse(500, 'internal_error')],
    ['503', refuse(503, 'publication_unconfirmed')],
    ['503 with Retry-After', refuse(503, 'review_unavailable', {}, { 'retry-after': '1' })],
    ['503 with the wait in its body alone', refuse(503, 'review_unavailable', { retryAfterSeconds: 1 })],
    ['429 with a date that has passed', refuse(429, 'rate_limited', {}, { 'retry-after': new Date(0).toUTCString() })],
    ['a page from a proxy', answer(502, 'text/html', '<h1>Bad gateway</h1>')],
    ['a login page from a proxy', answer(200, 'text/html', '<h1>Log in</h1>')],
    ['a proxy’s own refusal', reply(403, { message: 'Forbidden' })],
    ['text that is no JSON', answer(201, 'application/json', `{"privateRecoveryUrl":"${PRIVATE_LINK}",`)],
    ['a receipt without its fields', reply(201, { requestId: 'x' })],
    ['a receipt that reports a charge', reply(201, { ...RECEIPT, chargeCreated: true })],
    ['a receipt that is a list', reply(201, [RECEIPT])],
    ['nothing at all', answer(204, 'application/json', '')],
    ['a status of its own', reply(202, RECEIPT)],
    ['a flood', answer(201, 'application/json', `"${'x'.repeat(2 * 1024 * 1024)}"`)],
  ]
  test.each(unclear)('is repeated to the byte: %s', async (_name, step) => {
    const peer = await startPeer(step, accept)
    const retried: string[] = []
    const client = newClient(peer.url, {
      // The second answer needs to arrive in that time, too.
      ...(step === stayMute && { requestTimeoutMs: 2000 }),
      onRetry: error => retried.push(inspect(error) + JSON.stringify(error)),
    })
    await client.publish(REQUEST)
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
    expect(retried).toHaveLength(1)
    expect(retried[0]).not.toContain(PRIVATE_PART)
    expect(retried[0]).not.toContain(first?.secret)
  })

  test('gives up if the service asks for a longer wait than the budget, and says when to return', async () => {
    const journalPath = newJournalPath()
    const date = new Date('2026-09-06T22:00:00Z').toUTCString()
    const midnight = new Date('2026-09-07T00:00:00Z').toUTCString()
    const peer = await startPeer(refuse(429, 'quota_ip', {}, { date, 'retry-after': midnight }), accept)
    const client = newClient(peer.url, { journalPath })
    const error = await errorOf(client.publish(REQUEST))
    expect(error).toMatchObject({
      kind: 'postponed',
      status: 429,
      code: 'quota_ip',
      retryAfterSeconds: 7200,
      keepCredentials: true,
    })
    expect(error.message).toMatch(/Repeat the same publish after \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(error.message).toContain(journalPath)
    await client.publish(REQUEST)
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
  })

  test('gives up once the budget is spent, and the next call resumes it', async () => {
    const peer = await startPeer(hangUp, hangUp, accept)
    const options = { journalPath: newJournalPath(), waitBudgetMs: 0 }
    for (const _ of [1, 2]) {
      const error = await errorOf(newClient(peer.url, options).publish(REQUEST))
      expect(error).toMatchObject({ kind: 'unknown', code: 'network_error', keepCredentials: true })
    }
    await newClient(peer.url, options).publish(REQUEST)
    expect(new Set(peer.arrivals.map(arrival => JSON.stringify(credentialsOf(arrival)))).size).toBe(1)
  })

  test('names the port if it does not speak https', async () => {
    const peer = await startPeer(accept)
    const client = newClient(peer.url.replace('http:', 'https:'), { waitBudgetMs: 0 })
    const error = await errorOf(client.publish(REQUEST))
    expect(error).toMatchObject({ kind: 'unknown', code: 'network_error', keepCredentials: true })
    expect(error.error).toMatch(/^No secure connection to the service \(ERR_SSL_\w+\)\. .+ its port speak https\?$/)
  })

  test('ends with the caller’s signal, and the next call resumes it', async () => {
    const journalPath = newJournalPath()
    const stop = new AbortController()
    const peer = await startPeer(() => stop.abort(), accept)
    const client = newClient(peer.url, { journalPath })
    const error = await errorOf(client.publish(REQUEST, { signal: stop.signal }))
    expect(error).toMatchObject({ kind: 'unknown', code: 'aborted', keepCredentials: true })
    await client.publish(REQUEST)
    const [first, second] = peer.arrivals.map(credentialsOf)
    expect(second).toEqual(first)
  })

  test('ends with the caller’s signal while waiting', async () => {
    const stop = new AbortController()
    const peer = await startPeer(refuse(503, 'review_unavailable', {}, { 'retry-after': '60' }))
    const client = newClient(peer.url, { waitBudgetMs: 120_000, onRetry: () => stop.abort() })
    const error = await errorOf(client.publish(REQUEST, { signal: stop.signal }))
    expect(error).toMatchObject({ code: 'aborted', keepCredentials: true })
    expect(peer.arrivals).toHaveLength(1)
  })
})

describe('a connection that never carried a request', () => {
  const untrusted: [string, string, (name: string) => Promise<KeyAndCertificate>][] = [
    ['a self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
    ['an unknown authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', async name => (await makeAuthority()).issue(name)],
  ]
  test.each(untrusted)('postpones the publish, and says what to do: %s', async (_name, code, certificate) => {
    const arrived: unknown[] = []
    const server = createServer(await certificate('localhost'), request => arrived.push(request.url))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const client = newClient(`https://127.0.0.1:${port}`, { waitBudgetMs: 0 })
    const error = await errorOf(client.publish(REQUEST))
    expect(error).toMatchObject({ kind: 'postponed', code: 'network_error', keepCredentials: true })
    expect(error.error).toContain(`(${code}), so nothing was sent. Check its address.`)
    // Certainly nothing was accepted, so another category may replace it.
    const other = await errorOf(client.publish({ ...REQUEST, category: 'Games' }))
    expect(other.code).toBe('network_error')
    expect(arrived).toEqual([])
  })

  test('finds the listing of a submission that it replaced, if a kill hid that it was accepted', async () => {
    const journalPath = newJournalPath()
    const accepts = acceptOneKey()
    const peer = await startPeer(refuse(429, 'quota_ip'), accepts)
    const client = newClient(peer.url, { journalPath, waitBudgetMs: 0 })
    await errorOf(client.publish(REQUEST))
    const beforeKill = readFileSync(journalPath)
    await client.publish(REQUEST)
    writeFileSync(journalPath, beforeKill)
    // The journal says that the first one was certainly not accepted.
    const error = await errorOf(client.publish({ ...REQUEST, category: 'Games' }))
    expect(error).toMatchObject({ kind: 'usage', code: 'other_category', keepCredentials: true })
    expect(await client.list()).toMatchObject([
      { state: 'accepted', category: REQUEST.category, receipt: { productUrl: RECEIPT.productUrl } },
    ])
  })

  test('postpones the publish if the network has no way to the service', async () => {
    // The address of every machine of a network, to which no system connects.
    const error = await errorOf(newClient('https://255.255.255.255', { waitBudgetMs: 0 }).publish(REQUEST))
    expect(error).toMatchObject({ kind: 'postponed', code: 'network_error' })
    expect(error.error).toContain('The service could not be reached (')
  })
})
