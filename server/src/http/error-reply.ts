import { BODY_MAX_BYTES, DECISION_HEADER } from '@placard/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStoreFailure } from '../storage/store-failure.ts'
import { PAGE_HEADERS } from './headers.ts'
import { invalidBody } from './invalid-body.ts'
import { bodyTooLarge, Problem } from './problem.ts'

/** Our faults, temporary failures and settled submissions. Everything else is the caller's own business. */
const LOG_LEVELS: Partial<Record<number, 'error' | 'warn' | 'info'>> = {
  500: 'error',
  503: 'warn',
  422: 'info',
}

/** Renders an error page for a person. */
export type RenderErrorPage = (problem: Problem) => string

/** Turns everything thrown, and every unknown address, into the one error shape. */
export function replyToErrors(app: FastifyInstance, renderErrorPage: RenderErrorPage): void {
  app.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    const problem = problemFrom(error, request)
    logProblem(request, problem)
    return sendProblem(problem, request, reply, renderErrorPage)
  })
  app.setNotFoundHandler((request, reply) =>
    sendProblem(new Problem('not_found'), request, reply, renderErrorPage),
  )
}

/** Logs a problem as loudly as it deserves. */
export function logProblem(request: FastifyRequest, problem: Problem): void {
  const level = LOG_LEVELS[problem.status] ?? 'debug'
  request.log[level](
    problem.status >= 500
      ? { err: problem.cause ?? problem, cause: codeOfCause(problem) }
      : { reason: problem.reason },
    problem.code,
  )
}

/** The database's or system's code for the fault, such as SQLITE_FULL, which is often more exact than its message. */
const codeOfCause = ({ cause }: Problem) =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined

/**
 * Turns a thrown error into a problem for the caller. Anything unexpected is an `internal_error` without details.
 *
 * @param request for its route's limits and its body; without one, the API's limits apply
 */
export function problemFrom(
  error: FastifyError | Problem,
  { routeOptions, body }: Partial<Pick<FastifyRequest, 'routeOptions' | 'body'>> = {},
): Problem {
  if (error instanceof Problem) return error
  if (error.validation) return invalidBody(error.validation, body)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(routeOptions?.bodyLimit ?? BODY_MAX_BYTES)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_body', {
        detail: 'The body is shorter or longer than Content-Length says.',
      })
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('not_found')
    case 'ECONNRESET':
      return new Problem('invalid_request', {
        detail: 'The connection ended before the whole body arrived.',
      })
  }
  if (isStoreFailure(error)) return new Problem('not_ready', { retryAfterSeconds: 5, cause: error })
  return new Problem('internal_error', { cause: error })
}

/** An unwanted body up to this size is read and dropped, so that its connection stays open for the next request. */
const DRAIN_MAX_BYTES = 256 * 1024

/** Whether a refused request has more left to send than is worth reading, or does not say how much. */
function leavesMuchUnread({ headers, raw }: FastifyRequest): boolean {
  const mayBeLong =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DRAIN_MAX_BYTES
  return mayBeLong && !raw.complete
}

/** Sets the status and the headers of an error, whatever its body looks like. */
export function problemHeaders(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(problem.status).header('cache-control', 'no-store')
  if (leavesMuchUnread(request)) reply.header('connection', 'close')
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  if (problem.replayed) reply.header('idempotent-replayed', 'true')
  if (problem.decisionId !== undefined) reply.header(DECISION_HEADER, problem.decisionId)
  return reply
}

/** Sends an error: as a page to a person who opened an address outside the API in a browser, otherwise as JSON. */
export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  renderErrorPage: RenderErrorPage,
): FastifyReply {
  problemHeaders(problem, request, reply)
  const forPerson = !request.url.startsWith('/api/') && request.headers.accept?.includes('text/html')
  if (!forPerson) return reply.type('application/json; charset=utf-8').send(problem.toBody())
  // The private page has already set stricter ones.
  if (!reply.hasHeader('content-security-policy')) reply.headers(PAGE_HEADERS)
  reply.type('text/html; charset=utf-8')
  return reply.send(renderErrorPage(problem))
}
