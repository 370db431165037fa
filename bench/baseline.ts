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

const { CAPABILITIES, QUOTED = '{}', RECEIPT = '{}', IDEMPOTENCY_KEY = '', ROWS = '{}', DATABASE_URL } = process.env
const pool = DATABASE_URL ? new pg.Pool({ connectionString: DATABASE_URL }) : undefined

/** Returns a function that sends the first query of a read, with the SQL and the parameters that the service sends. */
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
app.setErrorHandler((error, _request, reply) => reply.code(500).send(String(error)))
app.post('/rows', async (_request, reply) => {
  await writeRows(JSON.parse(ROWS))
  return reply.code(201).send(receipt)
})

type Row = Record<string, string | number | null>
let nth = 0

/** Writes the rows of a publish into bare tables, in two transactions. The second one updates the first row. */
async function writeRows(rows: Record<string, Row>): Promise<void> {
  const client = await (pool as pg.Pool).connect()
  const number = ++nth
  /** Identifiers, hashes and counts are unique. */
  const fresh = (value: string | number | null, column: string) => {
    // `pg` reads a bigint as text.
    if (/^\d+$/.test(String(value))) return /^nth|^id$|^listingId$/.test(column) ? number : value
    return value && /Id$|^id$|Hash|Key|slug/.test(column) ? `${number}-${value}`.slice(0, 64) : value
  }
  const insert = ([table, row]: [string, Row]) => {
    const columns = Object.keys(row)
    const places = columns.map((_, at) => `$${at + 1}`)
    const text = `insert into bare_${table} (${columns.map(column => `"${column}"`)}) values (${places})`
    return client.query(
      text,
      columns.map(column => fresh(row[column] ?? null, column)),
    )
  }
  const [first, ...others] = Object.entries(rows) as [[string, Row], ...[string, Row][]]
  await client.query('begin')
  await insert(first)
  await client.query('commit')
  await client.query('begin')
  for (const other of others) await insert(other)
  const id = fresh(first[1].requestId ?? '', 'requestId')
  await client.query(`update bare_attempt set "leaseId" = null, "settledAt" = $1 where "requestId" = $2`, [nth, id])
  await client.query('commit')
  client.release()
}

const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
console.log(`{"port":${port},"engine":"none"}`)
