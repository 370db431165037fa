import { openapiDocument } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { sendPublic, type Tagged, tagged } from '../../platform/http/send.ts'
import { aiCatalog, apiCatalog, securityText, serverCard, skillIndex, skillText } from './documents.ts'
import { LINK_HEADER, MEDIA_TYPES, PATHS } from './facts.ts'

interface AnnounceDependencies {
  links: Links
  clock: () => number
}

const CATALOG_PROFILE = 'profile="https://www.rfc-editor.org/info/rfc9727"'

/** Adds the documents in which programs find what this site offers. */
export function announceRoutes(app: FastifyInstance, { links, clock }: AnnounceDependencies): void {
  json(PATHS.serverCard, () => serverCard(links), MEDIA_TYPES.serverCard)
  json(PATHS.aiCatalog, () => aiCatalog(links), MEDIA_TYPES.aiCatalog)
  json(PATHS.apiCatalog, () => apiCatalog(links), `${MEDIA_TYPES.linkset}; ${CATALOG_PROFILE}`, {
    // For a HEAD too (RFC 9727, 2).
    link: LINK_HEADER,
  })
  json(PATHS.skills, () => skillIndex(links), MEDIA_TYPES.json)
  text(PATHS.skill, () => skillText(links), `${MEDIA_TYPES.markdown}; charset=utf-8`)
  app.get(PATHS.securityText, OPEN, async (request, reply) =>
    sendPublic(request, reply, securityText(links, clock()), {
      cache: CACHE.site,
      tags: [],
      mediaType: 'text/plain; charset=utf-8',
    }),
  )

  function json(path: string, make: () => unknown, mediaType: string, headers = {}): void {
    text(path, () => JSON.stringify(make()), mediaType, headers)
  }

  /** Made at the first request, when the address of the service is known. */
  function text(path: string, make: () => string, mediaType: string, headers = {}): void {
    let made: Tagged | undefined
    app.get(path, OPEN, async (request, reply) => {
      made ??= tagged(make())
      return sendPublic(request, reply.headers(headers), made, {
        cache: CACHE.site,
        tags: [],
        mediaType,
      })
    })
  }
}

/** GET /openapi.json: every operation for programs, in one document. */
export function openapi(app: FastifyInstance, links: Links): void {
  let document: Tagged | undefined
  app.get('/openapi.json', OPEN, async (request, reply) => {
    document ??= tagged(JSON.stringify(openapiDocument(links)))
    return sendPublic(request, reply, document, {
      cache: CACHE.text,
      tags: [],
      mediaType: 'application/json; charset=utf-8',
    })
  })
}
