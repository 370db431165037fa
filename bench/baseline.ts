import { CAPABILITIES_PATH, PUBLISH_PATH, publishSchema, QUOTE_PATH, quoteSchema } from '@placard/contract'
import Fastify from 'fastify'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { readPrice } from '../server/dist/domain/checkout/price.js'
import { parseDestination } from '../server/dist/domain/destinations/destination.js'
import { findAttempt } from '../server/dist/domain/publishing/attempts.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { QUOTE } from './requests.ts'

// The baseline: bare Fastify, which answers the bytes or values that the service answered, with the same schemas. With
// DATABASE_URL, it first runs the service's own query through bare `pg`.

const { CAPABILITIES, QUOTED = '{}', RECEIPT = '{}', IDEMPOTENCY_KEY = '', DATABASE_URL } = process.env
const pool = DATABASE_URL ? new pg.Pool({ connectionString: DATABASE_URL }) : undefined

/** What the service asks the database first, as it goes over the wire. */
async function queryOf(read: (store: Store) => Promise<unknown>): Promise<() => Promise<unknown>> {
  const { sql, parameters } = await new Promise<CompiledQuery>(resolve => {
    const executeQuery = (query: CompiledQuery) => new Promise(() => resolve(query))
    read({ engine: 'postgres', executeQuery } as unknown as Store)
  })
  return async () => pool?.query(sql, [...parameters])
}

const { board, destination, targetBid } = QUOTE
const wanted = { destinationKey: parseDestination(destination).key, board, targetBid }
const price = await queryOf(store => readPrice(store, wanted, Date.now()))
const attempt = await queryOf(store => findAttempt(store, IDEMPOTENCY_KEY))
const [quoted, receipt] = [JSON.parse(QUOTED), JSON.parse(RECEIPT)]

const app = Fastify()
app.get(CAPABILITIES_PATH, async (_request, reply) => {
  reply.type('application/json; charset=utf-8').serializer(String)
  return CAPABILITIES
})
app.post(QUOTE_PATH, { schema: quoteSchema }, async () => {
  await price()
  return quoted
})
app.post(PUBLISH_PATH, { schema: publishSchema }, async () => {
  await attempt()
  return receipt
})
const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
console.log(`{"port":${port},"engine":"none"}`)
