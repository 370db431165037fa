import Fastify from 'fastify'
import { Parser } from 'htmlparser2'
import { Agent, request } from 'undici'

// What a publish costs at least: fetches a website with undici and reads its text with htmlparser2. No review, no
// database.

const { SITES = '' } = process.env
const dispatcher = new Agent({ pipelining: 0, connections: null })

const app = Fastify()
app.post('/', async (incoming, reply) => {
  const { host } = incoming.query as { host: string }
  const { body } = await request(SITES, { dispatcher, headers: { host } })
  let text = ''
  const parser = new Parser({
    ontext(piece) {
      text += piece
    },
  })
  parser.end(await body.text())
  return reply.code(201).send({ length: text.length })
})
const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
console.log(`{"port":${port},"engine":"none"}`)
