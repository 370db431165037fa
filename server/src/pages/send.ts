import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const HTML = 'text/html; charset=utf-8'

interface Sending {
  mediaType?: string
  /** A value of `CACHE`. */
  cache: string
}

/** Sends a public body with a strong ETag, or 304 where the caller has it already. */
export function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
  { mediaType = HTML, cache }: Sending,
): FastifyReply {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  reply.header('cache-control', cache).header('etag', etag)
  const unchanged = reply.statusCode === 200 && listsTag(request.headers['if-none-match'], etag)
  return unchanged ? reply.code(304).send() : reply.type(mediaType).send(body)
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): a proxy that compressed the body may have added `W/`. */
const listsTag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false
