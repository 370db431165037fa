import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { bodyTooLarge, Problem } from './problem.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Accepts only JSON in UTF-8: other content types have no parser, and so get 415. */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)))
    } catch {
      done(new Problem('invalid_json'))
    }
  })
}

/**
 * Refuses a body with another media type or none, with a content coding, or with a declared length above `maxBytes`,
 * all without reading it. The parser stops a larger body that does not declare its length.
 */
export const requireJsonUpTo =
  (maxBytes: number): onRequestHookHandler =>
  ({ headers }, _reply, done) => {
    const { 'content-type': type, 'content-encoding': coding } = headers
    // Nearly everybody sends it as it is.
    const isJson = type === 'application/json' || mediaTypeOf(type) === 'application/json'
    if (!isJson || (coding !== undefined && coding.trim().toLowerCase() !== 'identity')) {
      return done(new Problem('unsupported_media_type'))
    }
    const declaredBytes = Number(headers['content-length'] ?? 0)
    done(declaredBytes > maxBytes ? bodyTooLarge(maxBytes) : undefined)
  }

const mediaTypeOf = (type: string | undefined) => type?.split(';', 1)[0]?.trim().toLowerCase()

/** For the bodies of publish and quote. */
export const requireJson = requireJsonUpTo(BODY_MAX_BYTES)
