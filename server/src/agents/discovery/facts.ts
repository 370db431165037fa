import { BOARDS_PATH, CAPABILITIES_PATH, LISTINGS_PATH } from '@placard/contract'
import { CLIENT_PATH, LIST_PATH, type Links } from '../../platform/http/links.ts'

/** Addresses for programs to find. All announcements are made from these facts, so they agree. */

export const MCP_PATH = '/mcp'
/** The protocol revisions that `/mcp` serves, newest first. */
export const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const
/** At most 100 characters, the limit of MCP server cards. */
export const serviceDescription = ({ site }: Links): string =>
  site.sellsPlaces
    ? 'Search a public notice board, read its boards of paid places, and preview what a place costs.'
    : 'Search a public notice board, and read its boards.'

/**
 * The command for publishing over MCP. It runs on the customer's side, which the secret of a submission must never
 * leave.
 */
export const localMcpCommand = ({ client }: Links): string => `npx -y ${client} mcp`

/** Returns the name of this site as an MCP server: its own host name, reversed. */
export const serverName = ({ hostname }: Links): string => `${hostname.split('.').reverse().join('.')}/placard`

export const SKILL_NAME = 'placard'

/** Addresses that no route of another folder names. */
export const PATHS = {
  serverCard: `${MCP_PATH}/server-card`,
  ard: '/.well-known/ard.json',
  /** The address of the manifest before ARD 0.91, which MCP server cards still name. */
  aiCatalog: '/.well-known/ai-catalog.json',
  apiCatalog: '/.well-known/api-catalog',
  skills: '/.well-known/agent-skills/index.json',
  skill: `/.well-known/agent-skills/${SKILL_NAME}/SKILL.md`,
  securityText: '/.well-known/security.txt',
} as const

export const MEDIA_TYPES = {
  json: 'application/json',
  html: 'text/html',
  markdown: 'text/markdown',
  skill: 'text/markdown; profile="urn:air:agent-skills"',
  serverCard: 'application/mcp-server-card+json',
  aiCatalog: 'application/ai-catalog+json',
  linkset: 'application/linkset+json',
} as const

export interface Announced {
  path: string
  title: string
  /** Its content, as text after a colon. */
  purpose: string
  mediaType: string
  /** Its relation to the agent API (RFC 8631, RFC 9727), if any. */
  rel?: 'service-desc' | 'service-doc' | 'terms-of-service' | 'api-catalog'
}

/** In the order in which an agent would read them. */
export const FOR_AGENTS: readonly Announced[] = [
  {
    path: '/agent-guide.md',
    title: 'Agent guide',
    purpose: 'how to check, publish and recover a receipt; read this first',
    mediaType: MEDIA_TYPES.markdown,
    rel: 'service-doc',
  },
  {
    path: CAPABILITIES_PATH,
    title: 'Capabilities',
    purpose: 'categories, limits, policy and versions in force, as JSON',
    mediaType: MEDIA_TYPES.json,
  },
  {
    path: '/openapi.json',
    title: 'OpenAPI',
    purpose: 'every operation, field and error',
    mediaType: MEDIA_TYPES.json,
    rel: 'service-desc',
  },
  {
    path: '/api',
    title: 'API reference',
    purpose: 'every operation and field, for people',
    mediaType: MEDIA_TYPES.html,
    rel: 'service-doc',
  },
  {
    path: CLIENT_PATH,
    title: 'Client',
    purpose: 'a command, library and local MCP server that saves its keys; for Node and Python, from this site',
    mediaType: MEDIA_TYPES.html,
  },
  { path: `${BOARDS_PATH}/all`, title: 'All-time board', purpose: 'paid places, as JSON', mediaType: MEDIA_TYPES.json },
  {
    path: `${BOARDS_PATH}/today`,
    title: 'Today’s board',
    purpose: 'paid places of the UTC day, as JSON',
    mediaType: MEDIA_TYPES.json,
  },
  { path: LISTINGS_PATH, title: 'Listings', purpose: 'all of them, as JSON', mediaType: MEDIA_TYPES.json },
  {
    path: PATHS.serverCard,
    title: 'MCP server card',
    purpose: `for \`${MCP_PATH}\`: tools that read, and publish nothing`,
    mediaType: MEDIA_TYPES.serverCard,
  },
  { path: PATHS.skill, title: 'Skill', purpose: 'a SKILL.md to keep', mediaType: MEDIA_TYPES.markdown },
  {
    path: PATHS.apiCatalog,
    title: 'API catalog',
    purpose: 'the APIs of this service, as a linkset',
    mediaType: MEDIA_TYPES.linkset,
    rel: 'api-catalog',
  },
]

const PAGES: readonly Omit<Announced, 'mediaType'>[] = [
  { path: LIST_PATH, title: 'List your site', purpose: 'makes a prompt for your agent; it publishes nothing' },
  { path: '/agents', title: 'For agents', purpose: 'what an agent can do, what it never can, and how' },
  {
    path: '/rules',
    title: 'Rules',
    purpose: 'what may be listed, how it is reviewed, what is not guaranteed',
    rel: 'terms-of-service',
  },
  { path: '/how-boards-work', title: 'How boards work', purpose: 'what counts, what does not, and how to check it' },
  {
    path: '/draw',
    title: 'Ten by lot',
    purpose: 'the day’s ten listings, drawn by lot whether paid or not, and how to check the draw',
  },
  { path: '/limits', title: 'Limits', purpose: 'quotas, sizes and payment policy in force' },
  { path: '/privacy', title: 'Privacy', purpose: 'what is stored, and for how long' },
  {
    path: '/transparency',
    title: 'Transparency',
    purpose: 'what was listed, refused and taken down, month by month; also .json and .csv',
  },
  { path: '/proof', title: 'The open log', purpose: 'what it proves, and how to check a row' },
  {
    path: '/own',
    title: 'Is this your website?',
    purpose: 'for people: prove a website, and get the private link of its listing',
  },
  { path: '/support', title: 'Support', purpose: 'lost receipts, statuses, the operator' },
]

export const FOR_PEOPLE: readonly Announced[] = PAGES.map(page => ({ ...page, mediaType: MEDIA_TYPES.html }))

/** For registries. Agents that are here already need no list of what is here. */
const FOR_REGISTRIES = { path: PATHS.ard, rel: 'ard', mediaType: MEDIA_TYPES.json }

/** The value of the Link header of the home page: where a program finds the API. */
export const LINK_HEADER = [...FOR_AGENTS, ...FOR_PEOPLE, FOR_REGISTRIES]
  .flatMap(({ path, rel, mediaType }) => (rel ? `<${path}>; rel="${rel}"; type="${mediaType}"` : []))
  .join(', ')
