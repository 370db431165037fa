import { hash } from 'node:crypto'
import { CAPABILITIES_PATH, openapiDocument } from '@placard/contract'
import type { FastifyInstance } from 'fastify'
import { CACHE } from '../../platform/http/headers.ts'
import type { Links } from '../../platform/http/links.ts'
import { OPEN } from '../../platform/http/open-routes.ts'
import { JSON_TYPE, sendPublic, type Tagged, tagged } from '../../platform/http/send.ts'
import { VERSION } from '../../platform/lib/package.ts'
import {
  type Announced,
  FOR_AGENTS,
  FOR_PEOPLE,
  LINK_HEADER,
  MCP_PATH,
  MCP_VERSIONS,
  MEDIA_TYPES,
  PATHS,
  SKILL_NAME,
  serverName,
  serviceDescription,
} from './facts.ts'

/**
 * Returns what `/mcp` is and how to connect (SEP-2127). The protocol lists its tools, so that no copy becomes outdated.
 */
const serverCard = (links: Links) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: serverName(links),
  title: links.site.name,
  description: serviceDescription(links),
  version: VERSION,
  websiteUrl: `${links.base}/`,
  remotes: [
    {
      type: 'streamable-http',
      url: links.base + MCP_PATH,
      supportedProtocolVersions: MCP_VERSIONS,
    },
  ],
})

/**
 * Returns what an agent can use here, for registries that index it (ARD 0.91). They answer searches by the queries.
 * `specVersion` is for readers of AI catalogs, which ARD began as.
 */
const ardManifest = (links: Links) => {
  const { base, hostname, site } = links
  return {
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${hostname}:mcp:placard`,
        displayName: site.name,
        type: MEDIA_TYPES.serverCard,
        url: base + PATHS.serverCard,
        description: serviceDescription(links),
        representativeQueries: [
          'find small websites about a subject',
          'is this website listed on the notice board',
          ...(site.sellsPlaces
            ? ['what does the first place on the board cost', 'which websites paid most today']
            : []),
        ],
      },
      {
        identifier: `urn:air:${hostname}:skill:${SKILL_NAME}`,
        displayName: `List a website on ${site.name}`,
        type: MEDIA_TYPES.skill,
        url: base + PATHS.skill,
        description: description(links),
        representativeQueries: [
          'list my website on a public notice board for free',
          'put my site out there',
          'recover the receipt of my listing',
        ],
      },
    ],
  }
}

/** The APIs of this service, with what describes each (RFC 9727). */
const apiCatalog = ({ base }: Links) => {
  const target = ({ path, mediaType, title }: Announced) => ({ href: base + path, type: mediaType, title })
  const withRel = (rel: Announced['rel']) => [...FOR_AGENTS, ...FOR_PEOPLE].filter(each => each.rel === rel).map(target)
  const [agentApi, mcp] = [base + CAPABILITIES_PATH, base + MCP_PATH]
  return {
    linkset: [
      { anchor: base + PATHS.apiCatalog, item: [{ href: agentApi }, { href: mcp }] },
      {
        anchor: agentApi,
        'service-desc': withRel('service-desc'),
        'service-doc': withRel('service-doc'),
        'terms-of-service': withRel('terms-of-service'),
      },
      {
        anchor: mcp,
        'service-desc': FOR_AGENTS.filter(({ path }) => path === PATHS.serverCard).map(target),
        'terms-of-service': withRel('terms-of-service'),
      },
    ],
  }
}

/** RFC 9116 wants less than a year. */
const VALID_MONTHS = 6

/**
 * Returns where to report a vulnerability (RFC 9116). It changes once a month, so its ETag lasts. @param now Unix
 * milliseconds
 */
export function securityText({ base, support }: Links, now: number): string {
  const day = new Date(now)
  const expires = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1 + VALID_MONTHS))
  return `Contact: ${support}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${base}${PATHS.securityText}
`
}

const description = ({ site }: Links): string =>
  `List a website on ${site.name}, ${site.sellsPlaces ? 'recover its receipt, or ask what a paid place costs' : 'or recover its receipt'}. Use it when the user asks for one of these.`

/** Returns the skill that agents save. It only points to the guide, so that it never becomes outdated. */
export const skillText = (links: Links): string => `---
name: ${SKILL_NAME}
description: ${JSON.stringify(description(links))}
---

Read ${links.agentGuide} and follow it. Never publish, and never appeal a decision, without the user’s explicit yes.
`

/** The index of skills (Agent Skills Discovery 0.2.0). */
const skillIndex = (links: Links) => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [
    {
      name: SKILL_NAME,
      type: 'skill-md',
      description: description(links),
      url: PATHS.skill,
      digest: `sha256:${hash('sha256', skillText(links), 'hex')}`,
    },
  ],
})

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
      made ??= tagged(Buffer.from(make()))
      return sendPublic(request, reply.headers(headers), made, { cache, tags: [], mediaType })
    })
  }
}
