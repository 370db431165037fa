import { BOARDS_PATH, CAPABILITIES_PATH } from '@placard/contract'
import type { Links } from '../../http/links.ts'

/** Private, personal or not for reading. Everything else may be crawled. */
const CLOSED = ['/manage/', '/feed/', '/checkout/', '/promote', '/visit/', '/sandbox/', '/webhooks/', '/api/']

/** Where the pages and the agent guide send programs. The longer rule wins. */
const OPEN = [CAPABILITIES_PATH, `${BOARDS_PATH}/`]

/** The rules for crawlers (RFC 9309). */
export const robotsText = (links: Links): string => `User-agent: *
${OPEN.map(path => `Allow: ${path}\n`).join('')}${CLOSED.map(path => `Disallow: ${path}\n`).join('')}
Sitemap: ${links.base}/sitemap.xml
`
