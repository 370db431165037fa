import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DatedRow } from '../../domain/listings/listed-row.ts'
import type { Links } from '../../platform/http/links.ts'
import { sendPublic } from '../../platform/http/send.ts'
import { escaped } from '../../platform/lib/text.ts'

export const FEED_LENGTH = 50

/** What feed readers show of a feed. */
interface Feed {
  /** Without the name of the site. */
  title: string
  subtitle?: string
  /** The entries, the latest first. */
  entries: readonly FeedEntry[]
}

export interface FeedEntry {
  /** Unique and permanent: a reader shows every id once. An absolute address or a URN. */
  id: string
  /** The absolute address of the page about it. */
  href: string
  title: string
  summary: string
  at: number
  category?: string
}

interface PrivateFeed extends Feed {
  /** A permanent address that isn't the feed's own, which is secret. */
  id: string
  /** The absolute address of the page about the same subject. */
  page: string
  /** When the subject itself changed. */
  since: number
}

export interface PublicFeed extends Feed {
  /** Path and query of the feed. */
  path: string
  /** Path and query of the page with the same content. */
  page: string
}

/** Renders a public feed. Its address never changes, so it is also the id. */
export function renderFeed({ path, page, ...feed }: PublicFeed, links: Links): string {
  const address = links.base + path
  return renderAtom({ ...feed, id: address, self: address, page: links.base + page, since: 0 }, links)
}

/** Sends a public feed. @param sending how long caches may keep it, and what it shows (`TAGS`) */
export const sendFeed = (
  request: FastifyRequest,
  reply: FastifyReply,
  feed: PublicFeed,
  { links, ...sending }: { links: Links; cache: string; tags: readonly string[] },
): FastifyReply => sendPublic(request, reply, renderFeed(feed, links), { ...sending, mediaType: ATOM })

export const ATOM = 'application/atom+xml; charset=utf-8'

/** Listings as entries of a feed. The address of a listing's page never changes, so it is also the id. */
export const listingEntries = (listings: readonly DatedRow[], links: Links): FeedEntry[] =>
  listings.map(({ slug, title, description, category, publishedAt }) => {
    const href = links.product(slug)
    return { id: href, href, title, summary: description, at: publishedAt, category }
  })

/**
 * Renders a feed as Atom (RFC 4287). A private one is rendered without its own address (`self`), so a reader that shares
 * the content reveals nothing.
 */
export function renderAtom(feed: PrivateFeed & { self?: string }, { site }: Links): string {
  const { id, self, page, title, subtitle, since, entries } = feed
  const updated = entries.reduce((latest, { at }) => Math.max(latest, at), since)
  return `${XML_DECLARATION}
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(id)}</id>
  <title>${xml(`${site.name}: ${title}`)}</title>
${subtitle ? `  <subtitle>${xml(subtitle)}</subtitle>\n` : ''}  <updated>${timestamp(updated)}</updated>
  <author><name>${xml(site.name)}</name></author>
${self ? `  <link rel="self" type="application/atom+xml" href="${xml(self)}"/>\n` : ''}  <link rel="alternate" type="text/html" href="${xml(page)}"/>
${entries.map(renderEntry).join('')}</feed>
`
}

const renderEntry = ({ id, href, title, summary, at, category }: FeedEntry): string => `  <entry>
    <id>${xml(id)}</id>
    <title>${xml(title)}</title>
    <link rel="alternate" type="text/html" href="${xml(href)}"/>
    <published>${timestamp(at)}</published>
    <updated>${timestamp(at)}</updated>
${category ? `    <category term="${xml(category)}"/>\n` : ''}    <summary>${xml(summary)}</summary>
  </entry>
`

/** Returns a time as Atom writes it. */
const timestamp = (at: number): string => new Date(at).toISOString()

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

/** Escapes text for XML 1.0, in elements and attributes. Drops characters that XML cannot represent. */
export const xml = (text: string): string => escaped(text.toWellFormed().replace(NOT_IN_XML, ''))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to drop.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/g
