import swagger from '@fastify/swagger'
import { openapiFrame } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import type { Links } from './links.ts'

/** Collects the operations that carry a tag, and serves them as one document. Register before the routes. */
export async function openapi(app: FastifyInstance, links: Links): Promise<void> {
  await app.register(swagger, { openapi: openapiFrame, hideUntagged: true })
  let document: string | undefined
  app.get('/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify({ ...app.swagger(), servers: [{ url: links.base }] })
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .serializer(String)
    return document
  })
}
