import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

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
export const wantsMarkdown = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes(MARKDOWN_TYPE) === true &&
  new Negotiator({ headers }).mediaType([HTML_TYPE, MARKDOWN_TYPE]) === MARKDOWN_TYPE

/** Whether the address itself asks for Markdown, so that it is the key for caches. */
export const hasMarkdownAddress = ({ url, originalUrl }: FastifyRequest): boolean => url !== originalUrl

/**
 * Says how a page and its Markdown belong together.
 *
 * @param isMarkdown whether this reply is the Markdown
 */
export function relateMarkdown({ url }: FastifyRequest, reply: FastifyReply, isMarkdown: boolean): void {
  // The rest of an address is the caller's, who could put a comma or a bracket into it.
  if (!/^\/[\w./-]*$/.test(url)) return
  const link = isMarkdown
    ? `<${url}>; rel="canonical"`
    : `<${url === '/' ? '/index' : url}.md>; rel="alternate"; type="${MARKDOWN_TYPE}"`
  const others = reply.getHeader('link')
  reply.header('link', others === undefined ? link : `${others}, ${link}`)
}
