import type { FastifyInstance } from 'fastify'

const FORM_MAX_BYTES = 16 * 1024

/** Lets the routes of a context read forms as `URLSearchParams`. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  )
}

/** The form of a request, or an empty one. */
export const formOf = (body: unknown): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()
