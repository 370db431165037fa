import { openapiDocument } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { CACHE } from './headers.ts'
import type { Links } from './links.ts'
import { sendPublic, type Tagged, tagged } from './send.ts'

/** GET /openapi.json: every operation for programs, in one document. */
export function openapi(app: FastifyInstance, links: Links): void {
  let document: Tagged | undefined
  app.get('/openapi.json', async (request, reply) => {
    document ??= tagged(JSON.stringify(openapiDocument(links)))
    return sendPublic(request, reply, document, {
      cache: CACHE.text,
      tags: [],
      mediaType: 'application/json; charset=utf-8',
    })
  })
}
