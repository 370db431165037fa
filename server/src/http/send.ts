import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const HTML = 'text/html; charset=utf-8'

/** Sends a page that is not for caches. */
export const sendHtml = (reply: FastifyReply, status: number, html: string) =>
  reply.code(status).type(HTML).send(html)

interface Sending {
  mediaType?: string
  /** A value of `CACHE`. */
  cache: string
}

/** A body with its strong ETag: worked out once for all who get it. */
export interface Tagged {
  body: string | Buffer
  etag: string
}

export const tagged = (body: string | Buffer): Tagged => ({
  body,
  etag: `"${hash('sha256', body, 'base64url')}"`,
})

/** Sends a public body with a strong ETag, or 304 where the caller has it already. */
export function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: string | Buffer | Tagged,
  { mediaType = HTML, cache }: Sending,
): FastifyReply {
  const { body, etag } = typeof sent === 'string' || Buffer.isBuffer(sent) ? tagged(sent) : sent
  reply.header('cache-control', cache).header('etag', etag)
  const unchanged = reply.statusCode === 200 && listsTag(request.headers['if-none-match'], etag)
  return unchanged ? reply.code(304).send() : reply.type(mediaType).send(body)
}

/**
 * Whether a caller has what the tag stands for. If-None-Match compares weakly (RFC 9110, 13.1.2): a proxy that compressed
 * the body may have added `W/`.
 */
export const listsTag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false
