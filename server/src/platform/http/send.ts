import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { TAGS } from '../cdn/tags.ts'

export const HTML = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends a page that must not be cached. */
export const sendHtml = (reply: FastifyReply, status: number, html: string | Buffer) =>
  reply.code(status).type(HTML).send(html)

interface Sending {
  mediaType?: string
  cache: string
  /** What it shows (`TAGS`). Absent if no change can make it wrong, so that a shared cache need not purge it. */
  tags?: readonly string[] | undefined
}

/** Tags a public reply with what it shows, as Fastly, Souin and Varnish read it, and as Cloudflare and others do. */
export function tagReply(reply: FastifyReply, tags: readonly string[]): void {
  reply.header('surrogate-key', [TAGS.site, ...tags].join(' ')).header('cache-tag', [TAGS.site, ...tags].join(','))
}

/** A body with its strong ETag, computed once. */
export interface Tagged {
  body: string | Buffer
  etag: string
  /** The compressed body, after the first request for it. */
  gzipped?: Buffer
}

export const tagged = (body: string | Buffer): Tagged => ({
  body,
  etag: `"${hash('sha256', body, 'base64url')}"`,
})

/**
 * Sends a public body with a strong ETag, or 304 if the caller already has it. A page is sent as Markdown to a caller
 * that prefers that. A body for all callers is compressed once. A body for one caller is not compressed, because that
 * would cost more than making it. Fonts and archives already are.
 */
export function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: string | Buffer | Tagged,
  { mediaType = HTML, cache, tags }: Sending,
): FastifyReply {
  const isForOne = typeof sent === 'string' || Buffer.isBuffer(sent)
  const whole = isForOne ? tagged(sent) : sent
  if (mediaType === HTML) {
    const isMarkdown = wantsMarkdown(request)
    relateMarkdown(request, reply, isMarkdown)
    if (isMarkdown) return sendMarkdown(request, reply, whole, { cache, tags })
    reply.header('vary', 'accept')
  }
  const mayBeGzipped = !isForOne && !/^(font\/|application\/(gzip|zip)$)/.test(mediaType)
  const isGzipped = mayBeGzipped && takesGzip(request.headers['accept-encoding'])
  const etag = isGzipped ? whole.etag.replace(/"$/, '-gzip"') : whole.etag
  reply.header('cache-control', cache).header('etag', etag)
  if (tags) tagReply(reply, tags)
  if (mayBeGzipped) reply.header('vary', reply.hasHeader('vary') ? 'accept, accept-encoding' : 'accept-encoding')
  if (reply.statusCode === 200 && listsTag(request.headers['if-none-match'], etag)) {
    return reply.code(304).send()
  }
  reply.type(mediaType)
  if (!isGzipped) return reply.send(whole.body)
  whole.gzipped ??= gzipSync(whole.body)
  return reply.header('content-encoding', 'gzip').send(whole.gzipped)
}

/** Turns a page into Markdown. */
export type ConvertPage = (html: string) => Promise<string>

declare module 'fastify' {
  interface FastifyInstance {
    markdownOf(page: Tagged): Promise<Tagged>
  }
}

/** Few have more than 10 KB. */
const MARKDOWN_KEPT = 100

/** Converts pages, and keeps the results that were requested last, by the ETags of the pages. */
export function cachedMarkdown(convert: ConvertPage): (page: Tagged) => Promise<Tagged> {
  const kept = new LRUCache<string, Tagged, Tagged>({
    max: MARKDOWN_KEPT,
    // A conversion that others push out before its end still answers those who wait for it.
    ignoreFetchAbort: true,
    fetchMethod: (_etag, _stale, { context: page }) => convert(String(page.body)).then(tagged),
  })
  return page => kept.forceFetch(page.etag, { context: page })
}

/** Some shared caches ignore `Vary: Accept` and would show people Markdown, so they may keep only addresses in `.md`. */
function sendMarkdown(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Tagged,
  { cache, tags }: Sending,
): FastifyReply {
  const isShared = hasMarkdownAddress(request)
  if (!isShared) reply.header('vary', 'accept')
  const held = isShared ? { cache, tags } : { cache: cache === 'no-store' ? cache : 'private, no-cache' }
  request.server.markdownOf(page).then(
    markdown => sendPublic(request, reply, markdown, { mediaType: MARKDOWN, ...held }),
    error => reply.send(error),
  )
  return reply
}

/**
 * Returns whether an Accept-Encoding header allows gzip. Every client that accepts compression accepts it. Brotli saves a
 * few percent more for twice the work.
 */
export const takesGzip = (header: string | undefined): boolean =>
  header !== undefined &&
  new Negotiator({ headers: { 'accept-encoding': header.toLowerCase() } }).encodings().includes('gzip')

/**
 * Returns whether an If-None-Match header names this tag. The comparison is weak (RFC 9110, 13.1.2): a proxy that
 * compressed the body may have added `W/`.
 */
export const listsTag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false

const HTML_TYPE = 'text/html'
const MARKDOWN_TYPE = 'text/markdown'
export const MARKDOWN = `${MARKDOWN_TYPE}; charset=utf-8`

/**
 * Changes the address of a page plus `.md` into that of the page, and asks for it as Markdown. Addresses of pages have no
 * dots, unlike those of files. Call it before the request is routed.
 *
 * @param isRoute whether an address has a route of its own
 */
export function dropMarkdownSuffix(request: IncomingMessage, isRoute: (path: string) => boolean): void {
  const { url = '/', method } = request
  if (!url.includes('.md')) return
  const [, path = '', query = ''] = /^([^?.]*)\.md(\?.*)?$/.exec(url) ?? []
  if (path === '' || path.startsWith('/api/') || (method !== 'GET' && method !== 'HEAD') || isRoute(`${path}.md`)) {
    return
  }
  request.headers.accept = MARKDOWN_TYPE
  // Fastify reads it as `request.originalUrl`. Its own `rewriteUrl` would set it on every request.
  Object.assign(request, { originalUrl: url, url: (path === '/index' ? '/' : path) + query })
}

/** Returns whether the caller prefers Markdown to a page. Without a preference, the reply is a page. */
const wantsMarkdown = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes(MARKDOWN_TYPE) === true &&
  new Negotiator({ headers }).mediaType([HTML_TYPE, MARKDOWN_TYPE]) === MARKDOWN_TYPE

/** Whether the address itself asks for Markdown, so that it is the key for caches. */
const hasMarkdownAddress = ({ url, originalUrl }: FastifyRequest): boolean => url !== originalUrl

/**
 * Says how a page and its Markdown belong together.
 *
 * @param isMarkdown whether this reply is the Markdown
 */
function relateMarkdown({ url }: FastifyRequest, reply: FastifyReply, isMarkdown: boolean): void {
  // The rest of an address is the caller's, who could put a comma or a bracket into it.
  if (!/^\/[\w./-]*$/.test(url)) return
  const link = isMarkdown
    ? `<${url}>; rel="canonical"`
    : `<${url === '/' ? '/index' : url}.md>; rel="alternate"; type="${MARKDOWN_TYPE}"`
  const others = reply.getHeader('link')
  reply.header('link', others === undefined ? link : `${others}, ${link}`)
}
