import { PUBLISH_PATH, publishSchema, QUOTE_PATH, type QuoteBody, quoteSchema } from '@placard/contract'
import Fastify from 'fastify'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { readPrice } from '../server/dist/domain/checkout/price.js'
import { parseDestination } from '../server/dist/domain/destinations/destination.js'
import { findAttempt } from '../server/dist/domain/publishing/attempts.js'
import type { Store } from '../server/dist/platform/db/store.js'
import { quoteBody } from './requests.ts'
import { answerQuestions } from './server-process.ts'

// The baseline on PostgreSQL: bare Fastify with the same schemas, which runs the service's own query through bare `pg`
// and answers with what the service answered.

const [connectionString, quote = '{}', receipt = '{}', idempotencyKey = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString })

/** What the service asks the database first, as it goes over the wire. */
async function queryOf(read: (store: Store) => Promise<unknown>): Promise<() => Promise<unknown>> {
  const asked: CompiledQuery[] = []
  const executeQuery = async (query: CompiledQuery) => {
    asked.push(query)
    return { rows: [{ version: 0, totalCents: 0 }] }
  }
  await read({ engine: 'postgres', executeQuery } as unknown as Store)
  const { sql = '', parameters = [] } = asked[0] ?? {}
  return () => pool.query(sql, [...parameters])
}

const { destination, board, targetBid }: QuoteBody = JSON.parse(quoteBody)
const destinationKey = parseDestination(destination).key
const price = await queryOf(store => readPrice(store, { destinationKey, board, targetBid }, Date.now()))
const attempt = await queryOf(store => findAttempt(store, idempotencyKey))

const app = Fastify()
const answers = { quote: JSON.parse(quote), receipt: JSON.parse(receipt) }
app.post(QUOTE_PATH, { schema: quoteSchema }, async () => {
  await price()
  return answers.quote
})
app.post(PUBLISH_PATH, { schema: publishSchema }, async () => {
  await attempt()
  return answers.receipt
})
answerQuestions(await app.listen({ host: '127.0.0.1', port: 0 }))
