import { QUOTE_PATH, type Quote, quoteSchema } from '@placard/contract'
import Fastify from 'fastify'
import { answerQuestions } from './server-process.ts'

// The baseline: bare Fastify with the same bytes or schemas, and no work.

const [capabilities = '{}', page = ''] = process.argv.slice(2)
const quote: Quote = {
  kind: 'non_binding_preview',
  currency: 'usd',
  chargeAmountCents: 2500,
  expiresAt: 1_800_000_000_000,
  handoffUrl:
    'http://127.0.0.1:8080/promote?destination=https%3A%2F%2Fbakery.com%2F&category=Games&board=all&target=25',
  humanConfirmationRequired: true,
  chargeCreated: false,
  estimatedRank: 1,
}

const app = Fastify()
app.get('/capabilities', async (_request, reply) => {
  reply.type('application/json; charset=utf-8').serializer(String)
  return capabilities
})
app.get('/page', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
app.post(QUOTE_PATH, { schema: quoteSchema }, async () => quote)
answerQuestions(await app.listen({ host: '127.0.0.1', port: 0 }))
