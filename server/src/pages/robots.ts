import type { Links } from '../http/links.ts'

/** Private, personal, or not for reading: all else may be crawled. */
const CLOSED = ['/manage/', '/checkout/', '/promote', '/visit/', '/sandbox/', '/webhooks/', '/api/']

/** The rules for crawlers (RFC 9309). */
export const robotsText = (links: Links): string => `User-agent: *
${CLOSED.map(path => `Disallow: ${path}\n`).join('')}
Sitemap: ${links.base}/sitemap.xml
`
