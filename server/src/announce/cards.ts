import { CAPABILITIES_PATH } from '@placard/contract'
import type { Links } from '../http/links.ts'
import { VERSION } from '../version.ts'
import {
  type Announced,
  FOR_AGENTS,
  FOR_PEOPLE,
  MCP_PATH,
  MCP_VERSIONS,
  MEDIA_TYPES,
  PATHS,
  SERVICE_DESCRIPTION,
  serverName,
} from './facts.ts'

/** What `/mcp` is and how to connect (SEP-2127). Its tools are listed by the protocol, so that no copy gets old. */
export const serverCard = (links: Links) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: serverName(links),
  title: links.site.name,
  description: SERVICE_DESCRIPTION,
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

/** Where clients look for the MCP servers of a domain, as the draft of server cards says. */
export const aiCatalog = ({ base, hostname }: Links) => ({
  specVersion: '1.0',
  entries: [
    {
      identifier: `urn:air:${hostname}:mcp:placard`,
      type: MEDIA_TYPES.serverCard,
      url: base + PATHS.serverCard,
    },
  ],
})

/** The APIs of this service, with what describes each (RFC 9727). */
export const apiCatalog = ({ base }: Links) => {
  const target = ({ path, mediaType, title }: Announced) => ({ href: base + path, type: mediaType, title })
  const withRel = (rel: Announced['rel']) =>
    [...FOR_AGENTS, ...FOR_PEOPLE].filter(each => each.rel === rel).map(target)
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
