import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderErrorPage } from '../pages/error.tsx'
import { PAGE_HEADERS } from '../pages/headers.ts'
import { invalidBody } from './invalid-body.ts'
import type { Links } from './links.ts'
import { Problem } from './problem.ts'

/** A fault of ours, a passing one, and a settled submission; everything else is the caller's own business. */
const LOG_LEVELS: Partial<Record<number, 'error' | 'warn' | 'info'>> = {
  500: 'error',
  503: 'warn',
  422: 'info',
}

/** Turns everything thrown into a reply of the one error shape, and unknown addresses too. */
export function replyToErrors(app: FastifyInstance, links: Links): void {
  app.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    const problem = problemFrom(error)
    const level = LOG_LEVELS[problem.status] ?? 'debug'
    request.log[level](
      { ...(problem.status >= 500 ? { err: error } : { reason: problem.reason }) },
      problem.code,
    )
    return sendProblem(problem, request, reply, links)
  })
  app.setNotFoundHandler((request, reply) => sendProblem(new Problem('not_found'), request, reply, links))
}

/** What a thrown error means to the caller. Anything unforeseen is an `internal_error` without details. */
export function problemFrom(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error
  if (error.validation) return invalidBody(error.validation)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_body', {
        detail: 'The body is shorter or longer than Content-Length says.',
      })
    case 'FST_ERR_BAD_URL':
      return new Problem('not_found')
  }
  return new Problem('internal_error', { cause: error })
}

/** Sends an error: as JSON, or as a page to a person who opened an address outside the API in a browser. */
export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  links: Links,
): FastifyReply {
  reply.code(problem.status).header('x-request-id', request.id).header('cache-control', 'no-store')
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  if (problem.replayed) reply.header('idempotent-replayed', 'true')
  const forPerson = !request.url.startsWith('/api/') && request.headers.accept?.includes('text/html')
  if (!forPerson) return reply.type('application/json; charset=utf-8').send(problem.toBody())
  // The private page has set stricter ones.
  if (!reply.hasHeader('content-security-policy')) reply.headers(PAGE_HEADERS)
  reply.type('text/html; charset=utf-8')
  return reply.send(renderErrorPage(problem, links))
}

/** Answers bytes that are no HTTP request, which no route ever sees, in the same shape. */
export function replyToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, detail] = CLIENT_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    'This is not a valid HTTP request.',
  ]
  const body = JSON.stringify(new Problem('invalid_body', { detail }).toBody())
  const head = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
}

const CLIENT_ERRORS: Record<string, [status: string, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are larger than 16 KiB.'],
}
