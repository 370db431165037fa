import type { FastifyInstance, preParsingHookHandler } from 'fastify'
import { Problem } from './problem.ts'

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

/** Refuses a body without a JSON media type, also an absent one, or with a content coding. Runs before it is read. */
export const requireJson: preParsingHookHandler = ({ headers }, _reply, payload, done) => {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  const coding = headers['content-encoding']?.trim().toLowerCase()
  if (mediaType !== 'application/json' || (coding !== undefined && coding !== 'identity')) {
    return done(new Problem('unsupported_media_type'))
  }
  done(null, payload)
}
