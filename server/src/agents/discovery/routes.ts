import { openapiDocument } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { JSON_TYPE, sendPublic, type Tagged, tagged } from '../../platform/http/send.ts'
import { apiCatalog, ardManifest, securityText, serverCard, skillIndex, skillText } from './documents.ts'
import { LINK_HEADER, MEDIA_TYPES, PATHS } from './facts.ts'

interface More {
  headers?: Record<string, string>
  cache?: string
}

const CATALOG_PROFILE = 'profile="https://www.rfc-editor.org/info/rfc9727"'

/** Adds the documents in which programs find what this site offers. */
export function announceRoutes(app: FastifyInstance, { links, clock }: { links: Links; clock: () => number }): void {
  // Every operation for programs.
  json('/openapi.json', () => openapiDocument(links), JSON_TYPE, { cache: CACHE.text })
  json(PATHS.serverCard, () => serverCard(links), MEDIA_TYPES.serverCard)
  json(PATHS.ard, () => ardManifest(links), MEDIA_TYPES.json)
  json(PATHS.aiCatalog, () => ardManifest(links), MEDIA_TYPES.aiCatalog)
  json(PATHS.apiCatalog, () => apiCatalog(links), `${MEDIA_TYPES.linkset}; ${CATALOG_PROFILE}`, {
    // For a HEAD too (RFC 9727, 2).
    headers: { link: LINK_HEADER },
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

  function json(path: string, make: () => unknown, mediaType: string, more?: More): void {
    text(path, () => JSON.stringify(make()), mediaType, more)
  }

  /** Made at the first request, when the address of the service is known. */
  function text(
    path: string,
    make: () => string,
    mediaType: string,
    { headers = {}, cache = CACHE.site }: More = {},
  ): void {
    let made: Tagged | undefined
    app.get(path, OPEN, async (request, reply) => {
      made ??= tagged(make())
      return sendPublic(request, reply.headers(headers), made, { cache, tags: [], mediaType })
    })
  }
}
