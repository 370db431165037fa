import { expect, test } from 'vitest'
import { PlacardClient } from '../src/client.ts'
import { CATEGORY, DESTINATION, errorOf, newClient } from './fixtures.ts'
import { answer, hangUp, refuse, reply, startPeer } from './peer.ts'
import { CAPABILITIES, QUOTE } from './replies.ts'

const WANTED = { destination: DESTINATION, category: CATEGORY, board: 'all', targetBid: 25 } as const

test('capabilities gives what the service says', async () => {
  const peer = await startPeer(reply(200, CAPABILITIES))
  expect(await newClient(peer.url).capabilities()).toEqual(CAPABILITIES)
  expect(peer.arrivals[0]).toMatchObject({ method: 'GET', path: '/api/v1/agent/capabilities', body: '' })
})

test('quote sends exactly the documented fields, and no secret', async () => {
  const peer = await startPeer(reply(200, QUOTE))
  expect(await newClient(peer.url).quote({ ...WANTED, ...{ note: 'not sent' } })).toEqual(QUOTE)
  const [arrival] = peer.arrivals
  expect(arrival).toMatchObject({ method: 'POST', path: '/api/v1/agent/quote' })
  expect(JSON.parse(arrival?.body ?? '')).toEqual(WANTED)
  expect(arrival?.headers).not.toHaveProperty('x-submission-secret')
})

test('half a character in a name is asked for, and not found', async () => {
  const peer = await startPeer(refuse(404, 'not_found'))
  const client = newClient(peer.url)
  const half = '\ud83d'
  for (const read of [
    () => client.listing(half),
    () => client.approval(half),
    () => client.draw(half),
    () => client.boardPage(half),
    () => client.drawCandidates(half, 1),
  ]) {
    expect(await errorOf(read())).toMatchObject({ kind: 'refused', code: 'not_found' })
  }
  expect(peer.arrivals).toHaveLength(5)
})

test('reading is repeated after a temporary failure', async () => {
  const peer = await startPeer(hangUp, refuse(503, 'payment_evidence_unavailable'), reply(200, QUOTE))
  expect(await newClient(peer.url).quote(WANTED)).toEqual(QUOTE)
})

test('a quote is not repeated where nothing is for sale', async () => {
  const peer = await startPeer(refuse(503, 'payment_evidence_unavailable', { reason: 'payments_off' }))
  const error = await errorOf(newClient(peer.url).quote(WANTED))
  expect(error).toMatchObject({ kind: 'refused', status: 503, reason: 'payments_off' })
  expect(error.message).toMatch(/Tell the customer that no place is for sale here\.$/)
  expect(peer.arrivals).toHaveLength(1)
})

test('reading gives up with the time to try again', async () => {
  const peer = await startPeer(refuse(503, 'payment_evidence_unavailable', {}, { 'retry-after': '600' }))
  const error = await errorOf(newClient(peer.url, { waitBudgetMs: 700_000 }).quote(WANTED))
  expect(error).toMatchObject({ status: 503, retryAfterSeconds: 600, keepCredentials: false })
  expect(error.message).toMatch(/Try again after .* UTC\.$/)
})

test('a refused quote names the field', async () => {
  const peer = await startPeer(refuse(400, 'invalid_target_bid', { field: 'targetBid' }))
  const error = await errorOf(newClient(peer.url).quote(WANTED))
  expect(error).toMatchObject({
    kind: 'refused',
    status: 400,
    code: 'invalid_target_bid',
    field: 'targetBid',
  })
  expect(peer.arrivals).toHaveLength(1)
})

test.each([
  ['kind', { ...QUOTE, kind: 'order' }],
  ['chargeAmountCents', { ...QUOTE, chargeAmountCents: 99 }],
  ['expiresAt', { ...QUOTE, expiresAt: 'soon' }],
  ['handoffUrl', { ...QUOTE, handoffUrl: 'javascript:alert(1)' }],
  ['the body', null],
])('a quote that breaks the contract at %s is no quote', async (path, body) => {
  const peer = await startPeer(reply(200, body))
  const error = await errorOf(newClient(peer.url, { waitBudgetMs: 0 }).quote(WANTED))
  expect(error).toMatchObject({ kind: 'unknown', code: 'invalid_response', status: 200 })
  expect(error.message).toContain(`at ${path}.`)
})

test('capabilities that break the contract deep inside say where', async () => {
  const peer = await startPeer(reply(200, { ...CAPABILITIES, categories: [{ id: 'Games', label: 1 }] }))
  const error = await errorOf(newClient(peer.url, { waitBudgetMs: 0 }).capabilities())
  expect(error.message).toContain('at categories[0].label.')
})

test('a wrong address that answers with a page gives a clear error', async () => {
  const peer = await startPeer(answer(404, 'text/html', '<h1>Not found</h1>'))
  const error = await errorOf(newClient(peer.url, { waitBudgetMs: 0 }).capabilities())
  expect(error).toMatchObject({ code: 'invalid_response', status: 404 })
  expect(error.message).toContain('text/html, not JSON')
})

test('an unreachable service gives a clear error', async () => {
  const peer = await startPeer(hangUp)
  await peer.stop()
  const error = await errorOf(newClient(peer.url, { waitBudgetMs: 0 }).capabilities())
  expect(error).toMatchObject({ kind: 'postponed', code: 'network_error' })
  expect(error.message).toContain('ECONNREFUSED')
})

test('a service on a port that no client asks is certainly not reached', async () => {
  const error = await errorOf(newClient('http://127.0.0.1:1', { waitBudgetMs: 0 }).capabilities())
  expect(error).toMatchObject({ kind: 'postponed', code: 'network_error' })
  expect(error.error).toContain('(bad port)')
})

test.each([
  'http://placard.example.org',
  'http://127.0.0.1.example.org',
  'ftp://placard.example.org',
  'placard.example.org',
  'https://user:pass@placard.example.org',
  'https://placard.example.org/?a=1',
  '',
])('the service address %j is refused', service => {
  expect(() => new PlacardClient({ service })).toThrow(
    expect.objectContaining({ kind: 'usage', code: 'invalid_service_address' }),
  )
})

test.each([
  'https://placard.example.org/base/',
  'http://localhost:8080',
  'http://127.0.0.1:8080/',
  'http://[::1]:8080',
])('the service address %j is accepted', service => {
  expect(() => new PlacardClient({ service })).not.toThrow()
})
