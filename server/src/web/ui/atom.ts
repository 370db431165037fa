import type { DatedRow } from '../../domain/listings/listed-row.ts'
import type { Links } from '../../platform/http/links.ts'

export const FEED_LENGTH = 50

/** The newest listings as an Atom feed (RFC 4287). A product page's address never changes, so it is also the id. */
export const renderFeed = (listings: DatedRow[], links: Links): string => `${XML_DECLARATION}
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(`${links.base}/feed.atom`)}</id>
  <title>${xml(links.site.name)}: newest listings</title>
  <subtitle>${xml(links.site.tagline)}</subtitle>
  <updated>${timestamp(listings[0]?.publishedAt ?? 0)}</updated>
  <author><name>${xml(links.site.name)}</name></author>
  <link rel="self" type="application/atom+xml" href="${xml(`${links.base}/feed.atom`)}"/>
  <link rel="alternate" type="text/html" href="${xml(`${links.base}/newest`)}"/>
${listings.map(listing => entry(listing, links)).join('')}</feed>
`

const entry = ({ slug, title, description, category, publishedAt }: DatedRow, links: Links): string => `  <entry>
    <id>${xml(links.product(slug))}</id>
    <title type="text">${xml(title)}</title>
    <link rel="alternate" type="text/html" href="${xml(links.product(slug))}"/>
    <published>${timestamp(publishedAt)}</published>
    <updated>${timestamp(publishedAt)}</updated>
    <category term="${xml(category)}"/>
    <summary type="text">${xml(description)}</summary>
  </entry>
`

/** As Atom writes times. */
export const timestamp = (at: number): string => new Date(at).toISOString()

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

/** Escapes text for XML 1.0, in elements and attributes. Drops characters that XML cannot represent. */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_IN_XML, '')
    .replace(/[<>&"']/g, character => ENTITIES[character] ?? '')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/g

const ENTITIES: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
}
