import { EXAMPLES } from '@placard/contract'
import { expect, test } from 'vitest'
import { errorOf, newClient } from './fixtures.ts'
import { refuse, reply, startPeer } from './peer.ts'

test('listings sends the filters, and gives listings and tombstones', async () => {
  const peer = await startPeer(reply(200, EXAMPLES.listings), reply(200, EXAMPLES.listings))
  const client = newClient(peer.url)
  expect(await client.listings()).toEqual(EXAMPLES.listings)
  const query = { category: 'Food & Drink', language: 'pt', ownerVerified: true, updatedSince: 5, cursor: 'u1-2-3' }
  await client.listings({ ...query, limit: 7 })
  expect(peer.arrivals.map(({ path }) => path)).toEqual([
    '/api/v1/listings',
    '/api/v1/listings?category=Food+%26+Drink&language=pt&updatedSince=5&cursor=u1-2-3&limit=7&verified=true',
  ])
})

test('listing gives one by its name, or its tombstone', async () => {
  const tombstone = { id: 41, status: 'unavailable', since: 5 }
  const peer = await startPeer(reply(200, EXAMPLES.listing.example), reply(200, tombstone))
  const client = newClient(peer.url)
  expect(await client.listing('your-customer-example')).toEqual(EXAMPLES.listing.example)
  expect(await client.listing('a/b')).toEqual(tombstone)
  expect(peer.arrivals.map(({ path }) => path)).toEqual([
    '/api/v1/listings/your-customer-example',
    '/api/v1/listings/a%2Fb',
  ])
})

test('search sends the words, and a refusal says what is wrong', async () => {
  const peer = await startPeer(reply(200, EXAMPLES.search.example), refuse(400, 'invalid_body', { field: 'q' }))
  const client = newClient(peer.url)
  expect(await client.search({ query: 'rye bread', sort: 'newest' })).toEqual(EXAMPLES.search.example)
  expect(peer.arrivals[0]?.path).toBe('/api/v1/search?sort=newest&q=rye+bread')
  expect(await errorOf(client.search({ query: '' }))).toMatchObject({ code: 'invalid_body', field: 'q' })
  expect(await errorOf(client.search(undefined as never))).toMatchObject({ kind: 'usage', code: 'invalid_option' })
})

test('a listing that breaks the contract is none', async () => {
  const wrong = { ...EXAMPLES.listings, listings: [{ ...EXAMPLES.listing.example, url: 'javascript:alert(1)' }] }
  const peer = await startPeer(reply(200, wrong))
  const error = await errorOf(newClient(peer.url, { waitBudgetMs: 0 }).listings())
  expect(error.message).toContain('at listings[0].url.')
})

test('boardPage gives a page of each kind of board', async () => {
  const page = { day: null, entries: [], nextCursor: null }
  const peer = await startPeer(...Array.from({ length: 4 }, () => reply(200, page)))
  const client = newClient(peer.url)
  for (const board of ['all', 'today', '2026-11-22']) await client.boardPage(board)
  expect(await client.boardPage('Food & Drink', 'b1')).toEqual(page)
  expect(peer.arrivals.map(({ path }) => path)).toEqual([
    '/api/v1/boards/all?limit=100',
    '/api/v1/boards/today?limit=100',
    '/api/v1/boards/days/2026-11-22?limit=100',
    '/api/v1/boards/categories/Food%20%26%20Drink?limit=100&cursor=b1',
  ])
})
