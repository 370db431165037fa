// @module-tag slow
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { LISTING_STREAM_PATH, type ListingStreamEnd, type ListingStreamHead } from '@placard/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listingStreamRoute } from '../../../src/domain/listings/streams.ts'
import { PLACARD } from '../../../src/platform/config/site.ts'
import type { Store } from '../../../src/platform/db/store.ts'
import { Links } from '../../../src/platform/http/links.ts'
import { MINUTE_MS } from '../../../src/platform/lib/time.ts'
import { type EmptyDatabase, migratedDatabase, SQLITE_FIRST } from '../../support/engines.ts'
import { listingRow } from '../../support/listing-row.ts'
import { NOON, startTestService } from '../../support/service.ts'

/** More than three parts of a stream, and more than the sockets of a connection hold. */
const COUNT = 7000
/** No search finds it, which would take most of the time to prepare. */
const LONG = 'A few words about this website. '.repeat(60)

describe.each(SQLITE_FIRST)('a stream of listings on %s', engine => {
  let database: EmptyDatabase
  let store: Store
  let app: FastifyInstance
  /** For the reader that reads nothing. */
  let impatient: FastifyInstance
  let url: string
  const clock = { now: NOON }

  beforeAll(async () => {
    database = await migratedDatabase(engine)
    store = await database.openStore()
    const links = new Links({
      baseUrl: 'https://placard.example.org',
      supportUrl: undefined,
      site: { ...PLACARD, license: 'https://example.org/terms' },
    })
    app = Fastify()
    listingStreamRoute(app, { links, store, clock: () => clock.now })
    url = (await app.listen({ port: 0, host: '127.0.0.1' })) + LISTING_STREAM_PATH
    impatient = Fastify()
    listingStreamRoute(impatient, { links, store, clock: () => clock.now }, { streamMaxMs: 300_000, unreadMaxMs: 100 })
    await impatient.listen({ port: 0, host: '127.0.0.1' })
    for (let from = 0; from < COUNT; from += 500) {
      const rows = Array.from({ length: 500 }, (_, nth) => ({
        // Many have the same time, and a part of the stream ends among them.
        ...listingRow({ slug: `site-${from + nth}`, publishedAt: NOON - COUNT + Math.floor((from + nth) / 700) }),
        description: LONG,
      }))
      await store.db.insertInto('listing').values(rows).execute()
    }
  })
  afterAll(async () => {
    await app.close()
    await impatient.close()
    await database.remove()
  })

  async function read(query = '') {
    const response = await fetch(url + query)
    const lines = (await response.text()).trimEnd().split('\n')
    const values = lines.map(line => JSON.parse(line))
    const head = values.shift() as ListingStreamHead
    return { response, head, rows: values.slice(0, -1), end: values.at(-1) as ListingStreamEnd }
  }

  const change = (slug: string, set: object) =>
    store.db
      .updateTable('listing')
      .set({ updatedAt: clock.now, ...set })
      .where('slug', '=', slug)
      .execute()

  it('contains every published listing once, with the terms of use', async () => {
    const { response, head, rows, end } = await read()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('link')).toBe('<https://example.org/terms>; rel="license"')
    expect(head).toEqual({
      site: 'https://placard.example.org',
      license: 'https://example.org/terms',
      updatedSince: null,
      asOf: NOON,
    })
    expect(end).toEqual({ complete: true, rows: COUNT, updatedSince: NOON - 15 * MINUTE_MS })
    expect(new Set(rows.map(({ slug }) => slug)).size).toBe(COUNT)
    expect(rows[0]).toMatchObject({
      status: 'published',
      slug: 'site-0',
      productUrl: 'https://placard.example.org/product/site-0',
      description: LONG,
    })
  })

  it('is one gzip file, and plain for clients that do not accept that', async () => {
    const packed = await app.inject({ url: LISTING_STREAM_PATH, headers: { 'accept-encoding': 'gzip' } })
    const plain = await app.inject({ url: LISTING_STREAM_PATH })
    expect(plain.headers['content-encoding']).toBe(undefined)
    expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true)
    const head = await app.inject({ url: LISTING_STREAM_PATH, method: 'HEAD' })
    expect([head.payload, head.headers['content-length'], head.headers['content-type']]).toEqual([
      '',
      undefined,
      plain.headers['content-type'],
    ])
  })

  it('has only changes since a time, and tombstones without words', async () => {
    clock.now += 60 * MINUTE_MS
    const { end: first } = await read()
    clock.now += 60 * MINUTE_MS
    await change('site-7', { title: 'Seven' })
    await change('site-8', { hiddenAt: clock.now, hiddenBy: 'operator', hiddenReason: 'for a reason' })
    await change('site-9', { expiresAt: clock.now - 1 })
    const { rows, end } = await read(`?updatedSince=${first.updatedSince}`)
    expect(rows.toSorted((a, b) => a.id - b.id)).toEqual([
      expect.objectContaining({ slug: 'site-7', title: 'Seven', updatedAt: clock.now }),
      { id: expect.any(Number), status: 'unavailable', since: clock.now },
      { id: expect.any(Number), status: 'expired', since: clock.now - 1 },
    ])
    expect(end.rows).toBe(3)
    const whole = await read()
    expect(whole.end.rows).toBe(COUNT - 2)
  })

  it('loses no change that was committed after a stream with an earlier time', async () => {
    const { end } = await read()
    // As by an instance whose clock is behind, or by a transaction that took long.
    await change('site-20', { title: 'Late', updatedAt: clock.now - 10 * MINUTE_MS })
    const { rows } = await read(`?updatedSince=${end.updatedSince}`)
    expect(rows).toContainEqual(expect.objectContaining({ slug: 'site-20', title: 'Late' }))
  })

  it('cuts a client that reads nothing, without its last line', async () => {
    const closed = new Promise(resolve => {
      impatient.server.once('request', (_request, response) => response.once('close', resolve))
    })
    const socket = connect((impatient.server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.write(`GET ${LISTING_STREAM_PATH} HTTP/1.1\r\nhost: placard.example.org\r\n\r\n`)
    await closed
    let text = ''
    for await (const chunk of socket.resume().setEncoding('latin1')) text += chunk
    expect(text).toContain('"license"')
    expect(text).not.toContain('"complete"')
  })
})

it.each(SQLITE_FIRST)('a stream whose first rows cannot be read on %s is refused like other requests', async engine => {
  const service = await startTestService({ engine })
  const store = await service.database.openStore()
  await sql`alter table listing rename to lost`.execute(store.db)
  // It accepts gzip, and an error is not compressed.
  const response = await fetch(service.url + LISTING_STREAM_PATH)
  expect([response.status, response.headers.get('content-encoding')]).toEqual([503, null])
  expect(await response.json()).toMatchObject({ code: 'not_ready', retryAfterSeconds: 30 })
  await service.stop()
})

it('slow readers who take turns do not fill the disk: they are cut when the log of SQLite is long', async () => {
  const database = await migratedDatabase('sqlite')
  const store = await database.openStore()
  const app = Fastify()
  const links = new Links({ baseUrl: 'https://placard.example.org', supportUrl: undefined })
  const logMaxBytes = 24_000_000
  listingStreamRoute(app, { links, store, clock: () => NOON }, { logMaxBytes, unreadMaxMs: 300_000 })
  const url = (await app.listen({ port: 0, host: '127.0.0.1' })) + LISTING_STREAM_PATH
  const rows = Array.from({ length: COUNT }, (_, nth) => ({
    ...listingRow({ slug: `site-${nth}` }),
    description: LONG,
  }))
  for (let from = 0; from < rows.length; from += 500) {
    await store.db
      .insertInto('listing')
      .values(rows.slice(from, from + 500))
      .execute()
  }
  const logBytes = () => statSync(`${store.address.at}-wal`).size
  let writes = 0
  // Different each time, because SQLite skips writing identical data.
  const write = () =>
    store.transact(trx =>
      trx
        .updateTable('listing')
        .set({ siteName: `${++writes}` })
        .where('id', '<', 200)
        .execute(),
    )

  const cut = new Promise(resolve => {
    app.server.once('request', (_request, response) => response.once('close', resolve))
  })
  const slow = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  slow.write(`GET ${LISTING_STREAM_PATH} HTTP/1.1\r\nhost: placard.example.org\r\n\r\n`)
  await once(slow, 'readable')
  while (logBytes() <= logMaxBytes && writes < 400) await write()
  await cut
  await expect.poll(() => write().then(logBytes)).toBeLessThan(logMaxBytes)
  expect((await (await fetch(url)).text()).trimEnd().split('\n').at(-1)).toContain('"complete":true')
  await app.close()
  await database.remove()
})
