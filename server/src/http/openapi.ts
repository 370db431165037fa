import swagger from '@fastify/swagger'
import { openapiFrame } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { CACHE } from './headers.ts'
import type { Links } from './links.ts'
import { sendPublic, type Tagged, tagged } from './send.ts'

/** Collects all operations that have a tag into one document, and serves it. Register it before the routes. */
export async function openapi(app: FastifyInstance, links: Links): Promise<void> {
  await app.register(swagger, { openapi: openapiFrame, hideUntagged: true })
  let document: Tagged | undefined
  app.get('/openapi.json', async (request, reply) => {
    document ??= tagged(JSON.stringify({ ...app.swagger(), servers: [{ url: links.base }] }))
    return sendPublic(request, reply, document, {
      cache: CACHE.text,
      mediaType: 'application/json; charset=utf-8',
    })
  })
}
