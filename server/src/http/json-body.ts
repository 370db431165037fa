import { BODY_MAX_BYTES } from '@placard/contract'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { bodyTooLarge, Problem } from './problem.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Takes JSON in UTF-8 and nothing else: every other content type has no parser, and so gets 415. */
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
 * Refuses what is not JSON by its media type, also where none is named, what has a content coding, and what declares
 * more than `BODY_MAX_BYTES`. Nothing of the body is read; the parser stops a larger one that does not declare it.
 */
export const requireJson: onRequestHookHandler = ({ headers }, _reply, done) => {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  const coding = headers['content-encoding']?.trim().toLowerCase()
  if (mediaType !== 'application/json' || (coding !== undefined && coding !== 'identity')) {
    return done(new Problem('unsupported_media_type'))
  }
  const declaredBytes = Number(headers['content-length'] ?? 0)
  done(declaredBytes > BODY_MAX_BYTES ? bodyTooLarge(BODY_MAX_BYTES) : undefined)
}
