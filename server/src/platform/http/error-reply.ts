import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_MAX_BYTES, DECISION_HEADER, type ErrorBody } from '@placard/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStoreFailure } from '../db/failures.ts'
import { type Connections, UNREAD_MAX_MS } from './connections.ts'
import { PAGE_HEADERS } from './headers.ts'
import type { Links } from './links.ts'
import { bodyTooLarge, invalidBody, Problem } from './problem.ts'

/** Our faults, temporary failures and settled submissions. Everything else is the caller's mistake. */
const LOG_LEVELS: Partial<Record<number, 'error' | 'warn' | 'info'>> = {
  500: 'error',
  503: 'warn',
  422: 'info',
}

/** What a browser sent that got an error. */
export type FailedRequest = Pick<FastifyRequest, 'headers' | 'url' | 'body'>

/** How errors are rendered: as a page for a person, or as JSON with addresses of the service. */
export interface ErrorForms {
  links: Links
  renderProblem: (problem: Problem, request: FailedRequest) => string
}

/** Turns every thrown error, and every unknown address, into the one error shape. */
export function replyToErrors(app: FastifyInstance, forms: ErrorForms): void {
  app.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    const problem = problemFrom(error, request)
    logProblem(request, problem)
    // If this returned the reply, Fastify would wait for it.
    sendProblem(problem, request, reply, forms)
  })
  app.setNotFoundHandler((request, reply) => sendProblem(new Problem('not_found'), request, reply, forms))
}

/** Logs a problem at the level for its status. */
export function logProblem(request: FastifyRequest, problem: Problem): void {
  const level = LOG_LEVELS[problem.status] ?? 'debug'
  request.log[level](
    problem.status >= 500 ? { err: problem.cause ?? problem, cause: codeOfCause(problem) } : { reason: problem.reason },
    problem.code,
  )
}

/**
 * Returns the database's or system's code for the fault, such as SQLITE_FULL, which is often more exact than its
 * message.
 */
const codeOfCause = ({ cause }: Problem) => (cause instanceof Error && 'code' in cause ? cause.code : undefined)

/**
 * Returns the problem for the caller, from a thrown error. Anything unexpected is an `internal_error` without details.
 *
 * @param request for its route's limits and its body; without one, the API's limits apply
 */
export function problemFrom(
  error: FastifyError | Problem,
  request: Partial<Pick<FastifyRequest, 'routeOptions' | 'body' | 'query' | 'params'>> = {},
): Problem {
  if (error instanceof Problem) return error
  if (error.validation) {
    const parts: Record<string, unknown> = { querystring: request.query, params: request.params }
    return invalidBody(error.validation, parts[error.validationContext ?? ''] ?? request.body)
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(request.routeOptions?.bodyLimit ?? BODY_MAX_BYTES)
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

/** Returns whether a refused request has more left to send than is worth reading, or does not say how much. */
function leavesMuchUnread({ headers, raw }: FastifyRequest): boolean {
  const mayBeLong =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DRAIN_MAX_BYTES
  return mayBeLong && !raw.complete
}

/** Sets the status and the headers of an error, for any form of its body. */
export function problemHeaders(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(problem.status).header('cache-control', 'no-store')
  if (leavesMuchUnread(request)) reply.header('connection', 'close')
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  if (problem.replayed) reply.header('idempotent-replayed', 'true')
  if (problem.decisionId !== undefined) reply.header(DECISION_HEADER, problem.decisionId)
  return reply
}

/** Sends an error: as a page if a browser opened an address outside the API, otherwise as JSON. */
export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  { links, renderProblem }: ErrorForms,
): FastifyReply {
  problemHeaders(problem, request, reply)
  const forPerson = !request.url.startsWith('/api/') && request.headers.accept?.includes('text/html')
  if (!forPerson) return reply.type('application/json; charset=utf-8').send(JSON.stringify(problem.toBody(links)))
  // The private page has already set stricter ones.
  if (!reply.hasHeader('content-security-policy')) reply.headers(PAGE_HEADERS)
  reply.type('text/html; charset=utf-8')
  return reply.send(renderProblem(problem, request))
}

/**
 * Answers, in the usual error shape, input that never becomes a request: bytes that are not HTTP, headers that are too
 * large or too slow, CONNECT.
 */
export function replyToClientErrors(
  server: Server,
  connections: Connections,
  links: Links,
  nextRequestId: () => string,
): void {
  server.on('connect', (_request, socket: Socket) => {
    // Node has taken its listeners off the socket, so a reply that is under way may never end.
    if (connections.endAfterReplies(socket)) return void socket.destroy()
    refuse(socket, '405 Method Not Allowed', new Problem('method_not_allowed'))
  })
  // An unknown expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    // The client would read a refusal as the reply to its previous request.
    if (connections.endAfterReplies(socket)) return
    const detail = CLIENT_ERRORS[error.code ?? '']
    const problem = new Problem('invalid_request', detail === undefined ? {} : { detail })
    refuse(socket, '400 Bad Request', problem)
  })

  function refuse(socket: Socket, statusLine: string, problem: Problem): void {
    if (!socket.writable) return void socket.destroy()
    sendRaw(socket, statusLine, problem.toBody(links), nextRequestId())
  }
}

const CLIENT_ERRORS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: 'The request line and headers are larger than 16 KiB.',
}

function sendRaw(socket: Socket, statusLine: string, error: ErrorBody, requestId: string): void {
  const body = JSON.stringify(error)
  const headers = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // No other listener is left: without this one, a client that resets the connection would end the process.
  socket.on('error', () => {})
  socket.setTimeout(UNREAD_MAX_MS, () => socket.destroy())
  socket.write(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n${body}`)
  // Even if the client keeps its side open.
  socket.destroySoon()
}
